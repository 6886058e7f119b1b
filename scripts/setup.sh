#!/usr/bin/env bash
# Installs what the build needs and is not there yet. A second run does nothing
# and takes about a second.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"

fail() {
  printf 'setup: %s\n' "$1" >&2
  shift
  [ $# = 0 ] || printf '  %s\n' "$@" >&2
  exit 1
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2> /dev/null ||
  fail "Python 3.10 or newer is needed; '$python' is $("$python" --version 2> /dev/null || echo missing)." \
    "Set PYTHON=/path/to/python3 to choose another."

missing_packages() {
  local package
  while read -r package; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || echo "$package"
  done < scripts/debian-packages.txt
}

# Elsewhere than on Debian nothing can be installed here, only looked for.
missing_parts() {
  local part
  for part in clang-22 clang++-22 clang-format-22 clang-tidy-22 ld.lld-22; do
    command -v "$part" > /dev/null || echo "program $part"
  done
  for part in lib/cmake/mlir/MLIRConfig.cmake lib/cmake/llvm/LLVMConfig.cmake bin/lit bin/FileCheck; do
    [ -e "/usr/lib/llvm-22/$part" ] || echo "LLVM 22 with MLIR: /usr/lib/llvm-22/$part"
  done
  if command -v clang++-22 > /dev/null; then
    for part in boost/context/fiber.hpp ffi.h gtest/gtest.h toml++/toml.h; do
      echo "#include <$part>" | clang++-22 -E -x c++ - > /dev/null 2>&1 || echo "header <$part>"
    done
  fi
}

if command -v dpkg-query > /dev/null; then
  missing=$(missing_packages | xargs)
  if [ -n "$missing" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
      fail "these Debian packages are missing, and only root may install them:" "apt-get install $missing"
    fi
    echo "setup: installing $missing"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing > /dev/null; } ||
      fail "apt-get could not install: $missing" \
        "LLVM 22 is in the security archive of Debian 12; for other releases see https://apt.llvm.org."
  fi
else
  missing=$(missing_parts)
  [ -z "$missing" ] || { mapfile -t lines <<< "$missing"
    fail "this is not a Debian system, so these have to be installed by hand:" "${lines[@]}" \
      "(The Debian names of all packages needed are in scripts/debian-packages.txt.)"; }
fi

# The copy of the requirements is written last: it says that .venv is complete.
stamp=.venv/.requirements
if ! cmp -s requirements-dev.txt "$stamp"; then
  .venv/bin/python -m pip --version > /dev/null 2>&1 || "$python" -m venv --clear .venv
  echo "setup: installing Python packages into .venv"
  pip() { .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@"; }
  # Alone and first: the index of CPU builds saves several gigabytes where it can
  # be reached, and no other package should be looked for there.
  pip --no-deps --retries 1 --extra-index-url https://download.pytorch.org/whl/cpu "$(grep '^torch==' requirements-dev.txt)"
  pip -r requirements-dev.txt
  cp requirements-dev.txt "$stamp"
fi
