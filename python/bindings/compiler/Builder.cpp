//===- Builder.cpp - Creates operations by name --------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Bindings.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Verifier.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace mlir;

namespace tilelang::python {

ProgramBuilder::ProgramBuilder() : context(createContext()) {
  module = ModuleOp::create(UnknownLoc::get(context.get()));
}

ProgramBuilder::~ProgramBuilder() {
  // An abandoned program: operations of inner regions use values of outer ones.
  for (std::unique_ptr<Region> &region : open)
    region->dropAllReferences();
}

LocationHandle ProgramBuilder::location(const std::string &file, unsigned line,
                                        unsigned column, unsigned endLine,
                                        unsigned endColumn) {
  if (line == 0)
    return {UnknownLoc::get(context.get())};
  return {FileLineColRange::get(StringAttr::get(context.get(), file), line,
                                column, endLine, endColumn)};
}

Type ProgramBuilder::parseType(const std::string &text) {
  Type &type = types[text];
  if (!type) {
    DiagnosticCollector collector(context.get());
    type = mlir::parseType(text, context.get());
    if (!type)
      throw nb::value_error(("type " + text + ": " + collector.text()).c_str());
  }
  return type;
}

Attribute ProgramBuilder::parseAttribute(const std::string &text) {
  Attribute &attribute = attributes[text];
  if (!attribute) {
    DiagnosticCollector collector(context.get());
    attribute = mlir::parseAttribute(text, context.get());
    if (!attribute)
      throw nb::value_error(
          ("attribute " + text + ": " + collector.text()).c_str());
  }
  return attribute;
}

Block &ProgramBuilder::insertionBlock() {
  return open.empty() ? *module->getBody() : open.back()->front();
}

std::vector<ValueHandle> ProgramBuilder::create(
    const std::string &name, const std::vector<ValueHandle> &operands,
    const std::vector<std::string> &resultTypes,
    const std::vector<std::pair<std::string, std::string>> &attributes,
    std::vector<RegionHandle *> regions, LocationHandle location) {
  std::optional<RegisteredOperationName> registered =
      RegisteredOperationName::lookup(name, context.get());
  if (!registered)
    throw nb::value_error(("unknown operation " + name).c_str());
  OperationState state(location.location, *registered);
  for (ValueHandle operand : operands)
    state.operands.push_back(operand.value);
  for (const std::string &type : resultTypes)
    state.types.push_back(parseType(type));
  for (const auto &[key, text] : attributes)
    state.addAttribute(key, parseAttribute(text));
  for (RegionHandle *region : regions) {
    if (!region->region)
      throw nb::value_error("a region can be given to one operation only");
    state.addRegion(std::move(region->region));
  }
  Operation *operation = Operation::create(state);
  insertionBlock().push_back(operation);
  std::vector<ValueHandle> results;
  for (OpResult result : operation->getResults())
    results.push_back({result});
  return results;
}

ValueHandle ProgramBuilder::constant(TypedAttr value, Location location) {
  Value &known = constants[value];
  if (known)
    return {known};
  Block &block = open.empty() ? *module->getBody() : open.front()->front();
  OpBuilder builder(context.get());
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(&block);
  auto operation = arith::ConstantOp::create(builder, location, value);
  lastConstant = operation;
  known = operation.getResult();
  return {known};
}

ValueHandle ProgramBuilder::constantInt(const std::string &text, int64_t value,
                                        LocationHandle location) {
  Type type = parseType(text);
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  APInt bitsOfValue(bits, static_cast<uint64_t>(value), /*isSigned=*/true,
                    /*implicitTrunc=*/true);
  return constant(cast<TypedAttr>(IntegerAttr::get(type, bitsOfValue)),
                  location.location);
}

ValueHandle ProgramBuilder::constantFloat(const std::string &text, double value,
                                          LocationHandle location) {
  Type type = parseType(text);
  return constant(FloatAttr::get(type, value), location.location);
}

void ProgramBuilder::setAttribute(ValueHandle value, const std::string &name,
                                  const std::string &attribute) {
  Operation *operation = value.value.getDefiningOp();
  if (!operation)
    throw nb::value_error("the value is not the result of an operation");
  operation->setAttr(name, parseAttribute(attribute));
}

std::string ProgramBuilder::typeOf(ValueHandle value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.value.getType().print(stream);
  return text;
}

std::vector<ValueHandle>
ProgramBuilder::pushRegion(const std::vector<std::string> &argumentTypes,
                           LocationHandle location) {
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  std::vector<ValueHandle> arguments;
  for (const std::string &type : argumentTypes)
    arguments.push_back(
        {block.addArgument(parseType(type), location.location)});
  open.push_back(std::move(region));
  return arguments;
}

std::unique_ptr<RegionHandle> ProgramBuilder::popRegion() {
  if (open.empty())
    throw nb::value_error("no region is open");
  auto handle = std::make_unique<RegionHandle>();
  handle->context = context;
  handle->region = std::move(open.back());
  open.pop_back();
  return handle;
}

std::unique_ptr<RegionHandle> ProgramBuilder::emptyRegion() {
  auto handle = std::make_unique<RegionHandle>();
  handle->context = context;
  handle->region = std::make_unique<Region>();
  return handle;
}

void ProgramBuilder::resumeRegion(RegionHandle &region) {
  if (!region.region)
    throw nb::value_error("the region belongs to an operation");
  open.push_back(std::move(region.region));
}

void ProgramBuilder::inlineRegion(RegionHandle &region) {
  if (!region.region)
    throw nb::value_error("the region belongs to an operation");
  Block &from = region.region->front();
  if (from.getNumArguments() != 0)
    throw nb::value_error("the region has arguments");
  Block &to = insertionBlock();
  to.getOperations().splice(to.end(), from.getOperations());
  region.region.reset();
}

std::pair<std::unique_ptr<ModuleHandle>, nb::list> ProgramBuilder::finish() {
  if (!open.empty())
    throw nb::value_error("a region is still open");
  if (!module)
    throw nb::value_error("the program has been finished before");
  DiagnosticCollector collector(context.get());
  LogicalResult valid = mlir::verify(module.get());
  auto handle = std::make_unique<ModuleHandle>();
  handle->context = context;
  handle->module = std::move(module);
  nb::list diagnostics = collector.take();
  if (failed(valid) && nb::len(diagnostics) == 0)
    throw std::runtime_error("the verifier failed without a message");
  return {std::move(handle), diagnostics};
}

} // namespace tilelang::python

void bindBuilder(nb::module_ &module) {
  using namespace tilelang::python;
  nb::class_<ValueHandle>(module, "Value");
  nb::class_<LocationHandle>(module, "Location");
  nb::class_<RegionHandle>(module, "Region");
  nb::class_<ProgramBuilder>(module, "Builder", "Creates operations by name.")
      .def(nb::init<>())
      .def("location", &ProgramBuilder::location, nb::arg("file"),
           nb::arg("line"), nb::arg("column"), nb::arg("end_line"),
           nb::arg("end_column"))
      .def("create", &ProgramBuilder::create, nb::arg("name"),
           nb::arg("operands"), nb::arg("result_types"), nb::arg("attributes"),
           nb::arg("regions"), nb::arg("location"))
      .def("constant_int", &ProgramBuilder::constantInt, nb::arg("type"),
           nb::arg("value"), nb::arg("location"))
      .def("constant_float", &ProgramBuilder::constantFloat, nb::arg("type"),
           nb::arg("value"), nb::arg("location"))
      .def("set_attribute", &ProgramBuilder::setAttribute, nb::arg("value"),
           nb::arg("name"), nb::arg("attribute"))
      .def("type_of", &ProgramBuilder::typeOf, nb::arg("value"))
      .def("push_region", &ProgramBuilder::pushRegion,
           nb::arg("argument_types"), nb::arg("location"))
      // An unowned region uses values of the builder's regions.
      .def("pop_region", &ProgramBuilder::popRegion, nb::keep_alive<0, 1>())
      .def("empty_region", &ProgramBuilder::emptyRegion)
      .def("resume_region", &ProgramBuilder::resumeRegion, nb::arg("region"))
      .def("inline_region", &ProgramBuilder::inlineRegion, nb::arg("region"))
      .def("finish", &ProgramBuilder::finish);
}
