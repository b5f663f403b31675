"""make_wheel.py PACKAGE FOLDER: a wheel of the package in a build folder, with the standard library
alone. https://packaging.python.org/en/latest/specifications/binary-distribution-format/"""

import base64
import hashlib
import os
import sys
import sysconfig
import zipfile


def tags():
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{version}-{version}-{platform}"


def metadata(version):
    return (f"Metadata-Version: 2.1\nName: webnn\nVersion: {version}\n"
            "Summary: The Web Neural Network API on the CPU\nLicense: Apache-2.0\n"
            f"Requires-Python: >={sys.version_info.major}.{sys.version_info.minor}\n"
            "Requires-Dist: numpy (>=1.22)\n"
            'Provides-Extra: dask\nRequires-Dist: distributed; extra == "dask"\n')


def make_wheel(package, folder):
    sys.path.insert(0, os.path.dirname(os.path.abspath(package)))
    sys.dont_write_bytecode = True
    import webnn

    version = webnn.__version__
    info = f"webnn-{version}.dist-info"
    files = {}
    for name in sorted(os.listdir(package)):
        if name.endswith((".py", ".pyi", ".so", ".typed")):
            with open(os.path.join(package, name), "rb") as file:
                files[f"webnn/{name}"] = file.read()
    files[f"{info}/METADATA"] = metadata(version).encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\n"
                              f"Tag: {tags()}\n").encode()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"webnn-{version}-{tags()}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # without the time: the same files, the same wheel
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, data)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: make_wheel.py PACKAGE FOLDER")
    print(make_wheel(sys.argv[1], sys.argv[2]))
