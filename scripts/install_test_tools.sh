#!/usr/bin/env bash
# What only `make test-all` needs: Chromium for the pages, LaTeX for exported tables, PostgreSQL for the second database engine, Docker and an emulator for sandboxes, clang for fuzzing.
# usage: scripts/install_test_tools.sh [browser]    with `browser`: Chromium alone
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

# What cannot be installed is said, and its tests are skipped; in CI it is a failure.
missing() {
  say "$*"
  [[ ${CI:-} != true ]] || exit 1
}

if ! command -v bwrap >/dev/null; then
  apt_install bubblewrap || missing "no bubblewrap: the tests of its walls will be skipped (apt-get install bubblewrap)"
fi
if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
  apt_install chromium || missing "no Chromium: the browser tests will be skipped (apt-get install chromium)"
fi
[[ ${1:-} != browser ]] || exit 0
if ! command -v pdflatex >/dev/null || ! command -v pdftotext >/dev/null || ! kpsewhich siunitx.sty >/dev/null; then
  apt_install texlive-latex-recommended texlive-science poppler-utils \
    || missing "no LaTeX: the tables that it would read back are not (apt-get install texlive-latex-recommended texlive-science poppler-utils)"
fi
if ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null && ! command -v initdb >/dev/null; then
  apt_install postgresql || missing "no PostgreSQL: its tests will be skipped (apt-get install postgresql)"
fi
if ! command -v qemu-aarch64 >/dev/null || ! command -v aarch64-linux-gnu-gcc >/dev/null; then
  apt_install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
    || missing "no arm64 emulator: its tests will be skipped (apt-get install qemu-user gcc-aarch64-linux-gnu)"
fi
if ! command -v dockerd >/dev/null || ! command -v mmdebstrap >/dev/null; then
  apt_install docker.io mmdebstrap || missing "no Docker engine: its tests will be skipped (apt-get install docker.io mmdebstrap)"
fi
if ! compgen -G '/usr/bin/clang-[0-9]*' >/dev/null && ! command -v clang >/dev/null; then
  apt_install clang || say "no clang: fuzzing is skipped, and what it has found is replayed by gcc alone (apt-get install clang)"
fi
