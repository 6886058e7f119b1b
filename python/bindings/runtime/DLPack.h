//===- DLPack.h - The parts of the DLPack interface that are used ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Declares the binary interface of DLPack 1.x (memory layout and codes), so
// that no header of another project is needed.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_PYTHON_BINDINGS_RUNTIME_DLPACK_H
#define TILELANG_PYTHON_BINDINGS_RUNTIME_DLPACK_H

#include <cstdint>

namespace dlpack {

enum DeviceType : int32_t {
  Cpu = 1,
  Cuda = 2,
  CudaHost = 3,
  OpenCL = 4,
  Vulkan = 7,
  Metal = 8,
  Rocm = 10,
  RocmHost = 11,
  Extension = 12,
  CudaManaged = 13,
  OneApi = 14
};

enum DataTypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
  Complex = 5,
  Bool = 6,
  Float8E4M3FN = 10,
  Float8E4M3FNUZ = 11,
  Float8E5M2 = 12,
  Float8E5M2FNUZ = 13,
  Float8E8M0FNU = 14
};

struct Version {
  uint32_t major, minor;
};
struct Device {
  int32_t type, id;
};
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType type;
  int64_t *shape;
  int64_t *strides; // in elements; null means contiguous
  uint64_t byteOffset;
};
struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *);
};
struct VersionedTensor {
  Version version;
  void *context;
  void (*deleter)(VersionedTensor *);
  uint64_t flags;
  Tensor tensor;
};
constexpr uint64_t kReadOnlyFlag = 1;

/// What a type offers as `__dlpack_c_exchange_api__`. Functions that are not
/// called keep their place as plain pointers.
struct ExchangeHeader {
  Version version;
  ExchangeHeader *previous;
};
struct ExchangeInterface {
  ExchangeHeader header;
  void *allocate;
  void *fromObject;
  void *toObject;
  int (*viewObject)(void *object, Tensor *result);
  void *currentStream;
};

} // namespace dlpack

#endif // TILELANG_PYTHON_BINDINGS_RUNTIME_DLPACK_H
