#!/usr/bin/env bash
# What only `make test-all` needs: Chromium for the pages, LaTeX for exported tables, PostgreSQL for the second database engine, Docker and an emulator for sandboxes.
# usage: scripts/install_test_tools.sh [browser]    with `browser`: Chromium alone
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
  apt_install chromium || say "no Chromium: the browser tests will be skipped (apt-get install chromium)"
fi
[[ ${1:-} != browser ]] || exit 0
if ! command -v pdflatex >/dev/null || ! command -v pdftotext >/dev/null || ! kpsewhich -q siunitx.sty >/dev/null; then
  apt_install texlive-latex-recommended texlive-science poppler-utils \
    || say "no LaTeX: the tables that it would read back are not (apt-get install texlive-latex-recommended texlive-science poppler-utils)"
fi
if ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null && ! command -v initdb >/dev/null; then
  apt_install postgresql || say "no PostgreSQL: its tests will be skipped (apt-get install postgresql)"
fi
if ! command -v qemu-aarch64 >/dev/null || ! command -v aarch64-linux-gnu-gcc >/dev/null; then
  apt_install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
    || say "no arm64 emulator: its tests will be skipped (apt-get install qemu-user gcc-aarch64-linux-gnu)"
fi
if ! command -v dockerd >/dev/null || ! command -v mmdebstrap >/dev/null; then
  apt_install docker.io mmdebstrap || say "no Docker engine: its tests will be skipped (apt-get install docker.io mmdebstrap)"
fi
