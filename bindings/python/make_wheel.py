"""Makes a wheel with the standard library alone: of a package in a build folder, for ./dev python,

    python3 make_wheel.py PACKAGE FOLDER [PLATFORM]

(PLATFORM is a tag of platforms that it runs on, such as manylinux_2_36_x86_64; by default that of
this machine), for CMake, which installs it beside the package, the folder that describes the package,

    python3 make_wheel.py --metadata FOLDER

and as the backend of `pip install .`, for which it builds the package with CMake first. It also makes
source distributions.
https://packaging.python.org/en/latest/specifications/binary-distribution-format/
https://packaging.python.org/en/latest/specifications/source-distribution-format/
https://peps.python.org/pep-0517/
"""

import base64
import gzip
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def _version():
    return ".".join(re.findall(r"#define WEBNN_VERSION_\w+ (\d+)", _read("include/webnn/version.h")))


def _tag(platform=None):
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = platform or sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{version}-{version}-{platform}"


def _metadata():
    return (f"Metadata-Version: 2.1\nName: webnn\nVersion: {_version()}\n"
            "Summary: The Web Neural Network API on the CPU\nLicense: Apache-2.0\n"
            "License-File: LICENSE\nLicense-File: NOTICE\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy (>=1.22)\nProvides-Extra: dask\n"
            'Requires-Dist: distributed; extra == "dask"\n'
            "Description-Content-Type: text/markdown\n\n" + _read("bindings/python/README.md"))


def _info(platform=None):
    """The folder of what describes the package in a wheel, and its files."""
    return f"webnn-{_version()}.dist-info", {
        "METADATA": _metadata(),
        "WHEEL": (f"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\n"
                  f"Tag: {_tag(platform)}\n"),
        "LICENSE": _read("LICENSE"),
    }


def _notices(package):
    """What the build says about the works of others in its extension module.
    https://peps.python.org/pep-0770/ has the folder of bills of materials."""
    folder = os.path.join(package, "..", "..", "..", "notices", "python")
    for name, place in (("NOTICE", "NOTICE"), ("webnn.spdx.json", "sboms/webnn.spdx.json")):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            yield place, file.read()


def make_wheel(package, folder, platform=None):
    """Returns the path of the wheel."""
    files = {}
    for name in sorted(os.listdir(package)):
        if name.endswith((".py", ".pyi", ".so", ".typed")):
            with open(os.path.join(package, name), "rb") as file:
                files[f"webnn/{name}"] = file.read()
    if not any(name.endswith(".so") for name in files):
        sys.exit(f"make_wheel: {package} has no extension module: build webnn_python_package first")
    info, texts = _info(platform)
    texts.update(_notices(package))
    files.update({f"{info}/{name}": text.encode() for name, text in texts.items()})
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"webnn-{_version()}-{_tag(platform)}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # without the time: the same files, the same wheel
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, data)
    return path


# The backend of pip. CMAKE_ARGS in the environment has more arguments for cmake.


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """What pip asks before it builds."""
    info, texts = _info()
    os.makedirs(os.path.join(metadata_directory, info), exist_ok=True)
    for name, text in texts.items():
        with open(os.path.join(metadata_directory, info, name), "w", encoding="utf-8") as file:
            file.write(text)
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    if not shutil.which("cmake"):
        sys.exit("webnn: there is no cmake; README.md lists what building needs")
    build = os.path.join(SOURCE, "build", f"wheel-{_tag()}")  # one for each Python
    arguments = ["cmake", "-S", SOURCE, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
                 f"-DPython_EXECUTABLE={sys.executable}", "-DWEBNN_INSTALL=OFF"]
    arguments += [f"-DWEBNN_{part}=OFF" for part in
                  ("BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_BENCH", "BUILD_TOOLS", "NODE", "C")]
    if shutil.which("ninja"):
        arguments += ["-G", "Ninja"]
    if shutil.which("ccache") and "CMAKE_CXX_COMPILER_LAUNCHER" not in os.environ:
        arguments.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(arguments + shlex.split(os.environ.get("CMAKE_ARGS", "")), check=True)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", build, "--target", "webnn_python_package", "--parallel",
                    jobs], check=True)
    package = os.path.join(build, "bindings", "python", "webnn")
    return os.path.basename(make_wheel(package, wheel_directory))


def _sources():
    """The files of the checkout that git knows, or all but build folders where it is not one."""
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], capture_output=True,
                            check=False) if shutil.which("git") else None
    if listed and listed.returncode == 0 and listed.stdout:
        names = os.fsdecode(listed.stdout).split("\0")[:-1]
        return sorted(n for n in names if os.path.isfile(os.path.join(SOURCE, n)))
    names = []
    for folder, folders, files in os.walk(SOURCE):
        top = folder == SOURCE
        folders[:] = [f for f in folders if f not in (".git", "node_modules", "__pycache__") and
                      not (top and f.startswith(("build", "install")))]
        names += [os.path.relpath(os.path.join(folder, f), SOURCE) for f in files]
    return sorted(names)


def build_sdist(sdist_directory, config_settings=None):
    base = f"webnn-{_version()}"
    path = os.path.join(sdist_directory, base + ".tar.gz")
    with gzip.GzipFile(path, "wb", mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        def plain(entry):  # the same files, the same archive
            entry.uid = entry.gid = entry.mtime = 0
            entry.uname = entry.gname = ""
            return entry

        for name in _sources():
            if name != "PKG-INFO":
                tar.add(os.path.join(SOURCE, name), f"{base}/{name}", filter=plain)
        info = _metadata().encode()
        entry = tarfile.TarInfo(f"{base}/PKG-INFO")
        entry.size = len(info)
        tar.addfile(entry, io.BytesIO(info))
    return os.path.basename(path)


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    if sys.argv[1] == "--metadata":
        prepare_metadata_for_build_wheel(sys.argv[2])
    else:
        print(make_wheel(*sys.argv[1:]))
