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

import typing as _typing

if _typing.TYPE_CHECKING:
    from typing_extensions import Unpack as _Unpack

from . import _webnn, errors, operand
from ._webnn import (
    CustomOperator,
    MLContext,
    MLGraph,
    MLGraphBuilder,
    MLOperand,
    MLTensor,
    __version__,
    exportModel,
    exportedBytes,
    forkStates,
    formats,
    importModel,
    joinStates,
    quantize,
    quantizeWeights,
)
from ._images import readImage
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
from .dimension import Dimension
from .explanation import Explanation
from .model import Model, load


# Without TypeError, which would take the place of Python's own: webnn.TypeError.
__all__ = [
    "AbortError",
    "CustomOperator",
    "DataError",
    "Dimension",
    "Error",
    "Explanation",
    "InvalidStateError",
    "MLContext",
    "MLGraph",
    "MLGraphBuilder",
    "MLOperand",
    "MLTensor",
    "Model",
    "NotSupportedError",
    "OperationError",
    "UnknownError",
    "createContext",
    "exportModel",
    "exportedBytes",
    "forkStates",
    "formats",
    "importModel",
    "joinStates",
    "load",
    "quantize",
    "quantizeWeights",
    "readImage",
]


def createContext(options: "_typing.Optional[_webnn.ContextOptions]" = None,
                  **more: "_Unpack[_webnn.ContextOptions]") -> MLContext:
    """An MLContext with the options of a dict and of keyword arguments."""
    return MLContext(**{**(options or {}), **more})


def _explain(self, microseconds=None):
    """explain(microseconds=None)

    A text that names the kernel of each operator, and says why the other ones do not run it;
    notebooks show it as a table. It also shows the times of MLContext.profile() if they are given.
    """
    times = None if microseconds is None else list(microseconds)
    return Explanation(self._explain(times), self.report(), times)


def _load_graph(self, path, verify="small"):
    """loadGraph(path, verify='small')

    The graph of a .webnnc file, which MLGraph.save() or `webnn compile` has written on a machine of
    the same kind, for the same backends. The path may also be bytes, the contents of such a file.
    The weights of a file are mapped: it must not be changed as long as the graph lives. With
    verify='full' the checksums of large weights are compared, too.
    """
    return _webnn._loadCompiled(self, path, verify)[0]


def _save(self, path):
    """save(path)

    Writes the graph with its kernels and packed weights to a .webnnc file, for
    MLContext.loadGraph() and load(). Kernels that read their constants again when they are loaded
    need a context with keepConstants=True.
    """
    _webnn._saveCompiled(self, path, [], [], "")


MLContext.loadGraph = _load_graph
MLGraph.explain = _explain
MLGraph.save = _save
MLGraph._repr_html_ = lambda self: self.explain()._repr_html_()
