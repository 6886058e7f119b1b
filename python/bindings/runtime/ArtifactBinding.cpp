//===- ArtifactBinding.cpp - Artifacts and chips in Python ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Marshal.h"

#include "tilelang/Chip/Chip.h"
#include "tilelang/Runtime/Artifact.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace tilelang;

namespace {

/// A dimension as Python writes it: an integer, a name, or (operation,
/// operands...).
Dimension dimensionFrom(nb::handle value) {
  if (nb::isinstance<nb::str>(value))
    return Dimension(nb::cast<std::string>(value));
  if (!nb::isinstance<nb::tuple>(value))
    return Dimension(nb::cast<int64_t>(value));
  Dimension dimension;
  auto parts = nb::cast<nb::tuple>(value);
  dimension.operation = nb::cast<std::string>(parts[0]);
  for (size_t i = 1; i < parts.size(); ++i)
    dimension.operands.push_back(dimensionFrom(parts[i]));
  return dimension;
}

nb::object toPython(const Dimension &dimension) {
  if (dimension.isStatic())
    return nb::int_(dimension.value);
  if (dimension.isSymbol())
    return nb::str(dimension.symbol.c_str());
  nb::list parts;
  parts.append(dimension.operation);
  for (const Dimension &operand : dimension.operands)
    parts.append(toPython(operand));
  return nb::tuple(parts);
}

std::vector<Dimension> dimensionsFrom(nb::handle values) {
  std::vector<Dimension> dimensions;
  for (nb::handle value : values)
    dimensions.push_back(dimensionFrom(value));
  return dimensions;
}

nb::tuple toPython(const std::vector<Dimension> &dimensions) {
  nb::list list;
  for (const Dimension &dimension : dimensions)
    list.append(toPython(dimension));
  return nb::tuple(list);
}

ElementType elementTypeFrom(const std::string &name, const std::string &what) {
  ElementType type = parseElementType(name);
  if (type == ElementType::Unknown)
    raiseError("UnsupportedError", what + " has dtype " + name +
                                       ", which cannot be passed from the "
                                       "host; known are bool, (u)int8 to "
                                       "(u)int64, float16, bfloat16, float32, "
                                       "float64, float8_e4m3fn, float8_e5m2");
  return type;
}

void addTensor(Artifact &artifact, const std::string &name,
               const std::string &dtype, nb::handle shape, nb::handle strides,
               bool isRead, bool isWritten) {
  KernelParameter parameter;
  parameter.name = name;
  parameter.type = elementTypeFrom(dtype, "parameter '" + name + "'");
  parameter.shape = dimensionsFrom(shape);
  if (!strides.is_none())
    parameter.strides = dimensionsFrom(strides);
  parameter.isRead = isRead;
  parameter.isWritten = isWritten;
  artifact.parameters.push_back(std::move(parameter));
}

void addScalar(Artifact &artifact, const std::string &name,
               const std::string &dtype) {
  KernelParameter parameter;
  parameter.name = name;
  parameter.isTensor = false;
  parameter.type = elementTypeFrom(dtype, "parameter '" + name + "'");
  artifact.parameters.push_back(std::move(parameter));
}

nb::list parametersOf(const Artifact &artifact) {
  nb::list list;
  for (const KernelParameter &parameter : artifact.parameters) {
    nb::dict entry;
    entry["name"] = parameter.name;
    entry["kind"] = parameter.isTensor ? "tensor" : "scalar";
    entry["dtype"] = std::string(elementTypeName(parameter.type));
    entry["shape"] = toPython(parameter.shape);
    entry["strides"] = parameter.strides.empty()
                           ? nb::object(nb::none())
                           : nb::object(toPython(parameter.strides));
    entry["read"] = parameter.isRead;
    entry["written"] = parameter.isWritten;
    list.append(entry);
  }
  return list;
}

/// Entries as the compiler gives them: (emitted line, file, line, column, end
/// line, end column).
void setLines(Artifact &artifact, nb::handle entries) {
  artifact.files.clear();
  artifact.lines.clear();
  std::map<std::string, uint32_t> known;
  for (nb::handle value : entries) {
    auto entry = nb::cast<nb::tuple>(value);
    auto file = nb::cast<std::string>(entry[1]);
    auto [position, isNew] =
        known.try_emplace(file, static_cast<uint32_t>(artifact.files.size()));
    if (isNew)
      artifact.files.push_back(file);
    artifact.lines.push_back(
        {nb::cast<uint32_t>(entry[0]), position->second,
         nb::cast<uint32_t>(entry[2]), nb::cast<uint32_t>(entry[3]),
         nb::cast<uint32_t>(entry[4]), nb::cast<uint32_t>(entry[5])});
  }
}

nb::list linesOf(const Artifact &artifact) {
  nb::list list;
  for (const ArtifactLine &line : artifact.lines)
    list.append(nb::make_tuple(line.emittedLine, artifact.files[line.file],
                               line.line, line.column, line.endLine,
                               line.endColumn));
  return list;
}

Artifact readFile(const std::string &path) {
  Artifact artifact;
  std::string error;
  if (!Artifact::readFile(path, artifact, error))
    raiseError("ArtifactError", error, "tilelang.runtime.errors");
  return artifact;
}

Artifact fromBytes(nb::bytes bytes) {
  Artifact artifact;
  std::string error;
  if (!Artifact::deserialize({bytes.c_str(), bytes.size()}, artifact, error))
    raiseError("ArtifactError", error, "tilelang.runtime.errors");
  return artifact;
}

void writeFile(const Artifact &artifact, const std::string &path) {
  std::string error;
  if (!artifact.writeFile(path, error)) {
    PyErr_SetString(PyExc_OSError, error.c_str());
    throw nb::python_error();
  }
}

} // namespace

void bindArtifact(nb::module_ &module) {
  nb::class_<Artifact>(module, "Artifact",
                       "A compiled kernel as one self-describing file.")
      .def(nb::init<>())
      .def_ro_static("FORMAT_VERSION", &Artifact::kFormatVersion)
      .def_rw("name", &Artifact::name)
      .def_rw("entry", &Artifact::entry)
      .def_rw("target", &Artifact::target)
      .def_rw("chip", &Artifact::chip)
      .def_rw("compiler", &Artifact::compiler)
      .def_rw("kernel_type", &Artifact::kernelType)
      .def_rw("cache_key", &Artifact::cacheKey)
      .def_rw("location_key", &Artifact::locationKey)
      .def_rw("block_dim", &Artifact::blockDim)
      .def_rw("workspace_bytes", &Artifact::workspaceBytes)
      .def_rw("source", &Artifact::source)
      .def_rw("remarks", &Artifact::remarks)
      .def_rw("description", &Artifact::description)
      .def_rw("statistics", &Artifact::statistics)
      .def_prop_ro("parameters", &parametersOf)
      .def_prop_ro("symbols",
                   [](const Artifact &artifact) {
                     nb::list names;
                     for (const SizeSymbol &symbol : artifact.symbols)
                       names.append(symbol.name);
                     return names;
                   })
      .def_prop_rw("lines", &linesOf, &setLines)
      .def_prop_ro("cores",
                   [](const Artifact &artifact) {
                     nb::list names;
                     for (const auto &object : artifact.objects)
                       names.append(object.first);
                     return names;
                   })
      .def("add_tensor", &addTensor, nb::arg("name"), nb::arg("dtype"),
           nb::arg("shape"), nb::arg("strides").none(), nb::arg("read"),
           nb::arg("written"))
      .def("add_scalar", &addScalar, nb::arg("name"), nb::arg("dtype"))
      .def(
          "add_symbol",
          [](Artifact &artifact, const std::string &name,
             const std::string &dtype) {
            artifact.symbols.push_back(
                {name, elementTypeFrom(dtype, "size '" + name + "'")});
          },
          nb::arg("name"), nb::arg("dtype"))
      .def(
          "set_object",
          [](Artifact &artifact, const std::string &core, nb::bytes bytes) {
            artifact.objects[core] = std::string(bytes.c_str(), bytes.size());
          },
          nb::arg("core"), nb::arg("data"))
      .def(
          "object",
          [](const Artifact &artifact, const std::string &core) {
            auto found = artifact.objects.find(core);
            if (found == artifact.objects.end())
              throw nb::key_error(core.c_str());
            return nb::bytes(found->second.data(), found->second.size());
          },
          nb::arg("core"))
      .def("to_bytes",
           [](const Artifact &artifact) {
             std::string bytes = artifact.serialize();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_static("from_bytes", &fromBytes, nb::arg("data"))
      .def("write", &writeFile, nb::arg("path"))
      .def_static("read", &readFile, nb::arg("path"));
}

void bindChip(nb::module_ &module) {
  nb::class_<Chip>(module, "Chip", "A chip description.")
      .def_ro("name", &Chip::name)
      .def_ro("description", &Chip::description)
      .def_ro("aic_count", &Chip::aicCount)
      .def_ro("aiv_per_aic", &Chip::aivPerAic)
      .def_ro("clock_ghz", &Chip::clockGHz)
      .def("validate", &Chip::validate)
      .def("constants",
           [](const Chip &chip) {
             nb::dict result;
             for (const auto &[key, value] : chip.constants())
               result[key.c_str()] = value;
             return result;
           })
      .def_static(
          "load",
          [](const std::string &directory, const std::string &name) {
            std::string error;
            Chip chip = Chip::load(directory, name, error);
            if (chip.name.empty())
              raiseError("InternalError", error);
            return chip;
          },
          nb::arg("directory"), nb::arg("name"))
      .def_static(
          "list",
          [](const std::string &directory) { return Chip::list(directory); },
          nb::arg("directory"));
}
