"""Models in files, to be called like functions."""

from __future__ import annotations

import asyncio
import builtins
import hashlib
import os
import reprlib
import statistics
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Sequence, Tuple, Union

import numpy

from . import _webnn
from .errors import DataError, TypeError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._webnn import Array, Arrays, ContextOptions, Descriptor, Path, Source

    class ModelOptions(ContextOptions, total=False):
        """What load() takes beside the path."""

        sha256: Optional[str]
        format: str
        shapes: Dict[str, Sequence[int]]
        dimensions: Dict[str, int]
        signature: str
        subgraph: int
        values: Dict[str, Array]
        outputs: Sequence[str]
        weights: Path
        maxBytes: Optional[int]
        verify: str


__all__ = ["Model", "load"]

_CONTEXT_OPTIONS = _webnn.MLContext._defaults()


def _context_options(given):
    """All options of a context, in a form that can be pickled and compared."""
    for name in given:
        if name not in _CONTEXT_OPTIONS:
            known = ", ".join(("format", "shapes", "dimensions", "signature", "subgraph", "values",
                               "outputs", "weights", "maxBytes", "verify", *_CONTEXT_OPTIONS))
            raise TypeError(f"load: {name} is not one of its options: {known}.", "load")
    options = {**_CONTEXT_OPTIONS, **given}
    backends = options["backends"]
    options["backends"] = tuple(n for n in backends.split(",") if n) \
        if isinstance(backends, str) else tuple(backends)
    options["tuningFile"] = os.fspath(options["tuningFile"])
    return options


def _contents(data):
    if hasattr(data, "read"):  # a file object
        data = data.read()
        if isinstance(data, str):
            raise TypeError('load: path is a file that is open for text: open it with the mode "rb".',
                            "load")
    try:
        return bytes(memoryview(data))
    except builtins.TypeError:
        raise TypeError(f"load: path ({reprlib.repr(data)}) is neither the name of a file nor bytes, "
                        "nor a file that is open for reading bytes.",
                        "load") from None


def shown(shape):
    """A shape as messages print it: [batch, 3]."""
    return "of any shape" if shape is None else f"[{', '.join(map(str, shape))}]"


def sha256_of(path):
    """The SHA-256 of a file, as hexadecimal digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


class Model:
    """A model from a file: model(x=array) returns a dict of arrays.

    path: the name of the file, or its contents, as bytes or as a file that is open for reading
    bytes; `data` then has the bytes. context: a dict of options of MLContext.

    A pickled Model is its path, or its bytes, the SHA-256 of the file and the options. Each process
    opens it once, when the model is first used there. Threads share it.
    """

    def __init__(self, path: Source, *, sha256: Optional[str] = None, format: str = "",
                 shapes: Optional[Dict[str, Sequence[int]]] = None,
                 dimensions: Optional[Dict[str, int]] = None, signature: str = "",
                 subgraph: int = 0, values: Optional[Dict[str, Any]] = None,
                 outputs: Sequence[str] = (), weights: Union[str, os.PathLike[str]] = "",
                 maxBytes: Optional[int] = None, verify: str = "small",
                 **context: Unpack[ContextOptions]) -> None:
        self.data = None if isinstance(path, (str, os.PathLike)) else _contents(path)
        self.path = os.path.abspath(os.fspath(path)) if self.data is None else None
        self.options = {
            "format": format,
            "shapes": {k: tuple(int(d) for d in v) for k, v in (shapes or {}).items()},
            "dimensions": {k: int(v) for k, v in (dimensions or {}).items()},
            "signature": signature,
            "subgraph": int(subgraph),
            "values": {k: numpy.asarray(v) for k, v in (values or {}).items()},
            "outputs": tuple(outputs),
            "weights": os.path.abspath(os.fspath(weights)) if weights else "",
            "maxBytes": maxBytes,
            "verify": verify,
            **_context_options(context),
        }
        self._sha256 = sha256
        self._opened = None
        self._lock = threading.Lock()

    def __str__(self) -> str:
        return "bytes" if self.path is None else self.path

    # Opening

    def open(self, progress: Optional[Callable[[str, int, int], Any]] = None) -> Model:
        """Reads and compiles the file, unless it is open already. Returns the model."""
        with self._lock:
            if self._opened is None:
                self._opened = self._read(progress)
        return self

    def _read(self, progress):
        if self._sha256 is not None:
            self._check_file()
        o = self.options
        source = self.data if self.path is None else self.path
        context = _webnn.MLContext(**{name: o[name] for name in _CONTEXT_OPTIONS})
        if _webnn._isCompiled(source, o["format"]):
            return self._read_compiled(context, source)
        if o["verify"] != "small":
            raise TypeError(f"load [{self}]: verify is an option of compiled graphs.", "load",
                            str(self))
        builder = _webnn.MLGraphBuilder(context)
        imported = _webnn.importModel(
            builder, source, o["format"], {k: list(v) for k, v in o["shapes"].items()},
            o["dimensions"], o["signature"], o["subgraph"], values=o["values"],
            outputs=list(o["outputs"]), weights=o["weights"], maxBytes=o["maxBytes"])
        graph = builder.build(dict(imported["outputs"]), inputs=dict(imported["inputs"]),
                              progress=progress)
        return context, graph, graph.inputs, graph.outputs, imported

    def _read_compiled(self, context, source):
        for name in ("shapes", "dimensions", "signature", "subgraph", "values", "outputs",
                     "weights", "maxBytes"):
            if self.options[name]:
                raise TypeError(f"load [{self}]: {name} is not an option of a compiled graph.",
                                "load", str(self))
        graph, more = _webnn._loadCompiled(context, source, self.options["verify"])
        inputs, outputs = graph.inputs, graph.outputs
        return context, graph, inputs, outputs, {"inputs": list(inputs.items()),
                                                 "outputs": list(outputs.items()), **more}

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the compiled graph to a .webnnc file, which load() opens without compiling it.

        The file is for this machine, this version of the library and these backends. Kernels that
        read their constants again when they are loaded need keepConstants=True.
        """
        inputs, outputs = self._quantizations("input"), self._quantizations("output")
        _webnn._saveCompiled(self.graph, path, [inputs.get(n) for n in self.inputs],
                             [outputs.get(n) for n in self.outputs], self.description)

    def _find_sha256(self):
        return sha256_of(self.path) if self.data is None else hashlib.sha256(self.data).hexdigest()

    def _check_file(self):
        found = self._find_sha256()
        if found != self._sha256:
            raise DataError(
                f"load [{self}]: the SHA-256 of the file is {found}, not {self._sha256}.", "load",
                str(self))

    @property
    def sha256(self) -> str:
        """The SHA-256 of the file."""
        if self._sha256 is None:
            self._sha256 = self._find_sha256()
        return self._sha256

    @property
    def context(self) -> _webnn.MLContext:
        """The MLContext in which the graph runs."""
        return self.open()._opened[0]

    @property
    def graph(self) -> _webnn.MLGraph:
        """The MLGraph."""
        return self.open()._opened[1]

    @property
    def inputs(self) -> Dict[str, Descriptor]:
        """The inputs by name: dicts with dataType and shape, which has names of open dimensions."""
        return self.open()._opened[2]

    @property
    def outputs(self) -> Dict[str, Descriptor]:
        """The outputs by name: dicts with dataType and shape, which has names of open dimensions."""
        return self.open()._opened[3]

    @property
    def description(self) -> str:
        """The description of the model in the file."""
        return self.open()._opened[4]["description"]

    def quantization(self, name: str) -> Optional[Tuple[float, int]]:
        """The scale and the zero point of an input or output, if the file has them, else None."""
        for side in ("input", "output"):
            values = self._quantizations(side)
            if name in values:
                return values[name]
        return None

    def _quantizations(self, side):
        imported = self.open()._opened[4]
        return dict(zip((n for n, _ in imported[side + "s"]), imported[side + "Quantization"]))

    # Running

    def __call__(self, *args: Union[Array, Dict[str, Array]], **kwargs: Array) -> Arrays:
        """Runs the model on arrays by the names of its inputs.

        model(x=array), model({"x:0": array}), or model(array, ...) in the order of the inputs.
        Inputs that the model does not read may be given or left out. Arrays that are contiguous and
        of the type and shape of the input are not copied. The arrays determine the sizes of
        dimensions that the model leaves open. A model of one example, whose inputs and outputs all
        have 1 as their first dimension, also takes several examples, and runs on one after the
        other.
        """
        return self._compute(self._given(args, kwargs), None)

    def _given(self, args, kwargs):
        """The inputs by name."""
        inputs = (self._opened or self.open()._opened)[2]
        if not args:
            return kwargs
        if kwargs:
            raise TypeError("model: give all inputs by name, or by place, or one dict.", "model")
        if len(args) == 1 and isinstance(args[0], dict):
            return args[0]
        if len(args) > len(inputs):
            raise TypeError(f"model: {len(args)} arrays are given, but it has {len(inputs)} inputs "
                            f"({', '.join(inputs)}).", "model")
        return dict(zip(inputs, args))

    def _compute(self, given, stop):
        context, graph = self._opened[:2]
        try:
            return context._compute(graph, given, None, stop)
        except TypeError:
            count = self._examples(given)
            if count is None:
                raise
        parts = [context._compute(graph, {name: x[i:i + 1] for name, x in given.items()}, None, stop)
                 for i in range(count)]
        return {name: numpy.concatenate([p[name] for p in parts]) for name in parts[0]}

    def _examples(self, given):
        """The number of examples in the arrays for a model of one example; None if they are not
        examples."""
        for d in (*self.inputs.values(), *self.outputs.values()):
            if not d["shape"] or d["shape"][0] != 1 or d["dataType"] in ("int4", "uint4"):
                return None
        if self.graph.keptStates or any(name not in self.inputs for name in given):
            return None
        counts = set()
        for name, x in given.items():
            shape, one = getattr(x, "shape", ()), self.inputs[name]["shape"]
            if len(shape) != len(one) or any(s != n for s, n in zip(shape[1:], one[1:])
                                             if not isinstance(n, str)):
                return None
            counts.add(int(shape[0]))
        return counts.pop() if len(counts) == 1 and counts != {0} else None

    async def run_async(self, *args: Union[Array, Dict[str, Array]], **kwargs: Array) -> Arrays:
        """Runs the model as a call does, on a thread of the event loop's executor, which meanwhile
        does other work: `outputs = await model.run_async(x=array)`. Arrays must not be changed
        until it returns. When it is cancelled, the run ends before its next step.
        """
        stop = _webnn._Stop()
        run = lambda: self._compute(self._given(args, kwargs), stop)
        try:
            return await asyncio.get_running_loop().run_in_executor(None, run)
        except asyncio.CancelledError:
            stop.request()
            raise

    def computeShapes(self, inputs: Optional[Dict[str, Sequence[int]]] = None, /,
                      **shapes: Sequence[int]) -> Dict[str, Tuple[int, ...]]:
        """The shapes of the outputs for these shapes of the inputs: computeShapes(x=(2, 37))."""
        return self.graph.computeShapes({**(inputs or {}), **shapes})

    def prepare(self, inputs: Optional[Dict[str, Sequence[int]]] = None, /,
                **shapes: Sequence[int]) -> _webnn.MLGraph:
        """Prepares runs with these shapes of the inputs, which otherwise the first such run does:
        prepare(x=(2, 37)).

        Returns the MLGraph of these sizes alone.
        """
        return self.graph.prepare({**(inputs or {}), **shapes})

    def resetStates(self) -> None:
        """Sets the states that the model keeps between calls to their initial values."""
        self.graph.resetStates()

    def _shapes(self, dimensions, method):
        """The shapes of the inputs with sizes in place of names."""
        dimensions = dimensions or {}
        shapes = {}
        for name, d in self.inputs.items():
            shapes[name] = tuple(dimensions.get(n, n) for n in d["shape"])
            for n in shapes[name]:
                if isinstance(n, str):
                    raise TypeError(
                        f"{method}: the dimension {n} of the input {name} {shown(d['shape'])} has no "
                        f"size: give dimensions={{{n!r}: ...}}.", method)
        known = {n for d in self.inputs.values() for n in d["shape"] if isinstance(n, str)}
        for n in dimensions:
            if n not in known:
                raise TypeError(f"{method}: the model has no open dimension {n}.", method)
        return shapes

    def example(self, seed: int = 0, *,
                dimensions: Optional[Dict[str, int]] = None) -> Arrays:
        """Random values for all inputs, as a dict of arrays. dimensions has the sizes of open
        dimensions."""
        random = numpy.random.default_rng(seed)
        shapes, values = self._shapes(dimensions, "example"), {}
        for name, d in self.inputs.items():
            if "float" in d["dataType"]:
                values[name] = _webnn._converted(random.standard_normal(shapes[name]),
                                                 d["dataType"])
            elif d["dataType"] in ("int4", "uint4"):
                count = (int(numpy.prod(shapes[name], dtype=numpy.int64)) + 1) // 2
                values[name] = random.integers(0, 256, count, dtype=numpy.uint8)
            else:
                values[name] = random.integers(0, 2, shapes[name]).astype(d["dataType"])
        return values

    def image(self, path: Union[str, os.PathLike[str]],
              scale: str = "-1..1") -> Arrays:
        """The values of the only input of the model from an image, as a dict with one array.

        path is a PNG, JPEG or BMP file, which is resized and cropped in the middle. scale is the
        range of numbers that pixels become where the input has floats: "-1..1", "0..1" or "0..255".
        """
        if scale not in ("-1..1", "0..1", "0..255"):
            raise TypeError(f"image: scale ({scale!r}) is not one of -1..1, 0..1, 0..255.", "image")
        if len(self.inputs) != 1:
            raise TypeError(f"image: the model has {len(self.inputs)} inputs, not 1.", "image")
        (name, d), = self.inputs.items()
        shape = d["shape"]
        if shape and isinstance(shape[0], str):
            shape = (1, *shape[1:])
        if any(isinstance(n, str) for n in shape):
            raise TypeError(f"image: the input {name} {shown(d['shape'])} of the model has no size "
                            "for the image.", "image")
        if len(shape) != 4 or shape[0] != 1 or not ({shape[1], shape[3]} & {1, 3, 4}):
            raise TypeError(f"image: the input {name} {shown(shape)} of the model is not one image.",
                            "image")
        last = shape[3] in (1, 3, 4)
        height, width, channels = shape[1:] if last else (shape[2], shape[3], shape[1])
        pixels = _webnn.readImage(path, channels, width, height)
        if "float" in d["dataType"]:
            if scale != "0..255":
                pixels = pixels / 255 if scale == "0..1" else pixels / 127.5 - 1
        else:
            q = self.quantization(name)
            pixels = numpy.rint(pixels) + (-128 if d["dataType"] == "int8" and q else 0)
        if not last:
            pixels = pixels.transpose(2, 0, 1)
        return {name: numpy.ascontiguousarray(_webnn._converted(pixels, d["dataType"])).reshape(shape)}

    def bench(self, inputs: Optional[Dict[str, Array]] = None, *, seconds: float = 1.0,
              warmup: float = 0.2, dimensions: Optional[Dict[str, int]] = None) -> Dict[str, float]:
        """Runs the model again and again, on random numbers unless inputs are given.

        dimensions has the sizes of open dimensions for random numbers. Returns a dict: runs, and
        median, min, p95 and mean in microseconds.
        """
        inputs = self.example(dimensions=dimensions) if inputs is None else inputs
        outputs = self(inputs)
        compute, graph = self.context.compute, self.graph
        times = []
        end = time.perf_counter() + warmup
        while time.perf_counter() < end:
            compute(graph, inputs, outputs)
        end = time.perf_counter() + seconds
        while time.perf_counter() < end or len(times) < 5:
            start = time.perf_counter_ns()
            compute(graph, inputs, outputs)
            times.append((time.perf_counter_ns() - start) / 1000)
        times.sort()
        return {
            "runs": len(times),
            "median": statistics.median(times),
            "min": times[0],
            "p95": times[min(len(times) - 1, int(len(times) * 0.95))],
            "mean": statistics.fmean(times),
        }

    def explain(self, microseconds: Optional[Sequence[float]] = None) -> Explanation:
        """A text that names the kernel of each operator, and says why the other ones do not run
        it."""
        return self.graph.explain(microseconds)

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()

    def __repr__(self) -> str:
        return f"webnn.load({'bytes' if self.path is None else repr(self.path)})"

    # Other processes

    def __reduce__(self) -> Tuple[Any, ...]:
        return _shared, (self.data if self.path is None else self.path, self.sha256, self.options)


_models = {}
_models_lock = threading.Lock()


def _shared(path, sha256, options):
    """The one model of this process with that file and these options."""
    flat = lambda v: (v.dtype.str, v.shape, v.tobytes()) if isinstance(v, numpy.ndarray) else \
        tuple((k, flat(x)) for k, x in sorted(v.items())) if isinstance(v, dict) else v
    key = (None if isinstance(path, bytes) else path, sha256,
           tuple((k, flat(v)) for k, v in sorted(options.items())))
    with _models_lock:
        if key not in _models:
            _models[key] = Model(path, sha256=sha256, **options)
        return _models[key]


def load(path: Source, *, progress: Optional[Callable[[str, int, int], Any]] = None,
         **options: Unpack[ModelOptions]) -> Model:
    """Opens a model from the path or the bytes of a file: .tflite, .onnx, .webnn, .webnnc, and the
    other formats that formats() lists.

    path may also be the contents of such a file: bytes, an object with the buffer protocol, or a
    file that is open for reading bytes. The content then shows the format. Raises OSError, such as
    FileNotFoundError, if the system cannot open the file.

    Options: format (by default the extension or the content decides), shapes (by input, if the file
    leaves dimensions open), dimensions (sizes by their name in the file), values (arrays by input,
    if shapes follow from them), outputs (names of values, in place of the outputs of the file),
    signature, subgraph, weights (the file with the weights of a .webnn or .json file), maxBytes (of
    memory that is not shared with the file), and those of MLContext. progress(stage, done, total)
    is called while the model is compiled.

    A .webnnc file is a compiled graph, which Model.save() or `webnn compile` has written: it is
    mapped and not compiled. It takes only the options format, those of its context, and verify;
    verify="full" compares the checksums of large weights, too.
    """
    return Model(path, **options).open(progress)
