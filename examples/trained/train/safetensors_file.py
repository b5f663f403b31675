"""Writes .safetensors files: https://github.com/huggingface/safetensors#format"""

import json
import struct

import numpy as np

DTYPES = {"float32": "F32", "float16": "F16", "uint8": "U8", "int8": "I8", "int16": "I16"}


def write_safetensors(path, tensors, metadata):
    """Arrays by name, and texts by name. The data begins at a multiple of 64."""
    header, data = {"__metadata__": metadata}, b""
    for name, a in sorted(tensors.items(), key=lambda item: (-item[1].itemsize, item[0])):
        raw = np.ascontiguousarray(a).tobytes()
        header[name] = {"dtype": DTYPES[a.dtype.name], "shape": list(a.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % 64)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
