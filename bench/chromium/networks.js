// The networks that ../networks.cpp exports, in the WebNN of the browser that shows page.html.
const floats = (bytes) => new Float32Array(bytes.slice().buffer);
const bytesOf = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());

/** the tensors of a .safetensors file: name -> { shape, values } */
async function readTensors(path) {
  const file = await bytesOf(path);
  const size = Number(new DataView(file.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + size)));
  delete header.__metadata__;
  return new Map(Object.entries(header).map(([name, { shape, data_offsets: [begin, end] }]) =>
    [name, { shape, values: floats(file.subarray(8 + size + begin, 8 + size + end)) }]));
}

/** a tensor of rank 4 with its dimensions in another order */
function transposed({ shape, values }, order) {
  const to = order.map((d) => shape[d]), stride = [0, 0, 0, 1], out = new Float32Array(values.length);
  for (let d = 3; d-- > 0;) stride[d] = stride[d + 1] * shape[d + 1];
  const s = order.map((d) => stride[d]);
  let i = 0;
  for (let a = 0; a < to[0]; a++)
    for (let b = 0; b < to[1]; b++)
      for (let c = 0; c < to[2]; c++)
        for (let d = 0; d < to[3]; d++) out[i++] = values[a * s[0] + b * s[1] + c * s[2] + d * s[3]];
  return { shape: to, values: out };
}

/** what the networks are made of; images have the layout that the browser prefers */
class Network {
  constructor(builder, weights, nhwc) { Object.assign(this, { b: builder, weights, nhwc }); }

  constant({ shape, values }) { return this.b.constant({ dataType: 'float32', shape }, values); }
  weight(name) { return this.constant(this.weights.get(name)); }
  image(name, shape) { return this.b.input(name, { dataType: 'float32', shape: this.nhwc ? [0, 2, 3, 1].map((d) => shape[d]) : shape }); }
  get layout() { return this.nhwc ? 'nhwc' : 'nchw'; }

  conv(name, x, kernel, stride = 1, groups = 1) {
    const depthwise = groups > 1, filter = this.weights.get(`${name}.weight`);
    return this.b.conv2d(x, this.constant(this.nhwc ? transposed(filter, depthwise ? [1, 2, 3, 0] : [0, 2, 3, 1]) : filter), {
      padding: Array(4).fill(kernel >> 1), strides: [stride, stride], groups, inputLayout: this.layout,
      filterLayout: this.nhwc ? (depthwise ? 'ihwo' : 'ohwi') : 'oihw', bias: this.weight(`${name}.bias`),
    });
  }
  classes(x, channels) {
    const pooled = this.b.reshape(this.b.averagePool2d(x, { layout: this.layout }), [1, channels]);
    return this.b.gemm(pooled, this.weight('classes.weight'), { c: this.weight('classes.bias'), bTranspose: true });
  }
}

function mobilenetV2(n) {
  const relu6 = (x) => n.b.clamp(x, { minValue: 0, maxValue: 6 });
  let x = relu6(n.conv('stem', n.image('input', [1, 3, 224, 224]), 3, 2)), channels = 32, index = 0;
  for (const [expand, out, count, first] of [[1, 16, 1, 1], [6, 24, 2, 2], [6, 32, 3, 2], [6, 64, 4, 2], [6, 96, 3, 1], [6, 160, 3, 2], [6, 320, 1, 1]])
    for (let i = 0; i < count; i++) {
      const from = x, name = `block${++index}`, middle = channels * expand, stride = i ? 1 : first;
      if (expand > 1) x = relu6(n.conv(`${name}.expand`, x, 1));
      x = relu6(n.conv(`${name}.depthwise`, x, 3, stride, middle));
      x = n.conv(`${name}.project`, x, 1);
      if (stride === 1 && channels === out) x = n.b.add(x, from);
      channels = out;
    }
  return n.classes(relu6(n.conv('last', x, 1)), 1280);
}

function resnet50(n) {
  let x = n.b.relu(n.conv('stem', n.image('input', [1, 3, 224, 224]), 7, 2)), index = 0;
  x = n.b.maxPool2d(x, { windowDimensions: [3, 3], padding: [1, 1, 1, 1], strides: [2, 2], layout: n.layout });
  [3, 4, 6, 3].forEach((blocks, stage) => {
    for (let i = 0; i < blocks; i++) {
      const name = `block${index++}`, stride = i === 0 && stage > 0 ? 2 : 1;
      const y = n.conv(`${name}.2`, n.b.relu(n.conv(`${name}.1`, n.b.relu(n.conv(`${name}.0`, x, 1)), 3, stride)), 1);
      x = n.b.relu(n.b.add(y, i ? x : n.conv(`${name}.skip`, x, 1, stride)));
    }
  });
  return n.classes(x, 2048);
}

const networks = { mobilenet_v2: mobilenetV2, resnet50 };

/** runs a network of a folder that networks.cpp exported, and compares the result with the one there */
globalThis.measure = async function measure(name, seconds) {
  const [weights, inputs, outputs] = await Promise.all(['weights', 'inputs', 'outputs'].map((n) => readTensors(`/data/${name}/${n}.safetensors`)));
  const context = await navigator.ml.createContext({ deviceType: 'cpu' });
  const nhwc = context.opSupportLimits().preferredInputLayout === 'nhwc';
  const builder = new MLGraphBuilder(context);
  const graph = await builder.build({ output: networks[name](new Network(builder, weights, nhwc)) });
  const given = nhwc ? transposed(inputs.get('input'), [0, 2, 3, 1]) : inputs.get('input');
  const [expected] = outputs.values();
  const input = await context.createTensor({ dataType: 'float32', shape: given.shape, writable: true });
  const output = await context.createTensor({ dataType: 'float32', shape: expected.shape, readable: true });
  const result = new Float32Array(expected.values.length);
  context.writeTensor(input, given.values);
  const run = async () => {
    context.dispatch(graph, { input }, { output });
    await context.readTensor(output, result);
  };
  for (let i = 0; i < 3; i++) await run();
  const times = [];
  for (const start = performance.now(); performance.now() - start < 1000 * seconds;) {
    const t = performance.now();
    await run();
    times.push(performance.now() - t);
  }
  times.sort((a, b) => a - b);
  let difference = 0, largest = 0;
  result.forEach((v, i) => {
    difference = Math.max(difference, Math.abs(v - expected.values[i]));
    largest = Math.max(largest, Math.abs(v));
  });
  return { layout: nhwc ? 'nhwc' : 'nchw', median_ms: times[times.length >> 1], min_ms: times[0], runs: times.length, relative_difference: difference / largest };
};
document.title = 'ready';
