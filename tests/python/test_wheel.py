"""The wheel that ./dev python makes, used from an empty folder."""

import os
import subprocess
import sys
import zipfile

import webnn

PACKAGE = os.path.dirname(webnn.__file__)
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def test_wheel(tmp_path):
    done = subprocess.run(
        [sys.executable, os.path.join(SOURCE, "bindings/python/make_wheel.py"), PACKAGE,
         str(tmp_path)], capture_output=True, text=True, check=True)
    path = done.stdout.strip()
    assert os.path.basename(path).startswith(f"webnn-{webnn.__version__}-cp")
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        wheel.extractall(tmp_path / "site")
    for name in ("webnn/__init__.py", "webnn/_webnn.pyi", "webnn/py.typed", "webnn/dask.py"):
        assert name in names
    assert len([n for n in names if n.endswith(".so")]) == 1
    environment = dict(os.environ, PYTHONPATH=str(tmp_path / "site"))
    code = "import webnn; print(webnn.__file__, webnn.MLContext(threads=1).threads)"
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=tmp_path,
                          capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(tmp_path / "site/webnn/__init__.py"), "1"]
