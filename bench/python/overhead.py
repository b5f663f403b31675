"""What a call from Python costs: one add on four floats, in microseconds."""

import statistics
import time

import numpy

import webnn


def median(f, calls=20000, rounds=9):
    times = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for _ in range(calls):
            f()
        times.append((time.perf_counter_ns() - start) / calls / 1000)
    return statistics.median(times)


def main():
    context = webnn.MLContext(threads=1)
    b = webnn.MLGraphBuilder(context)
    x, y = (b.input(n, dataType="float32", shape=[4]) for n in "xy")
    graph = b.build({"z": b.add(x, y)})
    inputs = {n: numpy.ones(4, "float32") for n in "xy"}
    outputs = {"z": numpy.empty(4, "float32")}
    print(f"compute(graph, inputs, outputs)  {median(lambda: context.compute(graph, inputs, outputs)):.2f}")
    print(f"compute(graph, inputs)           {median(lambda: context.compute(graph, inputs)):.2f}")
    print(f"numpy.add(x, y, out)             {median(lambda: numpy.add(inputs['x'], inputs['y'], outputs['z'])):.2f}")


if __name__ == "__main__":
    main()
