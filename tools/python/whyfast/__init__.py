"""Reads runs of whyfast, and asks why one callable is faster than another.

    import whyfast
    run = whyfast.read("RUN")                    # a directory, or the name of a recorded run
    run.steps, run.conflicts, run.table("metrics")
    run.explain("gemm/5", "gemm/6")              # in a notebook: the waterfall of the causes
    whyfast.diff(before, after)                  # two callables, on a machine with a GPU

Everything is computed by the program: the one that WHYFAST names, else the one that pip has
installed beside this Python, else whyfast on the PATH, else the one of this source tree. Tables are
pandas DataFrames, or lists of dicts without pandas. What diff() does was tried with a stand-in for
the program, not on a GPU.
"""
import csv
import html
import json
import os
import pickle
import shutil
import stat
import subprocess
import sys
import tempfile

__all__ = ["Explanation", "Run", "WhyfastError", "compare", "diff", "program", "read"]

FOUND = (0, 1, 6)  # exit codes of an answer: as fast or faster, slower or wrong, no evidence


class WhyfastError(Exception):
    """The program's message; `code` is its exit code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def program():
    """Returns the path of the program."""
    tree = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "build",
                        "whyfast")
    installed = os.path.join(sys.prefix, "bin", "whyfast")
    for path in (os.environ.get("WHYFAST"), installed, shutil.which("whyfast"),
                 os.path.realpath(tree)):
        if path and os.access(path, os.X_OK):
            return path
    raise WhyfastError(127, "there is no whyfast on the PATH, and WHYFAST names none")


def _ask(*words):
    """Returns what the program prints as JSON, and its messages."""
    done = subprocess.run([program(), *words, "--json"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    messages = done.stderr.decode(errors="replace").strip()
    if done.returncode not in FOUND or not done.stdout:
        raise WhyfastError(done.returncode, messages)
    return json.loads(done.stdout.decode()), messages


def _frame(rows):
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


class Run:
    """A run; each table is asked for when it is used."""

    def __init__(self, path):
        self.path = os.fspath(path)

    def __repr__(self):
        return f"whyfast.read({self.path!r})"

    @property
    def steps(self):
        """All steps of all families with their main causes."""
        return _frame(_ask("explain", self.path)[0]["steps"])

    @property
    def conflicts(self):
        """The kernels by the time that bank conflicts cost them."""
        return _frame(_ask("conflicts", self.path)[0]["kernels"])

    def lines(self, variant):
        """The counts of each line of a variant."""
        return _frame(_ask("lines", self.path, variant)[0]["lines"])

    def explain(self, *variants):
        """Why the last variant takes another time than the one before, or than the first."""
        return Explanation(*_ask("explain", self.path, *variants), run=self)

    def table(self, name):
        """A table of the run's directory, such as "metrics" or "samples"."""
        path = os.path.join(self.path, f"{name}.csv")
        try:
            import pandas
        except ImportError:
            with open(path, newline="", encoding="utf-8") as file:
                return list(csv.DictReader(file))
        return pandas.read_csv(path)


def read(path):
    """Returns the run in a directory, or a recorded run by its name."""
    return Run(path)


def compare(before, after, *patterns):
    """Returns the points of two runs, slower ones first."""
    return _frame(_ask("compare", os.fspath(before), os.fspath(after), *patterns)[0]["points"])


class Explanation:
    """The answer of `explain` or `diff`: `data` is its JSON."""

    def __init__(self, data, messages="", run=None):
        self.data, self.messages, self.run = data, messages, run

    @property
    def verdict(self):
        return self.data["verdict"]

    @property
    def speedup(self):
        return self.data["speedup"]

    @property
    def causes(self):
        return _frame(self.data["causes"])

    def __repr__(self):
        names = [self.data[side]["variant"] for side in ("before", "after")]
        return "\n".join(filter(None, [" -> ".join(names), self.data["sentence"], self.messages]))

    def _repr_html_(self):
        return f"<p>{html.escape(repr(self))}</p>".replace("\n", "<br>") + self.svg()

    def svg(self):
        """The waterfall: from the time before, over what each cause saves (−) or costs (+), to the
        time after. Empty if one of the times is unknown."""
        before, after = (self.data[side]["time_ns"] for side in ("before", "after"))
        if before is None or after is None:
            return ""
        shown = [cause for cause in self.data["causes"]
                 if not cause["is_small"] and cause["saved_ns"] is not None]
        bars = [("before", before, 0.0)]
        at = before
        for cause in shown:
            bars.append((cause["title"], at, at - cause["saved_ns"]))
            at -= cause["saved_ns"]
        if abs(at - after) > 1e-9 * before:
            bars.append(("smaller ones", at, after))
        bars.append(("after", after, 0.0))
        least = min(0.0, *(min(bar[1:]) for bar in bars))
        scale = 360 / (max(max(bar[1:]) for bar in bars) - least)
        rows = []
        for row, (title, start, end) in enumerate(bars):
            is_total = row in (0, len(bars) - 1)
            colour = "#888" if is_total else "#2a9d5c" if end <= start else "#c8553d"
            left, width = (min(start, end) - least) * scale, abs(start - end) * scale
            value = f"{start / 1000:.1f}" if is_total else f"{(end - start) / 1000:+.1f}"
            rows.append(
                f'<text x="190" y="{22 * row + 15}" text-anchor="end">{html.escape(title)}</text>'
                f'<rect x="{200 + left:.1f}" y="{22 * row + 3}" width="{max(width, 1):.1f}" '
                f'height="16" fill="{colour}"/>'
                f'<text x="{206 + left + width:.1f}" y="{22 * row + 15}">'
                f'{value.replace("-", "−")} µs</text>')
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="660" height="{22 * len(bars)}" '
                f'font-family="sans-serif" font-size="12" fill="currentColor">'
                + "".join(rows) + "</svg>")


# ---- two callables -------------------------------------------------------------------------------


def _packed(call):
    """Returns the callable for another process: by value with cloudpickle, else by its name."""
    try:
        import cloudpickle
        return cloudpickle.dumps(call)
    except ImportError:
        pass
    name = getattr(call, "__qualname__", "")
    if getattr(call, "__module__", None) in (None, "__main__") or "<" in name:
        raise WhyfastError(2, f"{name or repr(call)} cannot be given to another process: install "
                              "cloudpickle, or define it in a module")
    return pickle.dumps(call)


def _write_program(folder, name, call, calls):
    """Writes a program that calls it. Returns its path."""
    path = os.path.join(folder, name)
    with open(path + ".pickle", "wb") as file:
        file.write(_packed(call))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n'''exec' '{sys.executable}' \"$0\" \"$@\"\n' '''\n"
                   "import pickle\nimport sys\n"
                   f"sys.path[:] = {sys.path!r}\n"
                   f"with open({path + '.pickle'!r}, 'rb') as file:\n"
                   "    call = pickle.load(file)\n"
                   f"for _ in range({calls}):\n    call()\n")
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def diff(before, after, *options, calls=20, output=None):
    """Measures the kernels that two callables launch, and explains the difference.

    Each is called `calls` times in a process of its own, which the program starts several times, so
    it must do the same each time, and prepare its own data. `options` are those of `whyfast diff`,
    such as "--kernel=sum"; `output` keeps the run in this directory.
    """
    with tempfile.TemporaryDirectory(prefix="whyfast-") as folder:
        programs = [_write_program(folder, name, call, calls)
                    for name, call in (("before", before), ("after", after))]
        run = os.path.abspath(output) if output else os.path.join(folder, "run")
        answer = _ask("diff", *programs, "--output", run, *options)
    return Explanation(*answer, run=Run(run) if output else None)
