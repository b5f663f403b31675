"""python3 -m webnn run|info|bench|explain MODEL runs a model on arrays or an image, or shows it."""

import argparse
import os
import sys

import numpy

from . import __version__, errors, load
from .model import shown

__all__ = ["main"]


def _arguments():
    parser = argparse.ArgumentParser(prog="python3 -m webnn")
    parser.add_argument("--version", action="version", version=f"webnn {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (("run", "run a model on files, an image, or random numbers"),
                       ("info", "inputs and outputs"), ("bench", "measure"),
                       ("explain", "the kernel of each operator")):
        p = commands.add_parser(name, help=text)
        p.add_argument("model", help="a file: .tflite, .onnx, .webnn, .webnnc, ...")
        p.add_argument("--threads", type=int, default=0, help="0: all cores that the process may use")
        p.add_argument("--backends", default="", help="names with commas between them")
        if name != "info":
            p.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE",
                           help="the size of a dimension that the model leaves open")
        if name == "run":
            p.add_argument("--input", action="append", default=[], metavar="NAME=FILE.npy",
                           help="an array for an input; those without one are random numbers")
            p.add_argument("--image", help="PNG, JPEG or BMP, for a model with one image as input")
            p.add_argument("--scale", choices=("0..1", "-1..1", "0..255"), default="-1..1",
                           help="what the colors become for floats")
            p.add_argument("--labels", help="a text file with a line for each class")
            p.add_argument("--top", type=int, default=5, help="how many of the largest values")
    args = parser.parse_args()
    for text in getattr(args, "input", ()):
        if not all(text.partition("=")):
            parser.error(f"--input {text}: it is not NAME=FILE.npy")
    args.dimensions = {}
    for text in getattr(args, "dim", ()):
        name, _, size = text.rpartition("=")
        if not name or not size.isdecimal():
            parser.error(f"--dim {text}: it is not NAME=SIZE")
        args.dimensions[name] = int(size)
    return args


def _inputs(model, args):
    if args.image:
        return model.image(args.image, args.scale)
    files, dimensions = {}, dict(args.dimensions)
    for name, path in (text.split("=", 1) for text in args.input):
        if name not in model.inputs:
            raise errors.TypeError(
                f"model: it has no input {name}; it has {', '.join(model.inputs)}.", "model")
        files[name] = numpy.load(path)
        for n, size in zip(model.inputs[name]["shape"], files[name].shape):
            if isinstance(n, str):
                dimensions.setdefault(n, size)
    values = {**model.example(dimensions=dimensions), **files}
    for name in values.keys() - files.keys():
        print(f"webnn: {name}: random numbers", file=sys.stderr)
    return values


def _run(model, args):
    labels = []
    if args.labels:
        with open(args.labels, encoding="utf-8") as file:
            labels = [line.rstrip("\n") for line in file]
    for name, values in model(_inputs(model, args)).items():
        print(f"{name}: {values.dtype} {list(values.shape)}")
        flat = values.reshape(-1).astype("float64")
        q = model.quantization(name)
        if q:
            flat = q[0] * (flat - q[1])
        for i in numpy.argsort(-flat, kind="stable")[:args.top]:
            label = labels[i] if i < len(labels) else str(i)
            print(f"  {flat[i]:.6g}  {label}")


def main():
    args = _arguments()
    backends = [b for b in args.backends.split(",") if b]
    model = load(args.model, threads=args.threads, backends=backends)
    if args.command == "run":
        _run(model, args)
    elif args.command == "info":
        for side in ("inputs", "outputs"):
            print(side)
            for name, d in getattr(model, side).items():
                print(f"  {name}: {d['dataType']} {shown(d['shape'])}")
    elif args.command == "explain":
        print((model.prepare(model._shapes(args.dimensions, "explain"))
               if args.dimensions else model).explain())
    else:
        for key, value in model.bench(dimensions=args.dimensions).items():
            print(f"{key}: {value}" if key == "runs" else f"{key}: {value:.1f} µs")


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.exit(130)
    except (errors.Error, OSError, ValueError) as e:
        print(f"webnn: {e}", file=sys.stderr)
        sys.exit(1)
