#!/bin/sh
# Packs an installed tree into a Debian package.
#
#   sh tools/make_deb.sh STAGE VERSION DIRECTORY
#
# STAGE is what make install has written. The package puts it under /usr, and depends on the tools
# that tools/setup.sh names for a program that shows runs, and on the libraries of its programs. It
# holds no file of NVIDIA's but for the static runtime in whyfast-gpu: CUPTI comes with the toolkit.
set -eu
stage=$1 version=$2 directory=$3
root=$stage.deb
rm -rf "$root"
mkdir -p "$root/DEBIAN"
cp -R "$stage" "$root/usr"
gzip -9n "$root/usr/share/man/man1/whyfast.1"
mkdir -p "$root/usr/share/doc/whyfast"
cp LICENSE "$root/usr/share/doc/whyfast/copyright"

# The newest version of glibc of which a program uses a symbol.
set -- "$root/usr/bin/whyfast"
for file in "$root"/usr/lib/whyfast/*; do [ ! -f "$file" ] || set -- "$@" "$file"; done
glibc=$(objdump -T "$@" | grep -oE 'GLIBC_2\.[0-9.]+' | sed 's/GLIBC_//' | sort -V | tail -n 1)
depends="libc6 (>= $glibc)"
! objdump -p "$@" | grep -q 'NEEDED *libstdc++' || depends="$depends, libstdc++6"
! objdump -p "$@" | grep -q 'NEEDED *libsqlite3' || depends="$depends, libsqlite3-0"
for package in $(sh tools/setup.sh packages); do depends="$depends, $package"; done

case $(uname -m) in x86_64) machine=amd64 ;; aarch64) machine=arm64 ;; *) machine=$(uname -m) ;; esac
cat >"$root/DEBIAN/control" <<EOF
Package: whyfast
Version: $version
Architecture: $machine
Maintainer: the author of whyfast <whyfast@localhost>
Section: devel
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Depends: $depends
Recommends: g++
Description: explains why one CUDA kernel is faster than another
 It measures both kernels, reads their hardware counters through CUPTI, and says how many
 microseconds each cause saves. Recorded runs are shown without a GPU. To measure, NVIDIA's driver
 R580 and CUPTI of the CUDA toolkit 13 are needed, and nvcc to compile kernels of one's own.
EOF
package=$directory/whyfast_${version}_$machine.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >/dev/null
rm -rf "$root"
echo "$package"
