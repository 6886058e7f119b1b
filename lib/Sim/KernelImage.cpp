//===- KernelImage.cpp - Kernels as shared objects ------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/Simulator.h"

#include <cstring>
#include <dlfcn.h>
#include <ffi.h>
#include <mutex>

using namespace tilelang;
using namespace tilelang::sim;
using ascsim::CoreType;

Kernel::~Kernel() = default;

/// The objects find `ascsim_*` in this library even where a host program
/// loaded it privately, as Python does with extension modules.
static void exportOwnSymbols() {
  static std::once_flag once;
  std::call_once(once, [] {
    Dl_info info;
    if (dladdr(reinterpret_cast<const void *>(&ascsim_issue), &info))
      dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  });
}

namespace {

/// One opened shared object.
class Module {
public:
  Module() = default;
  Module(const Module &) = delete;
  ~Module() {
    if (handle)
      dlclose(handle);
  }
  bool open(const std::string &path, const std::string &entry,
            const char *coreName, std::string &error) {
    if (path.empty()) {
      error = std::string("the kernel runs on ") + coreName +
              " cores but has no object for them";
      return false;
    }
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      error = "cannot load kernel object " + path + ": " + dlerror();
      return false;
    }
    function = dlsym(handle, entry.c_str());
    if (!function)
      error = "kernel object " + path + " has no function '" + entry +
              "'; it must be extern \"C\" and visible";
    return function != nullptr;
  }
  void *function = nullptr;

private:
  void *handle = nullptr;
};

class ImageKernel final : public Kernel {
public:
  explicit ImageKernel(KernelType type) : Kernel(type) {}
  Module aic, aiv;
  void run(CoreType core,
           const std::vector<LaunchArgument> &arguments) const override;
};

class FunctionKernel final : public Kernel {
public:
  FunctionKernel(KernelType type, Function aic, Function aiv)
      : Kernel(type), aic(std::move(aic)), aiv(std::move(aiv)) {}
  void run(CoreType core, const std::vector<LaunchArgument> &) const override {
    (core == CoreType::AIC ? aic : aiv)();
  }

private:
  Function aic, aiv;
};

} // namespace

static ffi_type *ffiType(ScalarType type) {
  switch (type) {
  case ScalarType::Bool:
  case ScalarType::U8:
    return &ffi_type_uint8;
  case ScalarType::I8:
    return &ffi_type_sint8;
  case ScalarType::I16:
    return &ffi_type_sint16;
  case ScalarType::U16:
    return &ffi_type_uint16;
  case ScalarType::I32:
    return &ffi_type_sint32;
  case ScalarType::U32:
    return &ffi_type_uint32;
  case ScalarType::I64:
    return &ffi_type_sint64;
  case ScalarType::U64:
    return &ffi_type_uint64;
  case ScalarType::F32:
    return &ffi_type_float;
  case ScalarType::F64:
    return &ffi_type_double;
  }
  return &ffi_type_sint32;
}

void ImageKernel::run(CoreType core,
                      const std::vector<LaunchArgument> &arguments) const {
  void *function = (core == CoreType::AIC ? aic : aiv).function;
  size_t count = arguments.size();
  std::vector<ffi_type *> types(count);
  std::vector<uint64_t> slots(count);
  std::vector<void *> values(count);
  for (size_t i = 0; i != count; ++i) {
    const LaunchArgument &argument = arguments[i];
    bool isBuffer = argument.kind == ArgumentKind::Buffer;
    types[i] = isBuffer ? &ffi_type_pointer : ffiType(argument.type);
    slots[i] =
        isBuffer ? reinterpret_cast<uint64_t>(argument.data) : argument.bits;
    values[i] = &slots[i]; // the host is little-endian
  }
  ffi_cif call;
  if (ffi_prep_cif(&call, FFI_DEFAULT_ABI, static_cast<unsigned>(count),
                   &ffi_type_void, types.data()) != FFI_OK)
    ascsim_fault("the parameters of the kernel cannot be passed");
  ffi_call(&call, FFI_FN(function), nullptr, values.data());
}

std::shared_ptr<Kernel> Kernel::load(const KernelImage &image,
                                     std::string &error) {
  exportOwnSymbols();
  auto kernel = std::make_shared<ImageKernel>(image.type);
  if (image.entry.empty()) {
    error = "the kernel has no entry function";
    return nullptr;
  }
  if (image.type != KernelType::AivOnly &&
      !kernel->aic.open(image.aicObject, image.entry, "AIC", error))
    return nullptr;
  if (image.type != KernelType::AicOnly &&
      !kernel->aiv.open(image.aivObject, image.entry, "AIV", error))
    return nullptr;
  return kernel;
}

std::shared_ptr<Kernel> Kernel::fromFunctions(KernelType type, Function aic,
                                              Function aiv) {
  return std::make_shared<FunctionKernel>(type, std::move(aic), std::move(aiv));
}

CodeAddress Report::locate(uint64_t codeAddress) {
  Dl_info info;
  if (!codeAddress ||
      !dladdr(reinterpret_cast<const void *>(codeAddress), &info) ||
      !info.dli_fname)
    return {};
  return {info.dli_fname,
          codeAddress - reinterpret_cast<uint64_t>(info.dli_fbase)};
}
