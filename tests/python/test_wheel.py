"""The wheel that ./dev python and pip make, installed and used from an empty folder."""

import importlib.util
import os
import subprocess
import sys
import tarfile
import zipfile

import pytest

import webnn

PACKAGE = os.path.dirname(webnn.__file__)
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAKE_WHEEL = os.path.join(SOURCE, "bindings/python/make_wheel.py")


def run(*arguments, **options):
    return subprocess.run(arguments, capture_output=True, text=True, check=True, **options).stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return run(sys.executable, MAKE_WHEEL, PACKAGE, str(tmp_path_factory.mktemp("wheel"))).strip()


@pytest.fixture
def backend():
    spec = importlib.util.spec_from_file_location("make_wheel", MAKE_WHEEL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_files(wheel):
    """All modules of the checkout, the extension module, what type checkers read, the license."""
    assert os.path.basename(wheel).startswith(f"webnn-{webnn.__version__}-cp")
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        assert file.testzip() is None
        info = f"webnn-{webnn.__version__}.dist-info"
        with open(os.path.join(SOURCE, "LICENSE"), "rb") as license:
            assert file.read(f"{info}/LICENSE") == license.read()
        metadata = file.read(f"{info}/METADATA").decode()
        record = file.read(f"{info}/RECORD").decode()
    modules = [n for n in os.listdir(os.path.join(SOURCE, "bindings/python/webnn"))
               if n.endswith((".py", ".typed"))]
    assert {"__init__.py", "__main__.py", "dask.py", "direct.py", "py.typed"} <= set(modules)
    (library,) = [n for n in names if n.endswith(".so")]
    assert set(names) == {library, "webnn/_webnn.pyi", *(f"webnn/{n}" for n in modules),
                          *(f"{info}/{n}" for n in ("METADATA", "WHEEL", "LICENSE", "NOTICE",
                                                        "sboms/webnn.spdx.json", "RECORD"))}
    assert [line.split(",")[0] for line in record.splitlines()] == names
    assert f"\nVersion: {webnn.__version__}\n" in metadata
    assert "\nLicense: Apache-2.0\nLicense-File: LICENSE\nLicense-File: NOTICE\n" in metadata


def test_reproducible(wheel, tmp_path):
    again = run(sys.executable, MAKE_WHEEL, PACKAGE, str(tmp_path)).strip()
    with open(wheel, "rb") as a, open(again, "rb") as b:
        assert a.read() == b.read()


def test_install(wheel, tmp_path):
    """pip installs it, it runs from another folder, and nothing of it stays."""
    venv = tmp_path / "venv"
    try:
        run(sys.executable, "-m", "venv", "--system-site-packages", str(venv))
    except subprocess.CalledProcessError as e:
        pytest.skip(f"no venv: {e.stdout}{e.stderr}")
    python = str(venv / "bin/python3")
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PIP_TARGET")}
    environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    options = {"env": environment, "cwd": tmp_path}
    files = lambda: {os.path.join(f, n) for f, _, names in os.walk(venv) for n in names}
    before = files()
    run(python, "-m", "pip", "install", "--no-index", "--no-deps", "--no-compile", wheel, **options)
    code = ("import webnn, numpy; c = webnn.MLContext(threads=1); b = webnn.MLGraphBuilder(c); "
            "g = b.build({'y': b.abs(b.input('x', dataType='float32', shape=[1]))}); "
            "print(webnn.__file__, webnn.__version__, c.compute(g, {'x': numpy.float32([-2])})['y'])")
    shown = run(python, "-B", "-c", code, **options).split()
    assert shown[0].startswith(str(venv)) and shown[1:] == [webnn.__version__, "[2.]"]
    assert "usage: python3 -m webnn" in run(python, "-B", "-m", "webnn", "--help", **options)
    run(python, "-m", "pip", "uninstall", "-y", "webnn", **options)
    assert files() - before == set()


def test_metadata_without_building(backend, wheel, tmp_path):
    info = backend.prepare_metadata_for_build_wheel(str(tmp_path))
    with zipfile.ZipFile(wheel) as file:
        for name in os.listdir(tmp_path / info):
            assert (tmp_path / info / name).read_bytes() == file.read(f"{info}/{name}")


def test_a_package_that_is_not_built(tmp_path):
    (tmp_path / "__init__.py").write_text("")
    done = subprocess.run([sys.executable, MAKE_WHEEL, str(tmp_path), str(tmp_path)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "has no extension module" in done.stderr


@pytest.mark.parametrize("git", [True, False])
def test_source_distribution(backend, tmp_path, monkeypatch, git):
    """The files of the checkout, once with the list of git and once without."""
    which = backend.shutil.which
    monkeypatch.setattr(backend.shutil, "which",
                        lambda name: which(name) if git or name != "git" else None)
    base = f"webnn-{webnn.__version__}"
    assert backend.build_sdist(str(tmp_path)) == base + ".tar.gz"
    with tarfile.open(tmp_path / (base + ".tar.gz")) as tar:
        names = tar.getnames()
        project = tar.extractfile(f"{base}/pyproject.toml").read()
    with open(os.path.join(SOURCE, "pyproject.toml"), "rb") as file:
        assert project == file.read()
    for name in ("PKG-INFO", "LICENSE", "CMakeLists.txt", "include/webnn/webnn.h",
                 "bindings/python/make_wheel.py", "bindings/python/webnn/dask.py"):
        assert f"{base}/{name}" in names
    assert not [n for n in names if n.startswith((f"{base}/build/", f"{base}/.git/"))]
