#!/bin/sh
# Runs the steps of the container image (scripts/image.sh) where there is no container engine: builds from what the image is
# built from, installs it, runs the daemon of a project as a container does, and stops it. Needs npm and git, not root.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
serving=
finish() {
  [ -z "$serving" ] || kill "$serving" 2> /dev/null || :
  rm -rf "$work"
}
trap finish EXIT
mkdir "$work/src" "$work/out" "$work/prefix" "$work/home" "$work/project"

# What .dockerignore lets through.
sed -n 's/^!//p' "$root/.dockerignore" | tar -C "$root" -cf - -T - | tar -C "$work/src" -xf -
(cd "$work/src" && scripts/image.sh pack "$work/out")

export npm_config_prefix="$work/prefix" PATH="$work/prefix/bin:$PATH"
"$root/scripts/image.sh" install "$work/out/pommel.tgz"

# As the image has it, and nothing of who runs this.
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME
export HOME="$work/home" POMMEL_HOME="$work/pommel" POMMEL_DAEMON_AUTOSTART=false
cd "$work/project"
git init --quiet
printf 'export function countHerons(pond: string[]): number {\n  return pond.length;\n}\n' > herons.ts
"$root/scripts/image.sh" serve &
serving=$!
tries=0
until pm status --check > /dev/null 2>&1; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || { echo "The daemon does not answer." >&2; exit 1; }
  sleep 1
done
until pm search "count herons" --json | grep -q '"herons.ts"'; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || { echo "The search finds nothing." >&2; exit 1; }
  sleep 1
done
kill -TERM "$serving"
wait "$serving"
serving=
code=0
pm status --check > /dev/null 2>&1 || code=$?
[ "$code" = 4 ] || { echo "pm status --check ended with $code when no daemon ran." >&2; exit 1; }
echo "The image's steps work."
