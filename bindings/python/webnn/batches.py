"""A model on many examples, in batches, by any executor."""

import collections
import math

import numpy

from . import _webnn
from .errors import DataError, TypeError
from .model import Model, _shared, shown

__all__ = ["BatchMap"]

# A task shorter than this costs more to send than to run.
SHORTEST_TASK = 0.010  # seconds


def _worker():
    """The dask worker that this thread belongs to, or None."""
    try:
        from distributed import get_worker

        return get_worker()
    except (ImportError, ValueError, AttributeError):
        return None


class BatchMap:
    """Applies a model with one input to the examples of an array.

    Calls are independent: each may run in any process, again, and at the same time as others. A
    pickled BatchMap has the path of the model and the SHA-256 of its file; each process opens the
    file once. A model without the option threads uses as many as the dask worker.

    The first dimension of the input counts the examples. A model for n examples at a time runs on n
    of them, and the last time on the rest and zeros; a model that leaves the dimension open runs on
    all examples of a call.
    """

    def __init__(self, model, outputs=None):
        if not isinstance(model, Model):
            model = Model(model)
        if len(model.inputs) != 1:
            raise TypeError(f"map_batches: the model has {len(model.inputs)} inputs, not 1.",
                            "map_batches")
        (self.input, d), = model.inputs.items()
        self.shape, self.data_type = d["shape"], d["dataType"]
        self.dtype = _webnn._dtype(self.data_type)
        if not self.shape:
            raise TypeError("map_batches: the input of the model is a scalar.", "map_batches")
        self._require_sizes(f"input {self.input}", self.shape)
        self.outputs = tuple(outputs or model.outputs)
        self.output_types = {}
        for name in self.outputs:
            if name not in model.outputs:
                raise TypeError(f"map_batches: the model has no output {name}.", "map_batches")
            o = model.outputs[name]
            shape = o["shape"] or ()  # None: even the number of dimensions is open
            if not shape or shape[0] != self.shape[0]:
                raise TypeError(
                    f"map_batches: the first dimension of the output {name} {list(shape)} is not "
                    f"that of the input ({self.shape[0]}).", "map_batches")
            self._require_sizes(f"output {name}", shape)
            self.output_types[name] = (_webnn._dtype(o["dataType"]), shape[1:])
        model.sha256  # reads the file as it is now
        self.model = model

    @staticmethod
    def _require_sizes(what, shape):
        for n in shape[1:]:
            if isinstance(n, str):
                raise TypeError(
                    f"map_batches: the dimension {n} of the {what} {shown(shape)} is open, and only "
                    f"that of the examples may be: load the model with dimensions.", "map_batches")

    def _opened(self):
        worker = _worker()
        model = self.model
        try:
            if worker is not None and model.options["threads"] == 0:
                threads = getattr(worker, "state", worker).nthreads
                model = _shared(model.data if model.path is None else model.path, model.sha256,
                                dict(model.options, threads=threads))
            return model.open()
        except (DataError, OSError) as e:
            if worker is None:
                raise
            what = str(e) if isinstance(e, DataError) else f"{model} cannot be read: {e.strerror}."
            raise DataError(
                f"worker {worker.address}: {what} It is to be the file with the SHA-256 "
                f"{self.model.sha256}.", "load", str(model)) from None

    def array(self, examples):
        """The examples as an array. Examples without a data type get the type of the input."""
        typed = hasattr(examples, "dtype")
        if not isinstance(examples, numpy.memmap):
            examples = numpy.asarray(examples) if typed else \
                _webnn._converted(examples, self.data_type)
        if examples.shape[1:] != tuple(self.shape[1:]) or not examples.shape:
            raise TypeError(
                f"map_batches: the shape of an example {list(examples.shape[1:])} is not that of "
                f"the input {list(self.shape[1:])}.", "map_batches")
        if examples.dtype != self.dtype and (examples.dtype, self.dtype) != ("bool", "uint8"):
            raise TypeError(
                f"map_batches: the type of the examples ({examples.dtype}) is not that of the input "
                f"({self.data_type}).", "map_batches")
        return examples

    def __call__(self, examples):
        """A dict of arrays, with a row for each example."""
        model = self._opened()
        examples = self.array(examples)
        count, n = len(examples), self.shape[0]
        if isinstance(n, str):
            n = max(count, 1)
        results = {name: numpy.empty((count, *shape), dtype)
                   for name, (dtype, shape) in self.output_types.items()}
        compute, graph = model.context.compute, model.graph
        for i in range(0, count - count % n, n):
            # What another machine sent may begin at any byte.
            compute(graph, {self.input: numpy.require(examples[i:i + n], None, ["C", "ALIGNED"])},
                    {name: r[i:i + n] for name, r in results.items()})
        if rest := count % n:
            last = numpy.zeros(self.shape, examples.dtype)
            last[:rest] = examples[-rest:]
            for name, values in compute(graph, {self.input: last}).items():
                if name in results:
                    results[name][-rest:] = values[:rest]
        return results

    def batch(self):
        """The number of examples that take at least 10 milliseconds."""
        n, dimensions = self.shape[0], None
        if isinstance(n, str):
            n, dimensions = 1, {n: 1}
        runs = self.model.bench(seconds=0.05, warmup=0.02, dimensions=dimensions)
        return n * math.ceil(1.5 * SHORTEST_TASK / (runs["median"] / 1e6))

    def map(self, executor, examples, batch=None):
        """Runs all examples by an executor with submit(), such as the two of concurrent.futures.

        At most a few batches for each worker are under way. Returns a dict of arrays.
        """
        examples = self.array(examples)
        batch = batch or self.batch()
        window = 4 * (getattr(executor, "_max_workers", None) or 16)
        pending, done = collections.deque(), []
        for i in range(0, len(examples), batch):
            if len(pending) == window:
                done.append(pending.popleft().result())
            pending.append(executor.submit(self, examples[i:i + batch]))
        done.extend(f.result() for f in pending)
        return self.joined(done)

    def joined(self, parts):
        """The results of batches, one after the other."""
        if not parts:
            return {name: numpy.empty((0, *shape), dtype)
                    for name, (dtype, shape) in self.output_types.items()}
        return {name: numpy.concatenate([p[name] for p in parts]) for name in self.outputs}
