"""Models in batches: by executors of Python, and by workers of dask.distributed."""

import concurrent.futures
import os
import pickle

import numpy
import pytest

import webnn
from networks import write_network
from webnn.batches import BatchMap

pytest.importorskip("distributed")
import webnn.dask  # noqa: E402


def test_batches(path, examples, expected):
    run = pickle.loads(pickle.dumps(BatchMap(webnn.load(path))))
    assert run(examples)["y"].tobytes() == expected.tobytes()
    assert run(examples[:0])["y"].shape == (0, 16)
    # Newer versions of distributed hand over memory that begins at any byte.
    at_byte_one = numpy.frombuffer(b"0" + examples.tobytes(), "uint8")[1:].view("float32")
    assert not at_byte_one.flags.aligned
    assert run(at_byte_one.reshape(examples.shape))["y"].tobytes() == expected.tobytes()
    with pytest.raises(webnn.TypeError):
        run(examples[:, :3])


@pytest.mark.parametrize("n", [4, 7])
def test_a_model_for_several_examples(tmp_path, examples, expected, n):
    run = BatchMap(webnn.load(write_network(tmp_path / "several.webnn", n)))
    numpy.testing.assert_allclose(run(examples)["y"], expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("executor", [concurrent.futures.ThreadPoolExecutor,
                                      concurrent.futures.ProcessPoolExecutor])
def test_executors(path, examples, expected, executor):
    import multiprocessing

    more = {}
    if executor is concurrent.futures.ProcessPoolExecutor:
        more["mp_context"] = multiprocessing.get_context("spawn")
    with executor(2, **more) as pool:
        result = BatchMap(webnn.load(path, threads=1)).map(pool, examples, batch=10)
    assert result["y"].tobytes() == expected.tobytes()


@pytest.mark.parametrize("n, microseconds, batch", [(1, 1000, 15), (4, 1000, 60), (2, 40000, 2)])
def test_automatic_batch(tmp_path, n, microseconds, batch):
    """At least 10 milliseconds, and half as long again."""
    mapper = BatchMap(webnn.load(write_network(tmp_path / "n.webnn", n), threads=1))
    assert mapper.batch() % n == 0
    mapper.model.bench = lambda **options: {"median": microseconds}
    assert mapper.batch() == batch


def test_array(cluster, path, examples, expected):
    result = webnn.dask.map_batches(path, examples, batch=10, client=cluster)
    assert list(result) == ["y"] and result["y"].tobytes() == expected.tobytes()
    one = list(cluster.scheduler_info()["workers"])[:1]
    result = webnn.dask.map_batches(path, examples, batch=50, client=cluster, workers=one)
    assert result["y"].tobytes() == expected.tobytes()


def test_one_model_for_each_process(cluster, path, examples):
    webnn.dask.map_batches(path, examples, batch=5, client=cluster)

    def models(path):
        from webnn import model

        return [(m.options["threads"], m._opened is not None)
                for key, m in model._models.items() if key[0] == path and m._opened is not None]

    for found in cluster.run(models, path).values():
        assert found == [(1, True)]


def test_collections(cluster, path, examples, expected):
    import dask.array
    import dask.bag

    lazy = webnn.dask.map_batches(path, dask.array.from_array(examples, chunks=(30, 8)), batch=20)
    assert lazy["y"].shape == expected.shape
    assert lazy["y"].compute().tobytes() == expected.tobytes()
    # Chunks stay as they are unless a batch is given.
    lazy = webnn.dask.map_batches(path, dask.array.from_array(examples, chunks=(30, 8)))
    assert lazy["y"].chunks == ((30, 30, 30, 13), (16,))
    assert lazy["y"].compute().tobytes() == expected.tobytes()
    with pytest.raises(webnn.TypeError, match="the type of the examples"):
        webnn.dask.map_batches(path, dask.array.from_array(examples.astype("float64")))
    bag = webnn.dask.map_batches(path, dask.bag.from_sequence(list(examples), npartitions=3),
                                 batch=7)
    assert numpy.stack([r["y"] for r in bag.compute()]).tobytes() == expected.tobytes()


def test_dataframe(cluster, path, examples, expected):
    pandas = pytest.importorskip("pandas")
    dataframe = pytest.importorskip("dask.dataframe")
    frame = dataframe.from_pandas(
        pandas.DataFrame(examples, columns=[f"c{i}" for i in range(16)]), npartitions=3)
    result = webnn.dask.map_batches(path, frame, batch=20).compute()
    assert list(result.columns) == [f"y_{i}" for i in range(16)]
    numpy.testing.assert_array_equal(result.to_numpy(), expected)


def test_a_file_that_a_worker_does_not_have(cluster, tmp_path, examples):
    path = write_network(tmp_path / "gone.webnn")
    mapper = BatchMap(webnn.load(path))
    sha256 = mapper.model.sha256
    os.rename(path, path + ".away")
    with pytest.raises(webnn.DataError) as caught:
        cluster.submit(mapper, examples, pure=False).result()
    assert "worker tcp://" in str(caught.value) and sha256 in str(caught.value)
    write_network(path, layers=3)
    with pytest.raises(webnn.DataError) as caught:
        cluster.submit(mapper, examples, pure=False).result()
    assert "worker tcp://" in str(caught.value) and sha256 in str(caught.value)
    assert "SHA-256 of the file is" in str(caught.value)
