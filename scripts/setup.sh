#!/usr/bin/env bash
# Installs what the build needs and is not there yet. A second run does nothing
# and takes about a second.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || {
  echo "setup: Python 3.10 or newer is needed; '$python' is $("$python" --version 2>&1 || echo missing)." >&2
  echo "       Set PYTHON=/path/to/python3 to choose another." >&2
  exit 1
}

missing_packages() {
  local package
  while read -r package; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done < scripts/debian-packages.txt
}

if command -v dpkg-query > /dev/null; then
  missing=$(missing_packages | xargs)
  if [ -n "$missing" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
      echo "setup: installing $missing"
      export DEBIAN_FRONTEND=noninteractive
      apt-get update -qq
      # shellcheck disable=SC2086
      apt-get install -y -qq --no-install-recommends $missing > /dev/null
    else
      echo "setup: these Debian packages are missing, and only root may install them:" >&2
      echo "  apt-get install $missing" >&2
      exit 1
    fi
  fi
else
  for tool in clang++-22 mlir-tblgen-22 ld.lld-22; do
    command -v "$tool" > /dev/null || absent="${absent:-} $tool"
  done
  if [ -n "${absent:-}" ]; then
    echo "setup: not a Debian system, and these programs of LLVM 22 are missing:$absent" >&2
    echo "  The Debian names of all packages needed are in scripts/debian-packages.txt." >&2
    exit 1
  fi
fi

[ -x .venv/bin/python ] || "$python" -m venv .venv
stamp=.venv/.requirements
if ! cmp -s requirements-dev.txt "$stamp"; then
  echo "setup: installing Python packages into .venv"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
  cp requirements-dev.txt "$stamp"
fi
