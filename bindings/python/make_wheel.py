"""Makes a wheel with the standard library alone: of a package in a build folder, for ./dev python,

    python3 make_wheel.py PACKAGE FOLDER

and as the backend of `pip install .`, for which it builds the package with CMake first.
https://packaging.python.org/en/latest/specifications/binary-distribution-format/
https://peps.python.org/pep-0517/
"""

import base64
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zipfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def _version():
    return ".".join(re.findall(r"#define WEBNN_VERSION_\w+ (\d+)", _read("include/webnn/version.h")))


def _tag():
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{version}-{version}-{platform}"


def _metadata():
    return (f"Metadata-Version: 2.1\nName: webnn\nVersion: {_version()}\n"
            "Summary: The Web Neural Network API on the CPU\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy (>=1.22)\nProvides-Extra: dask\n"
            'Requires-Dist: distributed; extra == "dask"\n'
            "Description-Content-Type: text/markdown\n\n" + _read("bindings/python/README.md"))


def make_wheel(package, folder):
    """Returns the path of the wheel."""
    info = f"webnn-{_version()}.dist-info"
    files = {}
    for name in sorted(os.listdir(package)):
        if name.endswith((".py", ".pyi", ".so", ".typed")):
            with open(os.path.join(package, name), "rb") as file:
                files[f"webnn/{name}"] = file.read()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\n"
                              f"Tag: {_tag()}\n").encode()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"webnn-{_version()}-{_tag()}.whl")
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


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = os.path.join(SOURCE, "build", "wheel")
    arguments = ["cmake", "-S", SOURCE, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
                 f"-DPython_EXECUTABLE={sys.executable}", "-DWEBNN_INSTALL=OFF"]
    arguments += [f"-DWEBNN_{part}=OFF" for part in
                  ("BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_BENCH", "BUILD_TOOLS", "NODE", "C")]
    if shutil.which("ninja"):
        arguments += ["-G", "Ninja"]
    if shutil.which("ccache"):
        arguments.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(arguments + shlex.split(os.environ.get("CMAKE_ARGS", "")), check=True)
    subprocess.run(["cmake", "--build", build, "--target", "webnn_python_package", "--parallel",
                    str(os.cpu_count() or 1)], check=True)
    package = os.path.join(build, "bindings", "python", "webnn")
    return os.path.basename(make_wheel(package, wheel_directory))


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("there are no source distributions: build from a checkout")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(make_wheel(sys.argv[1], sys.argv[2]))
