"""A model in TensorFlow Lite's C library, for one_model.mjs.

python3 tensorflow_lite.py LIBRARY MODEL THREADS FOLDER prints its inputs as a line of JSON; then each
line of standard input, a number of runs, is one answer: the inputs are the files in0, in1, ... of
FOLDER, and the outputs are written to out0, out1, ... there.
"""
import ctypes
import json
import pathlib
import sys
import time

TYPES = {1: "float32", 2: "int32", 3: "uint8", 4: "int64", 6: "bool", 7: "int16", 9: "int8", 10: "float16", 16: "uint32"}


class Tensor:
    def __init__(self, lib, tensor):
        self.lib, self.tensor = lib, ctypes.c_void_p(tensor)

    @property
    def bytes(self):
        return self.lib.TfLiteTensorByteSize(self.tensor)

    @property
    def type(self):
        return TYPES[self.lib.TfLiteTensorType(self.tensor)]

    @property
    def shape(self):
        return [self.lib.TfLiteTensorDim(self.tensor, i) for i in range(self.lib.TfLiteTensorNumDims(self.tensor))]


def main(library, model, threads, folder):
    lib, folder = ctypes.CDLL(library), pathlib.Path(folder)
    for name in ("ModelCreateFromFile", "InterpreterOptionsCreate", "InterpreterCreate", "InterpreterGetInputTensor",
                 "InterpreterGetOutputTensor", "TensorData"):
        getattr(lib, "TfLite" + name).restype = ctypes.c_void_p
    lib.TfLiteTensorByteSize.restype = ctypes.c_size_t
    handle = ctypes.c_void_p(lib.TfLiteModelCreateFromFile(model.encode()))
    options = ctypes.c_void_p(lib.TfLiteInterpreterOptionsCreate())
    lib.TfLiteInterpreterOptionsSetNumThreads(options, int(threads))
    pointer = lib.TfLiteInterpreterCreate(handle, options)
    interpreter = ctypes.c_void_p(pointer)
    if not pointer or lib.TfLiteInterpreterAllocateTensors(interpreter) != 0:
        print(json.dumps({"error": "the model was refused"}), flush=True)
        return
    inputs = [Tensor(lib, lib.TfLiteInterpreterGetInputTensor(interpreter, i))
              for i in range(lib.TfLiteInterpreterGetInputTensorCount(interpreter))]
    print(json.dumps({"inputs": [{"type": t.type, "bytes": t.bytes, "shape": t.shape} for t in inputs]}), flush=True)
    for line in sys.stdin:
        data = [(folder / f"in{i}").read_bytes() for i in range(len(inputs))]
        times = []
        for _ in range(int(line)):
            for tensor, given in zip(inputs, data):
                lib.TfLiteTensorCopyFromBuffer(tensor.tensor, given, ctypes.c_size_t(len(given)))
            start = time.perf_counter()
            status = lib.TfLiteInterpreterInvoke(interpreter)
            times.append(1000 * (time.perf_counter() - start))
        if status != 0:
            print(json.dumps({"error": "the run failed"}), flush=True)
            continue
        outputs = [Tensor(lib, lib.TfLiteInterpreterGetOutputTensor(interpreter, i))
                   for i in range(lib.TfLiteInterpreterGetOutputTensorCount(interpreter))]
        for i, tensor in enumerate(outputs):
            buffer = ctypes.create_string_buffer(tensor.bytes)
            lib.TfLiteTensorCopyToBuffer(tensor.tensor, buffer, ctypes.c_size_t(tensor.bytes))
            (folder / f"out{i}").write_bytes(buffer.raw)
        print(json.dumps({"outputs": [{"type": t.type} for t in outputs], "ms": sorted(times)[len(times) // 2]}), flush=True)


main(*sys.argv[1:])
