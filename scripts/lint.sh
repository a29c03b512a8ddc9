#!/usr/bin/env bash
# Every check that needs no test run. All of them run; the exit code says whether one failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=${VENV:-.venv} # of which Python
failed=()

check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "lint: $name"
  else
    echo "lint: $name FAILED"
    echo "$output"
    failed+=("$name")
  fi
}

check "ruff" "$venv"/bin/python -m ruff check .
check "format" "$venv"/bin/python -m ruff format --check .
check "types" "$venv"/bin/python -m mypy
check "layers" "$venv"/bin/lint-imports --no-cache
check "locks" "$venv"/bin/python scripts/lock.py --check
check "migrations" "$venv"/bin/python manage.py makemigrations --check --dry-run
check "C warnings" "$venv"/bin/python scripts/lint_c.py
check "C format" "$venv"/bin/clang-format --dry-run --Werror grading/*.c tests/engines/*.c tests/harness/*.c # the rest is measured
check "templates" "$venv"/bin/python scripts/lint_templates.py
check "unused" "$venv"/bin/python scripts/lint_unused.py
check "spelling" "$venv"/bin/codespell
check "shell" bash -n scripts/*.sh .ci/run

((${#failed[@]} == 0)) || { echo "lint: failed: ${failed[*]}"; exit 1; }
echo "lint: all fine"
