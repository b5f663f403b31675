// The MobileNetV2 that ../mobilenet_v2.cpp exports, in ONNX Runtime.
//   node mobilenet_v2.mjs FOLDER [--threads N] [--seconds S]
import { Model, commandLine, int, ints, measure } from './onnx.mjs';

function mobilenetV2(m) {
  const zero = m.values([], [0]), six = m.values([], [6]);
  const conv = (name, x, kernel, stride, group = 1) => m.node('Conv', [x, m.weight(`${name}.weight`), m.weight(`${name}.bias`)], [
    ints('kernel_shape', [kernel, kernel]), ints('strides', [stride, stride]), int('group', group),
    ints('pads', Array(4).fill(kernel >> 1)),
  ]);
  const relu6 = (x) => m.node('Clip', [x, zero, six]);

  let x = relu6(conv('stem', 'input', 3, 2)), channels = 32, index = 0;
  for (const [expand, out, count, first] of [[1, 16, 1, 1], [6, 24, 2, 2], [6, 32, 3, 2], [6, 64, 4, 2], [6, 96, 3, 1], [6, 160, 3, 2], [6, 320, 1, 1]])
    for (let i = 0; i < count; i++) {
      const from = x, name = `block${++index}`, middle = channels * expand, stride = i ? 1 : first;
      if (expand > 1) x = relu6(conv(`${name}.expand`, x, 1, 1));
      x = relu6(conv(`${name}.depthwise`, x, 3, stride, middle));
      x = conv(`${name}.project`, x, 1, 1);
      if (stride === 1 && channels === out) x = m.node('Add', [x, from]);
      channels = out;
    }
  x = m.node('GlobalAveragePool', [relu6(conv('last', x, 1, 1))]);
  return m.node('Gemm', [m.node('Flatten', [x]), m.weight('classes.weight'), m.weight('classes.bias')], [int('transB', 1)]);
}

const [[folder], options] = commandLine();
const model = new Model(folder);
const input = [1, 3, 224, 224], output = [1, 1000];
await measure(model.bytes(input, mobilenetV2(model), output), folder, input, output, options);
