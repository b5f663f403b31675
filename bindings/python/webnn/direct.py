"""Batches that go from a client of dask.distributed to its workers, past the scheduler.

An Exchange, in the process of the client, has the examples and a place for the results. A Link, in
each worker, fetches the batch of a task over a separate connection and sends the results back. A
task that runs again, because its worker was lost, fetches its batch again.

A connection begins with a secret, which the scheduler gives to the workers, and is then a row of
requests: an operation and the number of a batch. TAKE is answered by one byte, and the examples of
the batch unless it is DONE. GIVE is followed by the results, and answered by one byte.
"""

import concurrent.futures
import hmac
import mmap
import os
import secrets
import shutil
import socket
import struct
import tempfile
import threading
import time

import numpy
from distributed import get_worker
from distributed.diagnostics.plugin import WorkerPlugin

from .errors import OperationError

__all__ = ["Batches", "Exchange", "Link", "Unreachable", "mapped_file", "run"]

_REQUEST = struct.Struct("<BQ")
_TAKE, _GIVE = 1, 2
_HERE, _DONE = b"\1", b"\2"
_SECRET_BYTES = 32
CONNECT_TIMEOUT = 10.0  # seconds
AHEAD = 2  # batches that a worker of one thread has at most, besides that which it computes


class Unreachable(OperationError):
    """A worker cannot connect to the client."""


def _bytes_of(array):
    """The memory of a contiguous array, of whatever type."""
    return memoryview(array.reshape(-1).view("uint8"))


def _receive(connection, array):
    """Fills a contiguous array."""
    rest = _bytes_of(array)
    while len(rest):
        n = connection.recv_into(rest)
        if n == 0:
            raise ConnectionError("the connection was closed")
        rest = rest[n:]


def _receive_bytes(connection, count):
    data = numpy.empty(count, "uint8")
    _receive(connection, data)
    return data.tobytes()


def mapped_file(array):
    """Where the elements of a numpy.memmap that cannot be written are in its file, else None."""
    if not (isinstance(array, numpy.memmap) and isinstance(array.base, mmap.mmap) and
            array.mode == "r" and array.filename and array.flags.c_contiguous):
        return None
    status = os.stat(array.filename)
    return {"path": os.path.abspath(array.filename), "offset": array.offset,
            "size": status.st_size, "mtime": status.st_mtime_ns}


class Batches:
    """Which examples are in which batch, and of what type they and their results are."""

    def __init__(self, examples, batch, output_types):
        self.total, self.batch = len(examples), batch
        self.count = -(-self.total // batch)
        self.dtype, self.shape = examples.dtype, examples.shape[1:]
        self.output_types = output_types

    def rows(self, index):
        return slice(index * self.batch, min((index + 1) * self.batch, self.total))

    def __len__(self):
        return self.count


class Exchange:
    """The examples and the results in the process of the client, and sockets for the workers.

    host: the address of this machine for the workers; None: no sockets.
    address: where it listens; None: nowhere.
    results: a dict of arrays, with a row for each example, written when a batch is done.
    """

    def __init__(self, examples, batch, output_types, host):
        self.batches = Batches(examples, batch, output_types)
        self.examples = examples
        self.results = {name: numpy.empty((len(examples), *shape), dtype)
                        for name, (dtype, shape) in output_types.items()}
        self.done = bytearray(self.batches.count)
        self._secret = secrets.token_bytes(_SECRET_BYTES)
        self._lock = threading.Lock()
        self._closed = False
        self._connections, self._threads = [], []
        self._folder, self._listeners, self.address = None, [], None
        if host is not None:
            self._listen(host)

    def _listen(self, host):
        # Workers on this machine use the socket in this folder, which costs a third of TCP.
        self._folder = tempfile.mkdtemp(prefix="webnn-")
        listeners = self._listeners
        if hasattr(socket, "AF_UNIX"):
            local = socket.socket(socket.AF_UNIX)
            try:
                local.bind(os.path.join(self._folder, "socket"))
                local.listen()
                listeners.append(local)
            except OSError:  # the name of the folder is too long
                local.close()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listeners.append(socket.create_server((host, 0), family=family))
        self.address = listeners[-1].getsockname()[:2]
        try:
            for listener in listeners:
                self._start(self._accept, listener)
        except RuntimeError:  # the system starts no thread: the scheduler moves the examples
            self.close()
            self.address = None

    def _start(self, function, argument):
        thread = threading.Thread(target=function, args=(argument,), daemon=True,
                                  name="webnn-exchange")
        thread.start()
        self._threads.append(thread)

    def link(self, mapper, prefix):
        """What the workers get. prefix: of the keys of the tasks, before the number of a batch."""
        return Link(mapper, self.batches, prefix, self._secret, self.address,
                    os.path.join(self._folder, "socket"), mapped_file(self.examples))

    def put(self, index, results):
        """Stores the results of a batch, those that came in another way."""
        rows = self.batches.rows(index)
        for name, r in self.results.items():
            r[rows] = results[name]
        self.done[index] = 1

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                if self._closed:
                    return
                time.sleep(0.1)  # too many open files, for now
                continue
            with self._lock:
                if self._closed:
                    connection.close()
                    return
                try:
                    self._start(self._serve, connection)
                    self._connections.append(connection)
                except RuntimeError:  # the system starts no thread: the worker sees the end
                    connection.close()

    def _serve(self, connection):
        try:
            with connection:
                if connection.family != getattr(socket, "AF_UNIX", None):
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.settimeout(CONNECT_TIMEOUT)
                if not hmac.compare_digest(_receive_bytes(connection, _SECRET_BYTES), self._secret):
                    return
                connection.settimeout(None)
                while True:
                    operation, index = _REQUEST.unpack(_receive_bytes(connection, _REQUEST.size))
                    if index >= self.batches.count:
                        return
                    if operation == _TAKE:
                        self._answer(connection, index)
                    elif operation == _GIVE:
                        for r in self.results.values():
                            _receive(connection, r[self.batches.rows(index)])
                        self.done[index] = 1
                        connection.sendall(_HERE)
                    else:
                        return
        except OSError:
            pass  # a worker that is lost; others run its tasks
        finally:
            with self._lock:
                if connection in self._connections:
                    self._connections.remove(connection)

    def _answer(self, connection, index):
        if self.done[index]:
            connection.sendall(_DONE)
            return
        connection.sendall(_HERE)
        connection.sendall(_bytes_of(numpy.ascontiguousarray(
            self.examples[self.batches.rows(index)])))

    def close(self):
        """Ends all connections; then nothing writes results anymore."""
        with self._lock:
            self._closed = True
            for s in (*self._listeners, *self._connections):
                try:
                    s.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        for listener in self._listeners:
            listener.close()
        for thread in self._threads:
            thread.join()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


class Link(WorkerPlugin):
    """The side of a worker: runs the model on a batch, and fetches the next ones meanwhile."""

    def __init__(self, mapper, batches, prefix, secret, address, local, file):
        self.mapper, self.batches, self.prefix = mapper, batches, prefix
        self.secret, self.address, self.local, self.file = secret, address, local, file

    def __reduce__(self):
        return Link, (self.mapper, self.batches, self.prefix, self.secret, self.address, self.local,
                      self.file)

    def setup(self, worker):
        self._worker = worker.address
        self._limit = max(AHEAD, getattr(worker, "state", worker).nthreads)
        self._lock = threading.Lock()
        self._idle = []  # connections
        self._unreachable = None
        self._ahead = {}  # by the number of the batch: futures of its examples
        self._fetcher = concurrent.futures.ThreadPoolExecutor(1, "webnn-fetch")
        self._mapped = self._map()

    def teardown(self, worker):
        self._fetcher.shutdown(wait=False)
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _map(self):
        """The examples, if this machine has the same file, else None."""
        if self.file is None:
            return None
        try:
            status = os.stat(self.file["path"])
            if (status.st_size, status.st_mtime_ns) != (self.file["size"], self.file["mtime"]):
                return None
            return numpy.memmap(self.file["path"], self.batches.dtype, "r", self.file["offset"],
                                (self.batches.total, *self.batches.shape))
        except OSError:
            return None

    # The plugin's part: what the worker is to run soon is fetched.

    def transition(self, key, start, finish, **kwargs):
        if self._mapped is not None or not isinstance(key, str) or not key.startswith(self.prefix):
            return
        index = int(key[len(self.prefix):])
        with self._lock:
            if finish == "ready" and len(self._ahead) < self._limit:
                try:
                    self._ahead[index] = self._fetcher.submit(self._fetch, index)
                except RuntimeError:  # it is shut down
                    pass
            elif finish not in ("ready", "executing"):
                future = self._ahead.pop(index, None)
                if future is not None:
                    future.cancel()

    # In the thread of a task.

    def run(self, index):
        examples = self._take(index)
        if examples is None:
            return
        results = self.mapper(examples)
        with self._request(_GIVE, index) as connection:
            for name in self.batches.output_types:
                connection.sendall(_bytes_of(results[name]))
            _receive_bytes(connection, 1)

    def _take(self, index):
        if self._mapped is not None:
            return self._mapped[self.batches.rows(index)]
        with self._lock:
            future = self._ahead.pop(index, None)
        if future is None or future.cancel():
            return self._fetch(index)
        return future.result()

    def _fetch(self, index):
        """The examples of a batch, or None if its results are there."""
        with self._request(_TAKE, index) as connection:
            if _receive_bytes(connection, 1) == _DONE:
                return None
            rows = self.batches.rows(index)
            examples = numpy.empty((rows.stop - rows.start, *self.batches.shape),
                                   self.batches.dtype)
            _receive(connection, examples)
        return examples

    def _request(self, operation, index):
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = self._connect()
        try:
            connection.sendall(_REQUEST.pack(operation, index))
        except OSError:
            connection.close()
            raise
        return _Request(self, connection)

    def _connect(self):
        if self._unreachable is None:
            try:
                connection = self._socket()
            except OSError as e:
                self._unreachable = str(e)
            else:
                return self._introduced(connection)
        raise Unreachable(f"map_batches: worker {self._worker} cannot connect to the "
                          f"client at {self.address[0]}: {self._unreachable}.", "map_batches")

    def _introduced(self, connection):
        """The connection, after the secret. A client that ends it has nothing against the next."""
        try:
            connection.sendall(self.secret)
        except OSError:
            connection.close()
            raise
        return connection

    def _socket(self):
        if os.path.exists(self.local):
            local = socket.socket(socket.AF_UNIX)
            try:
                local.connect(self.local)
                return local
            except OSError:  # another machine's, in a folder that both have
                local.close()
        connection = socket.create_connection(self.address, CONNECT_TIMEOUT)
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        return connection


class _Request:
    """A connection that is idle again when its request has ended well."""

    def __init__(self, link, connection):
        self.link, self.connection = link, connection

    def __enter__(self):
        return self.connection

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.connection.close()
            return
        with self.link._lock:
            self.link._idle.append(self.connection)


def run(name, index):
    """A task: a batch by the Link that has this name on its worker."""
    get_worker().plugins[name].run(index)
