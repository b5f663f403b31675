"""Every operator: the graph of a text, built again by the methods of MLGraphBuilder."""

import inspect
import json
import os
import re

import numpy
import pytest

import webnn
from webnn import _webnn

FOLDER = os.environ.get("WEBNN_OPERATOR_TEXTS", "")
TEXTS = sorted(os.listdir(FOLDER)) if FOLDER and os.path.isdir(FOLDER) else []
SHORT = {"f32": "float32", "f16": "float16", "i32": "int32", "u32": "uint32", "i64": "int64",
         "u64": "uint64", "i8": "int8", "u8": "uint8", "i4": "int4", "u4": "uint4", "bf16": "bfloat16",
         "f8e4m3": "float8e4m3"}
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\w./$+-]+|[\[\](),=]')


SHAPE_OPERATORS = {"shape", "rank", "dimension", "range", "squeeze", "unsqueeze", "reshapeTo2d",
                   "reshapeDynamic", "expandDynamic", "tileDynamic", "sliceDynamic", "padDynamic",
                   "splitDynamic", "resample2dDynamic"}


def operators():
    return [name for name, entry in _webnn.MLContext(threads=1).opSupportLimits().items()
            if isinstance(entry, dict) and "output" in entry or
            isinstance(entry, dict) and ("outputs" in entry or "output0" in entry)]


class Values:
    """The arguments of an operator in a text: operands and options."""

    def __init__(self, text, operands):
        self.tokens = TOKEN.findall(text)
        self.operands = operands
        self.args, self.kwargs = [], {}
        while self.tokens:
            if len(self.tokens) > 1 and self.tokens[1] == "=":
                name = self.tokens.pop(0)
                self.tokens.pop(0)
                self.kwargs[name] = self.value()
            else:
                self.args.append(self.value())
            if self.tokens:
                assert self.tokens.pop(0) == ","

    def value(self):
        token = self.tokens.pop(0)
        if token == "[":
            items = []
            while self.tokens[0] != "]":
                items.append(self.value())
                if self.tokens[0] == ",":
                    self.tokens.pop(0)
            self.tokens.pop(0)
            return items
        if token[0] == '"':
            return json.loads(token)
        if token in ("true", "false", "null"):
            return {"true": True, "false": False, "null": None}[token]
        if token in self.operands:
            return self.operands[token]
        return int(token) if re.fullmatch(r"-?\d+", token) else float(token)


def rebuilt(text, builder):
    """The outputs of a text of the form that export writes."""
    operands, outputs, block = {}, {}, ""
    for line in (line.strip() for line in text.split("\n")):
        if m := re.fullmatch(r"(inputs|consts|nodes|outputs) \{.*", line):
            block = m[1]
            if block == "outputs":
                outputs.update({n: operands[n] for n in re.findall(r"([\w./$]+);", line)})
        elif block in ("inputs", "consts") and line.endswith(";"):
            name, type, shape, rest = re.fullmatch(
                r"([\w./$]+): (\w+)\[([\d, ]*)\](.*);", line).groups()
            d = {"dataType": SHORT[type], "shape": [int(s) for s in shape.split(",") if s.strip()]}
            if block == "inputs":
                operands[name] = builder.input(name, d)
            elif m := re.fullmatch(r" @bytes\(\[(.*)\]\)", rest):
                values = bytes(int(v) for v in m[1].split(","))
                operands[name] = builder.constant(d, values)
            else:
                v = Values(re.fullmatch(r" @scalar\((.*)\)", rest)[1], {}).args[0]
                v = float(v) if isinstance(v, str) else v
                if d["dataType"] in ("bfloat16", "float8e4m3"):  # numpy has neither
                    assert d["shape"] == []
                    operands[name] = builder.constant(d["dataType"], v)
                else:
                    operands[name] = builder.constant(d, numpy.full(d["shape"], v, d["dataType"]))
        elif block == "nodes" and (m := re.fullmatch(r"([\w./$]+) = ([\w./$]+);", line)):
            operands[m[1]] = operands[m[2]]
        elif block == "nodes" and line.endswith(";"):
            names, op, arguments = re.fullmatch(r"(\[.*\]|[\w./$]+) = (\w+)\((.*)\);", line).groups()
            values = Values(arguments, operands)
            args = values.args
            if op == "concat":  # a list is written as one operand after the other
                args = [[a for a in args if isinstance(a, webnn.MLOperand)]] + [
                    a for a in args if not isinstance(a, webnn.MLOperand)]
                if args[0] == []:
                    args = args[1:]
            result = getattr(builder, op)(*args, **values.kwargs)
            if names[0] == "[":
                operands.update(zip(re.findall(r"[\w./$]+", names), result))
            else:
                operands[names] = result[0] if isinstance(result, list) else result
        elif block == "outputs":
            outputs.update({n: operands[n] for n in re.findall(r"([\w./$]+);", line)})
    return outputs


def without_labels(text):
    """The importer gives an operator the name of its result as label."""
    return re.sub(r'(, )?label="[^"]*"', "", text).replace(" {}", "")


@pytest.mark.skipif(not TEXTS, reason="the texts of the operators are not there")
@pytest.mark.parametrize("file", TEXTS)
def test_operator(file, context):
    path = os.path.join(FOLDER, file)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    builder = webnn.MLGraphBuilder(context)
    imported = webnn.importModel(builder, path)
    expected = builder.build(dict(imported["outputs"]))
    builder = webnn.MLGraphBuilder(context)
    outputs = rebuilt(text, builder)  # names with other characters are in comments
    names = [name for name, _ in imported["outputs"]]
    graph = builder.build(dict(zip(names, outputs.values())))
    assert without_labels(graph.text()) == without_labels(expected.text())
    random = numpy.random.default_rng(3)
    inputs = {}
    for name, d in graph.inputs.items():
        count = (int(numpy.prod(d["shape"], dtype="int64")) *
                 {"4": 4, "8": 8, "6": 16, "2": 32}.get(re.sub(r"\D", "", d["dataType"])[-1], 64))
        if d["dataType"] == "bfloat16":  # numbers from 0.5 to 2, as their bits
            inputs[name] = random.integers(0x3f00, 0x4000, d["shape"]).astype("uint16")
        elif d["dataType"] == "float8e4m3":
            inputs[name] = random.integers(0x30, 0x40, d["shape"]).astype("uint8")
        elif "float" in d["dataType"]:
            inputs[name] = random.uniform(0.5, 2, d["shape"]).astype(d["dataType"])
        elif d["dataType"].endswith("int4"):
            inputs[name] = random.integers(0, 256, (count + 7) // 8, dtype="uint8")
        else:
            inputs[name] = random.integers(0, 2, d["shape"]).astype(d["dataType"])
    for (name, a), (other, b) in zip(context.compute(graph, inputs).items(),
                                     context.compute(expected, inputs).items()):
        assert a.tobytes() == b.tobytes()


def test_every_operator_has_a_method():
    names = operators()
    assert len(names) >= 97
    for name in names:
        method = getattr(webnn.MLGraphBuilder, name)
        first = inspect.getdoc(method).split("\n")[0]
        assert first.startswith(name + "(") and "label=''" in first
    if TEXTS:  # operators on shapes have texts of open graphs, and tests in test_open_shapes.py
        assert {t.split("_")[0] for t in TEXTS} == set(names) - SHAPE_OPERATORS


def test_stub_has_every_operator():
    with open(os.path.join(os.path.dirname(webnn.__file__), "_webnn.pyi"), encoding="utf-8") as f:
        stub = f.read()
    compile(stub, "_webnn.pyi", "exec")
    for name in operators():
        in_stub = re.search(rf"    def {name}\(self, (.*)\) -> (.*): \.\.\.", stub)
        in_doc = re.match(rf"{name}\((.*)\) -> (.*)",
                          inspect.getdoc(getattr(webnn.MLGraphBuilder, name)))
        names = lambda text: re.findall(r"(?:^|, )(\w+|\*)(?=[:=,]|$)", re.sub(r"\[[^()]*?\](?=[,= )]|$)", "", text))
        assert names(in_stub[1]) == names(in_doc[1]), name
        assert in_stub[2] == in_doc[2]


def test_stub_has_every_public_name():
    with open(os.path.join(os.path.dirname(webnn.__file__), "_webnn.pyi"), encoding="utf-8") as f:
        stub = f.read()
    for cls in (webnn.MLContext, webnn.MLGraph, webnn.MLGraphBuilder, webnn.MLOperand,
                webnn.MLTensor):
        for name in vars(cls):
            if not name.startswith("_"):
                assert f"    def {name}(" in stub, name
    for name in vars(_webnn):
        if not name.startswith("_"):
            assert f"def {name}(" in stub or f"class {name}:" in stub, name
