#!/usr/bin/env bash
# Formatting and static checks of all sources. Goes on after a fault, so that one
# run shows all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/sources.sh
failed=()
step() {
  local name=$1
  shift
  echo "lint: $name"
  "$@" || failed+=("$name")
}

formatted() { cxx_sources | xargs -r clang-format-22 --dry-run --Werror; }

python_sources=(python examples benchmarks scripts)
step clang-format formatted
step ruff .venv/bin/ruff check --quiet "${python_sources[@]}"
step "ruff format" .venv/bin/ruff format --quiet --check "${python_sources[@]}"
step mypy .venv/bin/mypy --no-error-summary
step clang-tidy scripts/clang-tidy.sh

if [ ${#failed[@]} != 0 ]; then
  printf 'lint: failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
