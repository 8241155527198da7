#!/bin/sh
# Installs the packages in build/ on bare systems and uses them: Debian 12, and Debian 11 with glibc
# 2.31, which debootstrap makes in temporary folders. They have Python with pip, and no compiler, no
# CUDA, no gnuplot and no xz. This needs root, debootstrap and the network: make check-install.
. "${ROOT:-.}/tests/tap.sh"
cd "$ROOT" || exit 1
wheel=$(ls build/whyfast-*.whl) deb=$(ls build/whyfast_*.deb)
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null || ! command -v unshare >/dev/null; then
    result 1 'bare systems are made by root with debootstrap and unshare'
    finish
fi

# inside COMMAND: runs it in the system, with /proc and nothing of this machine's environment, and
# leaves its status in `status` and all that it prints in $work/said.
# shellcheck disable=SC2016 # the inner shell expands
inside() {
    unshare --mount --pid --fork sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" \
        /usr/bin/env -i HOME=/srv PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        DEBIAN_FRONTEND=noninteractive sh -c "$2"' sh "$system" "$1" >"$work/said" 2>&1
    status=$?
}
# gives STATUS NAME COMMAND
gives() {
    inside "$3"
    case $2 in '  '*) name=$2 ;; *) name="$release: $2" ;; esac
    is "$status $([ "$status" -eq "$1" ] || tail -n 3 "$work/said")" "$1 " "$name"
}

# What each package must do, wherever it is.
uses() {
    inside 'rm -rf /srv/.cache /srv/report'
    gives 0 'the program explains a step' 'whyfast explain gemm/06'
    contains "$work/said" ' from occupancy ' '  by a recorded run'
    gives 0 'it replays the report' 'whyfast report --replay -o /srv/report'
    contains "$system/srv/report/ladder-gemm.html" 'Wide loads' '  with a page for each ladder'
    gives 125 'without a GPU it runs no program' 'whyfast run -- ls'
    contains "$work/said" 'no GPU here to run ls on' '  and says why'
    [ ! -e build/whyfast-gpu ] || {
        gives 0 'its other program is found' 'whyfast measure --dry-run --csv reduce/03'
        contains "$work/said" 'measure,reduce,03_sequential' '  and plans'
    }
}

# The instructions of the container file, in the system: "NAME words", without comments.
container() {
    grep -vE '^(#|$)' tools/Containerfile >"$work/instructions"
    is "$(grep -vE '^(ARG|FROM|COPY|RUN|WORKDIR|ENTRYPOINT) .*[^\\]$' "$work/instructions")" '' \
        'the container file has the instructions that this test follows'
    while read -r instruction words; do
        case $instruction in
        COPY)
            mkdir -p "$system${words##* }"
            # shellcheck disable=SC2086 # a pattern
            (cd build && cp ${words% *} "$system${words##* }")
            result $? "  COPY $words"
            ;;
        RUN) gives 0 "RUN $words" "$words" </dev/null ;;
        WORKDIR) mkdir -p "$system$words" ;;
        ENTRYPOINT) gives 0 "ENTRYPOINT $words" "$(echo "$words" | tr -d '[]",') --version" </dev/null ;;
        esac
    done <"$work/instructions"
}

for release in bookworm bullseye; do
    system=$work/$release
    for mirror in http://deb.debian.org/debian http://archive.debian.org/debian; do
        rm -rf "$system"
        debootstrap --variant=minbase --include=python3-pip "$release" "$system" "$mirror" \
            >"$work/debootstrap" 2>&1 && break
    done
    result $? "$release: a bare system, from $mirror"
    inside 'command -v gcc cc nvcc gnuplot xz'
    is "$(cat "$work/said")" '' "$release: it has no compiler, no gnuplot and no xz"

    cp "$wheel" "$system/srv/"
    force=$(inside 'pip install --help'; grep -o -m 1 -e --break-system-packages "$work/said")
    gives 0 'pip installs the wheel' "pip install --no-index $force /srv/${wheel##*/}"
    uses
    if [ -e build/portable/libwhyfast_inject.so ]; then
        # Any library has the place of CUPTI.
        python=$(ls -d "$system"/usr/local/lib/python3*)
        mkdir -p "$python/dist-packages/nvidia/cu13/lib"
        cp "$(find "$system"/lib "$system"/usr/lib -name 'libm.so.6' | head -n 1)" \
            "$python/dist-packages/nvidia/cu13/lib/libcupti.so.13"
        gives 0 'the libraries are looked for' 'ldd /usr/local/lib/whyfast/libwhyfast_inject.so'
        contains "$work/said" "${python##*/}/dist-packages/nvidia/cu13/lib/libcupti.so.13" \
            "  and CUPTI is found in NVIDIA's package"
        rm -r "$python/dist-packages/nvidia"
    fi
    gives 0 'pip removes it' "pip uninstall -y $force whyfast"
    gives 1 '  and leaves nothing' 'find /usr/local -type f | grep whyfast'

    if [ "$release" = bookworm ]; then
        container
    else
        cp "$deb" "$system/srv/"
        gives 0 'apt installs the package' "apt-get update && apt-get install -y \
            --no-install-recommends /srv/${deb##*/}"
    fi
    uses
    result "$(ls "$system"/srv/report/charts/*.svg >/dev/null 2>&1; echo $?)" \
        "$release: with the package's gnuplot there are charts"
    gives 0 'apt removes it' 'apt-get purge -y whyfast'
    gives 1 '  and leaves nothing' 'find /usr /etc -type f | grep whyfast'
    rm -rf "$system"
done
finish
