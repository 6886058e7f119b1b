//===- Marshal.cpp - Python values as kernel arguments --------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Marshal.h"

#include "DLPack.h"

#include <cmath>
#include <cstring>
#include <unordered_map>

namespace nb = nanobind;
using namespace tilelang;

namespace {

/// NumPy's array interface, C side (`__array_struct__`).
struct ArrayInterface {
  int two;
  int rank;
  char typeKind;
  int itemBytes;
  int flags;
  Py_ssize_t *shape;
  Py_ssize_t *strides; // in bytes
  void *data;
  PyObject *description;
};
constexpr int kNativeByteOrder = 0x200;
constexpr int kWriteable = 0x400;

/// How values of a Python type are read, found once for each type.
struct TypeAccess {
  enum class Way : uint8_t {
    ArrayStruct,
    Exchange,
    Capsule,
    Buffer,
    None
  } way = Way::None;
  const dlpack::ExchangeInterface *exchange = nullptr;
  ArrayLibrary library = ArrayLibrary::Other;
};

bool hasAttribute(PyTypeObject *type, const char *name) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject *>(type), name) != 0;
}

const TypeAccess &accessOf(PyTypeObject *type) {
  // Guarded by the interpreter lock; types are kept alive by a reference.
  static auto *known = new std::unordered_map<PyTypeObject *, TypeAccess>();
  auto found = known->find(type);
  if (found != known->end())
    return found->second;
  TypeAccess access;
  nb::object module = nb::steal(
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__module__"));
  if (!module.is_valid())
    PyErr_Clear();
  std::string moduleName = module.is_valid() && nb::isinstance<nb::str>(module)
                               ? nb::cast<std::string>(module)
                               : "";
  bool isTorch = moduleName.rfind("torch", 0) == 0;
  // Subclasses of torch.Tensor (parameters, user classes) are torch's as well.
  if (!isTorch && type->tp_mro)
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i)
      isTorch |= std::strcmp(reinterpret_cast<PyTypeObject *>(
                                 PyTuple_GET_ITEM(type->tp_mro, i))
                                 ->tp_name,
                             "torch.Tensor") == 0 ||
                 std::strcmp(reinterpret_cast<PyTypeObject *>(
                                 PyTuple_GET_ITEM(type->tp_mro, i))
                                 ->tp_name,
                             "torch._C.TensorBase") == 0;
  if (hasAttribute(type, "__array_struct__")) {
    access.way = TypeAccess::Way::ArrayStruct;
    access.library = ArrayLibrary::NumPy;
  } else if (hasAttribute(type, "__dlpack__")) {
    access.way = TypeAccess::Way::Capsule;
    access.library = isTorch ? ArrayLibrary::Torch : ArrayLibrary::Other;
    nb::object capsule = nb::steal(PyObject_GetAttrString(
        reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__"));
    if (!capsule.is_valid()) {
      PyErr_Clear();
    } else {
      const char *name = PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")
                             ? "dlpack_exchange_api"
                             : nullptr;
      auto *exchange = name ? static_cast<dlpack::ExchangeInterface *>(
                                  PyCapsule_GetPointer(capsule.ptr(), name))
                            : nullptr;
      if (exchange && exchange->header.version.major == 1 &&
          exchange->viewObject) {
        access.way = TypeAccess::Way::Exchange;
        access.exchange = exchange;
      }
    }
  } else if (type->tp_as_buffer && type->tp_as_buffer->bf_getbuffer) {
    access.way = TypeAccess::Way::Buffer;
  }
  Py_INCREF(type);
  return known->emplace(type, access).first->second;
}

ElementType typeOf(char kind, unsigned bytes) {
  switch (kind) {
  case 'b':
    return bytes == 1 ? ElementType::Bool : ElementType::Unknown;
  case 'f':
    return bytes == 2   ? ElementType::F16
           : bytes == 4 ? ElementType::F32
           : bytes == 8 ? ElementType::F64
                        : ElementType::Unknown;
  case 'i':
    return bytes == 1   ? ElementType::I8
           : bytes == 2 ? ElementType::I16
           : bytes == 4 ? ElementType::I32
           : bytes == 8 ? ElementType::I64
                        : ElementType::Unknown;
  case 'u':
    return bytes == 1   ? ElementType::U8
           : bytes == 2 ? ElementType::U16
           : bytes == 4 ? ElementType::U32
           : bytes == 8 ? ElementType::U64
                        : ElementType::Unknown;
  default:
    return ElementType::Unknown;
  }
}

/// Text of `value.dtype`, or of the type where there is none.
std::string dtypeText(nb::handle value) {
  nb::object dtype = nb::steal(PyObject_GetAttrString(value.ptr(), "dtype"));
  if (!dtype.is_valid()) {
    PyErr_Clear();
    return Py_TYPE(value.ptr())->tp_name;
  }
  return nb::cast<std::string>(nb::str(dtype));
}

/// "a list", "None".
std::string whatIs(nb::handle value) {
  return value.is_none() ? "None"
                         : std::string("a ") + Py_TYPE(value.ptr())->tp_name;
}

[[noreturn]] void refuse(ArgumentProblem::Kind kind, std::string message) {
  raiseArgumentProblem({kind, std::move(message)});
}

void finishView(MarshalledArgument &result) {
  result.argument.rank = static_cast<unsigned>(result.shape.size());
  result.argument.shape = result.shape.data();
  result.argument.strides =
      result.strides.empty() ? nullptr : result.strides.data();
}

/// Converts strides in bytes to elements.
void setByteStrides(const Artifact &artifact, size_t index,
                    const Py_ssize_t *strides, unsigned rank,
                    Py_ssize_t itemBytes, MarshalledArgument &result) {
  for (unsigned axis = 0; axis < rank; ++axis) {
    if (itemBytes == 0 || strides[axis] % itemBytes != 0)
      refuse(ArgumentProblem::Kind::Value,
             describeArgument(artifact, index) + " has a stride of " +
                 std::to_string(strides[axis]) + " bytes along dimension " +
                 std::to_string(axis) +
                 ", which is no multiple of its element size (" +
                 std::to_string(itemBytes) + " bytes); pass a contiguous copy");
    result.strides.push_back(strides[axis] / itemBytes);
  }
}

bool viewArrayStruct(const Artifact &artifact, size_t index, nb::handle value,
                     MarshalledArgument &result) {
  nb::object capsule =
      nb::steal(PyObject_GetAttrString(value.ptr(), "__array_struct__"));
  if (!capsule.is_valid()) {
    PyErr_Clear();
    return false;
  }
  auto *array = static_cast<ArrayInterface *>(
      PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (!array || array->two != 2) {
    PyErr_Clear();
    return false;
  }
  KernelArgument &argument = result.argument;
  argument.data = array->data;
  argument.isReadOnly = !(array->flags & kWriteable);
  argument.type =
      typeOf(array->typeKind, static_cast<unsigned>(array->itemBytes));
  if (!(array->flags & kNativeByteOrder)) {
    argument.type = ElementType::Unknown;
    argument.typeText = dtypeText(value) + " (of foreign byte order)";
  } else if (argument.type == ElementType::Unknown) {
    argument.typeText = dtypeText(value);
    // ml_dtypes uses this name for another format, one with infinities.
    if (argument.typeText != "float8_e4m3")
      argument.type = parseElementType(argument.typeText);
  }
  auto rank = static_cast<unsigned>(array->rank);
  result.shape.assign(array->shape, array->shape + rank);
  if (array->strides)
    setByteStrides(artifact, index, array->strides, rank, array->itemBytes,
                   result);
  finishView(result);
  result.owner = std::move(capsule);
  return true;
}

ElementType typeOf(dlpack::DataType type) {
  if (type.lanes != 1)
    return ElementType::Unknown;
  switch (type.code) {
  case dlpack::Int:
    return typeOf('i', type.bits / 8);
  case dlpack::UInt:
    return typeOf('u', type.bits / 8);
  case dlpack::Float:
    return typeOf('f', type.bits / 8);
  case dlpack::Bool:
    return type.bits == 8 ? ElementType::Bool : ElementType::Unknown;
  case dlpack::BFloat:
    return type.bits == 16 ? ElementType::BF16 : ElementType::Unknown;
  case dlpack::Float8E4M3FN:
    return ElementType::F8E4M3;
  case dlpack::Float8E4M3FNUZ:
    return ElementType::F8E4M3FNUZ;
  case dlpack::Float8E5M2:
    return ElementType::F8E5M2;
  case dlpack::Float8E5M2FNUZ:
    return ElementType::F8E5M2FNUZ;
  case dlpack::Float8E8M0FNU:
    return ElementType::F8E8M0;
  default:
    return ElementType::Unknown;
  }
}

std::string deviceText(dlpack::Device device) {
  const char *name = nullptr;
  switch (device.type) {
  case dlpack::Cpu:
  case dlpack::CudaHost:
  case dlpack::RocmHost:
  case dlpack::CudaManaged:
    return "";
  case dlpack::Cuda:
    name = "cuda";
    break;
  case dlpack::OpenCL:
    name = "opencl";
    break;
  case dlpack::Vulkan:
    name = "vulkan";
    break;
  case dlpack::Metal:
    name = "mps";
    break;
  case dlpack::Rocm:
    name = "rocm";
    break;
  case dlpack::Extension:
    name = "extension";
    break;
  case dlpack::OneApi:
    name = "xpu";
    break;
  default:
    return "DLPack type " + std::to_string(device.type) + ":" +
           std::to_string(device.id);
  }
  return std::string(name) + ":" + std::to_string(device.id);
}

void viewTensor(nb::handle value, const dlpack::Tensor &tensor, bool isReadOnly,
                MarshalledArgument &result) {
  KernelArgument &argument = result.argument;
  argument.data = static_cast<char *>(tensor.data) + tensor.byteOffset;
  argument.isReadOnly = isReadOnly;
  argument.type = typeOf(tensor.type);
  if (argument.type == ElementType::Unknown)
    argument.typeText = dtypeText(value);
  argument.device = deviceText(tensor.device);
  result.shape.assign(tensor.shape, tensor.shape + tensor.rank);
  if (tensor.strides)
    result.strides.assign(tensor.strides, tensor.strides + tensor.rank);
  finishView(result);
}

/// The first line of the pending Python exception, which is cleared. Libraries
/// put stacks of their own into the rest.
std::string takeExceptionText() {
  nb::python_error error;
  std::string text = nb::cast<std::string>(nb::str(error.value()));
  return text.substr(0, text.find('\n'));
}

/// A capsule that was not renamed to "used_..." stays its owner and frees the
/// tensor itself, so it only needs to be kept.
void viewCapsule(const Artifact &artifact, size_t index, nb::handle value,
                 MarshalledArgument &result) {
  nb::object method =
      nb::steal(PyObject_GetAttrString(value.ptr(), "__dlpack__"));
  nb::object capsule;
  if (method.is_valid()) {
    nb::dict keywords;
    keywords["max_version"] = nb::make_tuple(1, 0);
    capsule = nb::steal(
        PyObject_Call(method.ptr(), nb::tuple().ptr(), keywords.ptr()));
    if (!capsule.is_valid() && PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear(); // a producer from before DLPack 1.0
      capsule = nb::steal(PyObject_CallNoArgs(method.ptr()));
    }
  }
  if (!capsule.is_valid())
    refuse(ArgumentProblem::Kind::Value,
           describeArgument(artifact, index) +
               " cannot be read through DLPack: " + takeExceptionText());
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    auto *managed = static_cast<dlpack::VersionedTensor *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (managed->version.major != 1)
      refuse(ArgumentProblem::Kind::Value,
             describeArgument(artifact, index) + " uses DLPack version " +
                 std::to_string(managed->version.major) + ", expected 1");
    viewTensor(value, managed->tensor, managed->flags & dlpack::kReadOnlyFlag,
               result);
  } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    auto *managed = static_cast<dlpack::ManagedTensor *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    viewTensor(value, managed->tensor, false, result);
  } else {
    refuse(ArgumentProblem::Kind::Type,
           describeArgument(artifact, index) + " is " + whatIs(value) +
               " whose __dlpack__ returns no DLPack capsule");
  }
  result.owner = std::move(capsule);
}

void viewBuffer(const Artifact &artifact, size_t index, nb::handle value,
                MarshalledArgument &result) {
  Py_buffer &buffer = result.buffer;
  // Ask for a writable view first; a read-only object still gives the other.
  if (PyObject_GetBuffer(value.ptr(), &buffer,
                         PyBUF_STRIDES | PyBUF_FORMAT | PyBUF_WRITABLE) != 0) {
    PyErr_Clear();
    if (PyObject_GetBuffer(value.ptr(), &buffer,
                           PyBUF_STRIDES | PyBUF_FORMAT) != 0)
      refuse(ArgumentProblem::Kind::Value,
             describeArgument(artifact, index) +
                 " cannot be read as a buffer: " + takeExceptionText());
  }
  result.hasBuffer = true;
  KernelArgument &argument = result.argument;
  argument.data = buffer.buf;
  argument.isReadOnly = buffer.readonly;
  std::string format = buffer.format ? buffer.format : "B";
  if (!format.empty() &&
      (format[0] == '@' || format[0] == '=' || format[0] == '<'))
    format.erase(0, 1);
  char kind = 0;
  if (format.size() == 1) {
    if (std::strchr("bhilqn", format[0]))
      kind = 'i';
    else if (std::strchr("BHILQN", format[0]))
      kind = 'u';
    else if (std::strchr("efd", format[0]))
      kind = 'f';
    else if (format[0] == '?')
      kind = 'b';
  }
  argument.type = typeOf(kind, static_cast<unsigned>(buffer.itemsize));
  if (argument.type == ElementType::Unknown)
    argument.typeText = "of buffer format '" + format + "'";
  auto rank = static_cast<unsigned>(buffer.ndim);
  result.shape.assign(buffer.shape, buffer.shape + rank);
  setByteStrides(artifact, index, buffer.strides, rank, buffer.itemsize,
                 result);
  finishView(result);
}

template <typename T> uint64_t bitsOf(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

void marshalScalar(const Artifact &artifact, size_t index, nb::handle value,
                   MarshalledArgument &result) {
  const KernelParameter &parameter = artifact.parameters[index];
  KernelArgument &argument = result.argument;
  argument.isTensor = false;
  argument.type = parameter.type;
  std::string expected(elementTypeName(parameter.type));
  auto wrongType = [&]() {
    refuse(ArgumentProblem::Kind::Type,
           describeArgument(artifact, index) + " is " + whatIs(value) +
               ", expected a number of type " + expected);
  };
  if (isFloating(parameter.type)) {
    PyNumberMethods *methods = Py_TYPE(value.ptr())->tp_as_number;
    if (!PyFloat_Check(value.ptr()) && !PyIndex_Check(value.ptr()) &&
        !(methods && methods->nb_float))
      wrongType();
    double number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();
      wrongType();
    }
    argument.bits = parameter.type == ElementType::F64
                        ? bitsOf(number)
                        : bitsOf(static_cast<float>(number));
    return;
  }
  if (PyFloat_Check(value.ptr()) || !PyIndex_Check(value.ptr()))
    // NumPy's bool is no index, but is what a comparison of arrays gives.
    if (parameter.type != ElementType::Bool ||
        std::strncmp(Py_TYPE(value.ptr())->tp_name, "numpy.bool", 10) != 0)
      wrongType();
  if (parameter.type == ElementType::Bool) {
    int truth = PyObject_IsTrue(value.ptr());
    if (truth < 0)
      throw nb::python_error();
    argument.bits = static_cast<uint64_t>(truth);
    return;
  }
  nb::object integer = nb::steal(PyNumber_Index(value.ptr()));
  if (!integer.is_valid()) {
    PyErr_Clear();
    wrongType();
  }
  unsigned width = elementBytes(parameter.type) * 8;
  bool isUnsigned =
      parameter.type == ElementType::U8 || parameter.type == ElementType::U16 ||
      parameter.type == ElementType::U32 || parameter.type == ElementType::U64;
  bool fits = true;
  if (isUnsigned) {
    unsigned long long number = PyLong_AsUnsignedLongLong(integer.ptr());
    fits = !PyErr_Occurred() && (width == 64 || number >> width == 0);
    argument.bits = number;
  } else {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    fits = overflow == 0 && (width == 64 || (number >= -(1LL << (width - 1)) &&
                                             number < 1LL << (width - 1)));
    argument.bits = static_cast<uint64_t>(number);
  }
  PyErr_Clear();
  if (!fits)
    refuse(ArgumentProblem::Kind::Value,
           describeArgument(artifact, index) + " is " +
               nb::cast<std::string>(nb::str(integer)) +
               ", which does not fit " + expected);
}

} // namespace

void raiseError(const char *name, const std::string &message,
                const char *module) {
  nb::object type = nb::module_::import_(module).attr(name);
  PyErr_SetObject(type.ptr(), nb::str(message.data(), message.size()).ptr());
  throw nb::python_error();
}

void raiseArgumentProblem(const ArgumentProblem &problem) {
  raiseError(problem.kind == ArgumentProblem::Kind::Type ? "ArgumentTypeError"
                                                         : "ArgumentValueError",
             problem.message);
}

void marshalArgument(const Artifact &artifact, size_t index, nb::handle value,
                     MarshalledArgument &result) {
  result.value = nb::borrow(value);
  if (!artifact.parameters[index].isTensor)
    return marshalScalar(artifact, index, value, result);
  const TypeAccess &access = accessOf(Py_TYPE(value.ptr()));
  result.library = access.library;
  switch (access.way) {
  case TypeAccess::Way::ArrayStruct:
    if (viewArrayStruct(artifact, index, value, result))
      return;
    break;
  case TypeAccess::Way::Exchange: {
    dlpack::Tensor tensor;
    if (access.exchange->viewObject(value.ptr(), &tensor) != 0)
      refuse(ArgumentProblem::Kind::Value,
             describeArgument(artifact, index) +
                 " cannot be read through DLPack: " + takeExceptionText());
    return viewTensor(value, tensor, false, result);
  }
  case TypeAccess::Way::Capsule:
    return viewCapsule(artifact, index, value, result);
  case TypeAccess::Way::Buffer:
    return viewBuffer(artifact, index, value, result);
  case TypeAccess::Way::None:
    break;
  }
  refuse(
      ArgumentProblem::Kind::Type,
      describeArgument(artifact, index) + " is " + whatIs(value) +
          ", expected an array (NumPy, torch, or anything with DLPack or the "
          "buffer protocol) of dtype " +
          std::string(elementTypeName(artifact.parameters[index].type)));
}
