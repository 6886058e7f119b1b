//===- instruction.h - The record an Ascend C call hands to the simulator -===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The interface between a compiled kernel and the simulator. An Ascend C API
// call fills one `Instruction` and passes it to `ascsim_issue`; everything else
// (arithmetic, timing, checks) happens in the simulator library. This header is
// included by every kernel, so it includes nothing itself: each standard header
// would cost host compile time for each kernel.
//
//===----------------------------------------------------------------------===//

#ifndef ASCSIM_INSTRUCTION_H
#define ASCSIM_INSTRUCTION_H

namespace ascsim {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long;
using i32 = int;
using i64 = long;

enum class Memory : u8 { GM, L1, L0A, L0B, L0C, BT, FB, UB, None };
constexpr unsigned kNumMemories = 8;

/// The pipes of an AI Core. `All` is an argument of barriers only.
enum class Pipe : u8 { S, V, M, MTE1, MTE2, MTE3, FIX, All };
constexpr unsigned kNumPipes = 7;

enum class CoreType : u8 { AIC, AIV };

enum class DataType : u8 {
  F16,
  BF16,
  F32,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F64,
  I4,
  None
};

/// Size in bytes of one element. I4 is counted as 1 here and handled by the
/// instructions that accept it.
constexpr unsigned sizeOf(DataType type) {
  switch (type) {
  case DataType::I8:
  case DataType::U8:
  case DataType::I4:
    return 1;
  case DataType::F16:
  case DataType::BF16:
  case DataType::I16:
  case DataType::U16:
    return 2;
  case DataType::F32:
  case DataType::I32:
  case DataType::U32:
    return 4;
  case DataType::I64:
  case DataType::U64:
  case DataType::F64:
    return 8;
  case DataType::None:
    return 0;
  }
  return 0;
}

enum class Opcode : u16 {
  // Synchronisation.
  SetFlag,
  WaitFlag,
  PipeBarrier,
  CrossCoreSet,
  CrossCoreWait,
  // Data movement.
  CopyGmToLocal, // GM -> UB or L1, DataCopy in its block form and DataCopyPad
  CopyLocalToGm, // UB or L1 -> GM
  CopyNd2Nz,     // GM -> L1
  CopyLocal,     // UB -> UB (pipe V), L1 -> BT/FB (MTE1/FIX)
  LoadData2D,    // L1 (or GM) -> L0A/L0B
  LoadData3D,    // L1 -> L0A/L0B, image to column
  LoadDataTranspose,
  FillLocal, // Fill / InitConstValue on L1/L0
  Fixpipe,   // L0C -> GM or L1
  // Matrix.
  Mmad,
  // Vector.
  Unary,
  Binary,
  Scalar,
  Ternary,
  Cast,
  Duplicate,
  Compare,
  CompareScalar,
  Select,
  Broadcast /* Brcb */,
  Reduce,
  Gather,
  VecIndex,
  NumOpcodes
};

/// Which function a Unary/Binary/Scalar/Ternary/Reduce/Compare computes.
enum class Function : u8 {
  None,
  // Unary.
  Exp,
  Ln,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Abs,
  Relu,
  Not,
  Copy,
  // Binary and tensor-scalar.
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  And,
  Or,
  ShiftLeft,
  ShiftRight,
  LeakyRelu,
  // Ternary: dst is also a source.
  Axpy,
  MulAddDst,
  FusedMulAdd,
  // Comparison.
  LT,
  GT,
  EQ,
  LE,
  GE,
  NE,
  // Reduction: whole repeat, 32-byte block, neighbouring pair.
  WholeSum,
  WholeMax,
  WholeMin,
  BlockSum,
  BlockMax,
  BlockMin,
  PairSum
};

/// One tensor operand. `address` is a byte offset inside an on-chip memory, or
/// the host address of an element in GM.
struct Operand {
  u64 address = 0;
  Memory memory = Memory::None;
  DataType type = DataType::None;
  /// GM only: the tensor's cache hint asks to bypass L2.
  bool bypassL2 = false;
};

/// Block and repeat strides of one vector operand, in units of 32 bytes.
struct VectorStride {
  u16 block = 1;
  u16 repeat = 8;
};

/// Shape of a vector instruction. In counter mode `count` elements are
/// processed, repeat after repeat with the strides below (the count overloads
/// set those of contiguous operands); otherwise `repeat` iterations of up to
/// eight 32-byte blocks with the bits of `mask` (of the widest element type).
struct VectorShape {
  bool counterMode = false;
  /// Repeat form: take the mask from the mask registers (isSetMask = false).
  /// Otherwise `mask` holds it, and `count` the scalar mask, which is the
  /// number of elements when the core is in counter mode (SetMaskCount).
  bool maskFromRegister = false;
  u32 count = 0;
  u32 repeat = 0;
  u64 mask[2] = {0, 0}; // low, high
  VectorStride dst, src0, src1;
};

/// Strided copy between GM and a local memory. Units are bytes everywhere; the
/// API header converts. `pitch` is the distance of block starts.
struct CopyShape {
  u32 blockCount = 0;
  u32 blockBytes = 0;
  i64 gmPitch = 0;
  i64 localPitch = 0;
  /// DataCopyPad load: elements added left and right of each block.
  bool isPad = false;
  u8 leftPadding = 0, rightPadding = 0;
  u64 padValue = 0;
  /// False for DataCopy (32-byte granules), true for DataCopyPad.
  bool byteGranular = false;
};

/// GM -> L1 with conversion to fractal layout (Nd2NzParams, in its units).
struct Nd2NzShape {
  u32 ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride,
      dstNzNStride, dstNzMatrixStride;
};

/// LoadData2DParams in units of 512-byte fractals.
struct Load2DShape {
  u32 startIndex, repeatTimes, srcStride, dstGap;
  bool transpose;
  u32 dstFracGap; // LoadDataTranspose only
};

/// LoadData3DParamsV2; `rows` x `columns` is the extracted part of the
/// (H*W) x (C * filter) matrix, from (`rowStart`, `columnStart`).
struct Load3DShape {
  u32 l1H, l1W, channelSize;
  u32 columns, rows, columnStart,
      rowStart; // kExtension mExtension kStartPt mStartPt
  u8 strideW, strideH, filterW, filterH, dilationW, dilationH;
  u8 pad[4]; // left right top bottom
  bool transpose;
  bool filterSizeW, filterSizeH; // bit 8 of the filter sizes
};

struct MmadShape {
  u32 m, n, k;
  bool init;         // cmatrixInitVal
  bool initFromBias; // cmatrixSource
  u8 unitFlag;       // 0 off, 2 keep, 3 toggle
  bool kDirectionAlign;
  bool hasBias;
};

enum class QuantMode : u8 {
  NoQuant,
  F322F16,
  F322BF16,
  DEQF16,
  VDEQF16,
  QF322B8_PRE,
  VQF322B8_PRE,
  REQ8,
  VREQ8
};

/// FixpipeParamsV220.
struct FixpipeShape {
  u32 nSize, mSize, srcStride, dstStride;
  QuantMode quant;
  u64 deqScalar;
  u32 ndNum, srcNdStride, dstNdStride;
  bool relu;
  u8 unitFlag;
  bool channelSplit;
  bool toRowMajor; // NZ2ND
};

enum class RoundMode : u8 { None, Rint, Floor, Ceil, Round, Trunc, Odd };

struct FlagShape {
  Pipe source, destination; // SetFlag / WaitFlag: the ordered pair
  u32 id;
  u8 mode; // CrossCore*: 0, 1, 2
};

/// Registers that an instruction samples when it is issued. The API header
/// writes them with `ascsim_set_register`; the simulator copies them.
enum class Register : u8 {
  MaskLow,
  MaskHigh,
  MaskMode /*0 normal, 1 counter*/,
  AtomicMode /*0 none,1 add,2 max,3 min*/,
  AtomicType,
  Ctrl /*bit 48: 1 = INF/NaN mode*/,
  Hf32,
  DeqScale,
  PadValue,
  FixpipeNd,
  SyncBase,
  PipeObject /*the kernel's TPipe*/,
  NumRegisters
};

/// One instruction. Only the member of the union that belongs to `opcode` is
/// meaningful.
struct Instruction {
  Opcode opcode;
  Pipe pipe;
  Function function = Function::None;
  RoundMode round = RoundMode::None;
  u8 selectMode = 0; // Select: SELMODE; Reduce: ReduceOrder
  u8 cubeFlags =
      0; // flags: 1 = the id is the toolchain's to use (TQue, SyncAll)
  Operand dst, src0, src1, src2;
  u64 scalar = 0; // bits of the scalar operand, in the type of dst or src0
  union {
    VectorShape vector;
    CopyShape copy;
    Nd2NzShape nd2nz;
    Load2DShape load2d;
    Load3DShape load3d;
    MmadShape mmad;
    FixpipeShape fixpipe;
    FlagShape flag;
  };
  /// For Reduce: repeat strides in the units of the API.
  u32 reduceDstStride = 0;
  Instruction(Opcode opcode, Pipe pipe)
      : opcode(opcode), pipe(pipe), vector() {}
};

/// What KERNEL_TASK_TYPE_DEFAULT leaves in the shared object: one entry per
/// use, between `__start_ascsim_kernels` and `__stop_ascsim_kernels`, returned
/// by the exported function `ascsim_kernel_notes`.
struct KernelNote {
  const char *kernel; // name of the function
  u32 type;           // KERNEL_TYPE_*, see ascendc/base.h
};

enum class Query : u8 {
  BlockIdx,
  BlockNum,
  SubBlockIdx,
  TaskRatio,
  SystemCycle
};

} // namespace ascsim

extern "C" {
/// Issues an instruction into the queue of its pipe. May switch fibers. The
/// return address identifies the source line.
void ascsim_issue(const ascsim::Instruction *instruction);
/// Scalar unit reads/writes of one element in UB or GM; waits in virtual time.
/// `operand->address` as in Operand. The value travels as raw bits.
ascsim::u64 ascsim_load(const ascsim::Operand *operand);
void ascsim_store(const ascsim::Operand *operand, ascsim::u64 bits);
/// Tells that the next of these accesses, of element `index` of the on-chip
/// tensor at `tensor`, lies outside its `elements`.
void ascsim_outside(const ascsim::Operand *tensor, ascsim::u32 index,
                    ascsim::u32 elements, int isWrite);
/// Writes a register of the issuing core.
void ascsim_set_register(ascsim::Register which, ascsim::u64 value);
ascsim::u64 ascsim_get_register(ascsim::Register which);
ascsim::i64 ascsim_query(ascsim::Query what);
/// Marks the documented start of a kernel (InitSocState): registers to reset.
void ascsim_init_soc_state();
/// Data cache maintenance of the scalar unit.
void ascsim_cache_clean(const ascsim::Operand *operand, int entire);
/// printf of a kernel; the text is collected per core.
void ascsim_print(const char *text);
/// A wrong use that the API header itself detects; ends the simulation.
void ascsim_fault(const char *message);
}

#endif // ASCSIM_INSTRUCTION_H
