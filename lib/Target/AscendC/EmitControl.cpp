//===- EmitControl.cpp - Blocks, loops, branches and flags ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ProgramEmitter.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;

//===-- Comments ---------------------------------------------------------===//

/// Waits and barriers stand in front of the instruction they hold back.
static bool precedesInstruction(Operation *op) {
  return isa<WaitFlagOp, CrossWaitOp, BarrierOp>(op);
}

void ProgramEmitter::quoteLineOf(Operation *op) {
  if (isa<InstructionOpInterface, scf::ForOp, scf::IfOp>(op))
    return text.quote(op->getLoc());
  if (!precedesInstruction(op))
    return;
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (isa<InstructionOpInterface>(next))
      return text.quote(next->getLoc());
    if (!precedesInstruction(next) && !isa<ViewOp>(next) &&
        !isa<arith::ArithDialect>(next->getDialect()))
      return;
  }
}

//===-- Blocks -----------------------------------------------------------===//

void ProgramEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    quoteLineOf(&op);
    emitOperation(&op);
  }
}

void ProgramEmitter::emitOperation(Operation *op) {
  auto emitIdentity = [&](Value result, std::string call, StringRef hint) {
    if (!result.use_empty())
      declare(result, Expression(indexType + "(" + call + ")"), hint);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](AllocOp alloc) { emitAlloc(alloc); })
      .Case([&](WorkspaceOp workspace) { emitWorkspace(workspace); })
      .Case([&](RingOp ring) { emitRing(ring); })
      .Case([&](memref::AllocaOp variable) { emitVariable(variable); })
      .Case([&](memref::LoadOp load) { emitVariableLoad(load); })
      .Case([&](memref::StoreOp store) { emitVariableStore(store); })
      .Case([&](ViewOp) {
        // Named where it is accessed.
      })
      .Case([&](AdvanceOp advance) {
        std::string slot = rings.lookup(advance.getRing());
        auto ring = advance.getRing().getDefiningOp<RingOp>();
        text.line(slot + " = " + slot + " + 1 == " + Twine(ring.getVersions()) +
                      " ? 0 : " + slot + " + 1;",
                  op->getLoc());
      })
      .Case([&](BlockIdxOp index) {
        emitIdentity(index.getResult(), blockIndex(), "block");
      })
      .Case([&](SubBlockIdxOp index) {
        emitIdentity(index.getResult(), "GetSubBlockIdx()", "subBlock");
      })
      .Case([&](BlockNumOp number) {
        emitIdentity(number.getResult(), "GetBlockNum()", "blocks");
      })
      .Case([&](scf::ForOp loop) { emitFor(loop); })
      .Case([&](scf::IfOp branch) { emitIf(branch); })
      .Case([&](SetFlagOp flag) {
        emitFlag(op, "SetFlag", flag.getSource(), flag.getTarget(),
                 flag.getId(), flag.getRing());
      })
      .Case([&](WaitFlagOp flag) {
        emitFlag(op, "WaitFlag", flag.getSource(), flag.getTarget(),
                 flag.getId(), flag.getRing());
      })
      .Case([&](BarrierOp barrier) {
        // The scalar unit is in order by itself.
        if (barrier.getPipe() != Pipe::S)
          text.line("PipeBarrier<PIPE_" + stringifyPipe(barrier.getPipe()) +
                        ">();",
                    op->getLoc());
      })
      .Case([&](CrossSetOp set) {
        if (set.getPipe() == Pipe::S || set.getPipe() == Pipe::ALL)
          error(op, "internal: ")
              << "a cross-core flag is set by one of the pipes V, M, MTE1, "
                 "MTE2, MTE3 and FIX, found "
              << stringifyPipe(set.getPipe());
        text.line("CrossCoreSetFlag<2, PIPE_" + stringifyPipe(set.getPipe()) +
                      ">(" + Twine(set.getFlag()) + ");",
                  op->getLoc());
      })
      .Case([&](CrossWaitOp wait) {
        text.line("CrossCoreWaitFlag(" + Twine(wait.getFlag()) + ");",
                  op->getLoc());
      })
      .Case([&](Nd2NzOp instruction) { emitNd2Nz(instruction); })
      .Case([&](LoadL0AOp instruction) { emitLoadL0A(instruction); })
      .Case([&](LoadL0BOp instruction) { emitLoadL0B(instruction); })
      .Case([&](ZeroL0Op instruction) { emitZeroL0(instruction); })
      .Case([&](ZeroL1Op instruction) { emitZeroL1(instruction); })
      .Case([&](MmadOp instruction) { emitMmad(instruction); })
      .Case([&](FixpipeOp instruction) { emitFixpipe(instruction); })
      .Case([&](LoadOp instruction) { emitLoad(instruction); })
      .Case([&](StoreOp instruction) { emitStore(instruction); })
      .Case([&](UnaryOp instruction) { emitUnary(instruction); })
      .Case([&](BinaryOp instruction) { emitBinary(instruction); })
      .Case([&](ScalarOp instruction) { emitScalarFunction(instruction); })
      .Case([&](CastOp instruction) { emitCast(instruction); })
      .Case([&](DuplicateOp instruction) { emitDuplicate(instruction); })
      .Case([&](CompareOp instruction) { emitCompare(instruction); })
      .Case(
          [&](CompareScalarOp instruction) { emitCompareScalar(instruction); })
      .Case([&](SelectOp instruction) { emitSelect(instruction); })
      .Case([&](BroadcastOp instruction) { emitBroadcast(instruction); })
      .Case([&](VectorIndexOp instruction) { emitVectorIndex(instruction); })
      .Case([&](ReduceOp instruction) { emitReduce(instruction); })
      .Case([&](GetValueOp instruction) { emitGetValue(instruction); })
      .Case([&](SetValueOp instruction) { emitSetValue(instruction); })
      .Default([&](Operation *other) {
        if (other->getDialect() &&
            isa<arith::ArithDialect>(other->getDialect()))
          return emitScalar(other);
        StringRef name = other->getName().getStringRef();
        if (name.starts_with("math."))
          error(other, "unsupported: ")
              << "'" << name.drop_front(5)
              << "' of a scalar: the scalar unit only adds, subtracts, "
                 "multiplies, divides and compares; compute it on a buffer of "
                 "one element";
        else
          error(other, "internal: ") << "'" << name << "' has no Ascend C text";
      });
}

//===-- Loops and branches -----------------------------------------------===//

void ProgramEmitter::emitFor(scf::ForOp loop) {
  SmallVector<std::string> carried;
  for (auto [argument, initial, result] : llvm::zip(
           loop.getRegionIterArgs(), loop.getInitArgs(), loop.getResults())) {
    std::string name = names.add(nameOf(argument).empty() ? StringRef("carried")
                                                          : nameOf(argument));
    text.line(type(argument) + " " + name + " = " + value(initial).text + ";",
              loop.getLoc());
    values[argument] = values[result] = Expression(name);
    carried.push_back(name);
  }
  Expression lower = value(loop.getLowerBound());
  Expression upper = atom(value(loop.getUpperBound()), "end");
  Expression step = atom(value(loop.getStep()), "step");
  size_t scope = names.mark();
  // i, j, k, ... by depth where the program gives no name.
  unsigned depth = 0;
  for (auto outer = loop->getParentOfType<scf::ForOp>(); outer;
       outer = outer->getParentOfType<scf::ForOp>())
    depth += !outer->hasAttr(kGridLoopAttr);
  std::string fallback = loop->hasAttr(kGridLoopAttr)
                             ? "tile"
                             : std::string(1, 'i' + std::min(depth, 17u));
  std::string index = names.add(nameOf(loop.getInductionVar()).empty()
                                    ? StringRef(fallback)
                                    : nameOf(loop.getInductionVar()));
  values[loop.getInductionVar()] = Expression(index);
  std::string increment =
      step.is(1) ? "++" + index : index + " += " + step.text;
  text.open("for (" + type(loop.getInductionVar()) + " " + index + " = " +
                lower.text + "; " + index + " < " + upper.text + "; " +
                increment + ")",
            loop.getLoc());
  emitBlock(*loop.getBody());
  emitYield(loop.getBody()->getTerminator()->getOperands(), carried);
  text.close();
  names.release(scope);
}

void ProgramEmitter::emitIf(scf::IfOp branch) {
  SmallVector<std::string> targets;
  for (Value result : branch.getResults()) {
    std::string name = names.add(nameHint(result, "chosen"));
    text.line(type(result) + " " + name + ";", branch.getLoc());
    values[result] = Expression(name);
    targets.push_back(name);
  }
  text.open("if (" + value(branch.getCondition()).text + ")", branch.getLoc());
  auto emitBranch = [&](Block &block) {
    size_t scope = names.mark();
    emitBlock(block);
    emitYield(block.getTerminator()->getOperands(), targets);
    names.release(scope);
  };
  emitBranch(*branch.thenBlock());
  if (branch.elseBlock() &&
      (!targets.empty() || !llvm::hasSingleElement(*branch.elseBlock()))) {
    text.alternative();
    emitBranch(*branch.elseBlock());
  }
  text.close();
}

/// All values are computed before any variable changes.
void ProgramEmitter::emitYield(ValueRange yielded,
                               ArrayRef<std::string> targets) {
  SmallVector<std::string> sources;
  for (Value next : yielded) {
    Expression expression = value(next);
    if (yielded.size() > 1 && !expression.constant) {
      std::string name = names.add("next");
      text.line("const " + type(next) + " " + name + " = " + expression.text +
                ";");
      expression = Expression(name);
    }
    sources.push_back(expression.text);
  }
  for (auto [target, source] : llvm::zip(targets, sources))
    if (target != source)
      text.line(target + " = " + source + ";");
}

//===-- Flags ------------------------------------------------------------===//

void ProgramEmitter::emitFlag(Operation *op, StringRef call, Pipe source,
                              Pipe target, int64_t id, Value ring) {
  // The pairs that the public API names.
  static const llvm::StringSet<> events = {
      "MTE2_MTE1", "MTE1_MTE2", "MTE1_M",   "M_MTE1",   "MTE3_MTE1",
      "MTE1_MTE3", "MTE2_M",    "M_MTE2",   "M_FIX",    "FIX_M",
      "MTE2_V",    "V_MTE2",    "MTE3_V",   "V_MTE3",   "V_V",
      "M_V",       "V_M",       "MTE1_V",   "V_MTE1",   "MTE3_MTE2",
      "MTE2_MTE3", "S_V",       "V_S",      "S_MTE2",   "MTE2_S",
      "S_MTE3",    "MTE3_S",    "MTE2_FIX", "FIX_MTE2", "FIX_S",
      "M_S",       "FIX_MTE3",  "MTE1_FIX", "FIX_MTE1", "FIX_FIX"};
  std::string event =
      (stringifyPipe(source) + "_" + stringifyPipe(target)).str();
  if (!events.contains(event)) {
    error(op, "internal: ") << "no event orders pipe " << stringifyPipe(target)
                            << " after pipe " << stringifyPipe(source);
    return;
  }
  Expression number = id;
  if (ring)
    number = number + Expression(rings.lookup(ring));
  text.line(call + "<HardEvent::" + event + ">(" + number.text + ");",
            op->getLoc());
}
