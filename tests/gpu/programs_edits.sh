#!/bin/sh
# Tests on a GPU that two runs of a program, before and after an edit, explain what the edit did.
. "${ROOT:-.}/tests/gpu/programs.inc"
compile -DAFTER=0 -o before "$programs/pairs.cu" &&
    compile -DAFTER=1 -o after "$programs/pairs.cu" || exit 1

for edit in before after; do watch $edit --kernel . -- ./$edit; done
for pair in 'transpose bank conflicts' 'sum bytes in flight' 'rounds barriers'; do
    expect 0 "the edit of ${pair%% *}" "$WHYFAST" explain ./before.run ./after.run "${pair%% *}"
    is "$(sed -n '/saved/,$p' "$work/out" | sed -n 's/.*██  //p' | head -n 1)" "${pair#* }" \
        '  has its cause first'
done
finish
