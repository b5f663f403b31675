"""webnn.quantize()."""

import math

import numpy
import pytest

import webnn


@pytest.fixture
def network(random):
    context = webnn.MLContext(threads=1, keepConstants=True)
    builder = webnn.MLGraphBuilder(context)
    x = builder.input("x", dataType="float32", shape=[4, 32])
    w = builder.constant(random.standard_normal((32, 48)).astype("float32"), copy=True)
    v = builder.constant(random.standard_normal((48, 40)).astype("float32"), copy=True)
    h = builder.relu(builder.gemm(x, w, label="first"))
    return context, builder.build({"y": builder.gemm(h, v, label="second")})


def samples(random, count=3):
    return [{"x": random.standard_normal((4, 32)).astype("float32")} for _ in range(count)]


def test_quantize(network, random):
    context, graph = network
    runs = samples(random)
    stages = []
    quantized, report = webnn.quantize(graph, context, runs, perChannel=True,
                                       progress=lambda *p: stages.append(p))
    assert report["samples"] == 3
    assert [r["name"] for r in report["operators"]] == ["first", "second"]
    assert all(r["quantized"] and 30 < r["ownSnr"] < 60 for r in report["operators"])
    assert {s[0] for s in stages} == {"calibration", "measurement"}
    if context.backends[0] == "simd":
        assert "int8 gemm" in str(quantized.explain())
    y = context.compute(graph, runs[0])["y"]
    q = context.compute(quantized, runs[0])["y"]
    assert 20 * math.log10(numpy.linalg.norm(y) / numpy.linalg.norm(y - q)) > 30
    assert numpy.abs(y - q).max() <= report["outputs"][0]["maxError"] * 1.05


def test_dynamic_and_kept(network, random):
    context, graph = network
    quantized, report = webnn.quantize(graph, context, dynamic=True)
    assert report["samples"] == 0 and math.isnan(report["operators"][0]["ownSnr"])
    assert quantized.text().count(" = quantizeLinear") == 2
    for options in ({"keepFloat": ["first"]}, {"worstInFloat": 1}):
        quantized, report = webnn.quantize(graph, context, iter(samples(random)), **options)
        assert sum(r["quantized"] for r in report["operators"]) == 1
    for method in ("percentile", "entropy"):
        webnn.quantize(graph, context, samples(random), calibration=method, activations="int8")


def test_what_is_refused(network, random):
    context, graph = network
    for arguments, message in (
        ({}, "there are no samples"),
        ({"samples": [{"z": numpy.zeros((4, 32), "float32")}]}, "\"z\""),
        ({"samples": [{"x": numpy.zeros((4, 31), "float32")}]}, "x"),
        ({"samples": samples(random), "activations": "float32"}, "float32"),
        ({"samples": samples(random), "calibration": "mean"}, "mean"),
        ({"samples": samples(random), "keepFloat": ["third"]}, "third"),
    ):
        with pytest.raises(webnn.TypeError, match=message):
            webnn.quantize(graph, context, **arguments)

    def stop(*_):
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        webnn.quantize(graph, context, samples(random), progress=stop)


def test_open_dimensions(random):
    context = webnn.MLContext(threads=1, keepConstants=True)
    builder = webnn.MLGraphBuilder(context)
    x = builder.input("x", dataType="float32", shape=["rows", 32])
    w = builder.constant(random.standard_normal((32, 48)).astype("float32"), copy=True)
    graph = builder.build({"y": builder.matmul(x, w)})
    runs = [{"x": random.standard_normal((n, 32)).astype("float32")} for n in (2, 5)]
    quantized, report = webnn.quantize(graph, context, runs)
    assert report["outputs"][0]["snr"] > 30
    assert context.compute(quantized, {"x": numpy.ones((7, 32), "float32")})["y"].shape == (7, 48)
