"""The Web Neural Network API of the W3C: https://www.w3.org/TR/webnn/

    import numpy, webnn

    context = webnn.MLContext()
    b = webnn.MLGraphBuilder(context)
    x = b.input("x", dataType="float32", shape=[1, 1, 8, 8])
    graph = b.build({"y": b.averagePool2d(x, windowDimensions=[2, 2], strides=[2, 2])})
    y = context.compute(graph, {"x": numpy.ones((1, 1, 8, 8), "float32")})["y"]

    model = webnn.load("net.tflite")
    outputs = model(image=pixels)
"""

from . import errors
from ._webnn import (
    MLContext,
    MLGraph,
    MLGraphBuilder,
    MLOperand,
    MLTensor,
    __version__,
    exportModel,
    formats,
    importModel,
    quantizeWeights,
    readImage,
)
from .errors import (
    AbortError,
    DataError,
    Error,
    InvalidStateError,
    NotSupportedError,
    OperationError,
    TypeError,
    UnknownError,
)
from .explanation import Explanation
from .model import Model, load


def createContext(options=None, **more):
    """MLContext with the options of a dict and of keyword arguments."""
    return MLContext(**{**(options or {}), **more})


def _explain(graph, microseconds=None):
    """explain(microseconds=None)

    Which kernel runs each operator, and why not the others; a table in notebooks. With the times
    of MLContext.profile() also those.
    """
    times = None if microseconds is None else list(microseconds)
    return Explanation(graph._explain(times), graph.report(), times)


MLGraph.explain = _explain
MLGraph._repr_html_ = lambda graph: graph.explain()._repr_html_()
