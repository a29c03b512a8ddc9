#!/usr/bin/env bash
# A virtual environment of its own for the verifiers environment (verifiers and 100 packages; the site never needs them), beside .venv.
# Prints the folder. Run it as often as you like: it does only what is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

lock=requirements-environment.txt
venv=var/environment
python=.venv/bin/python
[[ -x $python ]] || die "run make setup first"
mkdir -p var
if command -v flock >/dev/null; then
  exec 9>var/setup-environment.lock
  flock 9
fi

stamp=$(cat "$lock" pyproject.toml environments/arch_kernels_v1/pyproject.toml | sha256sum | cut -c1-16)
if [[ ! -f $venv/installed || $(cat "$venv/installed") != "$stamp" ]]; then
  began=$SECONDS
  say "installing verifiers and what it needs into $venv"
  rm -rf "$venv"
  "$python" -m uv --quiet venv --python "$python" "$venv" || die "could not create $venv"
  "$python" -m uv --quiet pip install --python "$venv/bin/python" --require-hashes --requirement "$lock" \
    || die "could not install the packages of $lock"
  "$python" -m uv --quiet pip install --python "$venv/bin/python" --no-deps --editable . --editable environments/arch_kernels_v1 \
    || die "could not install environments/arch_kernels_v1"
  # The null harness is a script of verifiers', whose packages uv fetches at its first use: do that now, where it can be told.
  script=$("$venv/bin/python" -c 'from verifiers.v1.harnesses.utils.launch import CHAT_PROGRAM_SOURCE as it; print(it)')
  printf '%s\n' "$script" >"$venv/chat_program.py"
  "$python" -m uv --quiet sync --no-config --script "$venv/chat_program.py" || die "could not install the null harness' packages"
  echo "$stamp" >"$venv/installed"
  say "installed in $((SECONDS - began)) s"
fi
echo "$PWD/$venv"
