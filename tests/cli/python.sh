#!/bin/sh
# Tests the module for Python, tools/python, with and without a DataFrame, and that diff() starts two
# programs that call what it is given; a script stands in for the program that measures.
. "${ROOT:-.}/tests/tap.sh"
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null; then
    skip 'there is no Python'
    finish
fi
run=$(fixture_run)
cd "$work" || exit 1
PYTHONPATH=$ROOT/tools/python:$work
PYTHONDONTWRITEBYTECODE=1
export WHYFAST PYTHONPATH PYTHONDONTWRITEBYTECODE

# python CODE: runs it after the imports; `run` is the run of the tests.
python() {
    # Without site packages, so that a pandas of this machine is not found.
    "$python" -S -c "import whyfast
run = whyfast.read('$run')
$1" 2>&1 | tail -n 3
}
is "$(python 'print(len(run.steps) > 10, run.steps[0]["variant"])')" 'True 01_naive' \
    'steps without pandas are dicts'
is "$(python 'print(run.table("metrics")[0]["family"])')" \
    "$(sed -n '2s/,.*//p' "$run/metrics.csv")" '  and so are tables'
is "$(python 'print(run.explain("gemm/6").data["verdict"], run.explain("gemm/5", "gemm/6").verdict)')" \
    "$("$WHYFAST" explain "$run" gemm/6 --json | grep -o '"verdict":"[a-z ]*"' | cut -d '"' -f 4 |
        sed 's/.*/& &/')" 'an explanation has the verdict of the program'
is "$(python 'print(repr(run.explain("gemm/6")).split()[:3])')" \
    "['gemm/05_thread_tile_2d', '->', 'gemm/06_wide_loads']" '  and names both variants'
python 'print(run.explain("gemm/6").svg())' >waterfall.svg
"$python" -c 'import sys, xml.etree.ElementTree as tree
data = [element.tag.split("}")[1] for element in tree.parse("waterfall.svg").getroot()]
print(data.count("rect") >= 3, data.count("text") == 2 * data.count("rect"))' >"$work/read" 2>&1
is "$(cat "$work/read")" 'True True' '  its waterfall is SVG, with words for each bar'
is "$(python 'answer = run.explain("gemm/6")
answer.data["causes"][0].update(is_small=0, saved_ns=None)
print(answer.svg()[:4])
answer.data["after"]["time_ns"] = None
print(len(answer.svg()))' | xargs)" '<svg 0' '  also with a cause, but not with a time that is unknown'
is "$(python 'print("<svg" in run.explain("gemm/6")._repr_html_())')" True '  which a notebook shows'
is "$(python 'print(len(run.lines("gemm/6")) > 3, len(run.conflicts) > 3)')" 'True True' \
    'lines and conflicts'
is "$(python "print(whyfast.compare('$run', '$run', 'gemm/6')[0]['verdict'])")" 'no evidence' \
    'a comparison of runs'
python 'try: run.explain("gemm/nothing")
except whyfast.WhyfastError as failure: print(failure.code, failure)' >"$work/read"
contains "$work/read" "2 whyfast: " 'a failure has the exit code and the words of the program'

mkdir with_pandas
cat >with_pandas/pandas.py <<'CODE'
class DataFrame:
    def __init__(self, rows):
        self.rows = list(rows)
def read_csv(path):
    return "read " + path
CODE
is "$(PYTHONPATH=$PYTHONPATH:$work/with_pandas python \
    'print(type(run.steps).__name__, len(run.steps.rows) > 10, run.table("x"))')" \
    "DataFrame True read $run/x.csv" 'with pandas they are DataFrames'

# ---- two callables -------------------------------------------------------------------------------

cat >called.py <<'CODE'
def old():
    print("old")
def new():
    print("new")
CODE
cat >stand_in <<CODE
#!/bin/sh
echo "\$1 \$4 \$6" >asked
mkdir "\$5"
"\$2" >before.out && "\$3" >after.out
"$WHYFAST" explain "$run" gemm/6 gemm/5 --json
echo 'whyfast: a message' >&2
exit 1
CODE
chmod +x stand_in
is "$(WHYFAST=$work/stand_in python 'import called
answer = whyfast.diff(called.old, called.new, "--kernel=add", calls=3, output="kept")
print(answer.verdict, answer.messages, answer.run.path == "'"$work"'/kept")')" \
    'slower whyfast: a message True' 'two callables'
is "$(xargs <before.out) $(xargs <after.out)" 'old old old new new new' \
    '  are called in processes of their own'
is "$(cat asked)" 'diff --output --kernel=add' '  by whyfast diff with its options'
is "$(WHYFAST=$work/stand_in python 'try: whyfast.diff(lambda: 0, lambda: 1)
except whyfast.WhyfastError as failure: print(failure.code, str(failure)[:9])')" \
    '2 <lambda> ' '  a lambda needs cloudpickle'
[ ! -x "$ROOT/build/whyfast" ] ||
    is "$(WHYFAST=$work/nothing python 'import os
os.environ["PATH"] = "/nowhere"
print(whyfast.program())')" "$(cd "$ROOT" && pwd -P)/build/whyfast" \
        'the program of the source tree is found'
is "$(($(cat "$ROOT"/tools/python/whyfast/*.py | wc -l) <= 300))" 1 'the module has at most 300 lines'
finish
