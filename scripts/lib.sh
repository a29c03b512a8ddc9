# shellcheck shell=bash
# What the setup scripts share.

say() { echo "setup: $*" >&2; }

die() {
  say "$*"
  exit 1
}

# Install Debian packages where that is possible without asking: as root, with apt. False otherwise.
apt_install() {
  [[ $EUID == 0 ]] && command -v apt-get >/dev/null || return 1
  say "installing $*"
  if [[ -z ${apt_updated:-} ]]; then
    apt-get -qq update >/dev/null 2>&1 || true # a stale list may still do
    apt_updated=yes
  fi
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends "$@" >/dev/null 2>&1
}
