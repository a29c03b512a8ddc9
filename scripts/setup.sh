#!/usr/bin/env bash
# Prepare this checkout: .venv with the locked packages, the C toolchain the grader needs, the chart library.
# usage: scripts/setup.sh [site|dev]    site: what serves and grades; dev (default): also tests and linters
# PYTHON names the interpreter; a .venv of another version than the one it names is made again.
# Run it as often as you like: it does only what is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

wanted=${1:-dev}
case $wanted in
site) lock=requirements.txt ;;
dev) lock=requirements-dev.txt ;;
*) die "unknown set '$wanted': site or dev" ;;
esac

# Two makes at once must not fill one .venv.
mkdir -p var
if command -v flock >/dev/null; then
  exec 9>var/setup.lock
  flock 9
fi

is_supported() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {
  local candidate
  if [[ -n ${PYTHON:-} ]]; then
    is_supported "$PYTHON" || die "PYTHON=$PYTHON is no Python 3.11 or newer that starts"
    command -v "$PYTHON"
    return
  fi
  for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
    if is_supported "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  die "needs Python 3.11 or newer (set PYTHON to where it is)"
}

make_venv() {
  local python
  python=$(find_python)
  if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    # Debian keeps the two in a package of their own.
    apt_install python3-venv || die "needs the package python3-venv (apt-get install python3-venv)"
  fi
  rm -rf .venv
  "$python" -m venv .venv || die "could not create .venv with $python"
  say "created .venv with $("$python" --version)"
}

compiles() {
  local folder status=0
  folder=$(mktemp -d)
  echo 'int main(void) { return 0; }' >"$folder/a.c"
  gcc -include stdlib.h "$folder/a.c" -o "$folder/a" 2>/dev/null && objcopy --version >/dev/null 2>&1 || status=1
  rm -rf "$folder"
  return $status
}

check_toolchain() {
  compiles && return
  apt_install gcc libc6-dev binutils && compiles && return
  die "needs gcc, the C library's headers and binutils (apt-get install gcc libc6-dev binutils)"
}

check_bubblewrap() {
  command -v bwrap >/dev/null && return
  apt_install bubblewrap || say "no bubblewrap: gradings use Landlock and seccomp alone, and say so (apt-get install bubblewrap)"
}

stamp_of() { echo "$(sha256sum "$1" | cut -c1-16) $(.venv/bin/python -c 'import sys; print(sys.version)' | tr '\n' ' ')"; }

is_installed() { [[ -f .venv/installed-$1 && $(cat ".venv/installed-$1") == "$(stamp_of "requirements${2:-}.txt")" ]]; }

install_packages() {
  # The dev lock holds everything of the site lock.
  is_installed dev -dev && return
  [[ $wanted == site ]] && is_installed site && return
  local began=$SECONDS
  say "installing the packages of $lock"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --require-hashes --requirement "$lock" \
    || die "pip could not install the packages of $lock"
  stamp_of "$lock" >".venv/installed-$wanted"
  say "packages installed in $((SECONDS - began)) s"
}

# `arch-kernels`, as the wheel has it; from the checkout, so that it is never older than that.
make_command() {
  local command=.venv/bin/arch-kernels
  [[ -f $command ]] && return
  cat >"$command" <<'END'
#!/bin/sh
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd) || exit
PYTHONPATH=$root${PYTHONPATH:+:$PYTHONPATH} exec "$root/.venv/bin/python" -P -m leaderboard.bundles.upload_client "$@"
END
  chmod +x "$command"
}

fetch_charts() {
  local now bundle=static/vendor/plotly/plotly.min.js
  now=$(cat scripts/fetch_plotly.py package-lock.json requirements.txt 2>/dev/null | sha256sum)
  [[ -f $bundle && -f .venv/charts && $(cat .venv/charts) == "$now" ]] && return
  .venv/bin/python scripts/fetch_plotly.py >&2 || return 0 # it has said what is missing; pages then show tables alone
  echo "$now" >.venv/charts
}

version_of() { "$1" -c 'import sys; print(sys.version)' 2>/dev/null; }

has_venv() {
  .venv/bin/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || return
  [[ -z ${PYTHON:-} || $(version_of .venv/bin/python) == "$(version_of "$PYTHON")" ]]
}

has_venv || make_venv
check_toolchain
check_bubblewrap
install_packages
make_command
fetch_charts
