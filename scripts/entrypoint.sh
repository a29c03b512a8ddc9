#!/bin/sh
# The container's roles:
#   all               pages and every cluster (the default)
#   web               pages, and the cluster that imports
#   cluster NAME      one cluster: amd64 or arm64
#   manage COMMAND    a command of manage.py
set -eu
role=${1:-all}
[ $# -eq 0 ] || shift

serve() { exec python manage.py supervise --host 0.0.0.0 --port "${PORT:-8000}" "$@"; }

case $role in
all) serve "$@" ;;
web) serve --clusters housekeeping "$@" ;;
cluster) exec python manage.py supervise --no-web --clusters "$@" ;;
manage) exec python manage.py "$@" ;;
*)
  echo "unknown role '$role': all, web, cluster NAME or manage COMMAND" >&2
  exit 2
  ;;
esac
