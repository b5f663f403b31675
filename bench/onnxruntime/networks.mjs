// The networks that ../networks.cpp exports, in ONNX Runtime.
//   node networks.mjs NAME FOLDER [--threads N] [--seconds S]
import { join } from 'node:path';
import { Model, commandLine, float, int, ints, measure, readTensors, string } from './onnx.mjs';

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
  return classes(m, relu6(conv('last', x, 1, 1)));
}
const classes = (m, x) => m.node('Gemm', [m.node('Flatten', [m.node('GlobalAveragePool', [x])]), m.weight('classes.weight'), m.weight('classes.bias')], [int('transB', 1)]);

function resnet50(m) {
  const conv = (name, x, kernel, stride = 1) => m.node('Conv', [x, m.weight(`${name}.weight`), m.weight(`${name}.bias`)], [
    ints('kernel_shape', [kernel, kernel]), ints('strides', [stride, stride]), ints('pads', Array(4).fill(kernel >> 1)),
  ]);
  const relu = (x) => m.node('Relu', [x]);
  let x = m.node('MaxPool', [relu(conv('stem', 'input', 7, 2))], [ints('kernel_shape', [3, 3]), ints('strides', [2, 2]), ints('pads', [1, 1, 1, 1])]);
  let index = 0;
  [3, 4, 6, 3].forEach((blocks, stage) => {
    for (let i = 0; i < blocks; i++) {
      const name = `block${index++}`, stride = i === 0 && stage > 0 ? 2 : 1;
      const y = conv(`${name}.2`, relu(conv(`${name}.1`, relu(conv(`${name}.0`, x, 1)), 3, stride)), 1);
      x = relu(m.node('Add', [y, i ? x : conv(`${name}.skip`, x, 1, stride)]));
    }
  });
  return classes(m, x);
}

function recurrent(m, type, hidden) {
  let x = 'input';
  for (const name of ['layer0', 'layer1']) {
    x = m.node(type, [x, m.weight(`${name}.input`), m.weight(`${name}.recurrent`), m.joined(`${name}.bias`, `${name}.recurrent_bias`)],
      [int('hidden_size', hidden), ...(type === 'GRU' ? [int('linear_before_reset', 1)] : [])]);
    x = m.node('Reshape', [x, m.int64s(name === 'layer0' ? [100, 1, hidden] : [100, hidden])]);
  }
  return m.node('Gemm', [x, m.weight('last')], [int('transB', 1)]);
}

/** [rows, heads * head] -> [heads, rows, head] */
const byHead = (m, x, rows, heads, head) => m.node('Transpose', [m.node('Reshape', [x, m.int64s([rows, heads, head])])], [ints('perm', [1, 0, 2])]);

/** q [heads, rows, head], k and v [keys, all, head]: heads that share keys are rows of one product */
function attention(m, q, k, v, { heads, rows, head, keys }) {
  const scaled = m.node('Mul', [m.node('Reshape', [q, m.int64s([keys, heads / keys * rows, head])]), m.values([], [head ** -0.5])]);
  const scores = m.node('MatMul', [scaled, m.node('Transpose', [k], [ints('perm', [0, 2, 1])])]);
  const y = m.node('Reshape', [m.node('MatMul', [m.node('Softmax', [scores], [int('axis', 2)]), v]), m.int64s([heads, rows, head])]);
  return m.node('Reshape', [m.node('Transpose', [y], [ints('perm', [1, 0, 2])]), m.int64s([rows, heads * head])]);
}

function encoder(m) {
  const hidden = 384, sizes = { heads: 12, rows: 128, head: 32, keys: 12 };
  const linear = (name, x) => m.node('MatMul', [x, m.weight(name)]);
  const normalized = (x) => m.node('LayerNormalization', [x, m.values([hidden], Array(hidden).fill(1))], [int('axis', 1), float('epsilon', 1e-5)]);
  const gelu = (x) => m.node('Mul', [m.node('Mul', [x, m.node('Add', [m.node('Erf', [m.node('Div', [x, m.values([], [Math.SQRT2])])]), m.values([], [1])])]), m.values([], [0.5])]);
  let x = 'x';
  for (let i = 0; i < 4; i++) {
    const [q, k, v] = ['q', 'k', 'v'].map((name) => byHead(m, linear(`${name}${i}`, x), 128, 12, 32));
    x = normalized(m.node('Add', [x, linear(`o${i}`, attention(m, q, k, v, sizes))]));
    x = normalized(m.node('Add', [x, linear(`down${i}`, gelu(linear(`up${i}`, x)))]));
  }
  return x;
}

function decoder(m) {
  const sizes = { heads: 8, rows: 1, head: 64, keys: 4 };
  const linear = (name, x) => m.node('MatMul', [x, m.weight(name)]);
  const normalized = (x) => {
    const mean = m.node('ReduceMean', [m.node('Mul', [x, x])], [ints('axes', [1]), int('keepdims', 1)]);
    return m.node('Div', [x, m.node('Sqrt', [m.node('Add', [mean, m.values([], [1e-5])])])]);
  };
  let x = 'x';
  for (let i = 0; i < 8; i++) {
    const before = normalized(x), cached = (name) => {
      const now = byHead(m, linear(`${name}${i}`, before), 1, 4, 64);
      m.output(`new_${name}${i}`, now);
      return m.node('Concat', [`${name}${i}`, now], [int('axis', 1)]);
    };
    const q = byHead(m, linear(`q${i}`, before), 1, 8, 64), k = cached('k'), v = cached('v');
    x = m.node('Add', [x, linear(`o${i}`, attention(m, q, k, v, sizes))]);
    const middle = normalized(x), gate = linear(`gate${i}`, middle);
    const inner = m.node('Mul', [m.node('Mul', [gate, m.node('Sigmoid', [gate])]), linear(`up${i}`, middle)]);
    x = m.node('Add', [x, linear(`down${i}`, inner)]);
  }
  return linear('head0', normalized(x));
}

const networks = {
  mobilenet_v2: mobilenetV2,
  resnet50,
  unet,
  style_transfer: (m) => styleTransfer(m, false),
  style_transfer_transposed: (m) => styleTransfer(m, true),
  encoder,
  decoder,
  gru: (m) => recurrent(m, 'GRU', 384),
  lstm: (m) => recurrent(m, 'LSTM', 384),
};

const [[name, folder], options] = commandLine();
const model = new Model(folder);
const inputs = readTensors(join(folder, 'inputs.safetensors')), outputs = readTensors(join(folder, 'outputs.safetensors'));
model.output(['output', 'y', 'logits'].find((n) => outputs.has(n)), networks[name](model));
await measure(model.bytes(inputs, outputs, name === 'encoder' ? 17 : 13), inputs, outputs, options);
