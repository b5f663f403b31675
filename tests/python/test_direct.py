"""Arrays on the workers of dask.distributed: batches that do not go through the scheduler."""

import builtins
import contextlib
import os
import signal
import socket
import threading
import time

import numpy
import pytest

import webnn
from networks import write_network
from webnn.batches import BatchMap

distributed = pytest.importorskip("distributed")
import webnn.dask  # noqa: E402
from webnn import array_run, direct  # noqa: E402


@pytest.fixture
def seen(monkeypatch):
    """What exchanges have done: their batches that were sent, received, and came with a task."""

    class Seen(direct.Exchange):
        all = []

        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.sent, self.put_there = [], []
            Seen.all.append(self)

        def _answer(self, connection, index):
            self.sent.append(index)
            super()._answer(connection, index)

        def put(self, index, results):
            self.put_there.append(index)
            super().put(index, results)

    monkeypatch.setattr(direct, "Exchange", Seen)
    return Seen.all


def test_order_and_each_batch_once(cluster, path, examples, expected, seen):
    for batch in (1, 10, 103, 200):
        result = webnn.dask.map_batches(path, examples, batch=batch, client=cluster)
        assert result["y"].tobytes() == expected.tobytes()
        count = -(-103 // batch)
        assert sorted(seen[-1].sent) == list(range(count)) and not seen[-1].put_there
    # Nothing stays behind.
    assert not os.path.exists(seen[-1]._folder)
    plugins = cluster.run(lambda dask_worker: [p for p in dask_worker.plugins if "webnn" in p])
    assert list(plugins.values()) == [[], []]
    assert not [t for t in threading.enumerate() if t.name == "webnn-exchange"]


def test_bounded_window(cluster, path, examples, monkeypatch):
    """The scheduler has few tasks at a time, and a worker few batches."""
    tasks = []
    submit = array_run.ArrayRun._submit
    monkeypatch.setattr(array_run.ArrayRun, "_submit", lambda run, *arguments: (
        submit(run, *arguments), tasks.append(len(run.tasks)))[0])
    webnn.dask.map_batches(path, examples, batch=2, client=cluster)
    assert len(tasks) == 52 and max(tasks) == 2 * array_run.WINDOW


class Worker:
    address, nthreads = "tcp://127.0.0.1:1", 1


@pytest.fixture
def pair(path, examples):
    """An exchange and a link in one process."""
    mapper = BatchMap(webnn.load(path, threads=1))
    exchange = direct.Exchange(examples, 10, mapper.output_types, "127.0.0.1")
    link = exchange.link(mapper, "webnn_batch-1-")
    link.setup(Worker)
    yield exchange, link
    link.teardown(Worker)
    exchange.close()


@pytest.mark.parametrize("local", [True, False])
def test_link(pair, expected, local):
    exchange, link = pair
    if not local:
        link.local = "/nowhere"
    for index in reversed(range(11)):
        link.run(index)
    assert exchange.results["y"].tobytes() == expected.tobytes() and all(exchange.done)
    assert len(link._idle) == 1  # one connection for all of them


def test_a_worker_fetches_few_batches_ahead(pair, expected):
    exchange, link = pair
    for index in range(11):
        link.transition(f"webnn_batch-1-{index}", "waiting", "ready")
        link.transition(f"another-{index}", "waiting", "ready")
    assert sorted(link._ahead) == [0, 1]
    assert [len(link._ahead[i].result()) for i in (0, 1)] == [10, 10]
    link.transition("webnn_batch-1-1", "ready", "released")  # another worker took it
    assert sorted(link._ahead) == [0]
    link.transition("webnn_batch-1-0", "ready", "executing")
    link.run(0)
    assert not link._ahead
    assert exchange.results["y"][:10].tobytes() == expected[:10].tobytes()


def test_a_batch_is_not_computed_again(pair):
    """The results came, and then the worker was lost: its task runs again."""
    _, link = pair
    link.run(3)
    link.mapper = None
    link.run(3)
    with pytest.raises(builtins.TypeError):  # "not callable"
        link.run(4)


def test_strangers_get_nothing(pair):
    exchange, link = pair
    for secret in (b"0" * 32, b"0"):
        with socket.create_connection(exchange.address) as s:
            s.sendall(secret + direct._REQUEST.pack(1, 0))
            with contextlib.suppress(OSError):  # it may be closed by now
                s.shutdown(socket.SHUT_WR)
            try:
                assert s.recv(1) == b""
            except ConnectionResetError:
                pass
    for request in (direct._REQUEST.pack(1, 11), direct._REQUEST.pack(3, 0)):
        with socket.create_connection(exchange.address) as s:
            s.sendall(link.secret + request)
            assert s.recv(1) == b""
    assert not any(exchange.done)


def test_results_that_do_not_end(pair, expected):
    """A worker that is lost in the middle of its results; then another has them."""
    exchange, link = pair
    with socket.create_connection(exchange.address) as s:
        s.sendall(link.secret + direct._REQUEST.pack(2, 0) + b"\1" * 100)
    time.sleep(0.05)
    assert not any(exchange.done)
    link.run(0)
    assert exchange.results["y"][:10].tobytes() == expected[:10].tobytes()


def test_workers_that_cannot_connect(cluster, path, examples, expected, seen, monkeypatch):
    link = direct.Exchange.link

    def nowhere(exchange, *arguments):
        made = link(exchange, *arguments)
        with socket.create_server(("127.0.0.1", 0)) as closed:
            made.address = closed.getsockname()
        made.local = "/nowhere"
        return made

    monkeypatch.setattr(direct.Exchange, "link", nowhere)
    result = webnn.dask.map_batches(path, examples, batch=10, client=cluster)
    assert result["y"].tobytes() == expected.tobytes()
    assert sorted(seen[-1].put_there) == list(range(11)) and not seen[-1].sent


def test_a_cluster_with_encryption_has_no_sockets(cluster, path, examples, expected, seen,
                                                  monkeypatch):
    monkeypatch.setattr(cluster.security, "require_encryption", True)
    result = webnn.dask.map_batches(path, examples, batch=10, client=cluster)
    assert result["y"].tobytes() == expected.tobytes()
    assert sorted(seen[-1].put_there) == list(range(11)) and seen[-1].address is None


def test_a_mapped_file(cluster, tmp_path, path, examples, expected, seen, monkeypatch):
    numpy.save(tmp_path / "examples.npy", examples)
    mapped = numpy.load(tmp_path / "examples.npy", mmap_mode="r")
    result = webnn.dask.map_batches(path, mapped, batch=10, client=cluster)
    assert result["y"].tobytes() == expected.tobytes() and not seen[-1].sent
    # Parts, and arrays that can change, are sent.
    for array in (mapped[:50], numpy.load(tmp_path / "examples.npy", mmap_mode="c")):
        result = webnn.dask.map_batches(path, array, batch=10, client=cluster)
        assert result["y"].tobytes() == expected[:len(array)].tobytes() and seen[-1].sent
    # So is a file that is another one on the machine of the worker.
    described = direct.mapped_file
    monkeypatch.setattr(direct, "mapped_file", lambda array: {**described(array), "mtime": 1})
    result = webnn.dask.map_batches(path, mapped, batch=10, client=cluster)
    assert result["y"].tobytes() == expected.tobytes()
    assert sorted(seen[-1].sent) == list(range(11))


def test_a_file_that_a_worker_does_not_have(cluster, path, examples):
    model = webnn.load(path, threads=1)
    sha256 = model.sha256
    os.rename(path, path + ".away")
    for reason in ("cannot be read", "the SHA-256 of the file is"):
        with pytest.raises(webnn.DataError) as caught:
            webnn.dask.map_batches(model, examples, batch=10, client=cluster)
        assert "worker tcp://" in str(caught.value) and sha256 in str(caught.value)
        assert reason in str(caught.value)
        write_network(path, layers=3)


def test_a_worker_that_is_killed(tmp_path, seen):
    """The run ends with all results, once each."""
    path = write_network(tmp_path / "slow.webnn", units=256, layers=12)
    examples = numpy.random.default_rng(2).standard_normal((600, 256)).astype("float32")
    model = webnn.load(path, threads=1)
    expected = numpy.concatenate([model(e[None])["y"] for e in examples])
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            victim = list(client.run(os.getpid).values())[0]
            batches = []

            def kill():
                while not seen or sum(seen[-1].done) < 5:
                    time.sleep(0.001)
                os.kill(victim, signal.SIGKILL)
                batches.append(sum(seen[-1].done))

            thread = threading.Thread(target=kill)
            thread.start()
            result = webnn.dask.map_batches(path, examples, batch=5, client=client)
            thread.join()
            assert 5 <= batches[0] < 120
    assert result["y"].tobytes() == expected.tobytes()
    assert set(seen[-1].sent) == set(range(120)) and not seen[-1].put_there


def test_the_only_worker_is_lost(tmp_path, seen, monkeypatch):
    """Another process takes its place, at another address: the run ends with an error."""
    monkeypatch.setattr(array_run, "LOST", 2)
    path = write_network(tmp_path / "slow.webnn", units=256, layers=12)
    examples = numpy.zeros((2000, 256), "float32")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            chosen, victim = list(client.run(os.getpid).items())[0]

            def kill():
                while not seen or sum(seen[-1].done) < 5:
                    time.sleep(0.001)
                os.kill(victim, signal.SIGKILL)

            thread = threading.Thread(target=kill)
            thread.start()
            with pytest.raises(webnn.OperationError, match=f"none of the workers .{chosen}."):
                webnn.dask.map_batches(path, examples, batch=5, client=client, workers=chosen)
            thread.join()
            assert sum(seen[-1].done) < 400
            # The others are as they were.
            result = webnn.dask.map_batches(path, examples[:20], batch=5, client=client)
            assert len(result["y"]) == 20
    assert not [t for t in threading.enumerate() if t.name.startswith("webnn")]


@pytest.mark.parametrize("count, shortest, nbytes, batch", [
    (2000, 2, 2000 * 602112, 20),    # 10 of the shortest tasks
    (400, 2, 400 * 602112, 12),      # 16 tasks for each thread
    (10, 2, 10 * 602112, 2),         # not less than the shortest
    (2000, 2, 2000 << 22, 8),        # 32 MB
    (100000, 16, 0, 160)])
def test_automatic_batch(count, shortest, nbytes, batch):
    run = array_run.ArrayRun.__new__(array_run.ArrayRun)
    run.threads = 2
    run.mapper = type("Mapper", (), {"batch": lambda self: shortest})()

    class Examples:
        def __len__(self):
            return count

    Examples.nbytes = nbytes
    assert run._batch(Examples()) == batch


def test_progress(cluster, path, examples, capsys):
    webnn.dask.map_batches(path, examples, batch=10, client=cluster, progress=True)
    shown = capsys.readouterr().out
    assert f"[{'#' * 40}] | 100% Completed" in shown and shown.count("\r") == 11
    webnn.dask.map_batches(path, examples, batch=10, client=cluster)
    assert not capsys.readouterr().out


def test_arguments(cluster, path, examples):
    empty = webnn.dask.map_batches(path, examples[:0], client=cluster)
    assert empty["y"].shape == (0, 16) and empty["y"].dtype == "float32"
    rows = webnn.dask.map_batches(path, [[0.5] * 16] * 3, client=cluster)
    assert rows["y"].shape == (3, 16) and (rows["y"] == rows["y"][0]).all()
    for wrong in (examples[:, :3], examples.astype("float64"), numpy.float32(1)):
        with pytest.raises(webnn.TypeError, match="map_batches: the (shape|type) of"):
            webnn.dask.map_batches(path, wrong, client=cluster)
    with pytest.raises(webnn.TypeError, match="batch \\(0\\) is less than 1"):
        webnn.dask.map_batches(path, examples, batch=0, client=cluster)
    with pytest.raises(webnn.TypeError, match="no worker tcp://127.0.0.1:1"):
        webnn.dask.map_batches(path, examples, workers=["tcp://127.0.0.1:1"], client=cluster)
    with pytest.raises(webnn.TypeError, match="no output z"):
        webnn.dask.map_batches(path, examples, outputs=["z"], client=cluster)


def test_asynchronous_clients(path, examples):
    client = type("Client", (), {"asynchronous": True})()
    with pytest.raises(webnn.TypeError, match="the client is asynchronous"):
        webnn.dask.map_batches(path, examples, client=client)


@pytest.mark.parametrize("started", [0, 1])
def test_no_thread_for_the_sockets(path, examples, monkeypatch, started):
    """Where the system starts no thread, the scheduler moves the examples."""
    mapper = BatchMap(webnn.load(path, threads=1))
    start, count = threading.Thread.start, []

    def refuse(thread):
        count.append(thread)
        if len(count) > started:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    exchange = direct.Exchange(examples, 10, mapper.output_types, "127.0.0.1")
    assert exchange.address is None and len(count) == started + 1
    assert not any(thread.is_alive() for thread in exchange._threads)
    exchange.close()


def test_no_thread_for_a_connection(pair, monkeypatch):
    """The worker sees the end of the connection, and the next one is served."""
    exchange, link = pair
    start = threading.Thread.start

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(OSError):
        link._fetch(0)
    monkeypatch.setattr(threading.Thread, "start", start)
    link.run(0)
    assert exchange.done[0]


def test_a_run_without_threads(cluster, path, examples, expected, monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(direct.Exchange, "_start", refuse)
    monkeypatch.setattr(array_run._Watch, "start", refuse)
    workers = list(cluster.scheduler_info()["workers"])
    results = webnn.dask.map_batches(path, examples, batch=30, client=cluster, workers=workers)
    assert results["y"].tobytes() == expected.tobytes()
