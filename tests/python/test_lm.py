"""Language models: the texts and vectors that the library makes of the same files in C++."""

import asyncio
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import threading
import time

import numpy
import pytest

import webnn
import webnn._lm_options
import webnn.lm

FILES = os.environ["WEBNN_LM_FILES"]
MODEL = os.path.join(FILES, "model.gguf")
SAMPLED = dict(max_tokens=48, temperature=2, top_k=300, top_p=0.9, min_p=0.001,
               repetition_penalty=1.25, seed=7, ignore_end=True)


def contents(name):
    with open(os.path.join(FILES, name), "rb") as file:
        return file.read()


@pytest.fixture(scope="module")
def model():
    return webnn.lm.load(MODEL, threads=1)


def test_texts(model):
    pieces = list(model.generate("w300 w301", max_tokens=24, ignore_end=True))
    assert len(pieces) > 5 and all(pieces)
    assert "".join(pieces).encode() == contents("greedy.txt")
    assert model.generate("w300 w301", **SAMPLED).rest().encode() == contents("sampled.txt")
    biased = model.generate("w300 w301", **SAMPLED, repetition_window=8, stop=["never", "w300w"],
                            bias={3 + 0xc3: 12, 3 + 0xa9: 12.0}, stop_tokens=numpy.array([511]))
    assert biased.rest().encode() == contents("biased.txt")


def test_what_a_generation_says(model):
    tokens = model.tokenizer.encode("w300 w301")
    text = model.generate(tokens, max_tokens=24, ignore_end=True)
    assert text.report.finish_reason == "none" and text.tokens == []
    first = next(text)
    assert text.report.tokens >= 1 and text.report.finish_reason == "none"
    assert (first + text.rest()).encode() == contents("greedy.txt")
    report = text.report
    assert report.prompt_tokens == len(tokens) and report.cached_tokens == 0
    assert report.tokens == len(text.tokens) == 24 and report.finish_reason == "length"
    assert report.tokens_per_second > 0 and report.prompt_tokens_per_second > 0
    assert report.tokens_per_second == pytest.approx(23 / report.seconds)
    assert list(text) == []
    for _ in range(2):  # in the cache that the last one has given back
        again = model.generate("w300 w301", max_tokens=24, ignore_end=True)
        assert again.rest().encode() == contents("greedy.txt")
    assert again.report.cached_tokens == len(tokens) - 1
    by_token = model.generate("w300 w301", max_tokens=24, ignore_end=True,
                              stop_tokens=[text.tokens[3]])
    by_token.rest()
    assert by_token.report.finish_reason == "stop" and len(by_token.tokens) <= 4
    assert model.generate("w300", bias={2: 1e6}).rest() == ""
    with model.generate("w300", max_tokens=0, ignore_end=True) as full:
        while full.report.finish_reason == "none":
            next(full, None)
    assert full.report.finish_reason == "capacity"


def test_stopping_early(model):
    for piece in (text := model.generate("w300 w301", max_tokens=24, ignore_end=True)):
        break
    text.close()
    assert list(text) == [] and text.rest() == "" and 1 <= len(text.tokens) < 24
    assert text.report.tokens == len(text.tokens)
    stopped = model.generate("w300 w301", max_tokens=24, ignore_end=True)
    next(stopped)
    stopped.stop()
    with pytest.raises(webnn.AbortError):
        next(stopped)


def test_asynchronous_iteration(model):
    async def run():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        text = model.generate("w300 w301", max_tokens=24, ignore_end=True)
        pieces = [piece async for piece in text]
        ticking.cancel()
        assert ticks > 10
        return "".join(pieces)

    assert asyncio.run(run()).encode() == contents("greedy.txt")


def test_other_threads_run_meanwhile(model):
    """Without the GIL, which no thread gives away by itself here."""
    counted, done = 0, threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0)

    def counts_during_a_piece():
        text = model.generate([5] * 200, max_tokens=1, cache=model.cache())
        before = counted
        next(text, None)
        return counted > before

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    thread = threading.Thread(target=count)
    thread.start()
    try:
        assert any(counts_during_a_piece() for _ in range(200))
    finally:
        done.set()
        sys.setswitchinterval(interval)
        thread.join()


def test_one_generation_in_several_threads(model):
    expected = list(model.generate("w300", max_tokens=40, ignore_end=True))
    text = model.generate("w300", max_tokens=40, ignore_end=True)
    cache, found, errors = model.cache(), [], []

    def take():
        try:
            for piece in text:
                found.append(piece)
                model.evaluate(cache, [40])
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=take) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and sorted(found) == sorted(expected) and len(cache) == len(found)


def test_caches(model, tmp_path):
    cache = model.cache()
    assert len(cache) == 0 and cache.capacity == 256 and cache.tokens == []
    logits = model.evaluate(cache, [10, 20, 30], 2)
    assert logits.shape == (2, 512) and logits.dtype == numpy.float32
    assert cache.tokens == [10, 20, 30]
    fork = cache.fork()
    cache.save(tmp_path / "saved")
    loaded = model.load_cache(tmp_path / "saved")
    cache.trim(0)
    assert len(cache) == 0 and len(fork) == len(loaded) == 3
    fork.trim(2)
    loaded.trim(2)
    again = model.evaluate(fork, [30])
    assert again.tobytes() == model.evaluate(loaded, [30]).tobytes()
    numpy.testing.assert_allclose(again[0], logits[1], rtol=0, atol=1e-3 * abs(logits).max())
    with pytest.raises(webnn.TypeError, match="size \\(4\\)"):
        fork.trim(4)
    for tokens, rows in [([], 0), ([512], 1), ([-1], 1), ([1], 2), ([5] * 300, 1)]:
        with pytest.raises(webnn.TypeError):
            model.evaluate(fork, tokens, rows)
    assert len(fork) == 3
    used = model.cache()
    options = dict(max_tokens=24, ignore_end=True)
    first = model.generate("w300 w301", cache=used, **options)
    assert first.rest().encode() == contents("greedy.txt")
    again = model.generate("w300 w301", cache=used, **options)
    assert again.rest().encode() == contents("greedy.txt")
    assert again.report.cached_tokens == again.report.prompt_tokens - 1
    text = model.generate("w300 w301", cache=used, **options)
    used.trim(1)
    with pytest.raises(webnn.InvalidStateError, match="the cache was changed"):
        next(text)
    with pytest.raises(webnn.DataError):
        model.load_cache(MODEL)
    with pytest.raises(FileNotFoundError):
        model.load_cache(tmp_path / "none")
    with pytest.raises(OSError):
        used.save(tmp_path / "none" / "saved")
    other = webnn.lm.load(MODEL, threads=1)
    with pytest.raises(webnn.TypeError, match="another model"):
        other.generate("w300", cache=used)
    with pytest.raises(webnn.TypeError, match="is not a Cache"):
        model.generate("w300", cache=3)


def test_conversations(model):
    chat = model.chat([{"role": "system", "content": "w310"}])
    options = dict(max_tokens=8, ignore_end=True)
    first = chat.send("w300", **options).rest()
    second = chat.send("w301", **options)
    text = f"{first}\n{second.rest()}"
    assert text.encode() == contents("chat.txt")
    assert second.report.cached_tokens > 0
    roles = [m["role"] for m in chat.messages]
    assert roles == ["system", "user", "assistant", "user", "assistant"]
    assert chat.messages[2]["content"] == first
    assert chat.forgotten == 0
    for _ in range(200):
        chat.send("w301", **options).rest()
        if chat.forgotten > 0:
            break
    assert chat.forgotten > 0
    bad = model.chat([{"role": "bad", "content": "x", "tool_calls": [{"é": 1}]}])
    assert bad.messages == [{"role": "bad", "content": "x", "tool_calls": [{"é": 1}]}]
    with pytest.raises(webnn.TypeError, match="no bad roles"):
        bad.send("w300")
    for messages in ["x", 3, ["x"], [{"content": "x"}], [{"role": "user", "content": object()}]]:
        with pytest.raises(webnn.TypeError):
            model.chat(messages)


def test_templates(model):
    messages = [{"role": "user", "content": "w310"}]
    tools = [{"name": "w5"}]
    apply = model.tokenizer.apply_chat_template
    assert apply(messages) == "user w310 "
    assert apply(messages, tools=tools) == apply(messages, tools='[{"name": "w5"}]') \
        == "w5 user w310 "
    template = webnn.lm.ChatTemplate("{{ messages[0].name + greeting + bos_token }}"
                                     "{{ strftime_now('%Y') }}")
    message = {"role": "user", "content": None, "name": "é"}
    more = dict(variables={"greeting": "ö"}, bos_token="<s>", time=86400 * 366)
    assert template.apply([message], **more) == "éö<s>1971"
    assert pickle.loads(pickle.dumps(template)).apply([message], **more) == "éö<s>1971"
    with pytest.raises(webnn.OperationError):
        long = webnn.lm.ChatTemplate("{% for i in range(9999) %}{{ i }}{% endfor %}")
        long.apply([], max_steps=99)
    with pytest.raises(webnn.DataError):
        webnn.lm.ChatTemplate("{% if")
    with pytest.raises(webnn.TypeError, match="tools cannot be written as JSON"):
        template.apply([message], tools=[object()])


def test_vectors():
    model = webnn.lm.load(os.path.join(FILES, "embeddings.gguf"))
    vectors = model.embed(["w300 w301", "w7"])
    assert vectors.dtype == numpy.float32 and vectors.shape == (2, 64)
    assert vectors.tobytes() == contents("embeddings.f32")
    assert model.embed("w7").tobytes() == vectors[1].tobytes()
    assert model.embed_tokens(model.tokenizer.encode("w7")).tobytes() == vectors[1].tobytes()
    assert model.embed([]).shape == (0, 64)
    with pytest.raises(webnn.InvalidStateError):
        model.generate("w300")
    with pytest.raises(webnn.InvalidStateError):
        model.cache()
    with pytest.raises(webnn.TypeError):
        model.embed("w300 " * 300)


def test_tokenizer(model):
    t = model.tokenizer
    assert len(t) == 512 and (t.bos, t.eos, t.unk, t.pad) == (1, 2, 0, None)
    assert t.is_special(1) and not t.is_special(300) and t.text_of(1) == "<s>"
    assert t.find("</s>") == 2 and t.find("none") is None
    assert "for m in messages" in t.chat_template
    tokens = t.encode("w300 é€😀")
    assert tokens[0] == 1 and t.encode("w300", add_special=False)[0] != 1
    assert "é€😀" in t.decode(tokens)
    assert t.decode([1, 300], skip_special=False).startswith("<s>")
    stream = webnn.lm.TokenStream(t)
    assert [stream.put(3 + byte) for byte in "€".encode()] == ["", "", "€"]
    assert stream.put(3 + 0xe2) == "" and stream.finish() == "\ufffd"
    for other in [webnn.lm.Tokenizer.open(MODEL), pickle.loads(pickle.dumps(t)),
                  pickle.loads(pickle.dumps(webnn.lm.Tokenizer.open(MODEL)))]:
        assert other.encode("w300 é€😀") == tokens
    with pytest.raises(webnn.TypeError, match="512"):
        t.decode([512])
    with pytest.raises(webnn.TypeError):
        t.decode([2 ** 40])
    with pytest.raises(webnn.TypeError, match="is not a str"):
        t.encode("\ud800")
    with pytest.raises(webnn.TypeError, match="add_specials is not one of its options: add_sp"):
        t.encode("x", add_specials=True)
    with pytest.raises(webnn.DataError):
        webnn.lm.Tokenizer.from_json("{}")
    json = '{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}'
    small = webnn.lm.Tokenizer.from_json(json)
    assert small.encode("abb") == pickle.loads(pickle.dumps(small)).encode("abb") == [2, 1]


def test_sampler(model):
    cache = model.cache()
    tokens = model.tokenizer.encode("w300 w301")
    sampler = webnn.lm.Sampler(log_probabilities=3)
    chosen, logits = [], model.evaluate(cache, tokens)
    while len(chosen) < 24:
        sample = sampler.sample(logits, cache.tokens)
        chosen.append(sample.token)
        logits = model.evaluate(cache, [sample.token])
    text = model.generate(tokens, max_tokens=24, ignore_end=True)
    text.rest()
    assert chosen == text.tokens
    row = numpy.array([1, 3, 2], "float32")
    sample = sampler.sample(row)
    exact = row.astype("float64") - numpy.log(numpy.exp(row.astype("float64")).sum())
    assert sample.token == 1 and [token for token, _ in sample.best] == [1, 2, 0]
    numpy.testing.assert_allclose([p for _, p in sample.best], exact[[1, 2, 0]], rtol=1e-6)
    assert sampler.sample(row, allowed=[True, False, True]).token == 2
    assert sampler.sample(list(row)).token == 1
    seed = 2 ** 64 - 1
    assert webnn.lm.Sampler(seed=seed).options["seed"] == seed
    with pytest.raises(webnn.TypeError):
        sampler.sample(row.astype("int32"))


def test_a_cache_of_int8(model):
    other = webnn.lm.load(MODEL, threads=1, cache_type="int8")
    cache, exact = other.cache(), model.cache()
    other.evaluate(cache, [10, 20, 30])
    model.evaluate(exact, [10, 20, 30])
    fork = cache.fork()
    row, expected = other.evaluate(fork, [40])[0], model.evaluate(exact, [40])[0]
    assert len(fork) == 4 and len(cache) == 3
    difference = abs(row - expected).max() / abs(expected).max()
    assert 0 < difference < 0.05


def test_a_grammar_and_a_schema(model):
    text = model.generate("w300", grammar='root ::= "ab" ("," "ab"){3}')
    assert text.rest() == "ab,ab,ab,ab"
    for schema in [{"enum": [True]}, '{"enum": [true]}']:
        assert model.generate("w300", json_schema=schema).rest() == "true"
    with pytest.raises(webnn.TypeError, match="grammar"):
        model.generate("w300", grammar="root ::=", json_schema={})


PERSON = {"type": "object", "additionalProperties": False, "required": ["name", "age"],
          "properties": {"name": {"type": "string", "pattern": "^[a-z]{1,8}$"},
                         "age": {"type": "integer", "minimum": 0, "maximum": 150},
                         "friends": {"type": "array", "items": {"type": "boolean"}, "maxItems": 3}}}


def test_texts_with_a_schema_are_json(model):
    options = dict(max_tokens=300, temperature=2, ignore_end=True)
    texts = [model.generate("w300", json_schema=PERSON, seed=i, **options).rest() for i in range(6)]
    texts += [t.text for t in model.generate_all(
        ["w300", "w301 w302"], json_schema=json.dumps(PERSON), seed=9, **options)]
    for text in texts:
        person = json.loads(text)
        assert re.fullmatch("[a-z]{1,8}", person["name"])
        assert type(person["age"]) is int and 0 <= person["age"] <= 150
        assert all(type(f) is bool for f in person.get("friends", []))
    assert len(set(texts)) > 4


@pytest.mark.parametrize("options, error, message", [
    (dict(grammar="root ::= ("), webnn.TypeError, "line 1"),
    (dict(grammar='a ::= "b"'), webnn.TypeError, "root"),
    (dict(grammar='root ::= root "a" | "b"'), webnn.TypeError, "left recursion"),
    (dict(json_schema='{"type": "obj'), webnn.TypeError, "not JSON"),
    (dict(json_schema={"type": "odd"}), webnn.TypeError, '"odd"'),
    (dict(json_schema={"not": {}}), webnn.NotSupportedError, "not"),
])
def test_grammars_and_schemas_that_are_refused(model, options, error, message):
    with pytest.raises(error, match=message):
        model.generate("w300", **options)
    with pytest.raises(error, match=message):
        model.generate_all(["w300"], **options)


def test_the_program_of_the_guide():
    root = pathlib.Path(__file__).resolve().parents[2]
    page = (root / "docs/guide/language-models.md").read_text(encoding="utf-8")
    program = re.search(r"```python\n(.*?)```", page, re.S)[1]
    out = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True,
                         check=True, timeout=120).stdout
    text, speed = out.removesuffix("\n").rsplit("\n", 1)
    stories = webnn.lm.load(root / "examples/trained/stories.gguf")
    options = dict(max_tokens=64, temperature=0.7, top_p=0.9, seed=1)
    assert text == stories.generate("Once upon a time", **options).rest()
    assert "was a" in text and re.fullmatch(r"[0-9.]+ tokens/s", speed)


def test_samples(model):
    text = model.generate("w300 w301", max_tokens=5, ignore_end=True, log_probabilities=3)
    text.rest()
    for samples in [text.samples, model.generate_all(
            ["w300 w301"], max_tokens=5, ignore_end=True, log_probabilities=3)[0].samples]:
        assert [s.token for s in samples] == text.tokens
        for s in samples:
            assert len(s.best) == 3 and s.best[0] == (s.token, s.log_probability)
            assert 0 > s.best[0][1] >= s.best[1][1] >= s.best[2][1]
    silent = model.generate("w300", max_tokens=2)
    silent.rest()
    assert silent.samples == []


def test_a_batch(model):
    options = dict(max_tokens=24, ignore_end=True)
    batch = model.batch(sequences=2)
    cache = model.cache()
    tokens = model.tokenizer.encode("w300 w301")
    model.evaluate(cache, tokens)
    assert batch.add("w300 w301", **options) == 0
    assert batch.add("w7", **options) == 1
    assert batch.add(tokens, cache=cache, **options) == 2
    assert batch.add("w300", **options) == 3
    batch.cancel(3)
    assert len(batch) == batch.waiting == 4 and batch.running == 0
    texts = {}
    for number, piece in batch:
        texts[number] = texts.get(number, "") + piece
    assert sorted(texts) == [0, 1, 2]
    assert texts[0] == texts[2] == contents("greedy.txt").decode()
    assert texts[1] == model.generate_all(["w7"], **options)[0].text
    assert all(batch.text(n) == text for n, text in texts.items())
    assert [batch.report(n).finish_reason for n in range(4)] == ["length"] * 3 + ["canceled"]
    assert batch.report(2).cached_tokens == len(tokens) - 1 and len(cache) == len(tokens)
    assert len(batch.tokens(0)) == 24 and batch.samples(0) == []
    batch.forget(0)
    assert batch.text(0) == "" and batch.tokens(0) == []
    assert batch.add("w7", **options) == 4
    assert next(iter(batch))[0] == 4
    with pytest.raises(webnn.TypeError, match="there is no sequence 9"):
        batch.text(9)
    with pytest.raises(webnn.TypeError, match="sequences \\(0\\) is not 1 to 1024"):
        model.batch(0)
    with pytest.raises(webnn.TypeError, match="cache"):
        batch.add("w7", cache=3)
    with pytest.raises(webnn.TypeError, match="max_token is not one"):
        batch.add("w7", max_token=3)


def test_a_batch_is_stopped_and_goes_on(model):
    batch = model.batch()
    for i in range(4):
        batch.add(f"w{300 + i}", max_tokens=200, ignore_end=True)
    pieces, stopped = [], []

    def read():
        while True:
            try:
                piece = batch.next()
            except webnn.AbortError as e:
                stopped.append(e)
                continue
            if piece is None:
                return
            pieces.append(piece)

    thread = threading.Thread(target=read)
    thread.start()
    while thread.is_alive() and not stopped:
        batch.stop()
        batch.add("w9", max_tokens=1, ignore_end=True)
        time.sleep(0.001)
    thread.join()
    assert stopped and {n for n, _ in pieces} >= {0, 1, 2, 3}
    expected = model.generate_all([f"w{300 + i}" for i in range(4)], max_tokens=200,
                                  ignore_end=True)
    assert [batch.text(n) for n in range(4)] == [e.text for e in expected]


def test_texts_of_many_prompts(model):
    prompts = ["w300 w301", "w7", model.tokenizer.encode("w300 w301")]
    texts = model.generate_all(prompts, sequences=2, max_tokens=24, ignore_end=True)
    assert texts[0].text == texts[2].text == contents("greedy.txt").decode()
    assert texts[0].tokens == texts[2].tokens and len(texts[1].tokens) == 24
    assert texts[1].report.finish_reason == "length"
    assert model.generate_all([]) == []
    with pytest.raises(webnn.TypeError, match="one str"):
        model.generate_all("w300")


@pytest.mark.parametrize("options, message", [
    (dict(max_token=3), "max_token is not one of its options: max_tokens"),
    (dict(maxTokens=3), "maxTokens is not one of its options"),
    (dict(top_p=2), "topP"), (dict(temperature="x"), "temperature \\('x'\\) is not a number"),
    (dict(seed=-1), "seed"), (dict(seed=2 ** 64), "seed"), (dict(max_tokens=1.5), "max_tokens"),
    (dict(stop=3), "stop"), (dict(stop=""), "a stop text is empty"), (dict(bias=3), "bias"),
    (dict(bias={512: 1}), "512"), (dict(stop_tokens=[512]), "512"),
    (dict(stop_tokens="x"), "stop_tokens"), (dict(ignore_end=[]), "ignore_end")])
def test_wrong_options(model, options, message):
    with pytest.raises(webnn.TypeError, match=message):
        model.generate("w300", **options).rest()


def test_errors(model, tmp_path):
    with pytest.raises(FileNotFoundError):
        webnn.lm.load(tmp_path / "none.gguf")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF\3\0\0\0")
    with pytest.raises(webnn.DataError):
        webnn.lm.load(tmp_path / "broken.gguf")
    with pytest.raises(webnn.DataError, match="config.json"):
        webnn.lm.load(tmp_path)
    for options in [dict(cache_type="int32"), dict(cache_type="int9"), dict(batch=0),
                    dict(capacities=3), dict(capacity=-1), dict(release_rows=[])]:
        with pytest.raises(webnn.TypeError):
            webnn.lm.load(MODEL, **options)
    with pytest.raises(webnn.TypeError, match="threads is an option of a context"):
        webnn.lm.load(MODEL, webnn.MLContext(), threads=1)
    for prompt in ["w300 " * 300, [], [512], [-1], 3, None, b"w300"]:
        with pytest.raises(webnn.TypeError):
            model.generate(prompt)
    small = webnn.lm.load(MODEL, capacity=16, cache_type="float32", batch=4, threads=1,
                          release_rows=True)
    assert small.info["capacity"] == 16
    with pytest.raises(webnn.TypeError, match="the cache has room for 16"):
        small.generate("w300 " * 10)
    for made in [webnn.lm.Batch, webnn.lm.Cache, webnn.lm.Generation]:
        with pytest.raises(webnn.TypeError):
            made(None)
    for native in [webnn.lm._lm.Model, webnn.lm._lm.Cache, webnn.lm._lm.Tokenizer]:
        with pytest.raises(TypeError, match="__init__"):
            (native.size if hasattr(native, "size") else native.info)(native.__new__(native))


def test_information(model):
    info = model.info
    assert info["architecture"] == "llama" and info["layers"] == 2 and info["key_heads"] == 2
    assert info["vocabulary"] == 512 and info["context_length"] == info["capacity"] == 256
    assert sum(w["tensors"] for w in info["weights"]) > 10
    assert model.has_tokenizer and model.end_tokens == [2]
    assert model.defaults["max_tokens"] == 256 and model.defaults["temperature"] == 0
    assert "input" in model.graph.explain().lower() or model.graph.inputs


def test_pickled_models(model):
    one, two = (pickle.loads(pickle.dumps(model)) for _ in range(2))
    assert one is two and one is not model
    options = dict(max_tokens=24, ignore_end=True)
    assert one.generate("w300 w301", **options).rest().encode() == contents("greedy.txt")
    assert one.graph is not None and one.path == model.path
    reduce, (path, fingerprint, more) = model.__reduce__()
    assert more["threads"] == 1
    with pytest.raises(webnn.DataError, match="not those of the model that was pickled"):
        reduce(path, fingerprint + 1, more).info
    with pytest.raises(webnn.TypeError, match="cannot be pickled"):
        pickle.dumps(webnn.lm.load(MODEL, webnn.MLContext(threads=1)))


def test_names_of_options():
    """Those of the types are those of the library, and docstrings list them."""
    for name, rows in webnn.lm._lm.options.items():
        types = getattr(webnn._lm_options, name).__annotations__
        assert list(types) == [option for option, _, _ in rows], name
        assert all(re.fullmatch("[A-Z].*\\.", about) for _, about, _ in rows)
    for f, name in [(webnn.lm.load, "LoadOptions"), (webnn.lm.Model.generate, "GenerateOptions"),
                    (webnn.lm.Chat.send, "GenerateOptions"), (webnn.lm.Model.chat, "ChatOptions"),
                    (webnn.lm.Sampler.__init__, "SamplingOptions"),
                    (webnn.lm.Tokenizer.encode, "EncodeOptions")]:
        for option, about, default in webnn.lm._lm.options[name]:
            assert f"  {option}: {about} It is {default!r} by default." in f.__doc__


def test_a_build_without_language_models():
    code = ("import sys, webnn; del webnn._webnn._lm\n"
            "del sys.modules['webnn._webnn._lm']\n"
            "try:\n    import webnn.lm\n"
            "except ModuleNotFoundError as e:\n"
            "    sys.exit('without language models' not in str(e))\n"
            "sys.exit(2)")
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
