"""Models on many machines, with dask.distributed as the scheduler.

    from distributed import Client
    import webnn.dask

    client = Client("tcp://scheduler:8786")
    results = webnn.dask.map_batches("/data/net.tflite", images)

The file of the model has to be at the same path on each worker; its weights are mapped there, not
sent.
"""

import math
import operator

import numpy

from .batches import BatchMap
from .errors import TypeError


__all__ = ["generate", "map_batches"]


def _client(client):
    if client is not None:
        return client
    from distributed import default_client

    return default_client()


def _map_dask_array(mapper, array, batch):
    """A lazy array for each output. Chunks are read on the workers that have them."""
    import dask
    import dask.array

    mapper.array(array._meta[:0].reshape(0, *array.shape[1:]))  # the type and the shape are right
    array = array.rechunk({d: -1 for d in range(1, array.ndim)})
    if batch is not None:
        array = array.rechunk({0: batch})
    run = dask.delayed(mapper, pure=False)
    parts = [run(block) for block in array.to_delayed().reshape(-1)]
    return {
        name: dask.array.concatenate([
            dask.array.from_delayed(part[name], (count, *shape), dtype)
            for part, count in zip(parts, array.chunks[0])])
        for name, (dtype, shape) in mapper.output_types.items()
    }


def _map_items(mapper, batch, items):
    """Examples of a partition of a bag, in batches: a dict for each."""
    items = list(items)
    for i in range(0, len(items), batch):
        results = mapper(numpy.stack(items[i:i + batch]))
        for row in range(len(items[i:i + batch])):
            yield {name: r[row] for name, r in results.items()}


def _map_frame(mapper, batch, frame):
    """Rows of a partition of a data frame: a column for each element of each output."""
    import pandas

    rows = frame.to_numpy().astype(mapper.dtype).reshape(-1, *mapper.shape[1:])
    parts = [mapper(rows[i:i + batch]) for i in range(0, len(rows), batch)]
    results = mapper.joined(parts)
    columns = {}
    for name, r in results.items():
        flat = r.reshape(len(r), math.prod(r.shape[1:]))
        for k in range(flat.shape[1]):
            columns[name if flat.shape[1] == 1 else f"{name}_{k}"] = flat[:, k]
    return pandas.DataFrame(columns, index=frame.index)


def map_batches(model, data, *, batch=None, workers=None, client=None, outputs=None,
                progress=False):
    """The outputs of a model with one input for each example of the data.

    model: a Model or a path. batch: the number of examples in a task, by default as many as take at
    least 10 ms; the chunks of a dask array stay as they are.

    For an array (numpy), whose first dimension counts the examples, it runs now, and returns a dict
    of arrays. workers: the addresses of workers, by default all. progress: whether to show a bar
    like dask's. The workers fetch their batches from this process and send the results to it;
    workers that cannot connect to it get them from the scheduler. For a numpy.memmap of mode "r"
    they read the file, if they have it.

    For a dask array, bag (of arrays) or dataframe (a row for each example), it returns, without
    running, a dict of dask arrays, a bag of dicts, or a dataframe; compute(workers=...) chooses the
    workers.

    Tasks have no state and may be run again: a worker that is lost loses no results. An array for
    which all of the chosen workers are lost for half a minute is an OperationError.
    """
    mapper = BatchMap(model, outputs)
    if batch is not None and operator.index(batch) < 1:
        raise TypeError(f"map_batches: batch ({batch}) is less than 1.", "map_batches")
    module = type(data).__module__.split(".")[:2]
    if module[0] == "dask" or hasattr(data, "__dask_graph__"):
        if hasattr(data, "rechunk"):
            return _map_dask_array(mapper, data, batch)
        if hasattr(data, "map_partitions") and hasattr(data, "columns"):
            batch = batch or mapper.batch()
            meta = _map_frame(mapper, batch, data._meta)
            return data.map_partitions(lambda frame: _map_frame(mapper, batch, frame), meta=meta)
        if hasattr(data, "map_partitions"):
            batch = batch or mapper.batch()
            return data.map_partitions(lambda items: list(_map_items(mapper, batch, items)))
        raise TypeError(f"map_batches: {type(data).__name__} is not an array, bag or dataframe.",
                        "map_batches")
    from .array_run import map_array

    return map_array(mapper, _client(client), mapper.array(data), batch, workers, progress)


def _generated(model, prompts, options):
    """The texts of some prompts, on a worker, which loads the model once for each process."""
    return [model.generate(prompt, **options).rest() for prompt in prompts]


def generate(model, prompts, *, batch=None, workers=None, client=None, **options):
    """The texts that follow prompts, in their order: a list of str.

    model: a webnn.lm.Model or a path, of a file that each worker has. It is loaded once in each
    process of the workers. A Model uses as many threads as it was loaded with; a path, as many as
    its worker has. prompts: each a str or tokens. options: those of webnn.lm.Model.generate(), for
    all prompts. All prompts have the same seed, so a text does not depend on where and when it is
    made. batch: the number of prompts in a task, by default so many that each thread of the workers
    has four tasks. workers: the addresses of workers, by default all.

    Raises what Model.generate() raises for a prompt or an option, and then cancels the rest. Tasks
    have no state and are run again when their worker is lost.
    """
    from . import lm

    if isinstance(prompts, (str, bytes)):
        raise TypeError("generate: prompts is one text, not a list of them.", "generate")
    prompts = list(prompts)
    if batch is not None and operator.index(batch) < 1:
        raise TypeError(f"generate: batch ({batch}) is less than 1.", "generate")
    client = _client(client)
    known = client.scheduler_info()["workers"]
    chosen = [w for address, w in known.items() if workers is None or address in workers]
    if not isinstance(model, lm.Model):
        threads = min((w["nthreads"] for w in chosen), default=1)
        model = lm.Model(model, threads=threads)  # not loaded in this process
    lm._check_options(options)
    if not prompts:
        return []
    if batch is None:
        tasks = 4 * max(sum(w["nthreads"] for w in chosen), 1)
        batch = max(math.ceil(len(prompts) / tasks), 1)
    parts = [prompts[i:i + batch] for i in range(0, len(prompts), batch)]
    futures = client.map(_generated, [model] * len(parts), parts, [options] * len(parts),
                         pure=False, workers=workers, key="webnn-generate")
    try:
        return [text for part in client.gather(futures) for text in part]
    finally:
        client.cancel(futures)
