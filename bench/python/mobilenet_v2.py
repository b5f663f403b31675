"""MobileNetV2 with random weights, as a .webnn file."""

import numpy

import webnn


def write(path, size=224):
    random = numpy.random.default_rng(1)
    b = webnn.MLGraphBuilder(webnn.MLContext(keepConstants=True))

    def conv(x, channels, kernel, stride=1, depthwise=False, activation=True):
        inputs = x.shape[3]
        groups = inputs if depthwise else 1
        shape = (1, kernel, kernel, channels) if depthwise else (channels, kernel, kernel, inputs)
        scale = numpy.sqrt(2 / (kernel * kernel * inputs / groups))
        filter = b.constant((random.standard_normal(shape) * scale).astype("float32"))
        pad = (kernel - 1) // 2
        padding = [0 if stride == 2 else pad, pad] * 2
        y = b.conv2d(x, filter, bias=b.constant(numpy.zeros(channels, "float32")), padding=padding,
                     strides=[stride, stride], groups=groups, inputLayout="nhwc",
                     filterLayout="ihwo" if depthwise else "ohwi")
        return b.clamp(y, minValue=0, maxValue=6) if activation else y

    y = conv(b.input("image", dataType="float32", shape=[1, size, size, 3]), 32, 3, 2)
    for expansion, channels, repeats, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2),
                                                 (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                                                 (6, 320, 1, 1)):
        for i in range(repeats):
            x, inputs = y, y.shape[3]
            if expansion > 1:
                y = conv(y, inputs * expansion, 1)
            y = conv(y, inputs * expansion, 3, stride if i == 0 else 1, depthwise=True)
            y = conv(y, channels, 1, activation=False)
            if y.shape == x.shape:
                y = b.add(x, y)
    y = b.averagePool2d(conv(y, 1280, 1), layout="nhwc")
    weights = b.constant((random.standard_normal((1280, 1000)) * 0.03).astype("float32"))
    scores = b.softmax(b.gemm(b.reshape(y, [1, 1280]), weights), 1)
    webnn.exportModel(b.build({"scores": scores}), path)
