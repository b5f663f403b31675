#!/usr/bin/env python3
"""Measures what forms of the library cost a program, and writes the tables of docs/guide/sizes.md:

    bench/sizes.py [--build FOLDER] [--threads N] [--rounds N] [--write]

Each form is built by itself, with the programs of bench/sizes, in a folder of FOLDER (build/sizes). The
programs take turns, and each keeps its shortest time.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "guide", "sizes.md")
SMALL = ["-DWEBNN_SMALL=ON", "-DWEBNN_STANDALONE=ON", "-DWEBNN_ONEDNN=OFF", "-DWEBNN_XNNPACK=OFF"]
# Which every C++ program on Linux has.
SYSTEM = re.compile(r"^(linux-vdso|lib(c|m|stdc\+\+|gcc_s|pthread|dl|rt)|/lib.*/ld-linux.*|ld-linux.*)\.so")
NONE = ["SAFETENSORS", "GGUF", "TFLITE", "EXECUTORCH", "ONNX", "TEXT", "GRAPHINFO", "NNRT", "COMPILED", "LM",
        "DRAFT2023"]


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, **options)


def output(*command):
    return run(*command, stdout=subprocess.PIPE).stdout


def first_program(folder):
    """The first program of the guide, from its page."""
    with open(os.path.join(ROOT, "docs", "guide", "start-cpp.md"), encoding="utf-8") as page:
        text = re.search(r"```cpp\n(#include <webnn/webnn.h>.*?)```", page.read(), re.S).group(1)
    path = os.path.join(folder, "first.cpp")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def build(folder, first, options, targets):
    """Configures and builds programs with one form of the library."""
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "log"), "w", encoding="utf-8") as log:
        try:
            run("cmake", *generator, "-S", os.path.join(ROOT, "bench", "sizes"), "-B", folder,
                "-DCMAKE_BUILD_TYPE=Release", f"-DFIRST={first}", *launcher, *options,
                *(f"-DWEBNN_{name}=OFF" for name in NONE), stdout=log, stderr=log)
            run("cmake", "--build", folder, "-j", os.environ.get("JOBS", str(os.cpu_count())), "--target",
                *targets, stdout=log, stderr=log)
        except subprocess.CalledProcessError:
            sys.exit(f"sizes: see {log.name}")


def stripped(path):
    run("strip", "-o", path + ".stripped", path)
    return os.path.getsize(path + ".stripped")


def shared(path):
    """The shared libraries of a program beside those of C and C++, and their sizes."""
    libraries = {}
    for line in output("ldd", path).splitlines():
        name, _, place = line.strip().partition(" => ")
        if place and not SYSTEM.match(name):
            libraries[name] = os.path.getsize(os.path.realpath(place.split(" (")[0]))
    return libraries


def megabytes(size):
    return f"{size / 1e6:.1f} MB"


def start_up(path):
    start = time.perf_counter()
    subprocess.run([path], check=True, stdout=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - start)


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*: (.*)", file.read())
    return found.group(1) if found else platform.machine()


def size_table(forms, folders, args):
    programs = {name: {p: os.path.join(folders[name], p) for p in made if p != "networks"}
                for name, _, made in forms}
    starts = {name: [] for name in programs}
    times = {name: [] for name in programs}
    for _ in range(args.rounds):
        for name, paths in programs.items():
            if "first" in paths:
                starts[name] += [start_up(paths["first"]) for _ in range(5)]
            times[name].append(float(output(paths["mobilenet_v2"], str(args.threads))))
    lines = ["| The library | first program | MobileNetV2 | shared libraries beside those of C++ | start | "
             "MobileNetV2 takes |", "| --- | ---: | ---: | --- | ---: | ---: |"]
    base = min(times[forms[0][0]])
    for name, _, _ in forms:
        paths = programs[name]
        libraries = shared(paths["mobilenet_v2"])
        listed = f"{len(libraries)}, {megabytes(sum(libraries.values()))}" if libraries else "none"
        first = megabytes(stripped(paths["first"])) if "first" in paths else "–"
        start = f"{min(starts[name]):.1f} ms" if "first" in paths else "–"
        lines.append(f"| {name} | {first} | {megabytes(stripped(paths['mobilenet_v2']))} | {listed} | {start} | "
                     f"{min(times[name]) / base:.2f} |")
    return lines


def network_table(everything, own, args):
    best = {}
    for _ in range(args.rounds):
        for which, folder in (("everything", everything), ("own", own)):
            for line in output(os.path.join(folder, "networks"), str(args.threads)).splitlines():
                name, ms = line.split()
                key = (name, which)
                best[key] = min(best.get(key, 1e9), float(ms))
    lines = ["| Network | the time with oneDNN and XNNPACK | without them |", "| --- | ---: | ---: |"]
    for name in dict.fromkeys(name for name, _ in best):
        with_them, without = best[name, "everything"], best[name, "own"]
        lines.append(f"| {name} | {with_them:.2f} ms | {without / with_them:.2f} of it |")
    return lines


def replaced(text, name, lines):
    begin, end = f"<!-- begin {name}: bench/sizes.py -->", f"<!-- end {name} -->"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    if not re.search(pattern, text, re.S):
        sys.exit(f"sizes: {PAGE} has no part {name}")
    return re.sub(pattern, lambda _: "\n".join([begin, *lines, end]), text, flags=re.S)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "sizes"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--operators", help="what `webnn operators` prints for MobileNetV2")
    parser.add_argument("--no-networks", action="store_true", help="only the table of sizes")
    parser.add_argument("--write", action="store_true", help="into the page of the guide")
    args = parser.parse_args()
    os.makedirs(args.build, exist_ok=True)
    first = first_program(args.build)
    networks = [] if args.no_networks else ["networks"]
    selected = (args.operators or "-DWEBNN_OPERATORS=binary,clamp,conv2d,gemm,pool2d,reshape,transpose "
                "-DWEBNN_DATA_TYPES=float32 -DWEBNN_OPEN_DIMENSIONS=OFF").split()
    both = ["first", "mobilenet_v2"]
    # The first program has operators that MobileNetV2 does not have.
    forms = [("everything", [], both + networks),
             ("without oneDNN and XNNPACK (the preset `core`)", SMALL, both + networks),
             ("the operators of MobileNetV2 alone", SMALL + selected, ["mobilenet_v2"]),
             ("the reference kernels alone", SMALL + ["-DWEBNN_SIMD=OFF"], both)]
    folders = {}
    for number, (name, options, programs) in enumerate(forms):
        folders[name] = os.path.join(args.build, str(number))
        build(folders[name], first, options, programs)
    sizes = size_table(forms, folders, args)
    print("\n".join(sizes))
    tables = [("sizes", sizes)]
    if networks:
        speed = network_table(folders[forms[0][0]], folders[forms[1][0]], args)
        print("\n".join(speed))
        tables.append(("networks", speed))
    where = f"Measured on {processor()}, {args.threads} thread" + ("s" if args.threads != 1 else "") + \
            f", {time.strftime('%Y-%m-%d')}."
    tables.append(("machine", [where]))
    if args.write:
        with open(PAGE, encoding="utf-8") as file:
            text = file.read()
        for name, lines in tables:
            text = replaced(text, name, lines)
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
