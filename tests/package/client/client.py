"""A program that uses the installed Python package: client.py FOLDER, which it has to be in."""

import importlib.metadata
import sys

import numpy
import webnn

assert webnn.__file__.startswith(sys.argv[1]), webnn.__file__
assert importlib.metadata.version("webnn") == webnn.__version__
context = webnn.MLContext()
b = webnn.MLGraphBuilder(context)
x = b.input("x", dataType="float32", shape=[2])
graph = b.build({"y": b.relu(x)})
y = context.compute(graph, {"x": numpy.array([-1, 2], "float32")})["y"]
print(webnn.__file__, y)
assert y.tolist() == [0, 2]
