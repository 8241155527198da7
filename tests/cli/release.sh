#!/bin/sh
# Tests what tools/release.sh demands before it tags a commit: in a repository of its own, with a
# make and a benchmark that only say whether they pass.
. "${ROOT:-.}/tests/tap.sh"
if ! command -v git >/dev/null; then
    skip 'there is no git'
    finish
fi
mkdir -p "$work/tree/tests/bench" "$work/bin"
cd "$work/tree" || exit 1
HOME=$work GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a \
    GIT_COMMITTER_EMAIL=a GIT_CEILING_DIRECTORIES=$work
export HOME GIT_CONFIG_NOSYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME \
    GIT_COMMITTER_EMAIL GIT_CEILING_DIRECTORIES
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
printf '#!/bin/sh\necho "$*" >>"%s"\n[ ! -e "%s/no-$1" ]\n' "$work/made" "$work" >"$work/bin/make"
chmod +x "$work/bin/make"
printf '[ ! -e "%s/no-bench" ]\n' "$work" >tests/bench/bench_build.sh
printf '# Changes\n\n## 1.2.0 (not released)\n' >CHANGELOG.md
git init -q . && git add -A && git commit -qm first
release() { env PATH="$work/bin:$PATH" sh "$ROOT/tools/release.sh" 1.2.0; }
# refused WHY NAME
refused() {
    expect 1 "$2" release
    says "release: $1" '  is refused'
    is "$(git tag)" '' '  and not tagged'
}

refused "CHANGELOG.md has no section '## 1.2.0 (YEAR-MONTH-DAY)'" 'a version without a date'
printf '# Changes\n\n## 1.2.0 (2026-01-02)\n' >CHANGELOG.md
refused 'the tree has changes; commit them first' 'a tree with changes'
git commit -qam second
touch "$work/no-check-record"
refused 'the recorded runs are stale' 'a stale recorded run'
rm "$work/no-check-record"
touch "$work/no-bench"
refused 'mend the figures in the README' 'figures that are not true'
rm "$work/no-bench"
touch "$work/no-wheel"
refused 'the packages cannot be built' 'a release without packages'
rm "$work/no-wheel"
: >"$work/made"
expect 0 'a release' release
prints 'git push origin v1.2.0' '  says how to publish it'
is "$(git tag) $(git cat-file -t v1.2.0)" 'v1.2.0 tag' '  is tagged'
is "$(cat "$work/made")" "$(printf 'check-record\nwheel deb')" '  has looked at the recorded runs, and packages'
expect 1 'a second time' release
says 'release: there is a tag v1.2.0 already' '  is refused'
cd "$ROOT" || exit 1
is "$(grep -cE "^## $(sed -n 's/^VERSION := //p' Makefile) \(" CHANGELOG.md)" 1 \
    'CHANGELOG.md has a section for the version of the Makefile'
finish
