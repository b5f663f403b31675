"""The classes of all images of a folder, on a cluster of two worker processes.

    python3 label_images.py net.tflite labels.txt FOLDER
"""

import os
import sys

import dask.bag
import numpy
from distributed import Client, LocalCluster, get_task_stream, progress

import webnn
import webnn.dask


class Read:
    """An image as the model takes it. The model is opened once in each process."""

    def __init__(self, model):
        self.model = model

    def __call__(self, path):
        (image,) = self.model.image(path).values()
        return image[0]


def main(path, labels_path, folder):
    with open(labels_path, encoding="utf-8") as file:
        labels = file.read().splitlines()
    images = sorted(os.path.join(folder, name) for name in os.listdir(folder)
                    if name.lower().endswith((".png", ".jpg", ".jpeg", ".bmp")))
    model = webnn.load(path)
    (output,) = model.outputs
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            print("dashboard:", client.dashboard_link)
            pixels = dask.bag.from_sequence(images, npartitions=8).map(Read(model))
            with get_task_stream() as tasks:
                work = client.compute(webnn.dask.map_batches(model, pixels))
                progress(work, notebook=False)
                scores = work.result()
            print()
            for image, s in zip(images, scores):
                best = int(numpy.argmax(s[output]))
                print(f"{os.path.basename(image)}: {labels[best] if best < len(labels) else best}")
            # What the dashboard shows.
            for address, worker in client.scheduler_info()["workers"].items():
                times = [times for task in tasks.data if task["worker"] == address
                         for times in task["startstops"] if times["action"] == "compute"]
                print(f"{address}: {worker['nthreads']} threads, "
                      f"{worker['metrics']['memory'] >> 20} MB, {len(times)} tasks, "
                      f"{sum(t['stop'] - t['start'] for t in times):.2f} s of computing")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
