// A program that uses the installed package for Node.
import assert from 'node:assert/strict';
import { ml, MLGraphBuilder } from 'webnn-native';

const context = await ml.createContext();
const builder = new MLGraphBuilder(context);
const descriptor = { dataType: 'float32', shape: [2] };
const graph = await builder.build({ y: builder.relu(builder.input('x', descriptor)) });
const x = await context.createTensor({ ...descriptor, writable: true });
const y = await context.createTensor({ ...descriptor, readable: true });
context.writeTensor(x, new Float32Array([-1, 2]));
context.dispatch(graph, { x }, { y });
assert.deepEqual([...new Float32Array(await context.readTensor(y))], [0, 2]);
