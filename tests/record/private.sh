#!/bin/sh
# Checks that a recorded run holds no trace of the machine that measured it, and is of a real GPU.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/lint/private.inc"
raw_run "$(fixture_run)" "$work/run"
is "$(($(find "$work/run" -name '*.csv' -size +0 | wc -l) >= 15))" 1 'there are tables to look at'
none "$(ls "$work/run"/* | looked xargs grep -nIE "$private_paths")" \
    'no path of a home or of a workplace'
none "$(ls "$work/run"/* | looked xargs grep -nIE "$private_names")" \
    'no name of a user or a host'
lacks "$work/run/run.txt" 'Fake GPU' 'it is not of the fake device'
finish
