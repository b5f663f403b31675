// Reads handwritten digits with WebNN: a script for browsers, without anything of Node.
// The network and its weights are those of examples/digits.

async function safetensors(address) {
  const buffer = await (await fetch(address)).arrayBuffer();
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  return (name) => {
    const { dtype, shape, data_offsets: [begin, end] } = header[name];
    const bytes = buffer.slice(8 + length + begin, 8 + length + end);
    return { dtype, shape, bytes };
  };
}

async function network(context, weights) {
  const builder = new MLGraphBuilder(context);
  const weight = (name) => {
    const { shape, bytes } = weights(name);
    return builder.constant({ dataType: 'float32', shape }, new Float32Array(bytes));
  };
  const conv = (x, name, options = {}) =>
    builder.relu(builder.conv2d(x, weight(`${name}.weight`),
                                { ...options, bias: weight(`${name}.bias`), label: name }));
  const around = { padding: [1, 1, 1, 1] };
  const halve = { windowDimensions: [2, 2], strides: [2, 2] };

  const pixels = builder.input('pixels', { dataType: 'uint8', shape: [1, 1, 8, 8] });
  let x = builder.div(builder.cast(pixels, 'float32'), builder.constant('float32', 16));
  x = conv(x, 'stem', around);
  x = builder.add(x, conv(conv(x, 'depthwise', { ...around, groups: 32 }), 'pointwise'));
  x = builder.maxPool2d(conv(x, 'wide', around), halve);
  x = builder.averagePool2d(conv(x, 'deep', around), halve);
  x = builder.gemm(builder.reshape(x, [1, 256]), weight('classes.weight'),
                   { c: weight('classes.bias'), bTranspose: true });
  return builder.build({ probabilities: builder.softmax(x, 1) });
}

const context = await navigator.ml.createContext();
const graph = await network(context, await safetensors('../../digits/digits.safetensors'));
const test = await safetensors('../../digits/test.safetensors');
const images = new Uint8Array(test('pixels').bytes), labels = new Uint8Array(test('labels').bytes);

const pixels = await context.createTensor({ dataType: 'uint8', shape: [1, 1, 8, 8], writable: true });
const probabilities =
  await context.createTensor({ dataType: 'float32', shape: [1, 10], readable: true });
let right = 0;
for (const [i, label] of labels.entries()) {
  context.writeTensor(pixels, images.subarray(64 * i, 64 * (i + 1)));
  context.dispatch(graph, { pixels }, { probabilities });
  const p = [...new Float32Array(await context.readTensor(probabilities))];
  right += p.indexOf(Math.max(...p)) === label;
}
console.log(`${right} of ${labels.length} images read correctly: ` +
            `${(100 * right / labels.length).toFixed(2)} %`);
