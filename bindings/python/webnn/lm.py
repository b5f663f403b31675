"""Language models: from a file to text.

    import webnn.lm

    model = webnn.lm.load("model.gguf")          # or a folder of Hugging Face
    for piece in model.generate("Once upon a time", max_tokens=64, temperature=0.7, seed=1):
        print(piece, end="", flush=True)

A build of the library without language models has no such module: importing it is a
ModuleNotFoundError.
"""

from __future__ import annotations

import asyncio
import os
import threading
from typing import (TYPE_CHECKING, Any, AsyncIterator, Dict, Iterable, Iterator, List, Optional,
                    Sequence, Union)

from . import _webnn
from ._lm_batch import Batch, GeneratedText, Report
from ._lm_options import ChatOptions, GenerateOptions, LoadOptions, _lm, documented
from ._lm_text import ChatTemplate, Sample, Sampler, Tokenizer, TokenStream
from .errors import DataError, TypeError
from .model import _CONTEXT_OPTIONS, _context_options

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    Path = Union[str, "os.PathLike[str]"]
    # A dict with "role" and "content", and further members such as "tool_calls".
    Message = Dict[str, Any]


__all__ = ["Batch", "Cache", "Chat", "ChatTemplate", "GeneratedText", "Generation", "Model",
           "Report", "Sample", "Sampler", "TokenStream", "Tokenizer", "load"]


class Cache:
    """The keys and values of the tokens of one sequence; Model.cache() makes it. Calls of several
    threads wait for each other."""

    def __init__(self, native: Any) -> None:
        if not isinstance(native, _lm.Cache):
            raise TypeError("Cache: it is made by Model.cache().", "Cache")
        self._native = native

    def __len__(self) -> int:
        """The number of tokens in the cache."""
        return self._native.size()

    @property
    def capacity(self) -> int:
        """The largest number of tokens that the cache can hold."""
        return self._native.capacity()

    @property
    def tokens(self) -> List[int]:
        """The tokens."""
        return self._native.tokens()

    def trim(self, size: int) -> None:
        """Keeps the first `size` tokens. Raises TypeError if there are fewer."""
        self._native.trim(size)

    def fork(self) -> Cache:
        """Another cache with the same tokens."""
        return Cache(self._native.fork())

    def save(self, path: Path) -> None:
        """Writes the tokens with their keys and values to a file for Model.load_cache()."""
        self._native.save(path)

    def __repr__(self):
        return f"<webnn.lm.Cache of {len(self)} tokens, at most {self.capacity}>"


class Generation(Iterator[str]):
    """Pieces of text, each computed when it is asked for, without the GIL. Pieces are whole
    characters and are not empty. It is also an asynchronous iterator, and a context manager that
    closes it. At its end it gives back its cache."""

    def __init__(self, native: Any) -> None:
        if not isinstance(native, _lm.Generation):
            raise TypeError("Generation: it is made by Model.generate().", "Generation")
        self._native = native
        self._closed = None

    def __iter__(self) -> Generation:
        return self

    def __next__(self) -> str:
        native = self._native
        piece = None if native is None else native.next()
        if piece is None:
            self._release(native)
            raise StopIteration
        return piece

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        native = self._native
        call = None if native is None else \
            asyncio.get_running_loop().run_in_executor(None, native.next)
        try:
            piece = None if call is None else await call
        except asyncio.CancelledError:
            self.stop()
            raise
        if piece is None:
            self._release(native)
            raise StopAsyncIteration
        return piece

    def _release(self, native):
        """Lets others have the cache; what was generated stays."""
        if native is not None and self._native is not None:
            self._closed = (native.tokens(), native.report(), native.samples())
            self._native = None

    def rest(self) -> str:
        """All remaining pieces in one text."""
        return "".join(self)

    def stop(self) -> None:
        """Ends a piece that another thread computes, and all later ones, with AbortError."""
        native = self._native
        if native is not None:
            native.stop()

    def close(self) -> None:
        """Ends the generation without an error, and gives back its cache. What was generated
        stays."""
        native = self._native
        if native is not None:
            native.stop()  # a piece that another thread computes
            self._release(native)

    def __enter__(self) -> Generation:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def tokens(self) -> List[int]:
        """The tokens that were generated so far."""
        native = self._native
        return self._closed[0] if native is None else native.tokens()

    @property
    def samples(self) -> List[Sample]:
        """The same tokens with their probabilities, if the option log_probabilities is not 0; else
        an empty list."""
        native = self._native
        return [Sample(*s) for s in (self._closed[2] if native is None else native.samples())]

    @property
    def report(self) -> Report:
        """Counts of tokens, tokens per second, and the reason why it has ended."""
        native = self._native
        return Report(**(self._closed[1] if native is None else native.report()))


class Chat:
    """A conversation; Model.chat() makes it. Its cache holds what was said, so a turn computes only
    what is new."""

    def __init__(self, native: Any, model: Any) -> None:
        if not isinstance(native, _lm.Chat):
            raise TypeError("Chat: it is made by Model.chat().", "Chat")
        self._native = native
        self._model = model

    @documented(GenerateOptions)
    def send(self, content: str, **options: Unpack[GenerateOptions]) -> Generation:
        """The answer to a message of the user.

        When the answer ends, or when the next message is sent, its text becomes a message of the
        assistant. If the conversation leaves less room in the cache than the answer may take
        (max_tokens, but at most a quarter of the cache), the oldest messages are left out until
        half of the cache is free, except those of the system at the beginning. Raises TypeError if
        the template refuses the messages or if the last one is too long for the cache. Options,
        whose defaults are those of Model.defaults:
        """
        return Generation(self._native.send(self._model, content, options))

    @property
    def messages(self) -> List[Message]:
        """The messages of the conversation so far."""
        return self._native.messages()

    @property
    def forgotten(self) -> int:
        """The number of messages after those of the system that the last answer was computed
        without."""
        return self._native.forgotten()


class Model:
    """A language model; load() makes it. Several threads may use it at once, each with its own
    cache.

    A pickled Model is its path, its options and, if it was loaded, a fingerprint of its weights.
    Each process loads it once, when the model is first used there.
    """

    def __init__(self, path: Path, context: Optional[_webnn.MLContext] = None,
                 **options: Any) -> None:
        self.path = os.path.abspath(os.fspath(path))
        self._context = context
        self._options = {k: v for k, v in options.items() if k not in _CONTEXT_OPTIONS}
        given = {k: v for k, v in options.items() if k in _CONTEXT_OPTIONS}
        known = [name for name, _, _ in _lm.options["LoadOptions"]]
        for name in self._options:
            if name not in known:
                raise TypeError(f"load: {name} is not one of its options: "
                                f"{', '.join((*known, *_CONTEXT_OPTIONS))}.", "load")
        if context is not None and given:
            raise TypeError(f"load: {next(iter(given))} is an option of a context, and a context "
                            "is given.", "load")
        self._context_options = _context_options(given)
        self._fingerprint = None
        self._opened = None
        self._lock = threading.Lock()

    @property
    def _native(self):
        native = self._opened
        if native is None:
            with self._lock:
                if self._opened is None:
                    self._opened = self._load()
                native = self._opened
        return native

    def _load(self):
        context = self._context
        if context is None:
            context = _webnn.MLContext(**self._context_options)
        native = _lm.load(context, self.path, self._options)
        found = native.info()["fingerprint"]
        if self._fingerprint not in (None, found):
            raise DataError(f"load [{self.path}]: its weights are not those of the model that was "
                            "pickled.", "load", self.path)
        self._fingerprint = found
        return native

    @property
    def info(self) -> Dict[str, Any]:
        """A dict of architecture, name, layers, width, heads, key_heads, head_size, vocabulary,
        context_length, capacity of a cache (0: there is none), parameters, a fingerprint of the
        weights, and weights: for each type of the file, what became of its tensors."""
        return self._native.info()

    @property
    def has_tokenizer(self) -> bool:
        """Whether the files have a tokenizer."""
        return self._native.has_tokenizer()

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer. Raises InvalidStateError if the files have none."""
        return Tokenizer._of(self._native.tokenizer(), (_tokenizer_of, (self,)))

    @property
    def defaults(self) -> Dict[str, Any]:
        """The options of sampling in generation_config.json; else the defaults of generate()."""
        return self._native.defaults()

    @property
    def end_tokens(self) -> List[int]:
        """The tokens that end a text."""
        return self._native.end_tokens()

    @property
    def graph(self) -> _webnn.MLGraph:
        """The graph for prompts and steps, for MLGraph.explain() and memory()."""
        return self._native.graph()

    def cache(self) -> Cache:
        """An empty cache. Raises InvalidStateError for a model that does not generate."""
        return Cache(self._native.cache())

    def load_cache(self, path: Path) -> Cache:
        """Reads the file that Cache.save() wrote. Raises DataError for any other file, and for the
        file of another model."""
        return Cache(self._native.load_cache(path))

    def evaluate(self, cache: Cache, tokens: Iterable[int], rows: int = 1) -> NDArray[Any]:
        """Adds tokens to those of the cache, and returns the logits of the token that follows
        each of the last `rows` of them: float32 [rows, vocabulary].

        Raises TypeError, and leaves the cache as it was, if there are no tokens, if one is beyond
        the vocabulary, if there are more rows than tokens, or if the cache does not have room for
        all tokens.
        """
        return self._native.evaluate(_native_cache(cache, "evaluate"), tokens, rows)

    @documented(GenerateOptions)
    def generate(self, prompt: Union[str, Sequence[int]], *, cache: Optional[Cache] = None,
                 **options: Unpack[GenerateOptions]) -> Generation:
        """Generates the text that follows a prompt, which is a str or tokens, piece by piece.

        What the cache has in common with the beginning of the prompt is not computed again; without
        a cache, the cache of an earlier call is used if no other call uses it. Raises TypeError for
        a prompt without tokens, for a prompt that is too long for the cache, and for wrong options;
        InvalidStateError without a tokenizer and for a model that does not generate. Options, whose
        defaults are those of `defaults`:
        """
        native = None if cache is None else _native_cache(cache, "generate")
        return Generation(self._native.generate(prompt, native, options))

    def batch(self, sequences: int = 8) -> Batch:
        """A Batch for prompts whose texts are generated together, at most `sequences` at once.

        Raises TypeError for a number that is not 1 to 1024, and InvalidStateError for a model that
        does not generate.
        """
        return Batch(_lm.batch(self._native, sequences))

    @documented(GenerateOptions)
    def generate_all(self, prompts: Iterable[Union[str, Sequence[int]]], *, sequences: int = 8,
                     **options: Unpack[GenerateOptions]) -> List[GeneratedText]:
        """The texts that follow all prompts, in their order. They are generated together, at most
        `sequences` at once.

        Raises what generate() raises. Options, whose defaults are those of `defaults`:
        """
        return self.batch(sequences)._run(prompts, options)

    @documented(ChatOptions)
    def chat(self, messages: Iterable[Message] = (), **options: Unpack[ChatOptions]) -> Chat:
        """A conversation that begins with these messages, usually one of the role "system".

        Raises InvalidStateError without a template. Options:
        """
        return Chat(self._native.chat(messages, options), self._native)

    def embed(self, texts: Union[str, Sequence[str]]) -> NDArray[Any]:
        """A vector for each text, of length 1 if the model says so: float32 [texts, width], or
        [width] for one str.

        Raises InvalidStateError for a model that generates, and TypeError for a text of more tokens
        than the context.
        """
        vectors = self._native.embed(texts)
        return vectors[0] if isinstance(texts, str) else vectors

    def embed_tokens(self, tokens: Iterable[int]) -> NDArray[Any]:
        """The vector of tokens, which include those that the model expects around a text: float32
        [width]."""
        return self._native.embed_tokens(tokens)[0]

    def __reduce__(self):
        if self._context is not None:
            raise TypeError("pickle: a model of a context that was given cannot be pickled; give "
                            "load() the options of the context.", "pickle")
        return _shared, (self.path, self._fingerprint, {**self._options, **self._context_options})

    def __repr__(self):
        return f"webnn.lm.load({self.path!r})"


def _native_cache(cache, method):
    if not isinstance(cache, Cache):
        raise TypeError(f"{method}: cache ({cache!r}) is not a Cache.", method)
    return cache._native


def _check_options(options):
    """Raises TypeError for options of generate() that no model takes."""
    _lm.check_options(options)


def _tokenizer_of(model):
    return model.tokenizer


_models = {}
_models_lock = threading.Lock()


def _shared(path, fingerprint, options):
    """The one model of this process with that file and these options."""
    key = (path, fingerprint, tuple(sorted(options.items())))
    with _models_lock:
        if key not in _models:
            model = Model(path, **options)
            model._fingerprint = fingerprint
            _models[key] = model
        return _models[key]


@documented(LoadOptions)
def load(path: Path, context: Optional[_webnn.MLContext] = None, **options: Any) -> Model:
    """Loads a .gguf file, or a folder of Hugging Face with config.json and .safetensors files.

    context: where it runs; without one, options may also be those of MLContext, such as threads.
    Raises OSError if the system cannot open a file, DataError for a file that is broken,
    NotSupportedError, which names the feature, for a model with a feature that is not supported,
    and TypeError for wrong options. Options:
    """
    model = Model(path, context, **options)
    model._native
    return model
