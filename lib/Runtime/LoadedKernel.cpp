//===- LoadedKernel.cpp - An artifact that can be launched ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Runtime/LoadedKernel.h"

#include "tilelang/Chip/Chip.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <unistd.h>

namespace tilelang {

namespace {
/// The chips that come with the library: beside the folder it lies in.
std::string defaultChipDirectory() {
  Dl_info information{};
  if (!::dladdr(reinterpret_cast<void *>(&defaultChipDirectory),
                &information) ||
      !information.dli_fname)
    return "chips";
  std::filesystem::path library =
      std::filesystem::absolute(information.dli_fname);
  return library.parent_path().parent_path() / "chips";
}

/// Chips are read once for each process.
std::shared_ptr<const Chip> sharedChip(const std::string &directory,
                                       const std::string &name,
                                       std::string &error) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>,
                  std::shared_ptr<const Chip>>
      chips;
  std::lock_guard<std::mutex> lock(mutex);
  auto &entry = chips[{directory, name}];
  if (!entry) {
    Chip chip = Chip::load(directory, name, error);
    if (chip.name.empty())
      return nullptr;
    entry = std::make_shared<const Chip>(std::move(chip));
  }
  return entry;
}

/// A path that no other kernel of any process has: the loader tells shared
/// objects apart by name.
std::string objectPath(const std::string &entry, const char *core) {
  static std::atomic<uint64_t> counter{0};
  std::error_code ignored;
  std::filesystem::path folder = std::filesystem::temp_directory_path(ignored);
  if (ignored)
    folder = "/tmp";
  return folder /
         ("tilelang-" + std::to_string(::getpid()) + "-" +
          std::to_string(counter++) + "-" + entry + "." + core + ".so");
}

bool writeObject(const std::string &path, const std::string &bytes,
                 std::string &error) {
  // Exclusive: a file that somebody else put there is not opened.
  int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  size_t written = 0;
  while (file >= 0 && written < bytes.size()) {
    ssize_t count =
        ::write(file, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    written += static_cast<size_t>(count);
  }
  bool isWhole = file >= 0 && written == bytes.size();
  if (!isWhole)
    error = "cannot write '" + path + "': " + std::strerror(errno) +
            "; TMPDIR names another folder";
  if (file >= 0)
    ::close(file);
  return isWhole;
}

sim::ScalarType scalarType(ElementType type) {
  switch (type) {
  case ElementType::Bool:
    return sim::ScalarType::Bool;
  case ElementType::I8:
    return sim::ScalarType::I8;
  case ElementType::U8:
    return sim::ScalarType::U8;
  case ElementType::I16:
    return sim::ScalarType::I16;
  case ElementType::U16:
    return sim::ScalarType::U16;
  case ElementType::I32:
    return sim::ScalarType::I32;
  case ElementType::U32:
    return sim::ScalarType::U32;
  case ElementType::U64:
    return sim::ScalarType::U64;
  // Half-width floats travel as float: the host ABI has no register for them.
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::F32:
    return sim::ScalarType::F32;
  case ElementType::F64:
    return sim::ScalarType::F64;
  default:
    return sim::ScalarType::I64;
  }
}

/// Bytes from the first to the last element of a tensor.
uint64_t spanBytes(const KernelArgument &argument) {
  uint64_t elements = 1, span = 1;
  for (unsigned axis = 0; axis < argument.rank; ++axis) {
    uint64_t extent = static_cast<uint64_t>(argument.shape[axis]);
    elements *= extent;
    if (argument.strides && extent > 1)
      span += (extent - 1) * static_cast<uint64_t>(argument.strides[axis]);
  }
  if (elements == 0)
    return 0;
  return (argument.strides ? span : elements) * elementBytes(argument.type);
}
} // namespace

std::shared_ptr<LoadedKernel> LoadedKernel::load(Artifact artifact,
                                                 std::string chipDirectory,
                                                 std::string &error) {
  std::shared_ptr<LoadedKernel> loaded(new LoadedKernel());
  loaded->contents = std::move(artifact);
  loaded->chips =
      chipDirectory.empty() ? defaultChipDirectory() : std::move(chipDirectory);
  const Artifact &contents = loaded->contents;

  sim::KernelImage image;
  image.entry = contents.entry;
  if (contents.kernelType == "cube") {
    image.type = sim::KernelType::AicOnly;
  } else if (contents.kernelType == "vector") {
    image.type = sim::KernelType::AivOnly;
  } else if (contents.kernelType == "mixed") {
    image.type = sim::KernelType::Mix12;
  } else {
    error = "artifact of kernel '" + contents.name +
            "' has unknown kernel type '" + contents.kernelType + "'";
    return nullptr;
  }
  for (auto [core, path] : {std::pair("aic", &image.aicObject),
                            std::pair("aiv", &image.aivObject)}) {
    auto object = contents.objects.find(core);
    bool isNeeded =
        contents.kernelType == "mixed" ||
        (contents.kernelType == "cube") == (std::strcmp(core, "aic") == 0);
    if (!isNeeded)
      continue;
    if (object == contents.objects.end()) {
      error = "artifact of kernel '" + contents.name +
              "' has no shared object for core type '" + core + "'";
      return nullptr;
    }
    *path = objectPath(contents.entry, core);
    loaded->objectPaths.emplace_back(*path, core);
  }
  if (loaded->writeObjects(error))
    loaded->kernel = sim::Kernel::load(image, error);
  loaded->removeObjects();
  if (!loaded->kernel)
    return nullptr;
  loaded->chip = sharedChip(loaded->chips, contents.chip, error);
  if (!loaded->chip)
    return nullptr;
  return loaded;
}

bool LoadedKernel::writeObjects(std::string &error) const {
  for (const auto &[path, core] : objectPaths)
    if (!writeObject(path, contents.objects.at(core), error))
      return false;
  return true;
}

void LoadedKernel::removeObjects() const {
  for (const auto &object : objectPaths)
    ::unlink(object.first.c_str());
}

std::vector<sim::SourceLocation>
LoadedKernel::resolve(const std::vector<sim::CodeAddress> &addresses,
                      const std::string &apiDirectory,
                      std::string &error) const {
  std::lock_guard<std::mutex> lock(objectFiles);
  std::vector<sim::SourceLocation> locations(addresses.size());
  if (writeObjects(error))
    locations = sim::resolveCodeAddresses(addresses, apiDirectory, error);
  removeObjects();
  return locations;
}

bool LoadedKernel::run(const std::vector<KernelArgument> &arguments,
                       const std::vector<bool> &isInitialised,
                       const SizeValues &sizes, const RunOptions &options,
                       sim::Report &report, std::string &error) const {
  std::vector<sim::LaunchArgument> launch;
  launch.reserve(arguments.size() + sizes.size() + 1);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const KernelParameter &parameter = contents.parameters[i];
    const KernelArgument &argument = arguments[i];
    if (parameter.isTensor)
      launch.push_back(
          sim::LaunchArgument::buffer(parameter.name, argument.data,
                                      spanBytes(argument), isInitialised[i]));
    else
      launch.push_back(sim::LaunchArgument::scalar(
          parameter.name, scalarType(parameter.type), argument.bits));
  }
  for (size_t i = 0; i < sizes.size(); ++i)
    launch.push_back(sim::LaunchArgument::scalar(
        contents.symbols[i].name, scalarType(contents.symbols[i].type),
        static_cast<uint64_t>(*sizes[i])));
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> workspace;
  if (contents.workspaceBytes) {
    constexpr size_t kAlignment = 512;
    size_t bytes =
        (contents.workspaceBytes + kAlignment - 1) / kAlignment * kAlignment;
    workspace.reset(std::aligned_alloc(kAlignment, bytes));
    if (!workspace) {
      error =
          "cannot allocate " + std::to_string(bytes) + " bytes of workspace";
      return false;
    }
    launch.push_back(sim::LaunchArgument::workspaceBuffer(
        "workspace", workspace.get(), contents.workspaceBytes));
  }

  sim::LaunchOptions launchOptions;
  launchOptions.chip = contents.chip;
  launchOptions.chipDirectory = chips;
  launchOptions.blockDim = contents.blockDim;
  launchOptions.checks = options.checks;
  launchOptions.timeline = options.timeline;
  launchOptions.seed = options.seed;
  launchOptions.warmL2 = options.warmL2;
  launchOptions.timeOnly = options.timeOnly;
  launchOptions.cycleLimit = options.cycleLimit;
  return sim::simulate(*kernel, launch, launchOptions, *chip, report, error);
}

} // namespace tilelang
