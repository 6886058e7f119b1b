//===- SimulatorC.cpp - C interface of the simulator ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/Simulator.h"
#include "tilelang/Sim/simulator_c.h"

#include <memory>

using namespace tilelang::sim;

struct AscendSimKernel {
  std::shared_ptr<Kernel> kernel;
};
struct AscendSimLaunch {
  std::shared_ptr<Kernel> kernel;
  std::vector<LaunchArgument> arguments;
  LaunchOptions options;
};
struct AscendSimReport {
  Report report;
  std::string json;
};

static thread_local std::string lastError;

static std::string text(const char *value) { return value ? value : ""; }

extern "C" {

const char *ascendsim_last_error(void) { return lastError.c_str(); }

AscendSimKernel *ascendsim_kernel_load(const char *aicObject,
                                       const char *aivObject, const char *entry,
                                       AscendSimKernelType type) {
  lastError.clear();
  if (type > ASCENDSIM_MIX_1_2) {
    lastError = "unknown kernel type " + std::to_string(type);
    return nullptr;
  }
  KernelImage image{text(aicObject), text(aivObject), text(entry),
                    static_cast<KernelType>(type)};
  std::shared_ptr<Kernel> kernel = Kernel::load(image, lastError);
  return kernel ? new AscendSimKernel{std::move(kernel)} : nullptr;
}

void ascendsim_kernel_free(AscendSimKernel *kernel) { delete kernel; }

AscendSimLaunch *ascendsim_launch_new(const AscendSimKernel *kernel,
                                      uint32_t blockDim) {
  lastError.clear();
  if (!kernel) {
    lastError = "no kernel given";
    return nullptr;
  }
  auto *launch = new AscendSimLaunch{kernel->kernel, {}, {}};
  launch->options.blockDim = blockDim;
  return launch;
}

void ascendsim_launch_free(AscendSimLaunch *launch) { delete launch; }

void ascendsim_launch_add_buffer(AscendSimLaunch *launch, const char *name,
                                 void *data, uint64_t bytes, int workspace,
                                 int initialised) {
  launch->arguments.push_back(
      workspace
          ? LaunchArgument::workspaceBuffer(text(name), data, bytes)
          : LaunchArgument::buffer(text(name), data, bytes, initialised != 0));
}

void ascendsim_launch_add_scalar(AscendSimLaunch *launch, const char *name,
                                 AscendSimScalarType type, uint64_t bits) {
  launch->arguments.push_back(
      LaunchArgument::scalar(text(name), static_cast<ScalarType>(type), bits));
}

void ascendsim_launch_set_chip(AscendSimLaunch *launch, const char *name,
                               const char *directory) {
  launch->options.chip = text(name);
  launch->options.chipDirectory = text(directory);
}

int ascendsim_launch_set_option(AscendSimLaunch *launch, const char *name,
                                uint64_t value) {
  lastError.clear();
  LaunchOptions &options = launch->options;
  std::string option = text(name);
  if (option == "checks")
    options.checks = value != 0;
  else if (option == "timeline")
    options.timeline = value != 0;
  else if (option == "seed")
    options.seed = value;
  else if (option == "dirty_start")
    options.dirtyStart = value != 0;
  else if (option == "auto_sync")
    options.autoSync = value != 0;
  else if (option == "warm_l2")
    options.warmL2 = value != 0;
  else if (option == "time_only")
    options.timeOnly = value != 0;
  else if (option == "cycle_limit")
    options.cycleLimit = static_cast<double>(value);
  else if (option == "findings_per_kind")
    options.findingsPerKind = static_cast<uint32_t>(value);
  else {
    lastError = "no launch option '" + option +
                "'; known are checks, timeline, seed, dirty_start, auto_sync, "
                "warm_l2, time_only, cycle_limit, findings_per_kind";
    return 1;
  }
  return 0;
}

AscendSimReport *ascendsim_launch_run(const AscendSimLaunch *launch) {
  lastError.clear();
  auto result = std::make_unique<AscendSimReport>();
  if (!simulate(*launch->kernel, launch->arguments, launch->options,
                result->report, lastError))
    return nullptr;
  return result.release();
}

void ascendsim_report_free(AscendSimReport *report) { delete report; }
int ascendsim_report_completed(const AscendSimReport *report) {
  return report->report.completed;
}
double ascendsim_report_cycles(const AscendSimReport *report) {
  return report->report.cycles;
}
double ascendsim_report_microseconds(const AscendSimReport *report) {
  return report->report.microseconds;
}
size_t ascendsim_report_finding_count(const AscendSimReport *report) {
  return report->report.findings.size();
}
const char *ascendsim_report_finding_kind(const AscendSimReport *report,
                                          size_t index) {
  return index < report->report.findings.size()
             ? report->report.findings[index].kind.c_str()
             : nullptr;
}
const char *ascendsim_report_finding_message(const AscendSimReport *report,
                                             size_t index) {
  return index < report->report.findings.size()
             ? report->report.findings[index].message.c_str()
             : nullptr;
}
const char *ascendsim_report_json(AscendSimReport *report, int withTimeline) {
  report->json = report->report.toJson(withTimeline != 0);
  return report->json.c_str();
}

} // extern "C"
