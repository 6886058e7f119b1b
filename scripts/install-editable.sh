#!/usr/bin/env bash
# Makes `import tilelang` in .venv find this checkout; once is enough, because
# the package loads its native modules from the build folder.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! .venv/bin/python -c 'import importlib.metadata as m; m.version("tilelang-native")' 2> /dev/null ||
   [ pyproject.toml -nt .venv/.editable ]; then
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
  touch .venv/.editable
fi
