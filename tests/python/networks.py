"""Networks that tests of several files write."""

import numpy

import webnn


def write_network(path, examples=1, units=16, layers=2):
    """y = tanh(x w) again and again, for so many examples at a time."""
    random = numpy.random.default_rng(5)
    b = webnn.MLGraphBuilder(webnn.MLContext(keepConstants=True, threads=1))
    y = b.input("x", dataType="float32", shape=[examples, units])
    for _ in range(layers):
        y = b.tanh(b.matmul(y, b.constant(random.normal(0, 0.3, (units, units)).astype("float32"))))
    webnn.exportModel(b.build({"y": y}), str(path))
    return str(path)
