//===- EmitAscendC.cpp - Frame and declarations of a kernel ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ProgramEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;

//===-- Types ------------------------------------------------------------===//

std::optional<std::string> ascend::cTypeOf(Type type, StringRef indexType) {
  if (type.isIndex())
    return indexType.str();
  if (type.isF16())
    return "half";
  if (type.isBF16())
    return "bfloat16_t";
  if (type.isF32())
    return "float";
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  if (integer.getWidth() == 1)
    return "bool";
  if (!llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth()))
    return std::nullopt;
  return (integer.isUnsigned() ? "uint" : "int") +
         std::to_string(integer.getWidth()) + "_t";
}

int64_t ascend::storageBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

std::string ProgramEmitter::elementType(Value buffer, Operation *user) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  // Truth values take a byte each in memory.
  if (element.isInteger(1))
    return "uint8_t";
  auto name = cTypeOf(element, indexType);
  if (name && !element.isIndex())
    return *name;
  error(user, "unsupported: ")
      << "buffers with elements of type " << element
      << "; Ascend C has 8-, 16-, 32- and 64-bit integers, f16, bf16 and f32";
  return "void";
}

std::string ProgramEmitter::type(Value scalar) {
  if (auto name = cTypeOf(scalar.getType(), indexType))
    return *name;
  Operation *at = scalar.getDefiningOp();
  error(at ? at : scalar.getParentBlock()->getParentOp(), "unsupported: ")
      << "scalars of type " << scalar.getType();
  return "void";
}

//===-- Tensors ----------------------------------------------------------===//

/// The logical position that stands for a memory.
static StringRef positionOf(MemoryKind memory) {
  switch (memory) {
  case MemoryKind::L1:
    return "A1";
  case MemoryKind::L0A:
    return "A2";
  case MemoryKind::L0B:
    return "B2";
  case MemoryKind::L0C:
    return "CO1";
  case MemoryKind::BT:
    return "C2";
  case MemoryKind::FB:
    return "C2PIPE2GM";
  case MemoryKind::UB:
    return "VECCALC";
  case MemoryKind::GM:
    return "GM";
  }
  llvm_unreachable("unknown memory");
}

static std::string hexadecimal(int64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

/// Whether a buffer of bytes holds the bit masks of comparisons, whose calls
/// want unsigned elements.
static bool holdsMask(Value buffer) {
  return llvm::any_of(buffer.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto view = dyn_cast<ViewOp>(user))
      return holdsMask(view.getResult());
    if (auto select = dyn_cast<SelectOp>(user))
      return select.getMask() == use.get();
    if (auto compare = dyn_cast<CompareOp>(user))
      return compare.getDestination() == use.get();
    if (auto compare = dyn_cast<CompareScalarOp>(user))
      return compare.getDestination() == use.get();
    return false;
  });
}

void ProgramEmitter::emitAlloc(AllocOp alloc) {
  if (alloc.getBuffer().use_empty())
    return;
  if (!alloc.getAddress()) {
    error(alloc, "internal: ") << "buffer '" << alloc.getName()
                               << "' has no address: memory was not planned";
    return;
  }
  auto bufferType = cast<MemRefType>(alloc.getBuffer().getType());
  Tensor result;
  result.name =
      names.add(alloc.getName(), memoryName(alloc.getMemory()).lower());
  result.elementType = elementType(alloc.getBuffer(), alloc);
  if (result.elementType == "int8_t" && holdsMask(alloc.getBuffer()))
    result.elementType = "uint8_t";
  int64_t bytes = alloc.getVersionBytes();
  int64_t versions = alloc.getVersions();
  result.versionElements = bytes / storageBytes(bufferType.getElementType());
  int64_t elements =
      (versions - 1) * result.versionElements + bufferType.getNumElements();

  std::string comment = memoryName(alloc.getMemory()).str() + ", ";
  if (versions > 1)
    comment += std::to_string(versions) + " versions of ";
  comment +=
      std::to_string(bytes) + " B at " + hexadecimal(*alloc.getAddress());
  std::string place = SourceText::placeOf(alloc.getLoc());
  if (!place.empty())
    comment += ", " + place;
  text.line("LocalTensor<" + result.elementType + "> " + result.name +
                "(TPosition::" + positionOf(alloc.getMemory()) + ", " +
                hexadecimal(*alloc.getAddress()) + ", " + Twine(elements) +
                ");  // " + comment,
            alloc.getLoc());
  tensors[alloc.getBuffer()] = std::move(result);
}

std::string ProgramEmitter::blockIndex() {
  // Vector cores of mixed kernels count themselves, two to a block.
  bool isHalved = core == Core::Vector && kernel.getKind() == KernelKind::Mixed;
  return isHalved ? "GetBlockIdx() / 2" : "GetBlockIdx()";
}

void ProgramEmitter::emitWorkspace(WorkspaceOp workspace) {
  if (workspace.getBuffer().use_empty())
    return;
  if (!workspace.getOffset()) {
    error(workspace, "internal: ") << "workspace '" << workspace.getName()
                                   << "' has no offset: memory was not planned";
    return;
  }
  auto bufferType = cast<MemRefType>(workspace.getBuffer().getType());
  int64_t bytes = workspace.getVersionBytes();
  int64_t versions = workspace.getVersions();
  Tensor result;
  result.name = names.add(workspace.getName().str() + "_workspace");
  result.elementType = elementType(workspace.getBuffer(), workspace);
  result.versionElements = bytes / storageBytes(bufferType.getElementType());
  int64_t elements =
      (versions - 1) * result.versionElements + bufferType.getNumElements();
  std::string comment =
      "Workspace " + std::to_string(workspace.getId()) + ": " +
      (versions > 1 ? std::to_string(versions) + " versions of " : "") +
      std::to_string(bytes) + " B for each block";
  text.line("// " + comment);
  text.line("GlobalTensor<" + result.elementType + "> " + result.name + ";",
            workspace.getLoc());
  std::string address = workspaceName;
  if (*workspace.getOffset() != 0)
    address += " + " + std::to_string(*workspace.getOffset());
  address += " + " + blockIndex() + " * " + std::to_string(versions * bytes);
  text.line(result.name + ".SetGlobalBuffer(reinterpret_cast<__gm__ " +
                result.elementType + " *>(" + address + "), " +
                Twine(elements) + ");",
            workspace.getLoc());
  tensors[workspace.getBuffer()] = std::move(result);
}

void ProgramEmitter::emitRing(RingOp ring) {
  std::string hint = ring.getName().str();
  if (!StringRef(hint).contains("slot"))
    hint += "_slot";
  std::string name = names.add(hint);
  text.line("uint32_t " + name + " = 0;  // 0 .. " +
            Twine(ring.getVersions() - 1));
  rings[ring.getRing()] = name;
}

void ProgramEmitter::emitVariable(memref::AllocaOp variable) {
  Type element = variable.getType().getElementType();
  auto elementType = cTypeOf(element, indexType);
  if (!elementType) {
    error(variable, "unsupported: ") << "variables of type " << element;
    return;
  }
  auto given = variable->getAttrOfType<StringAttr>("name");
  std::string name =
      names.add(given && !given.empty() ? given.getValue() : "variable");
  // What the program reads before it assigns is whatever was there.
  text.line(*elementType + " " + name + ";", variable.getLoc());
  values[variable.getResult()] = Expression(name);
}

void ProgramEmitter::emitVariableLoad(memref::LoadOp load) {
  if (!load.getResult().use_empty())
    declare(load.getResult(), values.lookup(load.getMemRef()), "value");
}

void ProgramEmitter::emitVariableStore(memref::StoreOp store) {
  Value variable = store.getMemRef();
  Type element = store.getMemRefType().getElementType();
  auto elementType = cTypeOf(element, indexType);
  if (elementType)
    text.line(values.lookup(variable).text + " = " +
                  scalarArgument(store.getValue(), *elementType) + ";",
              store.getLoc());
}

const ProgramEmitter::Tensor *ProgramEmitter::rootTensor(Value view,
                                                         Operation *user) {
  auto found = tensors.find(rootBuffer(view));
  if (found != tensors.end())
    return &found->second;
  // Declared buffers are always known: only a failed declaration leads here,
  // or an operation that is no buffer of this dialect.
  if (!hasFailed)
    error(user, "internal: ")
        << "operand of type " << view.getType()
        << " is neither an ascend.alloc, an ascend.workspace nor a parameter";
  return nullptr;
}

std::string ProgramEmitter::tensor(Value view, const Expression &offset,
                                   StringRef wantedType) {
  SmallVector<ViewOp> views;
  Value root = view;
  Operation *user =
      view.getDefiningOp() ? view.getDefiningOp() : kernel.getOperation();
  while (auto op = root.getDefiningOp<ViewOp>()) {
    views.push_back(op);
    root = op.getSource();
  }
  const Tensor *buffer = rootTensor(view, user);
  if (!buffer)
    return "unknown";
  std::string result = buffer->name;
  std::string current = buffer->elementType;
  Expression pending = 0;
  if (Value ring = ringOf(view))
    pending = Expression(rings.lookup(ring)) * buffer->versionElements;
  auto apply = [&] {
    if (!pending.is(0))
      result += "[" + pending.text + "]";
    pending = 0;
  };
  auto reinterpret = [&](StringRef name) {
    if (name == current)
      return;
    if (memoryOf(view) == MemoryKind::GM) {
      error(user, "unsupported: ")
          << "global memory of type " << current << " accessed as " << name;
      return;
    }
    apply();
    result += ".ReinterpretCast<" + name.str() + ">()";
    current = name;
  };
  for (ViewOp op : llvm::reverse(views)) {
    if (op.getOffset())
      pending = pending + value(op.getOffset());
    Type from = cast<MemRefType>(op.getSource().getType()).getElementType();
    Type to = cast<MemRefType>(op.getResult().getType()).getElementType();
    if (from != to)
      reinterpret(elementType(op.getResult(), op));
  }
  pending = pending + offset;
  if (!wantedType.empty())
    reinterpret(wantedType);
  apply();
  return result;
}

//===-- Functions --------------------------------------------------------===//

void ProgramEmitter::emitParameters(StringRef name, bool hasWorkspace) {
  Region &region = core == Core::Cube ? kernel.getAic() : kernel.getAiv();
  SmallVector<std::string> parameters;
  SmallVector<std::pair<BlockArgument, std::string>> buffers;
  SmallVector<std::pair<std::string, std::string>> narrowed;
  for (BlockArgument argument : region.getArguments()) {
    StringRef hint =
        cast<StringAttr>(kernel.getParameterNames()[argument.getArgNumber()])
            .getValue();
    std::string own = names.add(hint);
    if (auto bufferType = dyn_cast<MemRefType>(argument.getType())) {
      std::string address = names.add(own + "_address");
      parameters.push_back("GM_ADDR " + address);
      Tensor declared{own, elementType(argument, kernel), 0};
      tensors[argument] = declared;
      if (!argument.use_empty())
        buffers.push_back({argument, address});
    } else if (argument.getType().isIndex()) {
      // One width for launchers; the program computes in its own.
      values[argument] = Expression(own);
      if (indexType == "int64_t" || argument.use_empty()) {
        parameters.push_back("int64_t " + own);
        continue;
      }
      std::string wide = names.add(own + "_argument");
      parameters.push_back("int64_t " + wide);
      narrowed.push_back({own, wide});
    } else {
      parameters.push_back(type(argument) + " " + own);
      values[argument] = Expression(own);
    }
  }
  if (hasWorkspace) {
    workspaceName = names.add("workspace_address");
    parameters.push_back("GM_ADDR " + workspaceName);
  }
  text.open("__aicore__ inline void " + name + "(" +
            llvm::join(parameters, ", ") + ")");
  for (auto &[own, wide] : narrowed)
    text.line("const " + indexType + " " + own + " = " + indexType + "(" +
              wide + ");");
  for (auto &[argument, address] : buffers) {
    const Tensor &declared = tensors[argument];
    auto bufferType = cast<MemRefType>(argument.getType());
    text.line("GlobalTensor<" + declared.elementType + "> " + declared.name +
              ";");
    std::string size = bufferType.hasStaticShape()
                           ? ", " + std::to_string(bufferType.getNumElements())
                           : "";
    text.line(declared.name + ".SetGlobalBuffer(reinterpret_cast<__gm__ " +
              declared.elementType + " *>(" + address + ")" + size + ");");
  }
}

LogicalResult ProgramEmitter::emit(StringRef name, bool hasWorkspace) {
  Region &region = core == Core::Cube ? kernel.getAic() : kernel.getAiv();
  bool loadsImages = false;
  region.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadL0AOp>(op))
      loadsImages |= loadsImage(load);
    else if (auto load = dyn_cast<LoadL0BOp>(op))
      loadsImages |= loadsImage(load);
  });
  text.forgetQuoted();
  emitParameters(name, hasWorkspace);
  if (loadsImages)
    text.line("const uint8_t noPadding[4] = {0, 0, 0, 0};");
  emitBlock(region.front());
  text.close();
  return failure(hasFailed);
}

//===-- The kernel -------------------------------------------------------===//

/// Whether every offset into the kernel's global tensors fits 32 bits.
static bool fitsNarrowIndex(KernelOp kernel, uint64_t workspaceBytes) {
  // Half the range: sums of offsets and tile sizes must fit as well.
  constexpr int64_t limit = int64_t(1) << 30;
  if (workspaceBytes >= static_cast<uint64_t>(limit))
    return false;
  for (BlockArgument argument : kernel.getAic().getArguments())
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      if (!type.hasStaticShape() || type.getNumElements() >= limit)
        return false;
  return true;
}

static bool isUsed(Region &program) {
  return !llvm::hasSingleElement(program.front());
}

static uint64_t workspaceBytesOf(KernelOp kernel) {
  uint64_t bytes = 0;
  kernel.walk([&](WorkspaceOp workspace) {
    uint64_t end = workspace.getOffset().value_or(0) +
                   workspace.getVersions() * workspace.getVersionBytes() *
                       kernel.getBlockDim();
    bytes = std::max(bytes, end);
  });
  return bytes;
}

LogicalResult tilelang::emitAscendC(KernelOp kernel, const EmitOptions &options,
                                    EmittedKernel &result) {
  NameTable names;
  StringRef entry =
      options.entry.empty() ? kernel.getSymName() : StringRef(options.entry);
  // A function of that name has a type of its own in C++.
  result.entry = names.add(entry == "main" ? "main_kernel" : entry);
  result.blockDim = kernel.getBlockDim();
  result.workspaceBytes = workspaceBytesOf(kernel);
  bool hasWorkspace = result.workspaceBytes != 0;
  StringRef taskType;
  switch (kernel.getKind()) {
  case KernelKind::CubeOnly:
    result.kernelType = KernelType::CubeOnly;
    taskType = "KERNEL_TYPE_AIC_ONLY";
    break;
  case KernelKind::VectorOnly:
    result.kernelType = KernelType::VectorOnly;
    taskType = "KERNEL_TYPE_AIV_ONLY";
    break;
  case KernelKind::Mixed:
    result.kernelType = KernelType::Mixed;
    taskType = "KERNEL_TYPE_MIX_AIC_1_2";
    break;
  }

  SourceText text(options.quoteSource);
  text.line("// " + result.entry + ": " +
            stringifyKernelKind(kernel.getKind()) + " kernel on " +
            Twine(result.blockDim) + " blocks, written by TileLang Native.");
  for (const std::string &line : options.headLines)
    text.line("// " + line);
  text.line("#include \"kernel_operator.h\"");
  text.blank();
  text.line("using namespace AscendC;");
  text.blank();

  std::string indexType =
      fitsNarrowIndex(kernel, result.workspaceBytes) ? "int32_t" : "int64_t";
  struct Program {
    Core core;
    Region &region;
    StringRef suffix, condition;
    std::string function;
  };
  Program programs[] = {
      {Core::Cube, kernel.getAic(), "_cube", "ASCEND_IS_AIC", ""},
      {Core::Vector, kernel.getAiv(), "_vector", "ASCEND_IS_AIV", ""}};
  bool hasFailed = false;
  for (Program &program : programs) {
    if (!isUsed(program.region))
      continue;
    program.function = names.add(result.entry + program.suffix.str());
    ProgramEmitter emitter(kernel, program.core, indexType, text);
    hasFailed |= failed(emitter.emit(program.function, hasWorkspace));
    text.blank();
  }

  SmallVector<std::string> parameters, arguments;
  NameTable parameterNames;
  parameterNames.add(result.entry);
  for (Program &program : programs)
    if (!program.function.empty())
      parameterNames.add(program.function);
  for (BlockArgument argument : kernel.getAic().getArguments()) {
    std::string name = parameterNames.add(
        cast<StringAttr>(kernel.getParameterNames()[argument.getArgNumber()])
            .getValue());
    std::string type =
        isa<MemRefType>(argument.getType())
            ? "GM_ADDR"
            : cTypeOf(argument.getType(), "int64_t").value_or("void");
    parameters.push_back(type + " " + name);
    arguments.push_back(name);
  }
  if (hasWorkspace) {
    parameters.push_back("GM_ADDR workspace");
    arguments.push_back("workspace");
  }
  text.open("extern \"C\" __global__ __aicore__ void " + result.entry + "(" +
            llvm::join(parameters, ", ") + ")");
  text.line("KERNEL_TASK_TYPE_DEFAULT(" + taskType + ");");
  text.line("InitSocState();");
  for (Program &program : programs) {
    if (program.function.empty())
      continue;
    text.open("if " + program.condition);
    text.line(program.function + "(" + llvm::join(arguments, ", ") + ");");
    text.close();
  }
  text.line("PipeBarrier<PIPE_ALL>();");
  text.close();

  if (hasFailed)
    return failure();
  result.source = text.takeText();
  result.lineTable = text.takeLineTable();
  return success();
}
