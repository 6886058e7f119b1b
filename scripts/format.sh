#!/usr/bin/env bash
# Rewrites all sources in the project's format.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/sources.sh
cxx_sources | xargs -r clang-format-22 -i
.venv/bin/ruff check --fix --quiet python examples benchmarks scripts || true
.venv/bin/ruff format --quiet python examples benchmarks scripts
