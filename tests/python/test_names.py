"""What `from ... import *` brings."""

import builtins
import importlib
import inspect
import os
import pkgutil

import webnn

PACKAGE = os.path.dirname(webnn.__file__)


def test_no_module_replaces_builtin_names():
    modules = ["webnn"] + ["webnn." + m.name for m in pkgutil.iter_modules([PACKAGE])
                           if m.name != "_webnn"]
    assert {"webnn.errors", "webnn.model", "webnn._files"} <= set(modules)
    for name in modules:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:  # dask
            continue
        names = {}
        exec(f"from {name} import *", names)
        names.pop("__builtins__")
        assert not set(names) & set(vars(builtins)), name
        assert set(names) == set(importlib.import_module(name).__all__), name
    everything = {}
    exec("from webnn import *", everything)
    public = {n for n, v in vars(webnn).items() if not n.startswith("_") and not inspect.ismodule(v)}
    assert public - set(everything) == {"TypeError"}
    assert webnn.TypeError is webnn.errors.TypeError is not TypeError
