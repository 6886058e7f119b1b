//===- ChipFile.cpp - Reading chip description files ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ChipFile.h"

#include <algorithm>
#include <filesystem>
#include <set>

#define TOML_HEADER_ONLY 1 // no run-time dependency
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

using namespace tilelang;
namespace fs = std::filesystem;

const std::vector<std::string> &chipfile::requiredKeys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> list = {
        "cores.aic",
        "cores.aiv_per_aic",
        "cores.clock_ghz",
        "sync.event_ids_per_pipe_pair",
        "sync.cross_core_flags",
        "sync.cross_core_counter_limit",
        "gm.hbm_bytes",
        "timing.l2.capacity_bytes",
    };
    for (const char *memory : {"l1", "l0a", "l0b", "l0c", "bt", "fb", "ub"})
      for (const char *field :
           {"physical_bytes", "reserved_bytes", "alignment"})
        list.push_back(std::string("memory.") + memory + "." + field);
    return list;
  }();
  return keys;
}

std::vector<std::string> chipfile::stems(const std::string &directory) {
  std::vector<std::string> result;
  std::error_code ignored;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(directory, ignored))
    if (entry.path().extension() == ".toml")
      result.push_back(entry.path().stem().string());
  std::sort(result.begin(), result.end());
  return result;
}

static std::string position(const toml::node &node) {
  return ":" + std::to_string(node.source().begin.line);
}

/// Closest known key by edit distance, for "did you mean".
static std::string nearest(const std::string &key,
                           const std::set<std::string> &known) {
  std::string best;
  size_t bestDistance = key.size() / 3 + 1;
  for (const std::string &candidate : known) {
    std::vector<size_t> row(candidate.size() + 1);
    for (size_t j = 0; j <= candidate.size(); ++j)
      row[j] = j;
    for (size_t i = 1; i <= key.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= candidate.size(); ++j) {
        size_t substitution = diagonal + (key[i - 1] != candidate[j - 1]);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
      }
    }
    if (row.back() < bestDistance) {
      bestDistance = row.back();
      best = candidate;
    }
  }
  return best;
}

namespace {
/// Walks one file's tables and adds their numbers to the contents.
struct Flattener {
  const std::string &file;
  /// Null: this file introduces keys. Otherwise only these may be set.
  const std::set<std::string> *allowed;
  chipfile::Contents &contents;
  std::string &error;

  bool walk(const toml::table &table, const std::string &prefix) {
    for (auto &&[keyNode, node] : table) {
      std::string key = prefix.empty()
                            ? std::string(keyNode.str())
                            : prefix + "." + std::string(keyNode.str());
      if (prefix.empty() &&
          (key == "base" || key == "abstract" || key == "description"))
        continue;
      if (const toml::table *child = node.as_table()) {
        if (!walk(*child, key))
          return false;
        continue;
      }
      double value;
      if (auto number = node.value_exact<int64_t>())
        value = static_cast<double>(*number);
      else if (auto real = node.value_exact<double>())
        value = *real;
      else if (auto flag = node.value_exact<bool>())
        value = *flag;
      else {
        error = file + position(node) + ": key '" + key +
                "' must be a number or true/false";
        return false;
      }
      if (allowed && !allowed->count(key)) {
        error = file + position(node) + ": unknown key '" + key +
                "': neither the base description nor the list of required keys "
                "has it";
        std::string guess = nearest(key, *allowed);
        if (!guess.empty())
          error += "; did you mean '" + guess + "'?";
        return false;
      }
      contents.numbers[key] = value;
    }
    return true;
  }
};
} // namespace

static bool readChain(const std::string &directory, const std::string &name,
                      std::vector<std::string> &chain,
                      chipfile::Contents &contents, std::string &error) {
  std::string file = (fs::path(directory) / (name + ".toml")).string();
  if (std::find(chain.begin(), chain.end(), name) != chain.end()) {
    error = file + ": the bases of '" + chain.front() +
            "' form a cycle through '" + name + "'";
    return false;
  }
  if (!fs::exists(file)) {
    error = "no chip description '" + file + "'";
    if (!chain.empty())
      error += ", named as base of '" + chain.back() + "'";
    std::string known;
    for (const std::string &stem : chipfile::stems(directory))
      known += (known.empty() ? "" : ", ") + stem;
    error += known.empty()
                 ? "; the folder holds no chip descriptions (chips/*.toml)"
                 : "; present are: " + known;
    return false;
  }
  chain.push_back(name);

  toml::parse_result parsed = toml::parse_file(file);
  if (!parsed) {
    error = file + ":" + std::to_string(parsed.error().source().begin.line) +
            ": " + std::string(parsed.error().description());
    return false;
  }
  const toml::table &table = parsed.table();

  std::set<std::string> allowed;
  bool hasBase = false;
  if (const toml::node *base = table.get("base")) {
    auto baseName = base->value_exact<std::string>();
    if (!baseName) {
      error = file + position(*base) +
              ": 'base' must be the name of a chip description";
      return false;
    }
    hasBase = true;
    if (!readChain(directory, *baseName, chain, contents, error))
      return false;
    // A derived chip changes numbers; a key its base does not have is a typo.
    for (const auto &[key, value] : contents.numbers)
      allowed.insert(key);
    allowed.insert(chipfile::requiredKeys().begin(),
                   chipfile::requiredKeys().end());
  }
  contents.isAbstract = table["abstract"].value_or(false);
  if (auto text = table["description"].value<std::string>())
    contents.description = *text;
  Flattener flattener{file, hasBase ? &allowed : nullptr, contents, error};
  return flattener.walk(table, "");
}

bool chipfile::read(const std::string &directory, const std::string &name,
                    Contents &contents, std::string &error) {
  std::vector<std::string> chain;
  return readChain(directory, name, chain, contents, error);
}
