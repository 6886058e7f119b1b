//===- KernelBinding.cpp - Launching kernels from Python ------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Marshal.h"

#include "tilelang/Runtime/LoadedKernel.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace tilelang;

namespace {

/// A loaded kernel and which of its parameters the caller gets back.
class PythonKernel {
public:
  PythonKernel(const Artifact &artifact, const std::string &chipDirectory,
               std::vector<unsigned> outputs, nb::object allocate)
      : outputs(std::move(outputs)), allocate(std::move(allocate)) {
    std::string error;
    kernel = LoadedKernel::load(artifact, chipDirectory, error);
    if (!kernel)
      raiseError("InternalError",
                 "kernel '" + artifact.name + "' cannot be loaded: " + error);
    isOutput.resize(artifact.parameters.size());
    for (unsigned index : this->outputs)
      isOutput[index] = true;
  }

  const Artifact &artifact() const { return kernel->artifact(); }

  /// Runs the kernel; a pair of what the caller gets and the report.
  nb::tuple launch(nb::tuple values, const RunOptions &options) const {
    const Artifact &contents = artifact();
    size_t count = contents.parameters.size(), given = values.size();
    bool allocates = given + outputs.size() == count && !outputs.empty();
    if (!allocates && given != count)
      refuseCount(given);

    std::vector<MarshalledArgument> held(count);
    std::vector<KernelArgument> arguments(count);
    std::vector<bool> isInitialised(count, true);
    ArrayLibrary library = ArrayLibrary::None;
    for (size_t i = 0, next = 0; i < count; ++i) {
      if (allocates && isOutput[i]) {
        arguments[i].isAbsent = true;
        isInitialised[i] = false;
        continue;
      }
      marshalArgument(contents, i, values[next++], held[i]);
      arguments[i] = held[i].argument;
      if (library == ArrayLibrary::None)
        library = held[i].library;
    }
    SizeValues sizes;
    if (auto problem = checkArguments(contents, arguments, sizes))
      raiseArgumentProblem(*problem);

    for (unsigned index : outputs) {
      if (!allocates)
        continue;
      nb::object array = newOutput(index, sizes, library);
      marshalArgument(contents, index, array, held[index]);
      arguments[index] = held[index].argument;
    }

    auto report = std::make_shared<sim::Report>();
    std::string error;
    bool launched;
    {
      nb::gil_scoped_release release;
      launched =
          kernel->run(arguments, isInitialised, sizes, options, *report, error);
    }
    if (!launched)
      raiseError("LaunchError",
                 "kernel '" + contents.name + "' cannot be launched: " + error,
                 "tilelang.runtime.errors");
    return nb::make_tuple(result(held), report);
  }

  /// Lines of the emitted source, 0 where unknown, of (module, offset).
  std::vector<uint32_t>
  emittedLines(const std::vector<std::pair<std::string, uint64_t>> &places,
               const std::string &apiDirectory) const {
    std::vector<sim::CodeAddress> addresses;
    addresses.reserve(places.size());
    for (const auto &[module, offset] : places)
      addresses.push_back({module, offset});
    nb::gil_scoped_release release;
    std::string error;
    std::vector<uint32_t> lines;
    for (const sim::SourceLocation &location :
         kernel->resolve(addresses, apiDirectory, error))
      lines.push_back(location.line);
    // Lines are a service of reports: what they are about is told without them.
    lines.resize(places.size());
    return lines;
  }

private:
  [[noreturn]] void refuseCount(size_t given) const {
    const Artifact &contents = artifact();
    std::string expected, names;
    size_t needed = 0;
    for (size_t i = 0; i < contents.parameters.size(); ++i) {
      if (isOutput[i])
        continue;
      names += (names.empty() ? "" : ", ") + contents.parameters[i].name;
      ++needed;
    }
    expected = std::to_string(needed) + " (" + names + ")";
    if (!outputs.empty()) {
      std::string returned;
      for (unsigned index : outputs)
        returned +=
            (returned.empty() ? "" : ", ") + contents.parameters[index].name;
      expected += "; " + returned + (outputs.size() == 1 ? " is" : " are") +
                  " allocated and returned";
    }
    raiseArgumentProblem({ArgumentProblem::Kind::Type,
                          "kernel '" + contents.name + "' was called with " +
                              std::to_string(given) +
                              (given == 1 ? " argument" : " arguments") +
                              ", expected " + expected});
  }

  nb::object newOutput(unsigned index, const SizeValues &sizes,
                       ArrayLibrary library) const {
    const KernelParameter &parameter = artifact().parameters[index];
    nb::list shape;
    for (const Dimension &dimension : parameter.shape)
      shape.append(*evaluate(artifact(), dimension, sizes));
    return allocate(library == ArrayLibrary::Torch ? "torch" : "numpy",
                    nb::tuple(shape),
                    std::string(elementTypeName(parameter.type)));
  }

  nb::object result(const std::vector<MarshalledArgument> &held) const {
    if (outputs.empty())
      return nb::none();
    if (outputs.size() == 1)
      return held[outputs[0]].value;
    nb::list list;
    for (unsigned index : outputs)
      list.append(held[index].value);
    return list;
  }

  std::shared_ptr<LoadedKernel> kernel;
  std::vector<unsigned> outputs;
  std::vector<bool> isOutput;
  nb::object allocate;
};

} // namespace

void bindKernel(nb::module_ &module) {
  nb::class_<PythonKernel>(module, "Kernel",
                           "An artifact that can be launched.")
      .def(nb::init<const Artifact &, const std::string &,
                    std::vector<unsigned>, nb::object>(),
           nb::arg("artifact"), nb::arg("chip_directory"), nb::arg("outputs"),
           nb::arg("allocate"))
      .def_prop_ro("artifact", &PythonKernel::artifact,
                   nb::rv_policy::reference_internal)
      .def("emitted_lines", &PythonKernel::emittedLines, nb::arg("places"),
           nb::arg("api_directory"))
      .def(
          "launch",
          [](const PythonKernel &self, nb::tuple arguments, bool checks,
             bool timeline, uint64_t seed, bool warmL2, double cycleLimit,
             bool timeOnly) {
            RunOptions options;
            options.checks = checks;
            options.timeline = timeline;
            options.seed = seed;
            options.warmL2 = warmL2;
            options.cycleLimit = cycleLimit;
            options.timeOnly = timeOnly;
            return self.launch(std::move(arguments), options);
          },
          nb::arg("arguments"), nb::arg("checks") = true,
          nb::arg("timeline") = false, nb::arg("seed") = 0,
          nb::arg("warm_l2") = false, nb::arg("cycle_limit") = 0.0,
          nb::arg("time_only") = false);
}
