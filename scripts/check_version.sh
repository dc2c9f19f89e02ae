#!/usr/bin/env bash
# Refuses to publish under a tag that is not the version of the source, its citation and its changelog: check_version.sh v0.1.0.
set -euo pipefail
cd "$(dirname "$0")/.."
tag=${1:?it takes a tag}
version=${tag#v}
failed=0
wrong() {
  echo "$tag: $1"
  failed=1
}

[ "$tag" = "v$version" ] || wrong "a tag is a v and a version, such as v0.1.0"
source=$(sed -nE '/^\[workspace\.package\]/,/^$/s/^version = "(.*)"$/\1/p' Cargo.toml)
[ "$source" = "$version" ] || wrong "Cargo.toml has version ${source:-none}"
cited=$(sed -nE 's/^version: "?([^"]*)"?$/\1/p' CITATION.cff)
[ "$cited" = "$version" ] || wrong "CITATION.cff has version ${cited:-none}"
# the version may be followed by a date
headings=$(sed -nE 's/^## +([^ ]+).*/\1/p' CHANGELOG.md)
grep -qxF -- "$version" <<<"$headings" || wrong "CHANGELOG.md has no heading '## $version'"
[ "$failed" = 0 ] && echo "$tag is the version of Cargo.toml, CITATION.cff and CHANGELOG.md"
exit "$failed"
