"""Which digit is it? A network in an .onnx file reads a drawing of 8 x 8 pixels.

    python3 digits.py MODEL.onnx
"""

import sys

import numpy
import webnn

DRAWING = ["  -%+   ", "  %@*@- ", " .@: #= ", " =*  == ",
           " -=  =* ", " =*  *= ", " :%-+*  ", "  -%+   "]
SHADES = " .:-=+*#%@"  # from paper to ink

pixels = numpy.array([[SHADES.index(c) * 16 // 9 for c in row] for row in DRAWING], "uint8")
model = webnn.load(sys.argv[1])
probabilities = model(pixels=pixels.reshape(1, 1, 8, 8))["probabilities"][0]
print(f"a {probabilities.argmax()} with {100 * probabilities.max():.1f} %")
