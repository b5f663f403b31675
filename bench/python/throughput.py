"""MobileNetV2 over many images: by the model alone, by dask workers, and by processes without dask,
each of one thread, in turns. Prints images per second and ratios, medians of the rounds.

    python3 throughput.py [images] [rounds]
"""

import multiprocessing
import statistics
import sys
import tempfile
import time

import mobilenet_v2
import numpy
from distributed import Client, LocalCluster

import webnn
import webnn.dask

DIFFERENT = 50  # images; the others are copies


def work(path, images, count, ready, start, ended):
    """A process without dask, which has its images."""
    model = webnn.load(path, threads=1)
    model(images[:1])
    ready.put(True)
    start.wait()
    for i in range(count):
        model(images[i % DIFFERENT][None])
    ended.put(True)


def plain(processes, path, images, count):
    """Images per second."""
    multi = multiprocessing.get_context("fork")
    ready, ended, start = multi.Queue(), multi.Queue(), multi.Event()
    all_of_them = [multi.Process(target=work, args=(path, images, count // processes, ready, start,
                                                    ended)) for _ in range(processes)]
    for p in all_of_them:
        p.start()
        ready.get()
    began = time.perf_counter()
    start.set()
    for p in all_of_them:
        ended.get()
    seconds = time.perf_counter() - began
    for p in all_of_them:
        p.join()
    return count / seconds


def dask(model, images, workers, client, expected):
    """Images per second."""
    began = time.perf_counter()
    result = webnn.dask.map_batches(model, images, workers=workers, client=client)["scores"]
    seconds = time.perf_counter() - began
    assert (result.reshape(-1, *expected.shape) == expected).all(), "other results"
    return len(images) / seconds


def main(count, rounds):
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/mobilenet_v2.webnn"
        mobilenet_v2.write(path)
        some = numpy.random.default_rng(2).random((DIFFERENT, 224, 224, 3), dtype="float32")
        images = numpy.concatenate([some] * (count // DIFFERENT))
        numpy.save(folder + "/images.npy", images)
        mapped = numpy.load(folder + "/images.npy", mmap_mode="r")
        model = webnn.load(path, threads=1)
        expected = numpy.concatenate([model(i[None])["scores"] for i in some])
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0",
                          memory_limit=0) as cluster, Client(cluster) as client:
            both = list(client.scheduler_info()["workers"])
            for workers in (both[:1], both):  # opens the model
                dask(model, images[:100], workers, client, expected)
            ways = {
                "1 process": lambda: plain(1, path, some, len(images)),
                "1 worker": lambda: dask(model, images, both[:1], client, expected),
                "2 processes": lambda: plain(2, path, some, len(images)),
                "2 workers": lambda: dask(model, images, both, client, expected),
                "1 worker, a file": lambda: dask(model, mapped, both[:1], client, expected),
                "2 workers, a file": lambda: dask(model, mapped, both, client, expected),
            }
            speeds = {name: [] for name in ways}
            for _ in range(rounds):
                for name, run in ways.items():
                    speeds[name].append(run())
                print(", ".join(f"{name} {s[-1]:.1f}" for name, s in speeds.items()), flush=True)
            m = {name: statistics.median(s) for name, s in speeds.items()}
            print("medians: " + ", ".join(f"{name} {s:.1f}" for name, s in m.items()))
            for a, b in (("2 workers", "1 worker"), ("2 processes", "1 process"),
                         ("1 worker", "1 process"), ("2 workers", "2 processes"),
                         ("2 workers, a file", "1 worker, a file"),
                         ("2 workers, a file", "2 processes")):
                ratios = statistics.median(x / y for x, y in zip(speeds[a], speeds[b]))
                print(f"{a} / {b}: {ratios:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000,
         int(sys.argv[2]) if len(sys.argv) > 2 else 5)
