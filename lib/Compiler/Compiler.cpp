//===- Compiler.cpp - From a tile module to an emitted kernel -------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Compiler/Compiler.h"

#include "CrashGuard.h"
#include "DescribeKernel.h"
#include "FaultInjection.h"

#include "mlir/Pass/PassManager.h"
#include "tilelang/Compiler/Diagnostics.h"
#include "tilelang/Compiler/Pipeline.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"
#include "tilelang/Dialect/Ascend/Transforms/ChipCache.h"
#include "tilelang/Target/AscendC/EmitAscendC.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilelang {
namespace {

std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  module.print(stream, flags);
  return text;
}

/// Writes the module that failed, for `tilelang-opt`; returns a line that says
/// where, or why not.
std::string writeReproducer(ModuleOp original, const CompileOptions &options) {
  llvm::SmallString<256> path;
  int descriptor;
  llvm::SmallString<256> model(options.reproducerDirectory);
  llvm::sys::path::append(model, "reproducer-%%%%%%%%.mlir");
  std::error_code failed =
      llvm::sys::fs::create_directories(options.reproducerDirectory);
  if (!failed)
    failed = llvm::sys::fs::createUniqueFile(model, descriptor, path);
  if (failed)
    return "the program could not be kept in " + options.reproducerDirectory +
           ": " + failed.message();
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  // A line for the shell.
  stream << "// tilelang-opt --ascend-pipeline='chip=" << options.chip;
  if (!options.chipDirectory.empty())
    stream << " chip-directory=" << options.chipDirectory;
  stream << "' " << path << "\n";
  // What crashed may have left the context in any state.
  std::string how;
  if (!runGuarded(
          [&] { original.print(stream, OpPrintingFlags().enableDebugInfo()); },
          how))
    return "the program could not be printed: " + how;
  return "the program is kept in " + path.str().str();
}

class Compilation {
public:
  Compilation(ModuleOp module, const CompileOptions &given)
      : module(module), options(given), collector(module.getContext()) {}

  CompiledKernel run() {
    OwningOpRef<ModuleOp> original;
    if (!options.reproducerDirectory.empty())
      original = module.clone();
    Location place = module.getLoc();
    if (!module.getBody()->empty())
      place = module.getBody()->front().getLoc();
    bool passed = false;
    std::string how;
    // The collector lives outside: the context must not keep a handler that a
    // crash has left without its frame.
    if (!runGuarded([&] { passed = runStages() && emit(); }, how)) {
      result.crashed = true;
      passed = false;
      mlir::emitError(place) << "internal: the compiler crashed on this "
                                "program, in stage '"
                             << stageName << "': " << how;
    }
    bool internal = collector.hasInternalError();
    result.diagnostics = collector.take();
    result.succeeded = passed;
    if (!passed)
      explainFailure(internal, original.get());
    return std::move(result);
  }

private:
  bool runStages() {
    if (!readConfigs())
      return false;
    ArrayRef<PipelineStage> stages = ascendStages();
    const auto *ordered = llvm::find_if(stages, [](const PipelineStage &stage) {
      return StringRef(stage.name) == "ordered";
    });
    size_t count = ordered - stages.begin();
    return run(stages.take_front(count)) && runSkewed(stages.drop_front(count));
  }

  bool readConfigs() {
    auto found = options.passConfigs.find("ascend.task_skew");
    if (found == options.passConfigs.end())
      return true;
    StringRef text = found->second;
    bool valid = !text.getAsInteger(10, options.taskSkew) &&
                 options.taskSkew >= 0 && options.taskSkew <= kMostSkew;
    if (!valid)
      module.emitError() << "pass_configs['ascend.task_skew'] is '" << text
                         << "', expected an integer from 0 to " << kMostSkew;
    return valid;
  }

  /// Tasks that run ahead need more buffers: where these do not fit, they run
  /// ahead less.
  bool runSkewed(ArrayRef<PipelineStage> stages) {
    bool isMixed = llvm::any_of(
        module.getOps<ascend::KernelOp>(), [](ascend::KernelOp kernel) {
          return kernel.getKind() == ascend::KernelKind::Mixed;
        });
    while (isMixed && options.taskSkew > 0) {
      OwningOpRef<ModuleOp> before = module.clone();
      size_t said = collector.size();
      if (run(stages))
        return true;
      if (collector.hasInternalError())
        return false;
      std::string reason = collector.rewind(said);
      module.getBodyRegion().takeBody(before->getBodyRegion());
      // A last error says what was tried.
      std::string tried =
          "tasks up to " + std::to_string(options.taskSkew) + " steps apart";
      for (auto kernel : module.getOps<ascend::KernelOp>())
        if (!kernel->hasAttr(ascend::kTriedAttr))
          kernel->setAttr(
              ascend::kTriedAttr,
              Builder(module.getContext()).getStrArrayAttr(StringRef(tried)));
      module.getBody()->front().emitRemark()
          << "no skew of " << options.taskSkew << ": " << reason;
      --options.taskSkew;
    }
    return run(stages);
  }

  bool run(ArrayRef<PipelineStage> stages) {
    for (const PipelineStage &stage : stages) {
      stageName = stage.name;
      PassManager manager(module.getContext());
      manager.enableVerifier(true);
      stage.addPasses(manager, options);
      if (failed(manager.run(module)))
        return false;
      // In the middle, so that what comes before and after has run or not.
      if (stage.name == "placed" &&
          failed(failOnPurpose(module, options.passConfigs)))
        return false;
      if (options.keepStages)
        result.stages[stage.name] = printModule(module);
    }
    return true;
  }

  bool emit() {
    stageName = "emit";
    auto kernels = llvm::to_vector(module.getOps<ascend::KernelOp>());
    if (kernels.size() != 1) {
      module.emitError() << "internal: expected one kernel, found "
                         << kernels.size();
      return false;
    }
    ascend::KernelOp kernel = kernels.front();
    countSynchronisation(kernel, result.statistics);
    const Chip *chip =
        ascend::getChip(kernel, options.chip, options.chipDirectory);
    if (!chip)
      return false;
    result.description = describeKernel(kernel, *chip);
    if (failed(dropSynchronisation(kernel, options.passConfigs)))
      return false;
    EmitOptions emitOptions;
    emitOptions.entry = options.entry.empty()
                            ? kernel.getSymName().str() + "_kernel"
                            : options.entry;
    EmittedKernel emitted;
    if (failed(emitAscendC(kernel, emitOptions, emitted)))
      return false;
    result.entry = emitOptions.entry;
    result.source = std::move(emitted.source);
    result.lineTable = std::move(emitted.lineTable);
    result.kernelType = emitted.kernelType;
    result.blockDim = emitted.blockDim;
    result.workspaceBytes = emitted.workspaceBytes;
    if (auto statistics =
            kernel->getAttrOfType<DictionaryAttr>("ascend.sync_statistics"))
      for (NamedAttribute entry : statistics)
        if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
          result.statistics[entry.getName().str()] = number.getInt();
    return true;
  }

  /// A failure always says something, and an internal one where its program
  /// can be found.
  void explainFailure(bool internal, ModuleOp original) {
    bool saidSomething =
        llvm::any_of(result.diagnostics, [](const CompilerDiagnostic &d) {
          return d.severity == Severity::Error;
        });
    if (!saidSomething) {
      CompilerDiagnostic diagnostic;
      diagnostic.kind = DiagnosticClass::Internal;
      diagnostic.message = "compilation failed without a message";
      result.diagnostics.push_back(diagnostic);
      internal = true;
    }
    if (!internal || !original)
      return;
    std::string kept = writeReproducer(original, options);
    for (CompilerDiagnostic &diagnostic : result.diagnostics)
      if (diagnostic.kind == DiagnosticClass::Internal)
        diagnostic.message += "\n" + kept;
  }

  static constexpr int64_t kMostSkew = 3;
  ModuleOp module;
  CompileOptions options;
  DiagnosticCollector collector;
  /// What runs now, for the report of a crash.
  std::string stageName;
  CompiledKernel result;
};

} // namespace

CompiledKernel compileForAscend(ModuleOp module,
                                const CompileOptions &options) {
  return Compilation(module, options).run();
}

} // namespace tilelang
