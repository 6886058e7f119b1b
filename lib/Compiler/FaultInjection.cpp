//===- FaultInjection.cpp - Kernels with one synchronisation missing ------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FaultInjection.h"

#include "llvm/ADT/MapVector.h"

#include <csignal>
#include <cstdlib>

using namespace mlir;

namespace tilelang {
namespace {

struct Synchronisation {
  /// Whole flags, in the order of their first operation. In-core flags are
  /// numbered for each core, counters for the kernel.
  llvm::MapVector<std::pair<Region *, int64_t>, llvm::SmallVector<Operation *>>
      flags;
  llvm::SmallVector<Operation *> barriers;
  llvm::SmallVector<Operation *> operations;
};

Synchronisation collect(ascend::KernelOp kernel) {
  Synchronisation result;
  for (Region *region : {&kernel.getAic(), &kernel.getAiv()})
    region->walk([&](Operation *op) {
      auto add = [&](Region *scope, int64_t group) {
        result.flags[{scope, group}].push_back(op);
        result.operations.push_back(op);
      };
      if (auto set = dyn_cast<ascend::SetFlagOp>(op))
        add(region, set.getGroup());
      else if (auto wait = dyn_cast<ascend::WaitFlagOp>(op))
        add(region, wait.getGroup());
      else if (auto set = dyn_cast<ascend::CrossSetOp>(op))
        add(nullptr, set.getFlag());
      else if (auto wait = dyn_cast<ascend::CrossWaitOp>(op))
        add(nullptr, wait.getFlag());
      else if (isa<ascend::BarrierOp>(op))
        result.barriers.push_back(op);
    });
  return result;
}

} // namespace

void countSynchronisation(ascend::KernelOp kernel,
                          std::map<std::string, int64_t> &statistics) {
  Synchronisation all = collect(kernel);
  statistics["sync.flags"] = all.flags.size();
  statistics["sync.barriers"] = all.barriers.size();
  statistics["sync.operations"] = all.operations.size();
}

LogicalResult
dropSynchronisation(ascend::KernelOp kernel,
                    const std::map<std::string, std::string> &passConfigs) {
  Synchronisation all = collect(kernel);
  auto chosen = [&](const char *key, size_t count,
                    std::optional<size_t> &number) -> LogicalResult {
    auto found = passConfigs.find(key);
    if (found == passConfigs.end())
      return success();
    size_t value;
    if (StringRef(found->second).getAsInteger(10, value) || value >= count)
      return kernel.emitError() << key << ": expected a number below " << count
                                << ", found '" << found->second << "'";
    number = value;
    return success();
  };
  std::optional<size_t> flag, barrier, operation;
  if (failed(chosen("debug.drop_flag", all.flags.size(), flag)) ||
      failed(chosen("debug.drop_barrier", all.barriers.size(), barrier)) ||
      failed(chosen("debug.drop_operation", all.operations.size(), operation)))
    return failure();
  llvm::SmallPtrSet<Operation *, 8> dropped;
  if (flag)
    dropped.insert_range((all.flags.begin() + *flag)->second);
  if (barrier)
    dropped.insert(all.barriers[*barrier]);
  if (operation)
    dropped.insert(all.operations[*operation]);
  for (Operation *op : dropped)
    op->erase();
  return success();
}

LogicalResult
failOnPurpose(ModuleOp module,
              const std::map<std::string, std::string> &passConfigs) {
  auto found = passConfigs.find("debug.fail");
  if (found == passConfigs.end())
    return success();
  StringRef way = found->second;
  if (way == "abort")
    std::abort();
  if (way == "segfault")
    (void)std::raise(SIGSEGV);
  if (way == "error")
    return module.emitError()
           << "internal: the failure that debug.fail asks for";
  return module.emitError() << "debug.fail: expected error, abort or segfault, "
                               "found '"
                            << way << "'";
}

} // namespace tilelang
