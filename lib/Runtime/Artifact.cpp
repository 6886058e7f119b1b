//===- Artifact.cpp - A compiled kernel as one self-describing file -------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Runtime/Artifact.h"

#include "tilelang/Runtime/Json.h"

#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilelang {

namespace {
// Not text, so that a transfer as text is noticed at once.
constexpr char kMagic[8] = {'\x89', 'T', 'L', 'K', '\r', '\n', '\x1a', '\n'};

/// The first bytes of the file, little-endian. The header text and the sections
/// follow; `checksum` covers all bytes after it.
struct FilePrefix {
  char magic[8];
  uint32_t formatVersion;
  uint32_t headerBytes;
  uint64_t fileBytes;
  uint64_t checksum;
};
static_assert(sizeof(FilePrefix) == 32);

constexpr size_t kSectionAlignment = 64;

/// FNV-1a over 8-byte words, finished bytewise: finds damage, keeps no secrets.
uint64_t checksumOf(std::string_view bytes) {
  constexpr uint64_t kPrime = 0x100000001b3;
  uint64_t hash = 0xcbf29ce484222325;
  size_t position = 0;
  for (; position + 8 <= bytes.size(); position += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + position, 8);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  }
  for (; position < bytes.size(); ++position)
    hash = (hash ^ static_cast<uint8_t>(bytes[position])) * kPrime;
  return hash;
}

Json toJson(const Dimension &dimension) {
  if (dimension.isStatic())
    return Json(dimension.value);
  if (dimension.isSymbol())
    return Json(dimension.symbol);
  Json json = Json::array();
  json.append(dimension.operation);
  for (const Dimension &operand : dimension.operands)
    json.append(toJson(operand));
  return json;
}

Dimension dimensionFrom(const Json &json) {
  if (json.isString())
    return Dimension(json.asString());
  if (json.isInteger())
    return Dimension(json.asInteger());
  Dimension dimension;
  if (json.size() != 0)
    dimension.operation = json.at(0).asString();
  for (size_t i = 1; i < json.size(); ++i)
    dimension.operands.push_back(dimensionFrom(json.at(i)));
  return dimension;
}

Json toJson(const std::vector<Dimension> &dimensions) {
  Json json = Json::array();
  for (const Dimension &dimension : dimensions)
    json.append(toJson(dimension));
  return json;
}

std::vector<Dimension> dimensionsFrom(const Json &json) {
  std::vector<Dimension> dimensions;
  for (size_t i = 0; i < json.size(); ++i)
    dimensions.push_back(dimensionFrom(json.at(i)));
  return dimensions;
}

Json headerOf(const Artifact &artifact) {
  Json header = Json::object();
  header.set("name", artifact.name);
  header.set("entry", artifact.entry);
  header.set("target", artifact.target);
  header.set("chip", artifact.chip);
  header.set("compiler", artifact.compiler);
  header.set("kernel_type", artifact.kernelType);
  header.set("cache_key", artifact.cacheKey);
  header.set("location_key", artifact.locationKey);
  header.set("block_dim", artifact.blockDim);
  header.set("workspace_bytes", artifact.workspaceBytes);
  Json parameters = Json::array();
  for (const KernelParameter &parameter : artifact.parameters) {
    Json json = Json::object();
    json.set("name", parameter.name);
    json.set("kind", parameter.isTensor ? "tensor" : "scalar");
    json.set("dtype", std::string(elementTypeName(parameter.type)));
    if (parameter.isTensor) {
      json.set("shape", toJson(parameter.shape));
      if (!parameter.strides.empty())
        json.set("strides", toJson(parameter.strides));
      json.set("read", parameter.isRead);
      json.set("written", parameter.isWritten);
    }
    parameters.append(std::move(json));
  }
  header.set("parameters", std::move(parameters));
  Json symbols = Json::array();
  for (const SizeSymbol &symbol : artifact.symbols) {
    Json json = Json::object();
    json.set("name", symbol.name);
    json.set("dtype", std::string(elementTypeName(symbol.type)));
    symbols.append(std::move(json));
  }
  header.set("symbols", std::move(symbols));
  Json statistics = Json::object();
  for (const auto &[key, value] : artifact.statistics)
    statistics.set(key, value);
  header.set("statistics", std::move(statistics));
  return header;
}

std::string lineTableOf(const Artifact &artifact) {
  Json table = Json::object();
  Json files = Json::array();
  for (const std::string &file : artifact.files)
    files.append(file);
  table.set("files", std::move(files));
  Json entries = Json::array();
  for (const ArtifactLine &line : artifact.lines) {
    Json entry = Json::array();
    for (uint32_t value : {line.emittedLine, line.file, line.line, line.column,
                           line.endLine, line.endColumn})
      entry.append(value);
    entries.append(std::move(entry));
  }
  table.set("entries", std::move(entries));
  return table.write();
}

bool readLineTable(std::string_view text, Artifact &artifact,
                   std::string &error) {
  Json table;
  if (!Json::parse(text, table, error))
    return false;
  for (size_t i = 0; i < table["files"].size(); ++i)
    artifact.files.push_back(table["files"].at(i).asString());
  for (size_t i = 0; i < table["entries"].size(); ++i) {
    const Json &entry = table["entries"].at(i);
    if (entry.size() != 6) {
      error = "line table entry " + std::to_string(i) + " has " +
              std::to_string(entry.size()) + " values, expected 6";
      return false;
    }
    auto value = [&](size_t index) {
      return static_cast<uint32_t>(entry.at(index).asInteger());
    };
    ArtifactLine line{value(0), value(1), value(2),
                      value(3), value(4), value(5)};
    if (line.file >= artifact.files.size()) {
      error = "line table entry " + std::to_string(i) + " names file " +
              std::to_string(line.file) + " of " +
              std::to_string(artifact.files.size());
      return false;
    }
    artifact.lines.push_back(line);
  }
  return true;
}

std::string systemError(const std::string &what, const std::string &path) {
  return what + " '" + path + "': " + std::strerror(errno);
}
} // namespace

std::string Dimension::text() const {
  if (isStatic())
    return std::to_string(value);
  if (isSymbol())
    return symbol;
  if (operands.size() != 2 ||
      std::isalpha(static_cast<unsigned char>(operation[0]))) {
    std::string result = operation + "(";
    for (size_t i = 0; i < operands.size(); ++i)
      result += (i ? ", " : "") + operands[i].text();
    return result + ")";
  }
  auto nested = [](const Dimension &operand) {
    return operand.operation.empty() ? operand.text()
                                     : "(" + operand.text() + ")";
  };
  return nested(operands[0]) + " " + operation + " " + nested(operands[1]);
}

std::string Artifact::serialize() const {
  std::vector<std::pair<std::string, std::string>> sections = {
      {"source", source}, {"lines", lineTableOf(*this)}};
  if (!remarks.empty())
    sections.emplace_back("remarks", remarks);
  if (!description.empty())
    sections.emplace_back("description", description);
  for (const auto &[core, object] : objects)
    sections.emplace_back("object." + core, object);

  // Offsets count from the end of the header, so they do not depend on its
  // length.
  Json header = headerOf(*this);
  Json list = Json::array();
  size_t offset = 0;
  for (const auto &[sectionName, bytes] : sections) {
    Json json = Json::object();
    json.set("name", sectionName);
    json.set("offset", static_cast<uint64_t>(offset));
    json.set("bytes", static_cast<uint64_t>(bytes.size()));
    list.append(std::move(json));
    offset += (bytes.size() + kSectionAlignment - 1) / kSectionAlignment *
              kSectionAlignment;
  }
  header.set("sections", std::move(list));

  std::string text = header.write();
  text.resize((sizeof(FilePrefix) + text.size() + kSectionAlignment - 1) /
                      kSectionAlignment * kSectionAlignment -
                  sizeof(FilePrefix),
              ' ');
  FilePrefix prefix{};
  std::memcpy(prefix.magic, kMagic, sizeof(kMagic));
  prefix.formatVersion = kFormatVersion;
  prefix.headerBytes = static_cast<uint32_t>(text.size());
  prefix.fileBytes = sizeof(FilePrefix) + text.size() + offset;

  std::string result(sizeof(FilePrefix), '\0');
  result.reserve(prefix.fileBytes);
  result += text;
  for (const auto &section : sections) {
    result += section.second;
    result.resize((result.size() + kSectionAlignment - 1) / kSectionAlignment *
                      kSectionAlignment,
                  '\0');
  }
  prefix.checksum =
      checksumOf(std::string_view(result).substr(sizeof(FilePrefix)));
  std::memcpy(result.data(), &prefix, sizeof(prefix));
  return result;
}

bool Artifact::deserialize(std::string_view bytes, Artifact &result,
                           std::string &error) {
  FilePrefix prefix;
  if (bytes.size() < sizeof(prefix) ||
      std::memcmp(bytes.data(), kMagic, sizeof(kMagic)) != 0) {
    error = "not a kernel artifact: the file does not start with the artifact "
            "signature";
    return false;
  }
  std::memcpy(&prefix, bytes.data(), sizeof(prefix));
  if (prefix.formatVersion != kFormatVersion) {
    error = "artifact format version " + std::to_string(prefix.formatVersion) +
            ", this library reads version " + std::to_string(kFormatVersion) +
            "; compile the kernel again";
    return false;
  }
  if (prefix.fileBytes != bytes.size() ||
      prefix.headerBytes > bytes.size() - sizeof(prefix)) {
    error = "artifact is cut short or has bytes added: " +
            std::to_string(bytes.size()) + " bytes, expected " +
            std::to_string(prefix.fileBytes);
    return false;
  }
  std::string_view body = bytes.substr(sizeof(prefix));
  if (checksumOf(body) != prefix.checksum) {
    error = "artifact is damaged: its checksum does not match its bytes";
    return false;
  }
  Json header;
  std::string detail;
  if (!Json::parse(body.substr(0, prefix.headerBytes), header, detail)) {
    error = "artifact header is not valid JSON: " + detail;
    return false;
  }

  result = Artifact();
  result.name = header["name"].asString();
  result.entry = header["entry"].asString();
  result.target = header["target"].asString();
  result.chip = header["chip"].asString();
  result.compiler = header["compiler"].asString();
  result.kernelType = header["kernel_type"].asString();
  result.cacheKey = header["cache_key"].asString();
  result.locationKey = header["location_key"].asString();
  result.blockDim = static_cast<uint32_t>(header["block_dim"].asInteger());
  result.workspaceBytes =
      static_cast<uint64_t>(header["workspace_bytes"].asInteger());
  for (size_t i = 0; i < header["parameters"].size(); ++i) {
    const Json &json = header["parameters"].at(i);
    KernelParameter parameter;
    parameter.name = json["name"].asString();
    parameter.isTensor = json["kind"].asString() == "tensor";
    parameter.type = parseElementType(json["dtype"].asString());
    parameter.shape = dimensionsFrom(json["shape"]);
    parameter.strides = dimensionsFrom(json["strides"]);
    parameter.isRead = json["read"].asBoolean();
    parameter.isWritten = json["written"].asBoolean();
    if (parameter.type == ElementType::Unknown) {
      error = "artifact parameter '" + parameter.name +
              "' has unknown dtype '" + json["dtype"].asString() + "'";
      return false;
    }
    result.parameters.push_back(std::move(parameter));
  }
  for (size_t i = 0; i < header["symbols"].size(); ++i)
    result.symbols.push_back(
        {header["symbols"].at(i)["name"].asString(),
         parseElementType(header["symbols"].at(i)["dtype"].asString())});
  for (const auto &[key, value] : header["statistics"].members())
    result.statistics[key] = value.asInteger();

  std::string_view payload = body.substr(prefix.headerBytes);
  for (size_t i = 0; i < header["sections"].size(); ++i) {
    const Json &section = header["sections"].at(i);
    const std::string &sectionName = section["name"].asString();
    uint64_t offset = static_cast<uint64_t>(section["offset"].asInteger());
    uint64_t size = static_cast<uint64_t>(section["bytes"].asInteger());
    if (offset > payload.size() || size > payload.size() - offset) {
      error = "artifact section '" + sectionName + "' lies outside the file";
      return false;
    }
    std::string_view content = payload.substr(offset, size);
    if (sectionName == "source") {
      result.source = content;
    } else if (sectionName == "lines") {
      if (!readLineTable(content, result, detail)) {
        error = "artifact line table: " + detail;
        return false;
      }
    } else if (sectionName == "remarks") {
      result.remarks = content;
    } else if (sectionName == "description") {
      result.description = content;
    } else if (sectionName.rfind("object.", 0) == 0) {
      result.objects[sectionName.substr(7)] = content;
    } // Sections that this version does not know are skipped.
  }
  return true;
}

bool Artifact::writeFile(const std::string &path, std::string &error) const {
  static std::atomic<uint64_t> counter{0};
  std::string bytes = serialize();
  std::string temporary = path + "." + std::to_string(::getpid()) + "." +
                          std::to_string(counter++) + ".tmp";
  int file =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    error = systemError("cannot create", path);
    return false;
  }
  size_t written = 0;
  while (written < bytes.size()) {
    ssize_t count =
        ::write(file, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      error = systemError("cannot write", path);
      ::close(file);
      ::unlink(temporary.c_str());
      return false;
    }
    written += static_cast<size_t>(count);
  }
  bool closed = ::close(file) == 0;
  if (!closed || std::rename(temporary.c_str(), path.c_str()) != 0) {
    error = systemError("cannot write", path);
    ::unlink(temporary.c_str());
    return false;
  }
  return true;
}

bool Artifact::readFile(const std::string &path, Artifact &result,
                        std::string &error) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    error = systemError("cannot open", path);
    return false;
  }
  std::string bytes;
  struct stat status;
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode))
    bytes.reserve(static_cast<size_t>(status.st_size));
  char buffer[1 << 16];
  ssize_t count;
  while ((count = ::read(file, buffer, sizeof(buffer))) != 0) {
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      error = systemError("cannot read", path);
      ::close(file);
      return false;
    }
    bytes.append(buffer, static_cast<size_t>(count));
  }
  ::close(file);
  if (!deserialize(bytes, result, error)) {
    error = "'" + path + "': " + error;
    return false;
  }
  return true;
}

} // namespace tilelang
