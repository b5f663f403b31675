#!/usr/bin/env python3
"""Checks that programs and shared libraries run on any Linux with glibc 2.36 or later,

    check_portable.py [--glibc 2.36] FILE...

and prints the tag of platforms that they have for Python, such as manylinux_2_34_x86_64. They need no
shared library but those of glibc, no symbol of a later one, no path of the machine that built them,
and they show no symbol but those of their own interface.
https://peps.python.org/pep-0600/
"""

import argparse
import os
import re
import subprocess
import sys

GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
         "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
INTERFACE = re.compile(r"(webnn_|WEBNN_C_\d+$|PyInit_|napi_register_module_v|node_api_module_get_api_version)")


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], check=True, capture_output=True,
                          text=True).stdout


def check(path, limit):
    """The version of glibc that a file needs, and what is wrong with it."""
    wrong = []
    dynamic = readelf("-d", path)
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if name not in GLIBC:
            wrong.append(f"needs {name}")
    for folder in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
        wrong += [f"looks for libraries in {f}" for f in folder.split(":") if not f.startswith("$ORIGIN")]
    symbols = [line.split() for line in readelf("--dyn-syms", path).splitlines()]
    symbols = [s for s in symbols if len(s) >= 8 and s[0].rstrip(":").isdigit()]
    needed = (0, 0)
    for *_, section, name in (s[:8] for s in symbols):
        for version in re.findall(r"@GLIBC_([\d.]+)", name):
            needed = max(needed, tuple(int(n) for n in version.split(".")[:2]))
        for version in re.findall(r"@(GLIBCXX_[\d.]+|CXXABI_[\d.]+|GCC_[\d.]+)", name):
            wrong.append(f"needs {name} of {version}")
        if section != "UND" and not INTERFACE.match(name) and re.search(r"\.(so|node)\b", path):
            wrong.append(f"shows {name}")
    if needed > limit:
        wrong.append(f"needs glibc {needed[0]}.{needed[1]}")
    return needed, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--glibc", default="2.36", help="the version that the files may need")
    parser.add_argument("files", nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    limit = tuple(int(n) for n in arguments.glibc.split("."))
    newest, failed = (2, 17), False  # older ones have no tag of this form
    for path in arguments.files:
        needed, wrong = check(path, limit)
        newest = max(newest, needed)
        for what in wrong[:10]:
            print(f"{path} {what}", file=sys.stderr)
        failed = failed or bool(wrong)
    if failed:
        sys.exit(1)
    print(f"manylinux_{newest[0]}_{newest[1]}_{os.uname().machine}")


if __name__ == "__main__":
    main()
