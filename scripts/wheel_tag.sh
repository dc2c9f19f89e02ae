#!/usr/bin/env bash
# Fails where a wheel for Linux needs a later glibc than a platform has: scripts/wheel_tag.sh WHEEL [PLATFORM].
# PLATFORM is manylinux2014 where none is named. Needs auditwheel, which tells what a wheel really needs, whatever its name says.
set -euo pipefail

# The minor number of the glibc 2 that a tag such as manylinux2014 or manylinux_2_28_x86_64 stands for.
glibc() {
  case "$1" in
    manylinux_2_*) sed -E 's/^manylinux_2_([0-9]+).*/\1/' <<<"$1" ;;
    manylinux2014*) echo 17 ;;
    manylinux2010*) echo 12 ;;
    manylinux1*) echo 5 ;;
    *) echo "${1:-nothing} is no tag of manylinux" >&2; return 1 ;;
  esac
}

wheel=$1
platform=${2:-manylinux2014}
shown=$(auditwheel show "$wheel")
echo "$shown"
tag=$(tr '\n' ' ' <<<"$shown" | sed -nE 's/.*following platform tag: *"([^"]*)".*/\1/p')
needed=$(glibc "$tag")
allowed=$(glibc "$platform")
[ "$needed" -le "$allowed" ] || { echo "$wheel: it needs $tag, and $platform is wanted"; exit 1; }
