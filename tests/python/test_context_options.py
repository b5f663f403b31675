"""The options of MLContext, which webnn.load() takes too."""

import inspect
import os

import numpy
import pytest

import webnn

PACKAGE = os.path.dirname(webnn.__file__)


def test_context_options():
    defaults = webnn.MLContext._defaults()
    assert list(defaults)[:2] == ["powerPreference", "accelerated"] and defaults["threads"] == 0
    doc = inspect.getdoc(webnn.MLContext.__init__)
    with open(os.path.join(PACKAGE, "_webnn.pyi"), encoding="utf-8") as f:
        stub = f.read()
    for name, value in defaults.items():
        assert f"{name}={value!r}" in doc and f"\n  {name}: " in doc \
            and f"\n    {name}: " in stub and f", {name}: " in stub
        webnn.MLContext(**{name: value})
    assert "One of specification, tests2025." in doc
    webnn.MLContext(threads=numpy.int64(1), backends="reference", keepConstants=numpy.True_)
    assert webnn.MLContext(backends=iter(["reference"])).backends == ["reference"]
    wrong = (
        ({"thread": 1}, "thread is not one of its options: powerPreference, accelerated, threads"),
        ({"threads": 1.5}, "threads (1.5) is not an int"),
        ({"threads": 1 << 40}, "threads (1099511627776) is not between -2147483648 and 2147483647"),
        ({"memoryLimit": -1}, "memoryLimit (-1) is not between 0 and"),
        ({"memoryLimit": 1 << 70}, "memoryLimit (1180591620717411303424) is not between 0 and"),
        ({"keepConstants": "no"}, "keepConstants ('no') is not a bool"),
        ({"rules": "draft"}, "rules ('draft') is not one of specification, tests2025"),
        ({"tuning": None}, "tuning (None) is not one of off, once"),
        ({"backends": 7}, "backends (7) is not a list of str"),
        ({"backends": [7]}, "backends has an item (7) that is not a str"),
        ({"threadPool": None}, "threadPool is not one of its options"),
    )
    for options, reason in wrong:
        with pytest.raises(webnn.TypeError) as caught:
            webnn.MLContext(**options)
        assert str(caught.value).startswith("MLContext: " + reason), caught.value


def test_options_of_a_model_are_those_of_its_context(tmp_path, context, builder):
    x = builder.input("x", dataType="float32", shape=[1])
    path = tmp_path / "net.webnn"
    webnn.exportModel(builder.build({"y": builder.relu(x)}), path)
    for name, value in webnn.MLContext._defaults().items():
        assert webnn.Model(path, **{name: value}).options[name] == value
    model = webnn.load(path, rules="tests2025", backends="reference", accelerated=False)
    assert model.context.backends == ["reference"] and not model.context.accelerated
    with pytest.raises(webnn.TypeError, match="load: thread is not one of its options: format, "):
        webnn.load(path, thread=1)
