#!/bin/sh
# Starts the program with the password of the database read from a file: it is then in no image, in no compose file and
# not among the settings that the container engine shows.
set -eu
if [ -n "${DATABASE_PASSWORD_FILE:-}" ]; then
  PGPASSWORD="$(cat "$DATABASE_PASSWORD_FILE")"
  export PGPASSWORD
fi
exec evenhand "$@"
