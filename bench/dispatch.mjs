// What running a graph costs beyond its work, from JavaScript: one add on four floats. Beside it
// stands dispatch.cpp, which measures the same in C++.
//   node dispatch.mjs build/release/bindings/node/index.mjs
import path from 'node:path';
import url from 'node:url';

const { ml, MLGraphBuilder } = await import(url.pathToFileURL(path.resolve(process.argv[2])));

const context = await ml.createContext();
const four = { dataType: 'float32', shape: [4] };
const builder = new MLGraphBuilder(context);
const graph = await builder.build({ y: builder.add(builder.input('a', four), builder.input('b', four)) });
const [a, b] = [await context.createTensor({ ...four, writable: true }),
                await context.createTensor({ ...four, writable: true })];
const y = await context.createTensor({ ...four, readable: true });
const view = { a: new Float32Array(4).fill(1), b: new Float32Array(4).fill(2), y: new Float32Array(4) };
const inputs = { a, b }, outputs = { y };

/** The median microseconds of one call, over batches of ten. */
async function median(call) {
  const times = [];
  for (let i = 0; i < 2000; ++i) {
    const start = performance.now();
    for (let k = 0; k < 10; ++k) await call();
    times.push((performance.now() - start) * 100);
  }
  return times.sort((p, q) => p - q)[1000].toFixed(2).padStart(10);
}
/** The same for calls that return at once. */
function medianSync(call) {
  const times = [];
  for (let i = 0; i < 2000; ++i) {
    const start = performance.now();
    for (let k = 0; k < 10; ++k) call();
    times.push((performance.now() - start) * 100);
  }
  return times.sort((p, q) => p - q)[1000].toFixed(2).padStart(10);
}

console.log('one add on four floats, median us');
console.log('computeSync   dispatch     + read');
const compute = medianSync(() =>
  context.computeSync(graph, { a: view.a, b: view.b }, { y: view.y }));
const queue = medianSync(() => context.dispatch(graph, inputs, outputs));
await context.readTensor(y);
const round = await median(() => {
  context.dispatch(graph, inputs, outputs);
  return context.readTensor(y, view.y);
});
console.log(` ${compute} ${queue} ${round}`);
