#!/usr/bin/env bash
# A virtual environment with the development packages beside .venv, for another Python; does nothing when it is there already.
# usage: scripts/make_venv.sh PYTHON FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh
python=$1 venv=$2
stamp=$("$python" -c 'import sys; print(sys.version)' | cat - requirements-dev.txt | sha256sum)
[[ -f $venv/installed-dev && $(cat "$venv/installed-dev") == "$stamp" ]] && exit
rm -rf "$venv"
.venv/bin/python -m uv --quiet venv --seed --python "$python" "$venv" || die "could not create $venv"
.venv/bin/python -m uv --quiet pip install --python "$venv/bin/python" --require-hashes --requirement requirements-dev.txt \
  || die "could not install the packages of requirements-dev.txt into $venv"
echo "$stamp" >"$venv/installed-dev"
