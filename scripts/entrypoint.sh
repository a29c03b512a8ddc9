#!/bin/sh
# The container's roles: all (the default), web, cluster NAME, manage COMMAND ...
set -eu
role=${1:-all}
[ $# -eq 0 ] || shift
port=${PORT:-8000}

case $role in
all) exec python manage.py supervise --host 0.0.0.0 --port "$port" "$@" ;;
web)
  python manage.py migrate --no-input
  python manage.py collectstatic --no-input --verbosity 0
  python manage.py sync_kernels
  exec gunicorn leaderboard.wsgi --bind "0.0.0.0:$port" --worker-class gthread --workers 2 --threads 4 --no-control-socket "$@"
  ;;
cluster) Q_CLUSTER_NAME=$1 exec python manage.py qcluster ;;
manage) exec python manage.py "$@" ;;
*)
  echo "unknown role '$role': all, web, cluster NAME or manage COMMAND" >&2
  exit 2
  ;;
esac
