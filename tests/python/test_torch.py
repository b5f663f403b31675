"""Tensors of PyTorch in and out, and its results as the oracle of those of operators."""

import numpy
import pytest

import webnn
from webnn import _webnn


@pytest.fixture(scope="module")
def torch():
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    return torch


def test_a_network(torch, context, builder):
    """Convolutions, pooling and a product, as a module of torch in double precision."""
    torch.manual_seed(3)
    nn = torch.nn
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1, groups=8),
        nn.Hardswish(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 4 * 4, 10), nn.Softmax(1))
    one, depthwise, linear = net[0], net[2], net[6]
    b = builder
    constant = lambda parameter: b.constant(parameter.detach())
    x = b.input("x", dataType="float32", shape=[2, 3, 16, 16])
    y = b.relu(b.conv2d(x, constant(one.weight), bias=constant(one.bias), padding=[1, 1, 1, 1],
                        strides=[2, 2]))
    y = b.hardSwish(b.conv2d(y, constant(depthwise.weight), bias=constant(depthwise.bias),
                             padding=[1, 1, 1, 1], groups=8))
    y = b.maxPool2d(y, windowDimensions=[2, 2], strides=[2, 2])
    y = b.gemm(b.reshape(y, [2, 8 * 4 * 4]), constant(linear.weight), c=constant(linear.bias),
               bTranspose=True)
    graph = b.build({"y": b.softmax(y, 1)})
    pixels = torch.randn(2, 3, 16, 16)
    result = torch.from_dlpack(context.compute(graph, {"x": pixels})["y"])
    expected = net.double()(pixels.double()).detach()
    assert result.dtype == torch.float32
    assert (result - expected).abs().max().item() < 1e-6


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "int32", "int64", "int8", "uint8"])
def test_nothing_is_copied(torch, name):
    tensor = torch.zeros(3, 4, dtype=getattr(torch, name))
    assert _webnn._view(tensor, name) == {
        "address": tensor.data_ptr(), "bytes": tensor.numel() * tensor.element_size(),
        "dataType": name, "shape": (3, 4)}


def test_results_in_tensors(torch, context, builder):
    graph = builder.build({"y": builder.neg(builder.input("x", dataType="float32", shape=[2, 3]))})
    a, out = torch.arange(6.0).reshape(2, 3), torch.zeros(2, 3)
    assert context.compute(graph, {"x": a}, {"y": out})["y"] is out
    assert torch.equal(out, -a)
    assert torch.equal(torch.from_dlpack(context.compute(graph, {"x": a})["y"]), -a)
    # Other layouts are copied to read them, and refused for results.
    a = torch.arange(6.0).reshape(3, 2).T
    numpy.testing.assert_array_equal(context.compute(graph, {"x": a})["y"], -a.numpy())
    with pytest.raises(webnn.TypeError, match="y .*is not a writable array"):
        context.compute(graph, {"x": a}, {"y": torch.zeros(3, 2).T})
    with pytest.raises(webnn.TypeError, match="x has elements of another type \\(float64\\) than float32"):
        context.compute(graph, {"x": a.double()})
    with pytest.raises(webnn.TypeError, match="x has elements of another type \\(bfloat16\\) than float32"):
        context.compute(graph, {"x": a.bfloat16().contiguous()})


def test_tensors_with_gradients(torch, context, builder):
    """torch does not give them to others; detach() does."""
    graph = builder.build({"y": builder.neg(builder.input("x", dataType="float32", shape=[2]))})
    a = torch.ones(2, requires_grad=True)
    with pytest.raises(Exception, match="detach|requires_grad|gradient"):
        context.compute(graph, {"x": a})
    assert context.compute(graph, {"x": a.detach()})["y"].tolist() == [-1, -1]


def test_bfloat16(torch, context, builder):
    """Tensors of bfloat16 are read and written where they are; torch rounds as the library does."""
    x = builder.input("x", dataType="bfloat16", shape=[64])
    w = torch.linspace(-3, 3, 64).to(torch.bfloat16)
    graph = builder.build({"y": builder.add(x, builder.constant(w))})
    torch.manual_seed(1)
    a, out = torch.randn(64).to(torch.bfloat16), torch.zeros(64, dtype=torch.bfloat16)
    assert context.compute(graph, {"x": a}, {"y": out})["y"] is out
    assert torch.equal(out, a + w)
    bits = context.compute(graph, {"x": a})["y"].view("uint16")
    numpy.testing.assert_array_equal(bits, (a + w).view(torch.int16).numpy().view("uint16"))


def test_casts_to_bfloat16(torch, context, builder):
    """Numbers of all magnitudes, halfway cases, and what is not finite."""
    bits = torch.arange(0, 1 << 32, 65537, dtype=torch.int64).to(torch.int32)
    a = torch.cat([bits.view(torch.float32), torch.tensor([1 + 2**-8, 1 + 3 * 2**-8, 3.4e38, float("inf")])])
    x = builder.input("x", dataType="float32", shape=[len(a)])
    graph = builder.build({"y": builder.cast(x, "bfloat16")})
    out = torch.zeros(len(a), dtype=torch.bfloat16)
    context.compute(graph, {"x": a}, {"y": out})
    expected = a.to(torch.bfloat16)
    assert torch.equal(out.isnan(), expected.isnan())
    there = ~expected.isnan()
    assert torch.equal(out[there].view(torch.int16), expected[there].view(torch.int16))
