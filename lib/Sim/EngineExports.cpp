//===- EngineExports.cpp - The functions a compiled kernel calls ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The return address of each call tells the line of the kernel.
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/Engine.h"

#include <cstdio>
#include <cstdlib>

using namespace tilelang::sim;

#define ASCSIM_EXPORT                                                          \
  extern "C" __attribute__((visibility("default"), noinline))

/// Code address of the caller of the exported function.
#define ASCSIM_CALLER                                                          \
  reinterpret_cast<uint64_t>(                                                  \
      __builtin_extract_return_addr(__builtin_return_address(0)))

static Engine &engine() {
  Engine *current = Engine::current();
  if (!current) {
    std::fputs("ascendsim: a kernel was called outside a launch; start it "
               "with tilelang::sim::simulate or ascendsim_launch_run\n",
               stderr);
    std::abort();
  }
  return *current;
}
static Core &core() { return *Engine::currentCore(); }

ASCSIM_EXPORT void ascsim_issue(const ascsim::Instruction *instruction) {
  engine().issue(core(), *instruction, ASCSIM_CALLER);
}
ASCSIM_EXPORT ascsim::u64 ascsim_load(const ascsim::Operand *operand) {
  return engine().load(core(), *operand, ASCSIM_CALLER);
}
ASCSIM_EXPORT void ascsim_store(const ascsim::Operand *operand,
                                ascsim::u64 bits) {
  engine().store(core(), *operand, bits, ASCSIM_CALLER);
}
ASCSIM_EXPORT void ascsim_outside(const ascsim::Operand *tensor,
                                  ascsim::u32 index, ascsim::u32 elements,
                                  int isWrite) {
  engine().outside(core(), *tensor, index, elements, isWrite != 0,
                   ASCSIM_CALLER);
}
ASCSIM_EXPORT void ascsim_set_register(ascsim::Register which,
                                       ascsim::u64 value) {
  engine();
  core().registers[static_cast<size_t>(which)] = value;
}
ASCSIM_EXPORT ascsim::u64 ascsim_get_register(ascsim::Register which) {
  engine();
  return core().registers[static_cast<size_t>(which)];
}
ASCSIM_EXPORT ascsim::i64 ascsim_query(ascsim::Query what) {
  return engine().query(core(), what);
}
ASCSIM_EXPORT void ascsim_init_soc_state() { engine().initSocState(core()); }
ASCSIM_EXPORT void ascsim_cache_clean(const ascsim::Operand *operand,
                                      int entire) {
  engine().cleanCache(core(), *operand, entire != 0, ASCSIM_CALLER);
}
ASCSIM_EXPORT void ascsim_print(const char *text) {
  engine().print(core(), text);
}
/// Kernels are compiled with `-fsanitize=integer-divide-by-zero`, whose handler
/// this is: on the host a division by zero would end the process.
ASCSIM_EXPORT void __ubsan_handle_divrem_overflow(void *, unsigned long,
                                                  unsigned long) {
  engine().fault(core(),
                 "integer division by zero on the scalar unit, which has no "
                 "defined result; guard the divisor",
                 ASCSIM_CALLER);
}

ASCSIM_EXPORT void ascsim_fault(const char *message) {
  engine().fault(core(), message, ASCSIM_CALLER);
}
