//===- ascend-sim.cpp - Runs a compiled kernel on the simulator -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/Simulator.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>

using namespace tilelang::sim;

static const char *const kUsage =
    R"(usage: ascend-sim --entry NAME [--aic FILE.so] [--aiv FILE.so] [options] ARGUMENTS

The kernel type follows from the objects: --aic alone, --aiv alone, or both
(one Cube core with two Vector cores per block).

Arguments of the kernel, in order:
  --buffer NAME:BYTES[:IN[:OUT]]  raw bytes from file IN (else zero), written
                                  to file OUT afterwards; IN may be empty
  --workspace NAME:BYTES          uninitialised scratch memory
  --scalar TYPE:VALUE             i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 bool

Options:
  --blocks N          blocks to launch (1)
  --chip NAME         chip to simulate (ascend910b2)
  --chip-dir FOLDER   folder of the chip descriptions
  --checks on|off     race, initialisation and flag checks (on)
  --seed N            perturb timing; 0 does not (0)
  --auto-sync         order vector instructions and scalar accesses as a build
                      with automatic synchronisation does
  --clean-start       zero memories and default registers at the start
  --api-dir FOLDER    Ascend C headers, left out of reported lines
  --timeline FILE     write the timeline in Chrome's trace format
  --json FILE         write the whole report

Exit status: 0 the kernel ran and nothing was found, 1 findings, 2 wrong use.
)";

namespace {
struct Buffer {
  std::vector<char> bytes;
  std::string output;
};
} // namespace

[[noreturn]] static void usageError(const std::string &message) {
  std::cerr << "ascend-sim: " << message << "\n"
            << "ascend-sim: see --help\n";
  std::exit(2);
}

static uint64_t parseNumber(const std::string &text, const std::string &what) {
  char *end = nullptr;
  uint64_t value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || *end)
    usageError(what + " must be a number, found '" + text + "'");
  return value;
}

static std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

static LaunchArgument parseScalar(const std::string &text) {
  static const std::map<std::string, ScalarType> types = {
      {"bool", ScalarType::Bool}, {"i8", ScalarType::I8},
      {"u8", ScalarType::U8},     {"i16", ScalarType::I16},
      {"u16", ScalarType::U16},   {"i32", ScalarType::I32},
      {"u32", ScalarType::U32},   {"i64", ScalarType::I64},
      {"u64", ScalarType::U64},   {"f32", ScalarType::F32},
      {"f64", ScalarType::F64}};
  std::vector<std::string> parts = split(text);
  auto type = types.find(parts[0]);
  if (parts.size() != 2 || type == types.end())
    usageError("--scalar takes TYPE:VALUE, found '" + text + "'");
  uint64_t bits = 0;
  if (type->second == ScalarType::F32) {
    float value = std::strtof(parts[1].c_str(), nullptr);
    std::memcpy(&bits, &value, sizeof value);
  } else if (type->second == ScalarType::F64) {
    double value = std::strtod(parts[1].c_str(), nullptr);
    std::memcpy(&bits, &value, sizeof value);
  } else {
    bits = static_cast<uint64_t>(std::strtoll(parts[1].c_str(), nullptr, 0));
  }
  return LaunchArgument::scalar("", type->second, bits);
}

static Buffer readBuffer(const std::vector<std::string> &parts) {
  Buffer buffer;
  buffer.bytes.resize(parseNumber(parts[1], "the size of " + parts[0]));
  if (parts.size() > 2 && !parts[2].empty()) {
    std::ifstream file(parts[2], std::ios::binary);
    if (!file.read(buffer.bytes.data(),
                   static_cast<std::streamsize>(buffer.bytes.size())))
      usageError("cannot read " + parts[1] + " bytes of " + parts[0] +
                 " from " + parts[2]);
  }
  if (parts.size() > 3)
    buffer.output = parts[3];
  return buffer;
}

static void writeFile(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file)
    usageError("cannot write " + path);
}

static void printReport(const Report &report, const std::string &apiDirectory) {
  std::cout << report.output;
  std::printf("%s after %.0f cycles; %.2f us with %.2f us of launch\n",
              report.completed ? "completed" : "stopped", report.cycles,
              report.microseconds, report.launchMicroseconds);
  for (size_t type = 0; type != 2; ++type) {
    const CoreTypeReport &total = report.coreTypes[type];
    if (!total.cores)
      continue;
    std::printf("%u %s:", total.cores,
                coreTypeName(static_cast<ascsim::CoreType>(type)));
    for (unsigned i = 0; i != ascsim::kNumPipes; ++i)
      if (total.utilisation[i] > 0)
        std::printf(" %s %.1f%%", pipeName(static_cast<ascsim::Pipe>(i)),
                    100 * total.utilisation[i]);
    std::printf("\n");
  }
  for (const PathBytes &path : report.paths)
    std::printf("%s %llu bytes\n", path.path.c_str(),
                static_cast<unsigned long long>(path.bytes));
  std::fflush(stdout);

  std::vector<CodeAddress> addresses;
  for (const Finding &finding : report.findings) {
    addresses.push_back({finding.first.module, finding.first.offset});
    if (finding.second)
      addresses.push_back({finding.second->module, finding.second->offset});
  }
  std::string error;
  std::vector<SourceLocation> lines =
      resolveCodeAddresses(addresses, apiDirectory, error);
  size_t next = 0;
  auto show = [&](const Place &place) {
    const SourceLocation &line = lines[next++];
    std::cerr << "  at " << (line.file.empty() ? "unknown line" : line.file);
    if (line.line)
      std::cerr << ":" << line.line;
    std::cerr << ": " << place.instruction << " on pipe "
              << pipeName(place.pipe) << " of " << coreTypeName(place.coreType)
              << " " << place.core << ", block " << place.block << "\n";
  };
  for (const Finding &finding : report.findings) {
    std::cerr << finding.kind << ": " << finding.message << "\n";
    show(finding.first);
    if (finding.second)
      show(*finding.second);
    if (finding.count > 1)
      std::cerr << "  " << finding.count << " times\n";
  }
  if (report.suppressedFindings)
    std::cerr << report.suppressedFindings << " more findings are not shown\n";
  if (!error.empty())
    std::cerr << "ascend-sim: " << error << "\n";
}

int main(int argc, char **argv) {
  KernelImage image;
  LaunchOptions options;
  std::vector<LaunchArgument> arguments;
  std::vector<std::pair<size_t, Buffer>> buffers;
  std::string timeline, json, apiDirectory;

  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--help" || option == "-h") {
      std::cout << kUsage;
      return 0;
    }
    if (option == "--auto-sync") {
      options.autoSync = true;
      continue;
    }
    if (option == "--clean-start") {
      options.dirtyStart = false;
      continue;
    }
    if (i + 1 == argc)
      usageError("unknown option or missing value: " + option);
    std::string value = argv[++i];
    if (option == "--entry")
      image.entry = value;
    else if (option == "--aic")
      image.aicObject = value;
    else if (option == "--aiv")
      image.aivObject = value;
    else if (option == "--blocks")
      options.blockDim = static_cast<uint32_t>(parseNumber(value, option));
    else if (option == "--chip")
      options.chip = value;
    else if (option == "--chip-dir")
      options.chipDirectory = value;
    else if (option == "--seed")
      options.seed = parseNumber(value, option);
    else if (option == "--api-dir")
      apiDirectory = value;
    else if (option == "--timeline")
      timeline = value;
    else if (option == "--json")
      json = value;
    else if (option == "--scalar")
      arguments.push_back(parseScalar(value));
    else if (option == "--checks") {
      if (value != "on" && value != "off")
        usageError("--checks takes on or off, found '" + value + "'");
      options.checks = value == "on";
    } else if (option == "--buffer" || option == "--workspace") {
      std::vector<std::string> parts = split(value);
      if (parts.size() < 2 || parts.size() > 4)
        usageError(option + " takes NAME:BYTES[:IN[:OUT]], found '" + value +
                   "'");
      buffers.emplace_back(arguments.size(), readBuffer(parts));
      uint64_t bytes = buffers.back().second.bytes.size();
      arguments.push_back(
          option == "--workspace"
              ? LaunchArgument::workspaceBuffer(parts[0], nullptr, bytes)
              : LaunchArgument::buffer(parts[0], nullptr, bytes));
    } else {
      usageError("unknown option " + option);
    }
  }
  for (auto &[index, buffer] : buffers)
    arguments[index].data = buffer.bytes.data();

  if (image.aicObject.empty() && image.aivObject.empty())
    usageError("give at least one of --aic and --aiv");
  image.type = image.aicObject.empty()   ? KernelType::AivOnly
               : image.aivObject.empty() ? KernelType::AicOnly
                                         : KernelType::Mix12;
  options.timeline = !timeline.empty();

  std::string error;
  std::shared_ptr<Kernel> kernel = Kernel::load(image, error);
  Report report;
  if (!kernel || !simulate(*kernel, arguments, options, report, error))
    usageError(error);

  printReport(report, apiDirectory);
  for (auto &[index, buffer] : buffers)
    if (!buffer.output.empty())
      writeFile(buffer.output,
                std::string(buffer.bytes.data(), buffer.bytes.size()));
  if (!json.empty())
    writeFile(json, report.toJson());
  if (!timeline.empty()) {
    std::map<uint64_t, TraceOptions::Label> labels;
    std::vector<uint64_t> order;
    std::vector<CodeAddress> addresses;
    for (const TimelineEvent &event : report.timeline)
      if (labels.try_emplace(event.codeAddress).second) {
        order.push_back(event.codeAddress);
        addresses.push_back(Report::locate(event.codeAddress));
      }
    std::vector<SourceLocation> lines =
        resolveCodeAddresses(addresses, apiDirectory, error);
    for (size_t i = 0; i != order.size(); ++i)
      labels[order[i]] = {"", lines[i].file, lines[i].line};
    TraceOptions trace;
    trace.label = [&](uint64_t address) { return labels[address]; };
    std::string text;
    report.writeChromeTrace(trace,
                            [&](std::string_view part) { text += part; });
    writeFile(timeline, text);
  }
  return report.findings.empty() && report.completed ? 0 : 1;
}
