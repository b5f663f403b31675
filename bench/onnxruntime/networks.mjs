// The networks that ../networks.cpp exports, in ONNX Runtime.
//   node networks.mjs NAME FOLDER [--threads N] [--seconds S]
import { Model, commandLine, int, ints, measure, string } from './onnx.mjs';

function unet(m) {
  const conv = (name, x, kernel) => m.node('Conv', [x, m.weight(`${name}.weight`), m.weight(`${name}.bias`)],
    [ints('kernel_shape', [kernel, kernel]), ints('pads', Array(4).fill(kernel >> 1))]);
  const pair = (name, x) => m.node('Relu', [conv(`${name}.1`, m.node('Relu', [conv(`${name}.0`, x, 3)]), 3)]);
  let x = 'input';
  const skipped = [];
  for (let i = 0; i < 4; i++) {
    x = pair(`down${i}`, x);
    skipped.push(x);
    x = m.node('MaxPool', [x], [ints('kernel_shape', [2, 2]), ints('strides', [2, 2])]);
  }
  x = pair('bottom', x);
  for (let i = 4; i-- > 0;) {
    x = m.node('ConvTranspose', [x, m.weight(`up${i}.up.weight`), m.weight(`up${i}.up.bias`)],
      [ints('kernel_shape', [2, 2]), ints('strides', [2, 2])]);
    x = pair(`up${i}`, m.node('Concat', [skipped[i], x], [int('axis', 1)]));
  }
  return conv('maps', x, 1);
}

function styleTransfer(m, transposed) {
  const conv = (name, x, kernel, stride = 1) => {
    const p = kernel >> 1;
    const padded = m.node('Pad', [x, m.int64s([0, 0, p, p, 0, 0, p, p])], [string('mode', 'reflect')]);
    return m.node('Conv', [padded, m.weight(`${name}.weight`), m.weight(`${name}.bias`)],
      [ints('kernel_shape', [kernel, kernel]), ints('strides', [stride, stride])]);
  };
  const normalized = (name, x) => m.node('InstanceNormalization', [x, m.weight(`${name}.scale`), m.weight(`${name}.shift`)]);
  const relu = (x) => m.node('Relu', [x]);
  const up = (name, x) => transposed
    ? m.node('ConvTranspose', [x, m.weight(`${name}.weight`), m.weight(`${name}.bias`)],
      [ints('kernel_shape', [3, 3]), ints('strides', [2, 2]), ints('pads', [1, 1, 1, 1]), ints('output_padding', [1, 1])])
    : conv(name, m.node('Resize', [x, '', m.values([4], [1, 1, 2, 2])],
      [string('mode', 'nearest'), string('coordinate_transformation_mode', 'asymmetric'), string('nearest_mode', 'floor')]), 3);
  let x = relu(normalized('first', conv('first', 'input', 9)));
  x = relu(normalized('down0', conv('down0', x, 3, 2)));
  x = relu(normalized('down1', conv('down1', x, 3, 2)));
  for (let i = 0; i < 5; i++) {
    const from = x, name = `block${i}`;
    x = relu(normalized(`${name}.0`, conv(`${name}.0`, x, 3)));
    x = m.node('Add', [normalized(`${name}.1`, conv(`${name}.1`, x, 3)), from]);
  }
  x = relu(normalized('up0', up('up0', x)));
  x = relu(normalized('up1', up('up1', x)));
  return conv('last', x, 9);
}

const networks = {
  unet: { build: unet, input: [1, 3, 128, 128], output: [1, 2, 128, 128] },
  style_transfer: { build: (m) => styleTransfer(m, false), input: [1, 3, 224, 224], output: [1, 3, 224, 224] },
  style_transfer_transposed: { build: (m) => styleTransfer(m, true), input: [1, 3, 224, 224], output: [1, 3, 224, 224] },
};

const [[name, folder], options] = commandLine();
const { build, input, output } = networks[name];
const model = new Model(folder);
await measure(model.bytes(input, build(model), output), folder, input, output, options);
