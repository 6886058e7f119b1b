//===- NameTable.cpp - Identifiers of the emitted source ------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "NameTable.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilelang::ascend;

static const llvm::StringSet<> &reservedNames() {
  static const llvm::StringSet<> names = {
      // Keywords and types.
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor",
      "bool", "break", "case", "catch", "char", "class", "compl", "concept",
      "const", "constexpr", "const_cast", "continue", "decltype", "default",
      "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit",
      "export", "extern", "false", "float", "for", "friend", "goto", "if",
      "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not",
      "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected",
      "public", "register", "reinterpret_cast", "requires", "return", "short",
      "signed", "sizeof", "static", "static_assert", "static_cast", "struct",
      "switch", "template", "this", "thread_local", "throw", "true", "try",
      "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual",
      "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "half",
      "bfloat16_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t",
      "uint16_t", "uint32_t", "uint64_t", "size_t", "main", "min", "max",
      // The API.
      "AscendC", "GM_ADDR", "GlobalTensor", "LocalTensor", "TPosition",
      "HardEvent", "RoundMode", "CMPMODE", "SELMODE", "QuantMode_t", "DataCopy",
      "DataCopyPad", "Copy", "LoadData", "Fill", "Mmad", "Fixpipe",
      "Nd2NzParams", "DataCopyExtParams", "DataCopyPadExtParams",
      "LoadData2DParams", "LoadData3DParamsV2", "InitConstValueParams",
      "MmadParams", "FixpipeParamsV220", "UnaryRepeatParams",
      "BinaryRepeatParams", "CopyRepeatParams", "BrcbRepeatParams", "Exp", "Ln",
      "Sqrt", "Rsqrt", "Reciprocal", "Abs", "Relu", "Not", "Add", "Sub", "Mul",
      "Div", "Max", "Min", "And", "Or", "Adds", "Muls", "Maxs", "Mins",
      "ShiftLeft", "ShiftRight", "LeakyRelu", "Axpy", "Cast", "Duplicate",
      "Compare", "Compares", "Select", "Brcb", "SetFlag", "WaitFlag",
      "PipeBarrier", "CrossCoreSetFlag", "CrossCoreWaitFlag", "GetBlockIdx",
      "GetBlockNum", "GetSubBlockIdx", "InitSocState", "CacheLine", "DcciDst",
      "DataCacheCleanAndInvalid", "ToBfloat16", "ToFloat", "CFG_ROW_MAJOR",
      "AIC", "AIV", "MIX", "noPadding", "workspace"};
  return names;
}

bool NameTable::isTaken(llvm::StringRef name) const {
  return used.contains(name) || reservedNames().contains(name);
}

std::string NameTable::add(llvm::StringRef hint) {
  std::string base;
  for (char character : hint)
    base += llvm::isAlnum(character) || character == '_' ? character : '_';
  // Identifiers that begin with an underscore or hold two in a row belong to
  // the implementation of C++.
  std::string clean;
  for (char character : base)
    if (character != '_' || (!clean.empty() && clean.back() != '_'))
      clean += character;
  while (!clean.empty() && clean.back() == '_')
    clean.pop_back();
  if (clean.empty() || llvm::isDigit(clean.front()))
    clean = "v" + clean;
  std::string name = clean;
  for (unsigned number = 1; isTaken(name); ++number)
    name = clean + "_" + std::to_string(number);
  used.insert(name);
  order.push_back(name);
  return name;
}

std::string NameTable::add(llvm::StringRef hint, llvm::StringRef suffix) {
  if (used.contains(hint))
    return add(hint.str() + "_" + suffix.str());
  return add(hint);
}

void NameTable::release(size_t mark) {
  for (; order.size() > mark; order.pop_back())
    used.erase(order.back());
}
