#!/bin/sh
# Tags the commit as a release, and builds its packages, if nothing speaks against it.
#
#   sh tools/release.sh VERSION
#
# The tree must have no changes, CHANGELOG.md a section of this version with a date, the recorded
# runs must be those of this program (make check-record; who releases records once if they are not),
# and the README's times and sizes of the build must be true to a third (tests/bench/bench_build.sh).
# This takes about 15 minutes of CPU. Nothing is published: the tag is to be pushed by hand.
set -eu
version=$1
tag=v$version
refuse() { printf 'release: %s\n' "$*" >&2; exit 1; }

[ -z "$(git status --porcelain)" ] || refuse 'the tree has changes; commit them first'
! git rev-parse -q --verify "refs/tags/$tag" >/dev/null ||
    refuse "there is a tag $tag already; raise VERSION in the Makefile"
grep -qE "^## $version \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md ||
    refuse "CHANGELOG.md has no section '## $version (YEAR-MONTH-DAY)'"
make check-record || refuse 'the recorded runs are stale: record, as CONTRIBUTING.md says, and commit'
ROOT=$(pwd) sh tests/bench/bench_build.sh || refuse 'mend the figures in the README, and commit'
git tag -a -m "whyfast $version" "$tag"
make wheel deb || { git tag -d "$tag" >/dev/null; refuse 'the packages cannot be built'; }
echo "$tag is tagged; to publish it: git push origin $tag"
