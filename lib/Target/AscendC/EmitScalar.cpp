//===- EmitScalar.cpp - Index and scalar arithmetic -----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ProgramEmitter.h"
#include "ValueRange.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;

//===-- Locals or inlined ------------------------------------------------===//

/// Operations whose text repeats an operand.
static bool repeatsOperands(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    using P = arith::CmpFPredicate;
    return llvm::is_contained({P::ONE, P::UEQ, P::ORD, P::UNO},
                              compare.getPredicate());
  }
  return isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp,
             arith::CeilDivSIOp, arith::FloorDivSIOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op);
}

/// Whether the text of `user` holds this operand once. Extents of instructions
/// appear several times, offsets once.
static bool namesOperandOnce(OpOperand &use) {
  Operation *user = use.getOwner();
  Value value = use.get();
  if (isa<arith::ArithDialect>(user->getDialect()))
    return !repeatsOperands(user);
  if (isa<scf::SCFDialect>(user->getDialect()))
    return true;
  return llvm::TypeSwitch<Operation *, bool>(user)
      .Case<LoadOp, StoreOp, Nd2NzOp, FixpipeOp>(
          [&](auto op) { return op.getOffset() == value; })
      .Case([&](MmadOp op) { return op.getInit() == value; })
      .Case<GetValueOp, SetValueOp, ScalarOp, DuplicateOp, CompareScalarOp>(
          [](auto) { return true; })
      .Default([](Operation *) { return false; });
}

StringRef ascend::nameOf(Value named) {
  Location location = named.getLoc();
  while (auto name = dyn_cast<NameLoc>(location)) {
    if (!name.getName().empty() && !name.getName().getValue().contains('.'))
      return name.getName();
    location = name.getChildLoc();
  }
  return {};
}

bool ProgramEmitter::isUsedOnceIn(Value used, Block *block) {
  if (!used.hasOneUse())
    return false;
  OpOperand &use = *used.use_begin();
  Operation *user = use.getOwner();
  if (user->getBlock() != block)
    return false;
  if (auto view = dyn_cast<ViewOp>(user))
    return isUsedOnceIn(view.getResult(), block);
  if (isa<MemRefType>(used.getType()))
    return true;
  return namesOperandOnce(use);
}

unsigned ProgramEmitter::inlinedSize(Operation *op) {
  unsigned size = 1;
  for (Value operand : op->getOperands())
    if (Operation *definition = operand.getDefiningOp())
      if (isa<arith::ArithDialect>(definition->getDialect()) &&
          !isa<arith::ConstantOp>(definition) && isInlined(definition))
        size += inlinedSize(definition);
  return size;
}

bool ProgramEmitter::isInlined(Operation *op) {
  auto [entry, isNew] = inlined.try_emplace(op, true);
  if (!isNew)
    return entry->second;
  constexpr unsigned longest = 6;
  bool result = isa<arith::ConstantOp>(op) ||
                (nameOf(op->getResult(0)).empty() &&
                 isUsedOnceIn(op->getResult(0), op->getBlock()) &&
                 inlinedSize(op) <= longest);
  inlined[op] = result;
  return result;
}

std::string ProgramEmitter::nameHint(Value named, StringRef fallback) {
  StringRef known = nameOf(named);
  if (!known.empty())
    return known.str();
  for (OpOperand &use : named.getUses()) {
    StringRef hint =
        llvm::TypeSwitch<Operation *, StringRef>(use.getOwner())
            .Case<LoadOp, StoreOp, Nd2NzOp, FixpipeOp>([&](auto op) {
              return op.getRows() == named      ? "rows"
                     : op.getColumns() == named ? "columns"
                     : op.getStride() == named  ? "stride"
                                                : "offset";
            })
            .Case<LoadL0AOp, LoadL0BOp>([&](auto op) {
              return op.getExtent() == named    ? "extent"
                     : op.getKExtent() == named ? "kExtent"
                     : op.getKStart() == named  ? "kStart"
                                                : "start";
            })
            .Case([&](MmadOp op) {
              return op.getM() == named   ? "m"
                     : op.getN() == named ? "n"
                     : op.getK() == named ? "k"
                                          : "init";
            })
            .Case<ViewOp, GetValueOp>([](auto) { return "offset"; })
            .Case([](arith::MinSIOp) { return "left"; })
            .Default([](Operation *) { return ""; });
    if (!hint.empty())
      return hint.str();
  }
  return fallback.str();
}

void ProgramEmitter::declare(Value scalar, const Expression &initial,
                             StringRef hint) {
  std::string name = names.add(nameHint(scalar, hint));
  text.line("const " + type(scalar) + " " + name + " = " + initial.text + ";",
            scalar.getLoc());
  values[scalar] = Expression(name);
}

Expression ProgramEmitter::atom(const Expression &expression, StringRef hint) {
  if (expression.isAtom())
    return expression;
  std::string name = names.add(hint);
  text.line("const " + indexType + " " + name + " = " + expression.text + ";");
  return Expression(name);
}

void ProgramEmitter::emitScalar(Operation *op) {
  if (op->use_empty() || isInlined(op))
    return;
  Expression expression = build(op);
  // What folds to a name or a number needs no local.
  if (expression.isAtom()) {
    values[op->getResult(0)] = expression;
    return;
  }
  bool isIndex = op->getResult(0).getType().isIndex();
  declare(op->getResult(0), expression, isIndex ? "index" : "value");
}

Expression ProgramEmitter::value(Value scalar) {
  auto known = values.find(scalar);
  if (known != values.end())
    return known->second;
  Operation *definition = scalar.getDefiningOp();
  if (definition && isa<arith::ArithDialect>(definition->getDialect()))
    return build(definition);
  // Its definition failed and has been reported.
  if (!hasFailed)
    error(definition ? definition : kernel.getOperation(), "internal: ")
        << "value of type " << scalar.getType() << " used before it is known";
  return Expression("unknown");
}

//===-- Facts ------------------------------------------------------------===//

bool ProgramEmitter::isNonNegative(Value scalar) {
  return boundsOf(scalar).least >= 0;
}

bool ProgramEmitter::openGuard(ValueRange counts, bool &isEmpty) {
  std::string condition;
  isEmpty = false;
  for (Value scalar : counts) {
    ValueBounds bounds = boundsOf(scalar);
    isEmpty |= bounds.greatest <= 0;
    if (bounds.least > 0)
      continue;
    Expression count = value(scalar);
    if (!condition.empty())
      condition += " && ";
    condition += count.within(Binding::Sum) + " > 0";
  }
  if (isEmpty || condition.empty())
    return false;
  text.open("if (" + condition + ")");
  return true;
}

//===-- Constants and arguments ------------------------------------------===//

static std::string floatLiteral(const APFloat &number) {
  // Not finite values have no literal.
  if (number.isNaN())
    return "(0.0f / 0.0f)";
  if (number.isInfinity())
    return number.isNegative() ? "(-1.0f / 0.0f)" : "(1.0f / 0.0f)";
  bool losesInformation;
  APFloat single = number;
  single.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                 &losesInformation);
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.9g", single.convertToFloat());
  // The shortest text that reads back as the same number.
  for (int precision = 1; precision < 9; ++precision) {
    char shorter[32];
    std::snprintf(shorter, sizeof(shorter), "%.*g", precision,
                  single.convertToFloat());
    if (std::strtof(shorter, nullptr) == single.convertToFloat()) {
      std::memcpy(digits, shorter, sizeof(digits));
      break;
    }
  }
  std::string literal = digits;
  if (literal.find_first_of(".e") == std::string::npos)
    literal += ".0";
  return literal + "f";
}

/// Conversions between float and the 16-bit types as the API spells them.
static std::string fromFloat(const std::string &text, Type to) {
  if (to.isBF16())
    return "ToBfloat16(" + text + ")";
  if (to.isF16())
    return "static_cast<half>(" + text + ")";
  return text;
}

static Expression toFloat(const Expression &value, Type from) {
  if (from.isBF16())
    return Expression("ToFloat(" + value.text + ")");
  if (from.isF16())
    return Expression("static_cast<float>(" + value.text + ")");
  return value;
}

Expression ProgramEmitter::buildConstant(Operation *op, TypedAttr attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    if (integer.getType().isInteger(1))
      return Expression(integer.getValue().isZero() ? "false" : "true");
    return integer.getValue().getSExtValue();
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    std::string literal = floatLiteral(number.getValue());
    Expression result(fromFloat(literal, number.getType()),
                      literal[0] == '-' && number.getType().isF32()
                          ? Binding::Unary
                          : Binding::Primary);
    if (!number.getType().isF32() && !number.getType().isF16() &&
        !number.getType().isBF16())
      error(op, "unsupported: ") << "scalars of type " << number.getType();
    return result;
  }
  error(op, "unsupported: ") << "constant " << attribute;
  return 0;
}

std::string ProgramEmitter::scalarArgument(Value scalar,
                                           StringRef elementType) {
  Expression expression = value(scalar);
  // The calls deduce the element type from the tensor and the scalar alike.
  // A literal is an int32_t where it fits; the smallest one has no literal.
  bool isInt32 = expression.constant && *expression.constant > INT32_MIN &&
                 *expression.constant <= INT32_MAX;
  if (expression.constant ? isInt32 && elementType == "int32_t"
                          : type(scalar) == elementType)
    // Of an expression on narrower integers C++ makes an int32_t.
    if (expression.binding == Binding::Primary || elementType == "int32_t" ||
        elementType == "float")
      return expression.text;
  return "static_cast<" + elementType.str() + ">(" + expression.text + ")";
}

//===-- Operations -------------------------------------------------------===//

Expression ProgramEmitter::build(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return buildConstant(op, constant.getValue());
  if (isa<arith::CmpIOp, arith::CmpFOp>(op))
    return buildCompare(op);
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (isa<MemRefType>(select.getType())) {
      error(op, "unsupported: ") << "a choice between buffers";
      return 0;
    }
    return Expression(
        value(select.getCondition()).within(Binding::LogicalOr) + " ? " +
            value(select.getTrueValue()).within(Binding::LogicalOr) + " : " +
            value(select.getFalseValue()).within(Binding::LogicalOr),
        Binding::Conditional);
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp,
          arith::FPToSIOp, arith::FPToUIOp, arith::ExtFOp, arith::TruncFOp>(op))
    return buildConversion(op);
  if (op->getNumResults() == 1 && op->getResult(0).getType().isIntOrIndex())
    return buildInteger(op);
  return buildFloat(op);
}

static std::string unsignedType(const std::string &type) {
  return type[0] == 'u' ? type : "u" + type;
}

Expression ProgramEmitter::buildInteger(Operation *op) {
  std::string resultType = type(op->getResult(0));
  SmallVector<Expression> in;
  for (Value operand : op->getOperands())
    in.push_back(value(operand));
  Type element = op->getResult(0).getType();
  bool isBool = element.isInteger(1);
  bool nonNegative = llvm::all_of(
      op->getOperands(), [&](Value operand) { return isNonNegative(operand); });
  // The smallest integer divided by -1 overflows, which ends a host process;
  // with a wider dividend it wraps as the language says.
  bool widened = isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
                     arith::FloorDivSIOp>(op) &&
                 element.isInteger(32) && !nonNegative && !in[0].constant &&
                 (!in[1].constant || *in[1].constant == -1);
  if (widened)
    in[0] = Expression("static_cast<int64_t>(" + in[0].text + ")");
  // C++ computes narrow integers as int; the result must wrap.
  auto wrapped = [&](Expression expression) {
    if (widened)
      return Expression("static_cast<" + resultType + ">(" + expression.text +
                        ")");
    if (isBool || element.isIndex() || element.getIntOrFloatBitWidth() >= 32 ||
        expression.constant)
      return expression;
    return Expression("static_cast<" + resultType + ">(" + expression.text +
                      ")");
  };
  auto unsignedOperand = [&](const Expression &operand) {
    if (operand.constant && *operand.constant >= 0)
      return operand;
    return Expression("static_cast<" + unsignedType(resultType) + ">(" +
                      operand.text + ")");
  };
  auto asSigned = [&](const Expression &expression) {
    return Expression("static_cast<" + resultType + ">(" + expression.text +
                      ")");
  };
  // 1 where a quotient that was cut towards zero is to be rounded the other
  // way: it is not whole, and its sign is the one that `relation` of the signs
  // says.
  auto remainderTerm = [&](StringRef relation) {
    Expression cut = in[0] % in[1];
    return Expression("(" + cut.within(Binding::Equality) + " != 0 && (" +
                          in[0].within(Binding::Shift) + " < 0) " +
                          relation.str() + " (" + in[1].within(Binding::Shift) +
                          " < 0) ? 1 : 0)",
                      Binding::Primary);
  };
  auto choose = [&](StringRef relation, bool isUnsigned) {
    Expression a = in[0], b = in[1];
    if (a.constant && b.constant && (!isUnsigned || nonNegative))
      return Expression((relation == "<") == (*a.constant < *b.constant)
                            ? *a.constant
                            : *b.constant);
    Expression left = a, right = b;
    if (isUnsigned && !nonNegative) {
      left = unsignedOperand(a);
      right = unsignedOperand(b);
    }
    return Expression(left.within(Binding::Shift) + " " + relation.str() + " " +
                          right.within(Binding::Shift) + " ? " +
                          a.within(Binding::LogicalOr) + " : " +
                          b.within(Binding::LogicalOr),
                      Binding::Conditional);
  };

  return llvm::TypeSwitch<Operation *, Expression>(op)
      .Case([&](arith::AddIOp) {
        if (isBool)
          return binaryExpression(in[0], "!=", in[1], Binding::Equality);
        return wrapped(in[0] + in[1]);
      })
      .Case([&](arith::SubIOp) { return wrapped(in[0] - in[1]); })
      .Case([&](arith::MulIOp) { return wrapped(in[0] * in[1]); })
      .Case([&](arith::DivSIOp) { return wrapped(in[0] / in[1]); })
      .Case([&](arith::RemSIOp) { return wrapped(in[0] % in[1]); })
      .Case([&](arith::DivUIOp) {
        if (nonNegative)
          return in[0] / in[1];
        return asSigned(unsignedOperand(in[0]) / unsignedOperand(in[1]));
      })
      .Case([&](arith::RemUIOp) {
        if (nonNegative)
          return in[0] % in[1];
        return asSigned(unsignedOperand(in[0]) % unsignedOperand(in[1]));
      })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto divide) {
        if (in[0].constant && in[1].constant && *in[1].constant > 0 &&
            *in[0].constant >= 0)
          return Expression((*in[0].constant + *in[1].constant - 1) /
                            *in[1].constant);
        bool isPositive = in[1].constant && *in[1].constant > 0;
        if (nonNegative)
          return (in[0] + (in[1] - 1)) / in[1];
        if (isPositive && isa<arith::CeilDivSIOp>(op))
          return Expression(in[0].within(Binding::Shift) + " > 0 ? " +
                                ((in[0] - 1) / in[1] + 1).text + " : " +
                                (in[0] / in[1]).text,
                            Binding::Conditional);
        if (isa<arith::CeilDivSIOp>(op))
          return wrapped(in[0] / in[1] + remainderTerm("=="));
        Expression a = unsignedOperand(in[0]), b = unsignedOperand(in[1]);
        Expression isCut("(" + (a % b).text + " != 0 ? 1 : 0)");
        return asSigned(a / b + isCut);
      })
      .Case([&](arith::FloorDivSIOp) {
        bool isPositive = in[1].constant && *in[1].constant > 0;
        if (nonNegative)
          return in[0] / in[1];
        if (isPositive)
          return Expression(in[0].within(Binding::Shift) + " < 0 ? " +
                                ((in[0] + 1) / in[1] - 1).text + " : " +
                                (in[0] / in[1]).text,
                            Binding::Conditional);
        return wrapped(in[0] / in[1] - remainderTerm("!="));
      })
      .Case([&](arith::MinSIOp) { return choose("<", false); })
      .Case([&](arith::MaxSIOp) { return choose(">", false); })
      .Case([&](arith::MinUIOp) { return choose("<", true); })
      .Case([&](arith::MaxUIOp) { return choose(">", true); })
      .Case([&](arith::AndIOp) {
        if (isBool)
          return binaryExpression(in[0], "&&", in[1], Binding::LogicalAnd);
        return wrapped(binaryExpression(in[0], "&", in[1], Binding::BitAnd));
      })
      .Case([&](arith::OrIOp) {
        if (isBool)
          return binaryExpression(in[0], "||", in[1], Binding::LogicalOr);
        return wrapped(binaryExpression(in[0], "|", in[1], Binding::BitOr));
      })
      .Case([&](arith::XOrIOp) {
        if (isBool && in[1].text == "true")
          return Expression("!" + in[0].within(Binding::Unary), Binding::Unary);
        if (isBool)
          return binaryExpression(in[0], "!=", in[1], Binding::Equality);
        return wrapped(binaryExpression(in[0], "^", in[1], Binding::BitXor));
      })
      .Case([&](arith::ShLIOp) {
        return wrapped(binaryExpression(in[0], "<<", in[1], Binding::Shift));
      })
      .Case([&](arith::ShRSIOp) {
        return wrapped(binaryExpression(in[0], ">>", in[1], Binding::Shift));
      })
      .Case([&](arith::ShRUIOp) {
        return asSigned(binaryExpression(unsignedOperand(in[0]), ">>", in[1],
                                         Binding::Shift));
      })
      .Default([&](Operation *) {
        error(op, "unsupported: ")
            << "'" << op->getName().getStringRef() << "' on the scalar unit";
        return Expression(0);
      });
}

Expression ProgramEmitter::buildFloat(Operation *op) {
  Type element = op->getNumResults() == 1 ? op->getResult(0).getType() : Type();
  if (!element || !(element.isF32() || element.isF16() || element.isBF16())) {
    error(op, "unsupported: ")
        << "'" << op->getName().getStringRef() << "' on the scalar unit";
    return 0;
  }
  // 16-bit values compute in fp32 and are rounded at each operation.
  SmallVector<Expression> in;
  for (Value operand : op->getOperands())
    in.push_back(toFloat(value(operand), element));
  auto rounded = [&](Expression expression) {
    if (element.isF32())
      return expression;
    return Expression(fromFloat(expression.text, element));
  };
  auto choose = [&](StringRef relation, unsigned nanOperand) {
    const std::string &nan = in[nanOperand].text;
    return rounded(
        Expression(in[0].within(Binding::Shift) + " " + relation.str() + " " +
                       in[1].within(Binding::Shift) + " || " + nan +
                       " != " + nan + " ? " + in[0].text + " : " + in[1].text,
                   Binding::Conditional));
  };
  return llvm::TypeSwitch<Operation *, Expression>(op)
      .Case([&](arith::AddFOp) {
        return rounded(binaryExpression(in[0], "+", in[1], Binding::Sum));
      })
      .Case([&](arith::SubFOp) {
        return rounded(binaryExpression(in[0], "-", in[1], Binding::Sum));
      })
      .Case([&](arith::MulFOp) {
        return rounded(binaryExpression(in[0], "*", in[1], Binding::Product));
      })
      .Case([&](arith::DivFOp) {
        return rounded(binaryExpression(in[0], "/", in[1], Binding::Product));
      })
      .Case([&](arith::NegFOp) {
        return rounded(
            Expression("-" + in[0].within(Binding::Primary), Binding::Unary));
      })
      .Case([&](arith::MaximumFOp) { return choose(">", 0); })
      .Case([&](arith::MinimumFOp) { return choose("<", 0); })
      .Case([&](arith::MaxNumFOp) { return choose(">", 1); })
      .Case([&](arith::MinNumFOp) { return choose("<", 1); })
      .Default([&](Operation *) {
        error(op, "unsupported: ")
            << "'" << op->getName().getStringRef() << "' on the scalar unit";
        return Expression(0);
      });
}

Expression ProgramEmitter::buildConversion(Operation *op) {
  Value source = op->getOperand(0);
  Expression in = value(source);
  Type from = source.getType(), to = op->getResult(0).getType();
  std::string fromType = type(source), toType = type(op->getResult(0));
  auto cast = [&](const std::string &target, const Expression &operand) {
    return Expression("static_cast<" + target + ">(" + operand.text + ")");
  };
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp, arith::UIToFPOp>(op) &&
      !from.isInteger(1) && !in.constant)
    in = cast(unsignedType(fromType), in);
  if (isa<FloatType>(from))
    in = toFloat(in, from);
  if (isa<FloatType>(to)) {
    if (!isa<FloatType>(from))
      in = cast("float", in);
    return Expression(fromFloat(in.text, to), in.binding);
  }
  if (isa<arith::FPToUIOp>(op))
    return cast(toType, cast(unsignedType(toType), in));
  if (in.constant && !isa<arith::TruncIOp>(op))
    return in;
  if (fromType == toType && !isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return in;
  return cast(toType, in);
}

Expression ProgramEmitter::buildCompare(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using P = arith::CmpIPredicate;
    P predicate = compare.getPredicate();
    Expression lhs = value(compare.getLhs()), rhs = value(compare.getRhs());
    bool isUnsigned = predicate == P::ult || predicate == P::ule ||
                      predicate == P::ugt || predicate == P::uge;
    if (isUnsigned &&
        !(isNonNegative(compare.getLhs()) && isNonNegative(compare.getRhs()))) {
      std::string wide = unsignedType(type(compare.getLhs()));
      auto cast = [&](const Expression &operand) {
        return Expression("static_cast<" + wide + ">(" + operand.text + ")");
      };
      lhs = cast(lhs);
      rhs = cast(rhs);
    }
    switch (predicate) {
    case P::eq:
      return binaryExpression(lhs, "==", rhs, Binding::Equality);
    case P::ne:
      return binaryExpression(lhs, "!=", rhs, Binding::Equality);
    case P::slt:
    case P::ult:
      return binaryExpression(lhs, "<", rhs, Binding::Relation);
    case P::sle:
    case P::ule:
      return binaryExpression(lhs, "<=", rhs, Binding::Relation);
    case P::sgt:
    case P::ugt:
      return binaryExpression(lhs, ">", rhs, Binding::Relation);
    case P::sge:
    case P::uge:
      return binaryExpression(lhs, ">=", rhs, Binding::Relation);
    }
  }
  auto compare = cast<arith::CmpFOp>(op);
  using P = arith::CmpFPredicate;
  Type element = compare.getLhs().getType();
  Expression lhs = toFloat(value(compare.getLhs()), element);
  Expression rhs = toFloat(value(compare.getRhs()), element);
  auto relation = [&](StringRef symbol) {
    return binaryExpression(lhs, symbol, rhs,
                            symbol == "==" || symbol == "!="
                                ? Binding::Equality
                                : Binding::Relation);
  };
  // An unordered comparison is the negation of the opposite ordered one.
  auto negated = [&](StringRef symbol) {
    return Expression("!(" + relation(symbol).text + ")", Binding::Unary);
  };
  auto either = [&] {
    return binaryExpression(relation("<"), "||", relation(">"),
                            Binding::LogicalOr);
  };
  auto ordered = [&] {
    return binaryExpression(binaryExpression(lhs, "==", lhs, Binding::Equality),
                            "&&",
                            binaryExpression(rhs, "==", rhs, Binding::Equality),
                            Binding::LogicalAnd);
  };
  switch (compare.getPredicate()) {
  case P::AlwaysFalse:
    return Expression("false");
  case P::AlwaysTrue:
    return Expression("true");
  case P::OEQ:
    return relation("==");
  case P::OGT:
    return relation(">");
  case P::OGE:
    return relation(">=");
  case P::OLT:
    return relation("<");
  case P::OLE:
    return relation("<=");
  case P::UNE:
    return relation("!=");
  case P::UGT:
    return negated("<=");
  case P::UGE:
    return negated("<");
  case P::ULT:
    return negated(">=");
  case P::ULE:
    return negated(">");
  case P::ONE:
    return either();
  case P::UEQ:
    return Expression("!(" + either().text + ")", Binding::Unary);
  case P::ORD:
    return ordered();
  case P::UNO:
    return Expression("!(" + ordered().text + ")", Binding::Unary);
  }
  llvm_unreachable("unknown predicate");
}
