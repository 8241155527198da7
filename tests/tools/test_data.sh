#!/bin/sh
# Makes a data directory for the tests: that of the project, but for its recorded runs. It has one
# run instead, unpacked and evaluated by this program.
#
#   sh tests/tools/test_data.sh PROGRAM RUN DIRECTORY
set -eu
program=$(realpath "${1:?usage: test_data.sh PROGRAM RUN DIRECTORY}")
from=${2:?usage: test_data.sh PROGRAM RUN DIRECTORY}
to=${3:?usage: test_data.sh PROGRAM RUN DIRECTORY}
root=$(realpath "$(dirname "$0")/../..")
run=reports/recorded/$(basename "$from")

rm -rf "$to.new"
mkdir -p "$to.new/$run"
for part in harness kernels metrics plots tools; do ln -s "$root/$part" "$to.new/"; done
for part in "$root"/reports/*; do
    [ "${part##*/}" = recorded ] || ln -s "$part" "$to.new/reports/"
done
sh "$root/tools/unpack_run.sh" "$from" "$to.new/$run"
WHYFAST_DATA=$to.new "$program" evaluate -q "$to.new/$run" 2>"$to.new/said" ||
    { cat "$to.new/said" >&2; exit 1; }
rm -rf "$to"
mv "$to.new" "$to"
: >"$to/made"
