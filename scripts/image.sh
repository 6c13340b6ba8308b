#!/bin/sh
# The steps of the container image (Dockerfile), each run by it as it stands here, so that a machine without a container
# engine can run them, too: scripts/check-image.sh does.
#
#   image.sh system             packages of Debian, git's settings, a home; as root
#   image.sh pack <dir>         builds Pommel in this checkout, and leaves pommel.tgz in <dir>
#   image.sh install <tarball>  installs it as a global npm package
#   image.sh serve              what a container runs: the daemon of the project in the working directory
set -eu

system() {
  apt-get update
  apt-get install --yes --no-install-recommends ca-certificates git
  rm -rf /var/lib/apt/lists/*
  # A mounted project belongs to a user of the host, whom git would refuse.
  git config --system --add safe.directory '*'
  # Whatever user it runs as (`docker run --user`) has a home to write to, and a place for the memory.
  mkdir -m 1777 /home/pommel /pommel
}

pack() {
  # Neither what builds Pommel nor Pommel needs an install script, and so no compiler.
  npm ci --ignore-scripts
  # Its `prepack` builds.
  npm pack --pack-destination "$1"
  mv "$1"/pommel-*.tgz "$1/pommel.tgz"
}

install() {
  cache=$(mktemp -d)
  npm install --global --ignore-scripts --cache "$cache" "$1"
  rm -rf "$cache"
  pm --version
}

serve() {
  # So that sessions are recorded. The agents and their settings are outside of the container.
  pm init --no-hooks < /dev/null
  # A container stays when it has nothing to do.
  exec pommeld --foreground --idle-exit-seconds 0
}

case "${1-}" in
  system | serve) "$1" ;;
  pack | install) "$1" "$2" ;;
  *)
    echo "usage: image.sh system | pack <dir> | install <tarball> | serve" >&2
    exit 2
    ;;
esac
