#!/usr/bin/env bash
# What only `make test-all` needs: Chromium for the pages, PostgreSQL for the second database engine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
  apt_install chromium || say "no Chromium: the browser tests will be skipped (apt-get install chromium)"
fi
if ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null && ! command -v initdb >/dev/null; then
  apt_install postgresql || say "no PostgreSQL: its tests will be skipped (apt-get install postgresql)"
fi
