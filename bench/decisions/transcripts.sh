#!/bin/sh
# Brings the transcripts of Claude Code out of a repository that publishes them on entire/checkpoints/v1.
#
#   bench/decisions/transcripts.sh CLONE DIR
#
# CLONE is a clone, or its git directory; DIR gets a file for each, named by its hash.
set -eu
mkdir -p "$2"
git -C "$1" ls-tree -r entire/checkpoints/v1 | grep '/full\.jsonl' | while read -r _ _ hash _; do
  git -C "$1" cat-file blob "$hash" >"$2/$hash.jsonl" 2>/dev/null || rm -f "$2/$hash.jsonl"
done
