#!/bin/sh
# Finds the compilers, libraries and tools that whyfast is built with, gets missing ones, and writes
# the configuration for make.
#
#   sh tools/setup.sh build/config.mk [full | check | replay | browser | slurm | portable]
#
# full, the default, is for everything; replay is for a program that shows recorded runs, which
# needs only a C compiler, SQLite, gnuplot and xz; check is for that and its unit tests; browser is
# for the tests of the report's pages and of 'whyfast mcp', which need Chromium, Python, Playwright
# and the package mcp; slurm is for the test of reports/fleet, which needs Slurm's daemons and munge;
# portable is for packages, whose programs zig links for an old glibc.
#
#   sh tools/setup.sh packages
#
# prints what Debian calls the packages that a program without a compiler uses, and does nothing.
#
# Compilers, libraries, gnuplot and xz come from the system's package manager (as root, or by sudo
# if it asks for no password; otherwise this script stops and prints the one command to type). If
# there is no CUDA toolkit, one is fetched from NVIDIA's packages on PyPI into build/cuda, without
# root. If that fails too, the program is built without the parts that need a GPU: it still
# evaluates, explains, plots and reports recorded runs. If the toolkit has no nvdisasm and none is on
# the PATH, it is fetched likewise. Playwright, without a browser of
# its own, and mcp come from PyPI, too.
#
# SETUP=no in the environment forbids to install and to fetch: this script says what is missing.
#
# Environment: CC, CXX, GNUPLOT, PROVE, CHROMIUM, PYTHON, SQLITE_CFLAGS, SQLITE_LIBS, CMOCKA_CFLAGS
# and CMOCKA_LIBS are taken as they are; CUDA_HOME and CUDA_PATH name a toolkit; WHYFAST_CUDA names the only one
# wanted (empty: none); WHYFAST_HIDE_CUDA=1 ignores installed toolkits, to test the fetch on a
# machine that has one.

set -u

config=${1:?usage: sh tools/setup.sh build/config.mk [full | check | replay | browser | slurm | portable]}
needs=${2:-full}
build=$(dirname "$config")
mkdir -p "$build" || exit 1
build=$(cd "$build" && pwd)
log=$build/setup.log
[ "$config" != packages ] || log=/dev/null
: >"$log" || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

say() { printf '  SETUP   %s\n' "$*" >&2; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
logged() { printf '+ %s\n' "$*" >>"$log"; "$@" >>"$log" 2>&1; }
may_install() { [ "${SETUP:-}" != no ]; }
first_of() { for name; do have "$name" && { echo "$name"; return; }; done; }

# ---------------------------------------------------------------- tools and libraries

# try_c SOURCE FLAG...: succeeds if this program compiles and links.
try_c() {
    printf '%s\n' "$1" >"$scratch/try.c"; shift
    # shellcheck disable=SC2086 # CC may be a command with options
    logged $CC -std=c11 -o "$scratch/try" "$scratch/try.c" "$@"
}

find_compilers() {
    CC=${user_cc:-$(first_of gcc cc clang)}
    CXX=${user_cxx:-$(first_of g++ c++ clang++)}
}

c_works() { [ -n "$CC" ] && try_c '#include <stdio.h>
int main(void) { return puts("") < 0; }'; }

cxx_works() {
    [ -n "$CXX" ] || return 1
    printf '#include <string>\nint main() { return std::string("").size() != 0; }\n' \
        >"$scratch/try.cc"
    # shellcheck disable=SC2086
    logged $CXX -o "$scratch/try" "$scratch/try.cc"
}

# Rules and formulas use SQLite's mathematical functions and its operator ->> (3.38).
sqlite_source='#include <sqlite3.h>
#if SQLITE_VERSION_NUMBER < 3038000
#error "SQLite 3.38 or newer is needed"
#endif
int main(void) { return sqlite3_libversion_number() == 0; }'
# shellcheck disable=SC2086
sqlite_works() { try_c "$sqlite_source" $SQLITE_CFLAGS $SQLITE_LIBS -lm; }

# The static library is preferred, so that the program runs on machines without SQLite.
find_sqlite() {
    SQLITE_CFLAGS=${user_sqlite_cflags-} SQLITE_LIBS=${user_sqlite_libs-}
    [ -n "$SQLITE_LIBS" ] && { sqlite_works; return; }
    # shellcheck disable=SC2086
    SQLITE_LIBS="$($CC -print-file-name=libsqlite3.a 2>>"$log") -lpthread -ldl"
    case $SQLITE_LIBS in /*) sqlite_works && return ;; esac
    SQLITE_LIBS=-lsqlite3
    sqlite_works && return
    have pkg-config || return 1
    SQLITE_CFLAGS=$(pkg-config --cflags sqlite3 2>>"$log") &&
        SQLITE_LIBS=$(pkg-config --libs sqlite3) && sqlite_works
}

cmocka_source='#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
int main(void) { return cmocka_run_group_tests((struct CMUnitTest *)0, 0, 0); }'
# shellcheck disable=SC2086
cmocka_works() { try_c "$cmocka_source" $CMOCKA_CFLAGS $CMOCKA_LIBS; }

find_cmocka() {
    CMOCKA_CFLAGS=${user_cmocka_cflags-} CMOCKA_LIBS=${user_cmocka_libs:--lcmocka}
    cmocka_works && return
    have pkg-config || return 1
    CMOCKA_CFLAGS=$(pkg-config --cflags cmocka 2>>"$log") &&
        CMOCKA_LIBS=$(pkg-config --libs cmocka) && cmocka_works
}

reads_schemas() {
    for python in "${PYTHON:-python3}" /usr/bin/python3; do
        logged "$python" -c 'import jsonschema' && return
    done
    return 1
}

python_works() {
    [ -n "$PYTHON" ] && logged "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 8))'
}
chromium_works() { [ -n "$CHROMIUM" ] && logged "$CHROMIUM" --version; }

# The Python packages that drive Chromium and 'whyfast mcp': the system's, or those that
# fetch_playwright gets. The latter needs Python 3.10, and its test is skipped with an older one.
playwright_works() {
    logged env PYTHONPATH="$build/playwright" "$PYTHON" -c 'import sys, playwright.async_api
if sys.version_info >= (3, 10): import mcp'
}
fetch_playwright() {
    may_install || die 'missing: Playwright or mcp, Python packages; SETUP=no forbids to fetch them'
    say "fetching Playwright and mcp from PyPI into $build/playwright: about 70 MB"
    rm -rf "$build/playwright"
    logged "$PYTHON" -m pip install --quiet --no-cache-dir --only-binary :all: \
        --target "$build/playwright" 'playwright>=1.40,<2' \
        'mcp>=1.9,<2; python_version >= "3.10"' && playwright_works && return
    tail -n 2 "$log" >&2
    die "Playwright could not be fetched from PyPI (see $log); to use another one, name a Python" \
        'that has it: make check-browser PYTHON=...'
}

look_for_browser() {
    missing=
    CHROMIUM=${user_chromium:-$(first_of chromium chromium-browser google-chrome)}
    chromium_works || missing="$missing chromium"
    PYTHON=${user_python:-$(first_of python3)}
    python_works || missing="$missing python"
    playwright_works || has_pip || missing="$missing pip"
}

look_for_slurm() {
    missing=
    for daemon in slurmctld slurmd; do have "$daemon" || missing=' slurm'; done
    have munged || missing="$missing munge"
}

look_for_packing() {
    missing=
    have objcopy || missing=' binutils'
    PYTHON=${user_python:-$(first_of python3)}
    python_works || missing="$missing python"
    has_pip || [ -x "$zig" ] || missing="$missing pip"
}

# zig, as PyPI has it, links for an older glibc than this machine's. 2.28 is that of Debian 10 and of
# RHEL 8.
zig=$build/zig/ziglang/zig
find_zig() {
    PORTABLE_CC="$zig cc -target $(uname -m)-linux-gnu.2.28"
    [ ! -x "$zig" ] || return 0
    rm -rf "$build/zig"
    if may_install; then
        say "fetching zig from PyPI into $build/zig: about 90 MB, 410 MB on disk"
        logged "$PYTHON" -m pip install --quiet --no-cache-dir --only-binary :all: \
            --target "$build/zig" 'ziglang>=0.13,<1' && [ -x "$zig" ] && return
        reason="could not be fetched (see $log)"
    else
        reason='is not there (SETUP=no)'
    fi
    say "zig $reason: packages will need the glibc of this machine"
    PORTABLE_CC=
}

# Sets the variables of config.mk that are tools and libraries, and `missing` to the names of those
# that were not found.
look_for_tools() {
    case $needs in
    browser) look_for_browser; return ;;
    slurm) look_for_slurm; return ;;
    portable) look_for_packing; return ;;
    esac
    missing=
    find_compilers
    c_works || missing="$missing cc"
    find_sqlite || missing="$missing sqlite"
    GNUPLOT=${user_gnuplot:-$(first_of gnuplot gnuplot-nox)}
    [ -n "$GNUPLOT" ] || missing="$missing gnuplot"
    have xz || missing="$missing xz" # unpacks recorded runs
    [ "$needs" = full ] || CXX=
    [ "$needs" != full ] || cxx_works || missing="$missing c++"
    [ "$needs" != full ] || have tidy || missing="$missing tidy" # make test reads the pages with it
    [ "$needs" = replay ] || have zstd || missing="$missing zstd" # packs reports of Nsight Compute
    [ "$needs" != full ] || reads_schemas || missing="$missing jsonschema" # and JSON with this
    CMOCKA_CFLAGS='' CMOCKA_LIBS='' PROVE=''
    [ "$needs" != replay ] || return 0
    find_cmocka || missing="$missing cmocka"
    PROVE=${user_prove:-$(first_of prove)}
    [ -n "$PROVE" ] || missing="$missing prove"
}

has_pip() { logged "${PYTHON:-python3}" -m pip --version; }

# Succeeds if pip will be needed, so that one command can install everything.
needs_pip() {
    [ "$needs" = full ] && [ -z "${WHYFAST_CUDA+set}" ] && ! has_pip || return 1
    for toolkit in $(installed_toolkits) "$build/cuda"; do
        [ -x "$toolkit/bin/nvcc" ] && return 1
    done
    return 0
}

# ---------------------------------------------------------------- the package manager

# package NEED: prints the package that holds it, by the manager's name for it. To add a manager: a
# row here and in install_command.
package() {
    case $manager:$1 in
    apt-get:cc) echo gcc libc6-dev ;;          apt-get:c++) echo g++ ;;
    apt-get:sqlite) echo libsqlite3-dev ;;     apt-get:cmocka) echo libcmocka-dev ;;
    apt-get:gnuplot) echo gnuplot-nox ;;       apt-get:prove) echo perl ;;
    apt-get:pip) echo python3-pip ;;           apt-get:slurm) echo slurm-wlm ;;
    apt-get:xz) echo xz-utils ;;               pacman:python) echo python ;;
    pacman:jsonschema) echo python-jsonschema ;; apk:jsonschema) echo py3-jsonschema ;;
    *:jsonschema) echo python3-jsonschema ;;
    dnf:c++ | zypper:c++) echo gcc-c++ ;;
    dnf:sqlite) echo sqlite-devel ;;           zypper:sqlite) echo sqlite3-devel ;;
    dnf:cmocka | zypper:cmocka) echo libcmocka-devel ;;
    dnf:prove) echo perl-Test-Harness ;;       zypper:prove) echo perl ;;
    pacman:c++) echo gcc ;;                    pacman:prove) echo perl ;;
    pacman:pip) echo python-pip ;;
    apk:cc) echo gcc musl-dev ;;               apk:c++) echo g++ ;;
    apk:sqlite) echo sqlite-dev sqlite-static ;;
    apk:cmocka) echo cmocka-dev ;;             apk:prove) echo perl-utils ;;
    apk:pip) echo py3-pip ;;                   apk:tidy) echo tidyhtml ;;
    *:cc) echo gcc ;;                          *:python) echo python3 ;;
    *:pip) echo python3-pip ;;
    *) echo "$1" ;;
    esac
}

# What a program uses that is built already: it draws charts, and unpacks recorded runs.
run_time='gnuplot xz'
if [ "$config" = packages ]; then
    manager=apt-get
    for need in $run_time; do package "$need"; done
    exit
fi

install_command() {
    case $manager in
    apt-get)
        echo "apt-get update && DEBIAN_FRONTEND=noninteractive" \
            "apt-get install -y --no-install-recommends $*"
        ;;
    dnf) echo "dnf install -y $*" ;;
    zypper) echo "zypper --non-interactive install $*" ;;
    pacman) echo "pacman -Sy --noconfirm --needed $*" ;;
    apk) echo "apk add $*" ;;
    esac
}

# install_missing NEED...: installs them, or returns 1 and sets `advice`.
install_missing() {
    manager=$(first_of apt-get dnf zypper pacman apk)
    [ -n "$manager" ] || { advice="install by this system's means: $*"; return 1; }
    # shellcheck disable=SC2046
    command=$(install_command $(for need; do package "$need"; done))
    may_install || { advice="SETUP=no forbids to install; as root: $command"; return 1; }
    if [ "$(id -u)" -eq 0 ]; then become=
    elif ! have sudo; then advice="type: su -c '$command'"; return 1
    elif sudo -n true 2>/dev/null; then become=sudo
    else advice="type: sudo sh -c '$command'"; return 1
    fi
    say "missing: $*"
    say "running: ${become:+sudo }sh -c '$command'"
    # shellcheck disable=SC2086 # nothing, or sudo
    logged $become sh -c "$command" && return
    tail -n 5 "$log" >&2
    advice="the installation failed (see $log)"
    return 1
}

# ---------------------------------------------------------------- the CUDA toolkit

# cuda_dir DIR FILE SUBDIR...: prints the first DIR/SUBDIR that holds FILE.
cuda_dir() {
    top=$1 file=$2; shift 2
    for sub; do [ -e "$top/$sub/$file" ] && { echo "$top/$sub"; return; }; done
    return 1
}

nvcc_version() { "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p'; }

# accept_cuda DIR: sets the CUDA variables if this toolkit is complete, new enough and works;
# otherwise says why not.
accept_cuda() {
    [ -x "$1/bin/nvcc" ] || return 1
    version=$(nvcc_version "$1/bin/nvcc")
    case $version in
    1[3-9].* | [2-9][0-9].*) ;;
    *)
        say "CUDA ${version:-(of no known version)} at $1 is passed over: 13.0 or newer is needed"
        return 1
        ;;
    esac
    case $(uname -m) in aarch64) target=targets/sbsa-linux ;; *) target=targets/x86_64-linux ;; esac
    absent=
    include=$(cuda_dir "$1" cuda_runtime.h include $target/include) ||
        absent="$absent, the runtime's headers"
    cupti=$(cuda_dir "$1" cupti_range_profiler.h include extras/CUPTI/include $target/include) ||
        absent="$absent, CUPTI's headers"
    cuda_dir "$1" nvtx3/nvToolsExt.h include $target/include >/dev/null ||
        absent="$absent, NVTX's headers"
    cuda_dir "$1" cublas_v2.h include $target/include >/dev/null ||
        absent="$absent, cuBLAS's headers"
    cuda_dir "$1" cub/cub.cuh include/cccl include $target/include/cccl >/dev/null ||
        absent="$absent, CCCL's headers"
    lib=$(cuda_dir "$1" libcudart_static.a lib64 lib $target/lib) ||
        absent="$absent, libcudart_static.a"
    [ -z "$absent" ] || {
        say "CUDA $version at $1 is passed over: it lacks ${absent#, }"
        return 1
    }

    cuda_cflags="-isystem $include"
    [ "$cupti" = "$include" ] || cuda_cflags="$cuda_cflags -isystem $cupti"
    cuda_libs="-L$lib -lcudart_static -ldl -lrt -lpthread -lstdc++"
    printf '__global__ void nothing(void) {}\nint main() { nothing<<<1, 1>>>(); return 0; }\n' \
        >"$scratch/try.cu"
    # shellcheck disable=SC2086
    if ! logged "$1/bin/nvcc" -ccbin "$CXX" -std=c++17 -arch=sm_90a -c -o "$scratch/try.o" \
        "$scratch/try.cu" ||
        ! logged $CC -o "$scratch/try" "$scratch/try.o" $cuda_libs; then
        say "CUDA $version at $1 is passed over: it does not compile with $CXX (see $log)"
        return 1
    fi
    CUDA=$1 CUDA_VERSION=$version CUDA_CFLAGS=$cuda_cflags CUDA_LIBS=$cuda_libs
    CUPTI_DIRS=$1/lib64:$1/extras/CUPTI/lib64:$1/$target/lib:$1/lib
}

# NVIDIA's packages for CUDA 13.0, as published (cuBLAS and the compiler's parts have their own
# versions).
cuda_packages='nvidia-cuda-nvcc>=13.0,<13.1 nvidia-cuda-crt>=13.0,<13.1 nvidia-nvvm>=13.0,<13.1
nvidia-cuda-runtime>=13.0,<13.1 nvidia-cuda-cccl>=13.0,<13.1 nvidia-cuda-cupti>=13.0,<13.1
nvidia-nvtx>=13.0,<13.1 nvidia-cublas>=13.0,<13.2 nvidia-cuda-nvdisasm>=13.2,<14'

# Unpacks wheels into one toolkit. A wheel stores permissions, which Python's unzip functions
# ignore.
unpack_wheels='
import os, sys, zipfile
top, unused = sys.argv[1], ("libnvblas", "libcheckpoint", "libnvvm.so", "libnvtx3interop", "cmake/")
for wheel in sys.argv[2:]:
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            mode = member.external_attr >> 16
            name = member.filename
            if ".dist-info/" in name:
                member.filename = "dist-info/" + name
            elif name.startswith("nvidia/cu13/") and not any(part in name for part in unused):
                member.filename = name[len("nvidia/cu13/"):]
            else:
                continue
            path = archive.extract(member, top)
            if not os.path.isdir(path):
                os.chmod(path, 0o755 if mode & 0o111 or "/bin/" in name else 0o644)
'

# fetch_cuda: makes build/cuda from PyPI. Wheels that have arrived are kept until all are there, so
# an interrupted fetch can continue; the toolkit gets its name last, so a partial one is never taken
# for complete.
fetch_cuda() {
    case $(uname -s).$(uname -m) in
    Linux.x86_64 | Linux.aarch64) ;;
    *) reason="NVIDIA publishes none for $(uname -s) on $(uname -m)"; return 1 ;;
    esac
    say "fetching the CUDA 13.0 toolkit from PyPI into $build/cuda: about 540 MB," \
        "of which cuBLAS is 420 (under NVIDIA's licence)"
    mkdir -p "$build/wheels"
    set -f
    # shellcheck disable=SC2086
    set -- $cuda_packages
    set +f
    count=0
    for wanted; do
        count=$((count + 1))
        say "  $count of $#: ${wanted%%>*}"
        logged python3 -m pip download --quiet --no-deps --no-cache-dir --only-binary :all: \
            --dest "$build/wheels" "$wanted" || {
            reason="${wanted%%>*} could not be fetched from PyPI, see $log"; return 1; }
    done
    say "  unpacking"
    part=$build/cuda.part
    rm -rf "$part"
    logged python3 -c "$unpack_wheels" "$part" "$build"/wheels/*.whl || {
        reason="unpacking failed (see $log)"
        return 1
    }
    ln -s lib "$part/lib64"
    for library in "$part"/lib/*.so.*; do
        name=${library##*/}
        ln -s "$name" "$part/lib/${name%%.so.*}.so"
    done
    rm -rf "$build/cuda"
    mv "$part" "$build/cuda" || { reason="$build/cuda cannot be written"; return 1; }
    rm -rf "$build/wheels"
}

installed_toolkits() {
    [ -n "${WHYFAST_HIDE_CUDA:-}" ] && return
    nvcc=$(command -v nvcc) && nvcc=$(readlink -f "$nvcc")
    printf '%s\n' "${CUDA_HOME:-}" "${CUDA_PATH:-}" "${nvcc%/bin/nvcc}" /usr/local/cuda /opt/cuda |
        awk 'NF && !seen[$0]++'
}

# find_cuda: sets the CUDA variables, all empty if there is no toolkit.
find_cuda() {
    CUDA='' CUDA_VERSION='' CUDA_CFLAGS='' CUDA_LIBS='' CUPTI_DIRS=''
    [ "$needs" = full ] || return 0
    if [ -n "${WHYFAST_CUDA+set}" ]; then
        [ -z "$WHYFAST_CUDA" ] || accept_cuda "$(cd "$WHYFAST_CUDA" && pwd)" ||
            die "CUDA=$WHYFAST_CUDA is no toolkit to build with"
        return
    fi
    for toolkit in $(installed_toolkits) "$build/cuda"; do
        accept_cuda "$toolkit" && return
    done
    reason=
    may_install || reason='SETUP=no forbids to fetch one'
    [ -n "$reason" ] || has_pip || install_missing pip || reason="to fetch one, pip is missing; $advice"
    [ -z "$reason" ] && fetch_cuda && accept_cuda "$build/cuda" && return
    say "no CUDA toolkit (${reason:-the fetched one does not work here}):" \
        "building for analysis only; make clean lets the next make try again"
}

# find_disassembler: sets NVDISASM, empty if there is none. A toolkit may lack it; it is fetched then.
find_disassembler() {
    NVDISASM=
    [ -n "$CUDA" ] || return 0
    place=$build/nvdisasm
    for tool in "$CUDA/bin/nvdisasm" "$(command -v nvdisasm)" "$place/bin/nvdisasm"; do
        [ ! -x "$tool" ] || { NVDISASM=$tool; return; }
    done
    may_install || { say 'no nvdisasm (SETUP=no): new runs have no disassembly'; return; }
    say "fetching nvdisasm from PyPI into $place: about 5 MB (under NVIDIA's licence)"
    if logged python3 -m pip download --quiet --no-deps --no-cache-dir --only-binary :all: \
        --dest "$scratch" 'nvidia-cuda-nvdisasm>=13.2,<14' &&
        logged python3 -c "$unpack_wheels" "$place" "$scratch"/*.whl; then
        NVDISASM=$place/bin/nvdisasm
    else
        say "nvdisasm could not be fetched (see $log): new runs have no disassembly"
    fi
}

# The compute capability of GPU 0 as nvcc spells it; from Hopper on, the suffix a enables the
# features of one architecture alone.
find_device() {
    DEVICE_ARCH=
    [ "$needs" = full ] && have nvidia-smi || return
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader --id=0 2>>"$log") ||
        return
    DEVICE_ARCH=$(printf '%s' "$capability" | tr -dc 0-9)
    if [ "${DEVICE_ARCH:-0}" -ge 90 ]; then DEVICE_ARCH=${DEVICE_ARCH}a; fi
}

# ---------------------------------------------------------------- what make gets

# shellcheck disable=SC2016 # these are make's variables
# set_if_unset NAME VALUE: the user's environment takes precedence. setting NAME VALUE: only the
# command line does.
set_if_unset() {
    printf 'ifneq ($(filter undefined default,$(origin %s)),)\n%s := %s\nendif\n' "$1" "$1" "$2"
}
setting() { printf '%s := %s\n' "$1" "$2"; }

write_config() {
    echo '# Written by tools/setup.sh; make clean removes it, and the next make looks again.'
    [ "$needs" != slurm ] || return 0
    if [ "$needs" = portable ]; then setting PORTABLE_CC "$PORTABLE_CC"; return; fi
    if [ "$needs" = browser ]; then
        set_if_unset CHROMIUM "$CHROMIUM"
        set_if_unset PYTHON "$PYTHON"
        setting PLAYWRIGHT "$build/playwright"
        return
    fi
    set_if_unset CC "$CC"
    set_if_unset CXX "$CXX"
    set_if_unset GNUPLOT "$GNUPLOT"
    set_if_unset PROVE "$PROVE"
    set_if_unset SQLITE_CFLAGS "$SQLITE_CFLAGS"
    set_if_unset SQLITE_LIBS "$SQLITE_LIBS"
    set_if_unset CMOCKA_CFLAGS "$CMOCKA_CFLAGS"
    set_if_unset CMOCKA_LIBS "$CMOCKA_LIBS"
    setting CUDA "$CUDA"
    setting NVCC "${CUDA:+$CUDA/bin/nvcc}"
    setting NVDISASM "$NVDISASM"
    setting CUDA_VERSION "$CUDA_VERSION"
    setting CUDA_CFLAGS "$CUDA_CFLAGS"
    setting CUDA_LIBS "$CUDA_LIBS"
    setting CUPTI_DIRS "$CUPTI_DIRS"
    setting DEVICE_ARCH "$DEVICE_ARCH"
    setting FOUND_FOR "$needs"
    # The toolkit that make CUDA=... asked for: make runs this script again if it asks for another
    # one.
    if [ -n "${WHYFAST_CUDA+set}" ]; then
        setting CUDA_ASKED "${WHYFAST_CUDA:-none}"
    else
        setting CUDA_ASKED any
    fi
}

user_cc=${CC:-} user_cxx=${CXX:-} user_gnuplot=${GNUPLOT:-} user_prove=${PROVE:-}
user_chromium=${CHROMIUM:-} user_python=${PYTHON:-}
user_sqlite_cflags=${SQLITE_CFLAGS:-} user_sqlite_libs=${SQLITE_LIBS:-}
user_cmocka_cflags=${CMOCKA_CFLAGS:-} user_cmocka_libs=${CMOCKA_LIBS:-}

look_for_tools
if [ -n "$missing" ]; then
    needs_pip && also=pip || also=
    # shellcheck disable=SC2086
    install_missing $missing $also || die "missing:$missing; $advice"
    look_for_tools
    [ -z "$missing" ] || die "still missing after the installation:$missing (see $log)"
fi
[ "$needs" != browser ] || playwright_works || fetch_playwright
[ "$needs" != portable ] || find_zig
find_cuda
find_disassembler
find_device
if ! write_config >"$config.part" || ! mv "$config.part" "$config"; then
    die "$config cannot be written"
fi
case ${SQLITE_LIBS:-} in *.a*) linkage=static ;; *) linkage=shared ;; esac
if [ -n "$CUDA" ]; then cuda="CUDA $CUDA_VERSION at $CUDA"; else cuda='no CUDA'; fi
if [ -n "$DEVICE_ARCH" ]; then gpu="GPU sm_$DEVICE_ARCH"; else gpu='no GPU'; fi
case $needs in
browser) say "$CHROMIUM, $PYTHON, Playwright: to test the pages of the report" ;;
portable) say "${PORTABLE_CC:-$(command -v cc)}: to link the programs of packages" ;;
slurm) say "Slurm and munge: to test the scripts of reports/fleet" ;;
full) say "$CC, $CXX, SQLite ($linkage), cmocka, gnuplot, xz; $cuda; $gpu" ;;
check) say "$CC, SQLite ($linkage), cmocka, gnuplot, xz: to test the program without CUDA" ;;
replay) say "$CC, SQLite ($linkage), gnuplot, xz: to replay the recorded run" ;;
esac
