#!/bin/sh
# Tests that make install installs everything that the program needs, where the program finds it,
# and that make uninstall removes it.
. "${ROOT:-.}/tests/tap.sh"
unset WHYFAST_DATA
cd "$ROOT" || exit 1
if [ "$BUILD" != "$ROOT/build" ] || ! make -q all >/dev/null 2>&1; then
    skip 'the program that make would install is not the one that is tested'
    finish
fi
tiny_run "$work/good"
expect 0 'install' make -s install DESTDIR= PREFIX="$work/stage"
is "$(cd "$work/stage" && ls)" "$(printf 'bin\ninclude\nlib\nshare')" 'into PREFIX'
result "$([ -x "$work/stage/bin/whyfast" ]; echo $?)" '  the program'
cmp -s "$ROOT/build/whyfast.1" "$work/stage/share/man/man1/whyfast.1"
result $? '  the manual page'
for file in bash-completion/completions/whyfast zsh/site-functions/_whyfast \
    fish/vendor_completions.d/whyfast.fish; do
    contains "$work/stage/share/$file" conflicts "  $file"
done
for directory in metrics plots reports kernels; do
    is "$(cd "$work/stage/share/whyfast/$directory" && find . -type f | sort | cksum)" \
        "$(cd "$directory" && find . -type f ! -path './schema/*' | sort | cksum)" \
        "  every file of $directory/"
done
is "$(ls "$work/stage/share/whyfast/schema")" "$(ls reports/schema)" '  and the schemas of JSON'
cd "$work" || exit 1
expect 0 'the installed program finds its data' "$work/stage/bin/whyfast" report "$work/good" \
    -o "$work/report"
result "$(ls "$work"/report/charts/*.svg >/dev/null 2>&1; echo $?)" '  and its charts'
# A small run stands for the recorded ones.
rm -r "$work"/stage/share/whyfast/reports/recorded/*
cp -R "$ROOT"/tests/fixture/*/ "$work/stage/share/whyfast/reports/recorded/"
mkdir "$work/bin"
ln -s "$(command -v xz)" "$work/bin/xz"
expect 0 '  and its recorded run' env PATH="$work/bin" "$work/stage/bin/whyfast" report --replay \
    -o "$work/replay"
prints 'Replaying the recorded run' '  which it replays'
says "unpacking the recorded run into $XDG_CACHE_HOME/whyfast/recorded/" \
    '  from the cache of its user'
expect 0 '  and the files of a new family' "$work/stage/bin/whyfast" new demo
if "$work/stage/bin/whyfast" version | grep -q 'CUDA [0-9]'; then
    expect 0 '  which it compiles' "$work/stage/bin/whyfast" list demo/
    prints 'demo/02_second' '  and lists'
    is "$(ls "$XDG_CACHE_HOME/whyfast/own" | sed 's/-.*//')" demo '  from the cache of its user'
fi
mv "$work/stage" "$work/moved"
expect 0 'also where it was moved to' "$work/moved/bin/whyfast" list metrics
cp "$work/moved/bin/whyfast" "$work/alone"
expect 4 'without them it says so' "$work/alone" list metrics
says 'name it in WHYFAST_DATA' '  and gives advice'
mv "$work/moved" "$work/stage"

# ---- the same as a Python wheel ------------------------------------------------------------------

if command -v objdump >/dev/null && ! objdump -p "$WHYFAST" | grep -q libsqlite3 && python3 -m venv "$work/venv" >/dev/null 2>&1; then
    expect 0 'a wheel of it' python3 "$ROOT/tools/make_wheel.py" "$work/stage" 0.1.0 "$work"
    expect 0 '  is installed by pip' "$work/venv/bin/pip" install -q --no-index "$work"/whyfast-*.whl
    is "$(cd "$work/venv" && find share/whyfast -type f | sort | cksum)" \
        "$(cd "$work/stage" && find share/whyfast -type f | sort | cksum)" '  with every file'
    none "$(cd "$work/venv" && find . -type f | looked grep -E '/lib(cu|nv)[a-z]*\.')" \
        "  and none of NVIDIA's libraries"
    is "$(env -u WHYFAST "$work/venv/bin/python3" -c 'import whyfast; print(whyfast.program())')" \
        "$work/venv/bin/whyfast" '  with the module for Python, which finds it'
    python=$(echo "$work"/venv/lib/python3*)
    mkdir -p "$python/site-packages/nvidia/cu13/bin"
    printf '#!/bin/sh\n' >"$python/site-packages/nvidia/cu13/bin/nvdisasm"
    chmod +x "$python/site-packages/nvidia/cu13/bin/nvdisasm"
    env PATH="$work/bin" NVCC=/nowhere/nvcc "$work/venv/bin/whyfast" doctor >"$work/doctor" 2>&1
    contains "$work/doctor" "lib/${python##*/}/site-packages/nvidia/cu13/bin/nvdisasm" \
        "  finds the disassembler of NVIDIA's package"
    expect 0 '  explains a recorded run' env PATH="$work/bin" "$work/venv/bin/whyfast" explain reduce/03
    if "$work/venv/bin/whyfast" version | grep -q 'CUDA [0-9]'; then
        expect 0 '  finds whyfast-gpu' "$work/venv/bin/whyfast" measure --dry-run --csv reduce/03
        prints 'measure,reduce,03_sequential' '  which plans'
    fi
    expect 125 '  and has no GPU here' "$work/venv/bin/whyfast" run -- ls
else
    skip 'Python cannot make an environment here'
fi
cd "$ROOT" || exit 1
expect 0 'uninstall' make -s uninstall DESTDIR= PREFIX="$work/stage"
is "$(find "$work/stage" -type f)" '' '  leaves no file'
prints '/.cache/whyfast' '  and names what it leaves in a home'
finish
