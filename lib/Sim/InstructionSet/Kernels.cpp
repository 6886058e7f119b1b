//===- Kernels.cpp - Choice of the inner loops for this CPU ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

namespace tilelang::sim {

#if defined(__x86_64__)
namespace avx512 {
extern const KernelTable table;
}
namespace avx2 {
extern const KernelTable table;
}
#endif
namespace baseline {
extern const KernelTable table;
}

const KernelTable *const *runnableKernelTables(unsigned &count) {
  static const KernelTable *tables[3];
  static const unsigned available = [] {
    unsigned number = 0;
#if defined(__x86_64__)
    bool avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
    if (avx2 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
      tables[number++] = &avx512::table;
    if (avx2)
      tables[number++] = &avx2::table;
#endif
    tables[number++] = &baseline::table;
    return number;
  }();
  count = available;
  return tables;
}

const KernelTable &kernels() {
  unsigned count;
  static const KernelTable &best = *runnableKernelTables(count)[0];
  return best;
}

} // namespace tilelang::sim
