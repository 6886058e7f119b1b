//===- EngineStack.h - Stacks of the core programs ------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Each program needs a stack for as long as its block runs. Stacks are reused:
// a launch of many blocks would otherwise map and unmap one for each. A guard
// page below catches a kernel that overruns its stack.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINESTACK_H
#define TILELANG_SIM_ENGINESTACK_H

#include <boost/context/stack_context.hpp>

namespace tilelang::sim {

/// A stack allocator in the sense of Boost.Context; the free stacks are shared
/// by all engines of the process.
class StackAllocator {
public:
  boost::context::stack_context allocate();
  void deallocate(boost::context::stack_context &stack) noexcept;
};

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINESTACK_H
