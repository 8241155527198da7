"""Packs an installed tree into a Python wheel, with which pip installs it without a clone.

    python3 tools/make_wheel.py STAGE VERSION DIRECTORY

STAGE is what make install has written: bin/, lib/, share/ and include/. They become the same folders
of the environment into which the wheel is installed, where the programs find each other and their
data. The module of tools/python is with them. The wheel is for this kind of machine and for the
glibc that the programs need. It has no file of NVIDIA's, but for the static runtime in whyfast-gpu:
CUPTI, cuBLAS and the disassembler are NVIDIA's own packages, which its extra "gpu" names as
tools/setup.sh does.
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile


# Every system has these, and libcupti comes with CUDA.
LIBRARIES = re.compile(r"(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|cupti)|ld-linux[-_0-9a-z]*)\.so\.\d+$")


def needed_glibc(paths):
    """The newest version of glibc of which a program among the files uses a symbol."""
    versions = [(2, 17)]
    for path in paths:
        with open(path, "rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        shown = subprocess.run(["objdump", "-pT", path], capture_output=True, text=True, check=True)
        versions += [(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", shown.stdout)]
        for library in re.findall(r"NEEDED +(\S+)", shown.stdout):
            if not LIBRARIES.match(library):
                sys.exit(f"make_wheel: {path} needs {library}, which other systems may lack")
    return max(versions)


TOOLS = os.path.dirname(os.path.abspath(__file__))


def gpu_packages():
    """NVIDIA's packages without which a program that pip installed has no counters or no cuBLAS."""
    setup = os.path.join(TOOLS, "setup.sh")
    with open(setup, encoding="utf-8") as file:
        names = re.findall(r"(nvidia-(?:cuda-cupti|cublas|cuda-nvdisasm)>=\S+\d)", file.read())
    return sorted(set(names), key=lambda name: name.split(">")[0])


def main(stage, version, directory):
    paths = sorted(os.path.join(top, name) for top, _, names in os.walk(stage) for name in names)
    glibc = needed_glibc(paths)
    tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{os.uname().machine}"
    name = f"whyfast-{version}"
    info = f"{name}.dist-info"
    record = []
    wheel = os.path.join(directory, f"{name}-{tag}.whl")
    with zipfile.ZipFile(wheel + ".part", "w", zipfile.ZIP_DEFLATED) as archive:

        def add(place, content, mode=0o644):
            entry = zipfile.ZipInfo(place)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            record.append(f"{place},sha256={digest.decode()},{len(content)}\n")

        for path in paths:
            place = os.path.relpath(path, stage)
            kind = "scripts" if place.startswith("bin/") else "data"
            with open(path, "rb") as file:
                add(f"{name}.data/{kind}/{place[4:] if kind == 'scripts' else place}", file.read(),
                    os.stat(path).st_mode & 0o777)
        with open(os.path.join(TOOLS, "python", "whyfast", "__init__.py"), "rb") as file:
            add("whyfast/__init__.py", file.read())
        add(f"{info}/METADATA", (
            f"Metadata-Version: 2.1\nName: whyfast\nVersion: {version}\n"
            "Summary: Explains why one CUDA kernel is faster than another\n"
            "License: Apache-2.0\nRequires-Python: >=3.8\nProvides-Extra: gpu\n"
            + "".join(f"Requires-Dist: {name}; extra == 'gpu'\n" for name in gpu_packages())).encode())
        add(f"{info}/WHEEL", (
            f"Wheel-Version: 1.0\nGenerator: whyfast\nRoot-Is-Purelib: false\nTag: {tag}\n").encode())
        archive.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
    os.replace(wheel + ".part", wheel)
    print(wheel)


if __name__ == "__main__":
    main(*sys.argv[1:])
