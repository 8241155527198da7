#!/bin/sh
# Fails if kernels are slower than before, or wrong. For a machine with a GPU that does one job at a
# time. What it finds is in comment.md, for people.
#
#   gate.sh change BASE BUILD PROGRAM [ARGUMENT...]    HEAD against the revision that it comes from
#   gate.sh baseline FOLDER PROGRAM [ARGUMENT...]      a program against a run that was kept
#
# change: equal machine code is as fast, and nothing is measured. Else both revisions are measured in
# turn: if HEAD is slower, the first slower commit and its causes are told and slower.run is kept,
# else the results are compared.
# baseline: of all kernels, because one that took little time may have become slow. The points are in
# junit.xml, too. If there is no run in FOLDER, the new one is put there; with RENEW=1 also if it is
# not slower.
#
# Exits with 0 if nothing is slower, 1 if something is slower or wrong, or if it cannot tell, with
# what whyfast or the program ends with, and with 7 for a program that ends with 1.
set -u
whyfast=${WHYFAST:-whyfast}
mode=${1:?usage: gate.sh change|baseline ...}
shift

# told NAME STATUS: writes the comment, and ends with this status.
told() {
    {
        case $2 in
        0) echo "**$1: not slower**" ;;
        1) echo "**$1: slower, or wrong**" ;;
        *) echo "**$1: unknown, exit status $2**" ;;
        esac
        echo
        sed 's/^/    /' answer.txt
    } >comment.md
    cat comment.md
    exit "$2"
}

change() {
    if ! base=$(git merge-base "$1" HEAD); then
        echo "git finds no revision that HEAD and $1 come from" >answer.txt
        told HEAD 4
    fi
    build=$2
    shift 2
    rm -rf slower.run head.run
    status=0
    if [ "$base" = "$(git rev-parse HEAD)" ]; then
        echo "HEAD has no commit of its own, so nothing has changed." >answer.txt
        told HEAD 0
    fi
    "$whyfast" bisect --good "$base" --bad HEAD --build "$build" -o slower.run -- "$@" \
        >answer.txt || status=$?
    if [ $status -ne 0 ] || grep -q 'the machine code of the kernels is the same' answer.txt; then
        told HEAD $status
    fi
    "$whyfast" diff "$base" HEAD --build "$build" -o head.run -- "$@" >answer.txt || status=$?
    told HEAD $status
}

baseline() {
    folder=$1
    shift
    rm -rf new.run
    status=0
    "$whyfast" run -q --kernel . -o new.run -- "$@" >program.txt || status=$?
    if [ $status -ne 0 ]; then
        echo "the program, or whyfast, ended with $status" >answer.txt
        [ $status -ne 1 ] || status=7 # 1 would say that it is slower
        told "$1" "$status"
    fi
    echo 'This run is the new baseline.' >answer.txt
    if [ -e "$folder/run.txt" ]; then
        "$whyfast" compare "$folder" new.run --gates --junit junit.xml >answer.txt || status=$?
    fi
    if [ ! -e "$folder/run.txt" ] || { [ $status -eq 0 ] && [ -n "${RENEW:-}" ]; }; then
        if ! sh "$(dirname "$0")/../pack_run.sh" new.run "$folder"; then
            echo "the run cannot be kept in $folder" >answer.txt
            told "$1" 5
        fi
    fi
    told "$1" $status
}

case $mode in
change | baseline)
    rm -f answer.txt comment.md junit.xml # of another job
    "$mode" "$@"
    ;;
*) echo "gate.sh: expected change or baseline, found $mode" >&2 && exit 2 ;;
esac
