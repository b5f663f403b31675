"""Text for many prompts on the workers of a dask.distributed cluster."""

import os

import pytest

import webnn
import webnn.lm

pytest.importorskip("distributed")
import webnn.dask  # noqa: E402

MODEL = os.path.join(os.environ["WEBNN_LM_FILES"], "model.gguf")
OPTIONS = dict(max_tokens=12, temperature=1.5, seed=3, ignore_end=True)


@pytest.fixture(scope="module")
def prompts():
    return [f"w{260 + i} w{300 + i * 7 % 50}" for i in range(23)]


@pytest.fixture(scope="module")
def expected(prompts):
    model = webnn.lm.load(MODEL, threads=1)
    return [model.generate(prompt, **OPTIONS).rest() for prompt in prompts]


def test_texts(cluster, prompts, expected):
    assert webnn.dask.generate(MODEL, prompts, client=cluster, **OPTIONS) == expected
    model = webnn.lm.load(MODEL, threads=1)
    assert webnn.dask.generate(model, iter(prompts), client=cluster, batch=5, **OPTIONS) == expected
    one = list(cluster.scheduler_info()["workers"])[:1]
    tokens = [model.tokenizer.encode(prompt) for prompt in prompts]
    assert webnn.dask.generate(model, tokens, client=cluster, workers=one, **OPTIONS) == expected
    assert webnn.dask.generate(model, [], client=cluster) == []


def test_prompts_are_spread_and_models_loaded_once(cluster, prompts):
    model = webnn.lm.load(MODEL, threads=1, batch=7)  # options that no other test has
    webnn.dask.generate(model, prompts, client=cluster, batch=1, **OPTIONS)

    def loaded():
        from webnn import lm

        return [m._opened is not None for m in lm._models.values() if m._options == {"batch": 7}]

    found = cluster.run(loaded)
    assert len(found) == 2 and all(v == [True] for v in found.values())


def test_errors(cluster, prompts, tmp_path):
    with pytest.raises(FileNotFoundError):
        webnn.dask.generate(tmp_path / "none.gguf", prompts, client=cluster)
    with pytest.raises(webnn.TypeError, match="max_token is not one of its options"):
        webnn.dask.generate(MODEL, prompts, client=cluster, max_token=3)
    with pytest.raises(webnn.TypeError, match="batch \\(0\\)"):
        webnn.dask.generate(MODEL, prompts, client=cluster, batch=0)
    with pytest.raises(webnn.TypeError, match="prompts"):
        webnn.dask.generate(MODEL, "w300", client=cluster)
    with pytest.raises(webnn.TypeError, match="room for 256"):
        webnn.dask.generate(MODEL, [*prompts, "w300 " * 300], client=cluster, **OPTIONS)
