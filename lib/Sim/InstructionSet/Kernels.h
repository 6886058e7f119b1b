//===- Kernels.h - Inner loops compiled for several CPUs ------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The loops that touch every element are compiled once per CPU level from the
// .inc files, each into a namespace of its own, and chosen at the first use.
// They include no standard header: an inline function of one must not be
// emitted with instructions that another CPU lacks. All levels compute the same
// bits: contraction is off and fused operations are written out.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_SIM_INSTRUCTIONSET_KERNELS_H
#define TILELANG_LIB_SIM_INSTRUCTIONSET_KERNELS_H

#include "ascsim/instruction.h"

namespace tilelang::sim {

/// Operands of one run of contiguous lanes.
struct KernelArguments {
  void *dst;
  const void *src0;
  const void *src1;
  const void *src2; // Select: mask bits, from `bitOffset`
  ascsim::u64 scalar;
  ascsim::u64 count;
  ascsim::u64 bitOffset;
  float deqScale;
};
using VectorKernel = void (*)(const KernelArguments &);

/// Which loop: the parts of a record that select it.
struct KernelKey {
  ascsim::Opcode opcode;
  ascsim::Function function;
  ascsim::RoundMode round;
  ascsim::DataType dst, src0;
  bool saturate;     // Cast: CTRL[48] = 0
  bool scalarSource; // Select: src1 is the scalar
};

/// One repeat of a horizontal reduction.
struct ReduceArguments {
  const void *src;      // `lanes` elements, masked-off ones included
  const ascsim::u8 *on; // lanes that take part; null: all of them
  ascsim::u32 lanes;
  void *values;      // results, in the element type
  ascsim::u32 index; // WholeMax/Min: index of the winner
};
using ReduceKernel = void (*)(ReduceArguments &);

/// Operands of Mmad as pointers; layouts are those of the memories.
struct MmadArguments {
  const void *a;
  const void *b;
  void *c;
  const void *bias; // one row of C's type, or null
  ascsim::u32 m, n, k;
  ascsim::u32 aFractalsK; // fractals of K in one row of fractals of A
  bool init;
  bool vectorA;     // m = 1: A is a plain row
  ascsim::u32 hf32; // 0 off, 1 round to nearest even, 3 towards zero
  ascsim::DataType type;
  void *scratchA, *scratchB; // 4 bytes per element
};

struct KernelTable {
  const char *level;
  VectorKernel (*vector)(const KernelKey &);
  ReduceKernel (*reduce)(ascsim::Function, ascsim::DataType);
  void (*mmad)(const MmadArguments &);
  /// Results of saturation mode (CTRL[48] = 0): inf -> largest, NaN -> 0.
  void (*saturateHalves)(void *data, ascsim::u64 count);
  /// Fixpipe on one row of fp32 values: rounding to fp16/bf16.
  void (*floatToHalf)(const float *src, void *dst, ascsim::u64 count,
                      bool saturate);
  void (*floatToBFloat)(const float *src, void *dst, ascsim::u64 count,
                        bool saturate);
  /// dst = dst op src, mode as in Register::AtomicMode.
  void (*atomic)(void *dst, const void *src, ascsim::u64 count,
                 ascsim::u32 mode, ascsim::DataType type);
};

/// The table for this CPU.
const KernelTable &kernels();
/// All tables this CPU can run, the best first (tests compare them).
const KernelTable *const *runnableKernelTables(unsigned &count);

} // namespace tilelang::sim

#endif // TILELANG_LIB_SIM_INSTRUCTIONSET_KERNELS_H
