#!/usr/bin/env bash
# clang-tidy on sources that changed since they last passed. The record of what
# passed lies in the build folder, so a fresh clone checks everything.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/sources.sh
export record=build/.clang-tidy-passed
mkdir -p "$record"

# It parses as the compiler does: generated headers and the precompiled header
# have to be there.
.venv/bin/ninja -C build --quiet tilelang-tablegen TileLangMLIRPrecompiled

check() {
  local file=$1 key output
  key=$(sha256sum "$file" .clang-tidy | sha256sum | cut -c1-32)
  [ ! -e "$record/$key" ] || return 0
  if output=$(clang-tidy-22 -p build --quiet --warnings-as-errors='*' "$file" 2>&1); then
    touch "$record/$key"
  else
    printf '%s\n' "$output"
    return 1
  fi
}
export -f check
cxx_sources | grep -E '^(lib|tools)/.*\.cpp$' | xargs -r -P "$(nproc)" -I{} bash -c 'check {}'
