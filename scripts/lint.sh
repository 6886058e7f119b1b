#!/usr/bin/env bash
# Formatting and static checks of all sources. Fails at the first kind of fault.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/sources.sh
echo "lint: clang-format"
cxx_sources | xargs -r clang-format-22 --dry-run --Werror
echo "lint: ruff"
.venv/bin/ruff check python examples benchmarks scripts
.venv/bin/ruff format --check python examples benchmarks scripts
echo "lint: mypy"
.venv/bin/mypy
if [ -f build/compile_commands.json ]; then
  echo "lint: clang-tidy"
  scripts/clang-tidy.sh
fi
