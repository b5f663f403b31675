"""The templates of the models on several conversations, against Jinja for Python as transformers sets it up:
templates.py PROGRAM. Templates come from packages @lenml/tokenizer-* in WEBNN_TOKENIZERS_NODE and from
node-llama-cpp in WEBNN_LLAMA_NODE."""
import datetime
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

try:
    import jinja2
    import jinja2.ext
    import jinja2.sandbox
except ImportError:
    print("skipped: there is no jinja2")
    sys.exit(77)


class Generation(jinja2.ext.Extension):
    """{% generation %} marks what a model has said; it prints its body."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def refuse(message):
    raise jinja2.exceptions.TemplateError(message)


def environment():
    e = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"])
    e.filters["tojson"] = lambda x, ensure_ascii=False, indent=None, separators=None, sort_keys=False: json.dumps(
        x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
    e.globals["raise_exception"] = refuse
    e.globals["strftime_now"] = lambda f: datetime.datetime.now().strftime(f)
    return e


def templates():
    for path in sorted(glob.glob(os.path.join(os.environ.get("WEBNN_TOKENIZERS_NODE", "/nowhere"),
                                              "node_modules/@lenml/*/models/tokenizer_config.json"))):
        with open(path, encoding="utf-8") as file:
            text = json.load(file).get("chat_template")
        if isinstance(text, str):
            yield path.split("/")[-3], text
    bundle = os.path.join(os.environ.get("WEBNN_LLAMA_NODE", "/nowhere"),
                          "node_modules/node-llama-cpp/llama/gitRelease.bundle")
    if not os.path.exists(bundle):
        return
    with tempfile.TemporaryDirectory() as clone:
        def git(*args):
            return subprocess.run(["git", "-C", clone, *args], check=True, capture_output=True).stdout.decode()
        git("clone", "--quiet", "--bare", os.path.abspath(bundle), ".")
        for name in git("ls-tree", "-r", "--name-only", "HEAD", "models/templates").split():
            if name.endswith(".jinja"):
                yield os.path.basename(name)[:-6], git("show", "HEAD:" + name)


# Jinja refuses to print the generator that a filter returns as JSON, where others take it for a list. Texts
# marked with `safe` escape what is added to them, which no program for models does but Jinja.
LENIENT = {"llama-cpp-deepseek-r1", "meetkai-functionary-medium-v3.1"}


def main():
    with open(os.path.join(os.path.dirname(__file__), "conversations.json"), encoding="utf-8") as file:
        given = json.load(file)
    cases = [(m, t, p) for m in given["usual"] + given["odd"] for t in (None, given["tools"]) for p in (True, False)]
    count = failed = 0
    for name, text in templates():
        template = environment().from_string(text)
        request = []
        for messages, tools, prompt in cases:
            request += [text, *(json.dumps(m, ensure_ascii=False) for m in messages), "",
                        json.dumps(tools, ensure_ascii=False) if tools else "",
                        json.dumps({"add_generation_prompt": prompt, "enable_thinking": prompt})]
        data = b"".join(struct.pack("<I", len(r.encode())) + r.encode() for r in request)
        out = subprocess.run([sys.argv[1], "template"], input=data, check=True, capture_output=True).stdout
        at = different = 0
        for messages, tools, prompt in cases:
            size, = struct.unpack_from("<I", out, at)
            result = out[at + 4:at + 4 + size].decode()
            at += 4 + size
            try:
                expected = "+" + template.render(messages=messages, tools=tools, bos_token="<s>", eos_token="</s>",
                                                 add_generation_prompt=prompt, enable_thinking=prompt)
            except Exception:  # whatever a template makes of a message that it does not expect
                expected = "-"
            if (result[0] if expected == "-" else result) == expected:
                continue
            different += 1
            if different <= 3 and name not in LENIENT:
                print(repr(result), repr(expected))
        print(f"{name}: {different} of {len(cases)} conversations differ")
        count += 1
        failed += different > 0 and name not in LENIENT
    if count == 0:
        print("skipped: neither WEBNN_TOKENIZERS_NODE nor WEBNN_LLAMA_NODE has templates")
        return 77
    print(count, "templates")
    return 1 if failed else 0


sys.exit(main())
