//===- Simulator.cpp - Launching a kernel ---------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/Simulator.h"
#include "tilelang/Chip/Chip.h"
#include "tilelang/Sim/Engine.h"

#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <stdexcept>

using namespace tilelang;
using namespace tilelang::sim;

LaunchArgument LaunchArgument::buffer(std::string name, void *data,
                                      uint64_t bytes, bool initialised) {
  LaunchArgument argument;
  argument.name = std::move(name);
  argument.data = data;
  argument.bytes = bytes;
  argument.initialised = initialised;
  return argument;
}

LaunchArgument LaunchArgument::workspaceBuffer(std::string name, void *data,
                                               uint64_t bytes) {
  LaunchArgument argument = buffer(std::move(name), data, bytes, false);
  argument.workspace = true;
  return argument;
}

LaunchArgument LaunchArgument::scalar(std::string name, ScalarType type,
                                      uint64_t bits) {
  LaunchArgument argument;
  argument.kind = ArgumentKind::Scalar;
  argument.name = std::move(name);
  argument.type = type;
  argument.bits = bits;
  return argument;
}

const char *tilelang::sim::pipeName(ascsim::Pipe pipe) {
  switch (pipe) {
  case ascsim::Pipe::S:
    return "S";
  case ascsim::Pipe::V:
    return "V";
  case ascsim::Pipe::M:
    return "M";
  case ascsim::Pipe::MTE1:
    return "MTE1";
  case ascsim::Pipe::MTE2:
    return "MTE2";
  case ascsim::Pipe::MTE3:
    return "MTE3";
  case ascsim::Pipe::FIX:
    return "FIX";
  case ascsim::Pipe::All:
    return "ALL";
  }
  return "?";
}

const char *tilelang::sim::coreTypeName(ascsim::CoreType type) {
  return type == ascsim::CoreType::AIC ? "AIC" : "AIV";
}

const char *tilelang::sim::memoryName(ascsim::Memory memory) {
  switch (memory) {
  case ascsim::Memory::GM:
    return "GM";
  case ascsim::Memory::L1:
    return "L1";
  case ascsim::Memory::L0A:
    return "L0A";
  case ascsim::Memory::L0B:
    return "L0B";
  case ascsim::Memory::L0C:
    return "L0C";
  case ascsim::Memory::BT:
    return "BT";
  case ascsim::Memory::FB:
    return "FB";
  case ascsim::Memory::UB:
    return "UB";
  case ascsim::Memory::None:
    return "none";
  }
  return "?";
}

/// The `chips` folder beside the folder of this library.
static std::string defaultChipDirectory() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&pipeName), &info))
    return "chips";
  std::error_code code;
  auto library = std::filesystem::weakly_canonical(info.dli_fname, code);
  return (library.parent_path().parent_path() / "chips").string();
}

/// Chip descriptions are read once per process: a launch of a small kernel
/// takes less time than parsing one.
static std::shared_ptr<const Chip> findChip(const std::string &directory,
                                            const std::string &name,
                                            std::string &error) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>,
                  std::shared_ptr<const Chip>>
      known;
  std::lock_guard<std::mutex> lock(mutex);
  auto &entry = known[{directory, name}];
  if (entry)
    return entry;
  Chip chip = Chip::load(directory, name, error);
  if (chip.name.empty())
    return nullptr;
  std::string problem = chip.validate();
  if (!problem.empty()) {
    error = "chip '" + name + "' in " + directory + ": " + problem;
    return nullptr;
  }
  return entry = std::make_shared<const Chip>(std::move(chip));
}

bool tilelang::sim::simulate(const Kernel &kernel,
                             const std::vector<LaunchArgument> &arguments,
                             const LaunchOptions &options, Report &report,
                             std::string &error) {
  std::string directory = options.chipDirectory.empty() ? defaultChipDirectory()
                                                        : options.chipDirectory;
  std::shared_ptr<const Chip> chip = findChip(directory, options.chip, error);
  return chip && simulate(kernel, arguments, options, *chip, report, error);
}

bool tilelang::sim::simulate(const Kernel &kernel,
                             const std::vector<LaunchArgument> &arguments,
                             const LaunchOptions &options, const Chip &chip,
                             Report &report, std::string &error) {
  if (options.timeOnly && options.checks) {
    error = "a launch for time only moves no data, so it cannot be checked; "
            "switch option checks off";
    return false;
  }
  if (Engine::current()) {
    error = "a kernel cannot launch another one on the simulator";
    return false;
  }
  try {
    Engine engine(kernel, arguments, options, chip, report);
    return engine.run(error);
  } catch (const std::out_of_range &exception) {
    error = "chip '" + chip.name + "' lacks a constant: " + exception.what();
  } catch (const std::bad_alloc &) {
    error = "not enough host memory for the simulated chip";
  }
  return false;
}
