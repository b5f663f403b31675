"""What type checkers know of the package."""

import ast
import inspect
import os
import subprocess
import sys

import pytest

import webnn

PACKAGE = os.path.dirname(webnn.__file__)

PROGRAM = '''
import asyncio
import io
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

import numpy
from numpy.typing import NDArray

import webnn
import webnn.lm

context: webnn.MLContext = webnn.MLContext(threads=1, backends=["simd"], log=lambda level, text: None)
builder = webnn.MLGraphBuilder(context)
x = builder.input("x", "float32", ["batch", webnn.Dimension("n", maxSize=4)])
w: NDArray[numpy.float32] = numpy.ones((4, 3), numpy.float32)
y: webnn.MLOperand = 1 - abs(x @ w + numpy.float32(1)) ** 2
more: webnn.MLOperand = y > 0.5
graph = builder.build({"y": builder.softmax(y, axis=1, label="p")},
                      progress=lambda stage, done, total: print(stage, done / total))
text: str = graph.explain()._repr_html_() + graph.report()["steps"][0]["operators"][0]["name"]
arena: int = graph.memory()["arena"]
arrays: Dict[str, NDArray[Any]] = context.compute(graph, {"x": w})
shape: Optional[Tuple[Any, ...]] = graph.inputs["x"]["shape"]
model: webnn.Model = webnn.load("a", threads=2, dimensions={"batch": 2})
for model in (webnn.load(Path("a")), webnn.load(b""), webnn.load(bytearray()),
              webnn.load(memoryview(b"")), webnn.load(io.BytesIO(b""))):
    assert model.description
with open("a", "rb") as file:
    model = webnn.load(file)
    webnn.importModel(builder, file)
arrays = model(x=w)
arrays = asyncio.run(model.run_async(w))
seconds: float = model.bench()["median"]
name: str = webnn.formats()[0]["extensions"][0]
error: str = webnn.Error("x", op="relu").op
pieces = webnn.lm.load("a", threads=4).generate("a", max_tokens=3)
piece: str = next(pieces)
webnn.createContext({"threads": 1}, runs=2)
'''
WRONG = {
    "webnn.load(3)": "arg-type",
    "webnn.load(open('a'))": "arg-type",
    "webnn.load('a', thread=2)": "call-arg",
    "webnn.load('a', threads='2')": "arg-type",
    "webnn.MLContext(backend='simd')": "call-arg",
    "webnn.createContext(rules='draft')": "arg-type",
    "builder.relu(1)": "arg-type",
    "builder.softmax(x)": "call-arg",
    "builder.conv2d(x, x, inputLayout='chw')": "arg-type",
    "x + 'a'": "operator",
    "x + None": "operator",
    "graph.report()['step']": "typeddict-item",
    "model.bench()['median'].upper()": "attr-defined",
    "webnn.lm.load('a').generate('a', max_token=3)": "call-arg",
}


def test_programs(tmp_path):
    pytest.importorskip("mypy")
    lines = PROGRAM.splitlines() + list(WRONG)
    first = len(lines) - len(WRONG) + 1
    (tmp_path / "program.py").write_text("\n".join(lines) + "\n")
    # As for an installed package, whose own lines a type checker does not judge.
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = True\nenable_incomplete_feature = Unpack\n"
                                       "cache_dir = .mypy\n[mypy-webnn.*]\nfollow_imports = silent\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--show-error-codes", "program.py"],
                          cwd=tmp_path, env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)},
                          capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        if ": error: " in line:
            _, number, rest = line.split(":", 2)
            found.setdefault(int(number), []).append(rest)
    for i, (call, code) in enumerate(WRONG.items()):
        assert any(f"[{code}]" in e for e in found.pop(first + i, [])), (call, done.stdout)
    assert not found, done.stdout


def test_the_stub_has_the_parameters_of_the_functions():
    """Types are of no use for a function that has other parameters."""
    with open(os.path.join(PACKAGE, "_webnn.pyi"), encoding="utf-8") as file:
        stub = ast.parse(file.read())

    def check(owner, nodes, where):
        count = 0
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                if hasattr(owner, node.name):
                    count += check(getattr(owner, node.name), node.body, node.name + ".")
            elif isinstance(node, ast.FunctionDef) and node.name not in ("__init__", "custom"):
                value = inspect.getattr_static(owner, node.name)
                if isinstance(value, property):
                    assert node.decorator_list, where + node.name
                    continue
                a = node.args
                named = [p.arg for p in a.posonlyargs + a.args], [p.arg for p in a.kwonlyargs]
                parameters = inspect.signature(getattr(owner, node.name)).parameters.values()
                kinds = inspect.Parameter
                assert named == ([p.name for p in parameters if p.kind < kinds.VAR_POSITIONAL],
                                 [p.name for p in parameters if p.kind == kinds.KEYWORD_ONLY]), \
                    where + node.name
                count += 1
        return count

    assert check(webnn, stub.body, "") > 150
