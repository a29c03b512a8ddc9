#!/usr/bin/env bash
# All tests: side by side what can be, then one by one what starts daemons, kills processes or drives a browser. Both run; the exit code
# says whether one failed.
# usage: scripts/test_all.sh [PYTEST ARGUMENT ...]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
alone="browser or chaos or engine or environment"
failed=0

tests() {
  local status=0
  .venv/bin/python -m pytest -m "$@" || status=$?
  ((status == 0 || status == 5)) || failed=1 # 5: the arguments leave no test of this kind
  ((status != 2)) || exit 2                  # interrupted
}

tests "not ($alone)" -n auto --maxprocesses 4 --dist loadfile "$@"
tests "$alone" "$@"
exit $failed
