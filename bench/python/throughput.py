"""MobileNetV2 over many images with one and with two worker processes of one thread each.

    python3 throughput.py [images]
"""

import sys
import tempfile
import time

import mobilenet_v2
import numpy
from distributed import Client, LocalCluster

import webnn
import webnn.dask


def measure(path, images, workers, client, batch):
    start = time.perf_counter()
    result = webnn.dask.map_batches(path, images, batch=batch, workers=workers, client=client)
    return len(images) / (time.perf_counter() - start), result["scores"]


def main(count):
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/mobilenet_v2.webnn"
        mobilenet_v2.write(path)
        some = numpy.random.default_rng(2).random((50, 224, 224, 3), dtype="float32")
        images = numpy.concatenate([some] * (count // 50))
        model = webnn.load(path, threads=1)
        expected = numpy.concatenate([model(i[None])["scores"] for i in some])
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0",
                          memory_limit=0) as cluster, Client(cluster) as client:
            both = list(client.scheduler_info()["workers"])
            for workers in (both[:1], both):  # opens the model
                measure(path, images[:100], workers, client, 10)
            for _ in range(3):
                one, a = measure(path, images, both[:1], client, 10)
                two, b = measure(path, images, both, client, 10)
                same = all((r.reshape(-1, 50, 1000) == expected).all() for r in (a, b))
                print(f"1 worker {one:.1f} images/s, 2 workers {two:.1f}, ratio {two / one:.2f}, "
                      f"results {'bit-equal' if same else 'DIFFER'}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
