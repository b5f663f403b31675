"""A model on an array of numpy, by the workers of a client."""

import contextlib
import itertools
import socket
import threading
import time
import uuid
from concurrent.futures import CancelledError

from distributed import as_completed
from distributed.comm.addressing import get_address_host

from . import direct
from .errors import OperationError, TypeError

__all__ = ["ArrayRun", "map_array"]

WINDOW = 3  # tasks for each thread of a worker that the scheduler has at most
# A task costs some milliseconds: it gets more examples than the fewest that it may have, unless
LONGER = 10  # it takes longer than so many of the shortest ones,
BATCH_BYTES = 1 << 25  # its examples are larger,
BATCHES = 16  # or there are fewer tasks for each thread of a worker.
LOST = 30  # seconds for which all chosen workers may be away: one may come back with its address


class _Bar:
    """The progress bar of dask, for tasks of which only some are known to the scheduler."""

    def __init__(self, total, shown):
        self.total, self.shown = total, shown
        self.start, self.done = time.monotonic(), 0

    def add(self, count):
        self.done += count
        if self.shown:
            part = self.done / self.total
            print(f"\r[{'#' * int(40 * part):<40}] | {int(100 * part):3}% Completed | "
                  f"{time.monotonic() - self.start:6.1f} s", end="", flush=True)

    def close(self):
        if self.shown:
            print()


def _host_for(client):
    """The address by which this machine reaches the scheduler, or None if it cannot have
    sockets."""
    address = client.scheduler.address
    if not address.startswith("tcp://") or client.security.require_encryption:
        return None
    try:
        family, kind, protocol, _, target = socket.getaddrinfo(
            get_address_host(address), 1, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind, protocol) as s:
            s.connect(target)  # sends nothing
            return s.getsockname()[0]
    except OSError:
        return None


class _Watch(threading.Thread):
    """Cancels the tasks of a run whose chosen workers are lost: the scheduler would wait for ever."""

    def __init__(self, run):
        super().__init__(name="webnn-watch", daemon=True)
        self._of, self._ended = run, threading.Event()
        self.lost = False

    def run(self):
        seen = time.monotonic()
        while not self._ended.wait(min(1, LOST / 2)):
            if not self._of.client.nthreads().keys().isdisjoint(self._of.workers):
                seen = time.monotonic()
            elif time.monotonic() - seen > LOST:
                self.lost = True
                self._of.cancel()
                return

    def __enter__(self):
        if self._of.workers:
            try:
                self.start()
            except RuntimeError:  # the system starts no thread, and nothing watches
                pass
        return self

    def __exit__(self, *_):
        self._ended.set()
        if self.is_alive():
            self.join()


class ArrayRun:
    """Runs the batches of an array, with WINDOW tasks under way for each thread of the workers."""

    def __init__(self, mapper, client, examples, batch, workers):
        self.mapper, self.client = mapper, client
        threads = client.nthreads()
        workers = [workers] if isinstance(workers, str) else workers and list(workers)
        for worker in workers or ():
            if worker not in threads:
                raise TypeError(f"map_batches: the cluster has no worker {worker}.", "map_batches")
        self.workers = workers
        self.threads = sum(threads[worker] for worker in workers or threads) or 1
        batch = batch or self._batch(examples)
        self.exchange = direct.Exchange(examples, batch, mapper.output_types, _host_for(client))
        self.prefix = f"webnn_batch-{uuid.uuid4().hex}-"
        self.tasks = {}  # by key: the future, the number of its batch, whether by a Link

    def _batch(self, examples):
        shortest = self.mapper.batch()
        times = min(LONGER, BATCH_BYTES * len(examples) // (shortest * max(1, examples.nbytes)),
                    len(examples) // (shortest * self.threads * BATCHES))
        return shortest * max(1, times)

    def _register(self):
        """The Link of each worker. Without one tasks have their examples with them."""
        if self.exchange.address is None:
            return False
        register = getattr(self.client, "register_plugin", None) or \
            self.client.register_worker_plugin
        try:
            register(self.exchange.link(self.mapper, self.prefix), name=self.prefix)
        except Exception:  # some worker has no webnn; if it gets a task, that says so
            return False
        return True

    def cancel(self):
        self.client.cancel([future for future, _, _ in list(self.tasks.values())])

    def _submit(self, index, directly):
        options = {"workers": self.workers, "pure": False}
        if directly:
            future = self.client.submit(direct.run, self.prefix, index,
                                        key=f"{self.prefix}{index}", **options)
        else:
            examples = self.exchange.examples[self.exchange.batches.rows(index)]
            future = self.client.submit(self.mapper, examples, **options)
        self.tasks[future.key] = future, index, directly
        return future

    def run(self, bar):
        """A dict of arrays, with a row for each example."""
        with contextlib.closing(self.exchange):
            registered = self._register()
            try:
                with _Watch(self) as watch:
                    self._run(registered, bar)
            except CancelledError:
                if not watch.lost:
                    raise
                raise OperationError(
                    f"map_batches: none of the workers ({', '.join(self.workers)}) has been there "
                    f"for {LOST} seconds.", "map_batches") from None
            finally:
                self.cancel()
                if registered:
                    self.client.unregister_worker_plugin(self.prefix)
        assert all(self.exchange.done)
        return self.exchange.results

    def _run(self, directly, bar):
        rest = iter(range(self.exchange.batches.count))
        running = as_completed(self._submit(i, directly)
                               for i in itertools.islice(rest, WINDOW * self.threads))
        for future in running:
            _, index, by_link = self.tasks.pop(future.key)
            if future.cancelled():
                raise CancelledError(future.key)
            if not by_link:
                self.exchange.put(index, future.result())
            elif future.status != "finished":
                try:
                    future.result()  # throws what the task has thrown
                except direct.Unreachable:
                    directly = False
                    running.add(self._submit(index, directly))
                    continue
            bar.add(1)
            for i in itertools.islice(rest, 1):
                running.add(self._submit(i, directly))


def map_array(mapper, client, examples, batch, workers, progress):
    """webnn.dask.map_batches() of an array that BatchMap.array() has checked."""
    if client.asynchronous:
        raise TypeError("map_batches: the client is asynchronous; an array needs one that is not.",
                        "map_batches")
    if len(examples) == 0:
        return mapper.joined([])
    run = ArrayRun(mapper, client, examples, batch, workers)
    bar = _Bar(run.exchange.batches.count, progress)
    try:
        return run.run(bar)
    finally:
        bar.close()
