//===- CInterface.cpp - C interface of the kernel runtime -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Runtime/tilelang.h"

#include "tilelang/Runtime/LoadedKernel.h"

#include <cstring>
#include <exception>

using namespace tilelang;

struct TileLangKernel {
  std::shared_ptr<LoadedKernel> loaded;
  /// Names of element types with an end, as C wants them.
  std::vector<std::string> typeNames;

  const Artifact &artifact() const { return loaded->artifact(); }
  const KernelParameter &parameter(size_t index) const {
    return artifact().parameters.at(index);
  }
};

struct TileLangReport {
  sim::Report report;
};

namespace {
thread_local std::string lastError;

/// Exceptions end here: C callers cannot catch them.
template <typename Function, typename Result>
Result guarded(Result failed, Function function) {
  try {
    return function();
  } catch (const std::exception &exception) {
    lastError = std::string("internal: ") + exception.what();
    return failed;
  }
}

bool toKernelArgument(const Artifact &artifact, size_t index,
                      const TileLangArgument &given, KernelArgument &result) {
  const KernelParameter &parameter = artifact.parameters[index];
  result.isTensor = parameter.isTensor;
  if (!parameter.isTensor) {
    result.type = parameter.type;
    if (parameter.type == ElementType::F64) {
      std::memcpy(&result.bits, &given.scalar.as_double, sizeof(double));
    } else if (isFloating(parameter.type)) {
      auto value = static_cast<float>(given.scalar.as_double);
      std::memcpy(&result.bits, &value, sizeof(value));
    } else {
      result.bits = static_cast<uint64_t>(given.scalar.as_int);
    }
    return true;
  }
  if (!given.dtype || (given.rank != 0 && !given.shape)) {
    lastError = describeArgument(artifact, index) +
                " has no dtype or no shape (null pointer)";
    return false;
  }
  result.data = given.data;
  result.type = parseElementType(given.dtype);
  result.typeText = given.dtype;
  result.rank = given.rank;
  result.shape = given.shape;
  result.strides = given.strides;
  return true;
}
} // namespace

extern "C" {

const char *tilelang_last_error(void) { return lastError.c_str(); }

const char *tilelang_version(void) { return "0.1.0"; }

TileLangKernel *tilelang_kernel_load(const char *path,
                                     const char *chipDirectory) {
  return guarded<>(
      static_cast<TileLangKernel *>(nullptr), [&]() -> TileLangKernel * {
        Artifact artifact;
        if (!Artifact::readFile(path, artifact, lastError))
          return nullptr;
        auto kernel = std::make_unique<TileLangKernel>();
        kernel->loaded = LoadedKernel::load(
            std::move(artifact), chipDirectory ? chipDirectory : "", lastError);
        if (!kernel->loaded)
          return nullptr;
        for (const KernelParameter &parameter : kernel->artifact().parameters)
          kernel->typeNames.emplace_back(elementTypeName(parameter.type));
        return kernel.release();
      });
}

void tilelang_kernel_free(TileLangKernel *kernel) { delete kernel; }

const char *tilelang_kernel_name(const TileLangKernel *kernel) {
  return kernel->artifact().name.c_str();
}
const char *tilelang_kernel_chip(const TileLangKernel *kernel) {
  return kernel->artifact().chip.c_str();
}
const char *tilelang_kernel_source(const TileLangKernel *kernel) {
  return kernel->artifact().source.c_str();
}
size_t tilelang_kernel_parameter_count(const TileLangKernel *kernel) {
  return kernel->artifact().parameters.size();
}

const char *tilelang_parameter_name(const TileLangKernel *kernel,
                                    size_t index) {
  return kernel->parameter(index).name.c_str();
}
const char *tilelang_parameter_dtype(const TileLangKernel *kernel,
                                     size_t index) {
  return kernel->typeNames.at(index).c_str();
}
int tilelang_parameter_is_tensor(const TileLangKernel *kernel, size_t index) {
  return kernel->parameter(index).isTensor;
}
int tilelang_parameter_is_written(const TileLangKernel *kernel, size_t index) {
  return kernel->parameter(index).isWritten;
}
uint32_t tilelang_parameter_rank(const TileLangKernel *kernel, size_t index) {
  return static_cast<uint32_t>(kernel->parameter(index).shape.size());
}
int64_t tilelang_parameter_extent(const TileLangKernel *kernel, size_t index,
                                  uint32_t axis) {
  const Dimension &dimension = kernel->parameter(index).shape.at(axis);
  return dimension.isStatic() ? dimension.value : -1;
}

TileLangReport *tilelang_kernel_launch(const TileLangKernel *kernel,
                                       const TileLangArgument *given,
                                       size_t count,
                                       const TileLangLaunchOptions *options) {
  return guarded<>(
      static_cast<TileLangReport *>(nullptr), [&]() -> TileLangReport * {
        const Artifact &artifact = kernel->artifact();
        if (count != artifact.parameters.size()) {
          lastError = "kernel '" + artifact.name + "' was called with " +
                      std::to_string(count) + " arguments, expected " +
                      std::to_string(artifact.parameters.size());
          return nullptr;
        }
        std::vector<KernelArgument> arguments(count);
        for (size_t i = 0; i < count; ++i)
          if (!toKernelArgument(artifact, i, given[i], arguments[i]))
            return nullptr;
        SizeValues sizes;
        if (auto problem = checkArguments(artifact, arguments, sizes)) {
          lastError = problem->message;
          return nullptr;
        }
        RunOptions run;
        if (options) {
          run.checks = !options->disable_checks;
          run.seed = options->seed;
        }
        auto report = std::make_unique<TileLangReport>();
        if (!kernel->loaded->run(arguments, std::vector<bool>(count, true),
                                 sizes, run, report->report, lastError))
          return nullptr;
        return report.release();
      });
}

void tilelang_report_free(TileLangReport *report) { delete report; }
int tilelang_report_is_clean(const TileLangReport *report) {
  return report->report.completed && report->report.findings.empty();
}
double tilelang_report_cycles(const TileLangReport *report) {
  return report->report.cycles;
}
double tilelang_report_microseconds(const TileLangReport *report) {
  return report->report.microseconds;
}
size_t tilelang_report_finding_count(const TileLangReport *report) {
  return report->report.findings.size();
}
const char *tilelang_report_finding_kind(const TileLangReport *report,
                                         size_t index) {
  return report->report.findings.at(index).kind.c_str();
}
const char *tilelang_report_finding_message(const TileLangReport *report,
                                            size_t index) {
  return report->report.findings.at(index).message.c_str();
}
const char *tilelang_report_output(const TileLangReport *report) {
  return report->report.output.c_str();
}

} // extern "C"
