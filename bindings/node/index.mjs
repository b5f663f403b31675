// The Web Neural Network API: https://www.w3.org/TR/webnn/
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const addon = require('./webnn.node');

export const { ml, ML, MLActivation, MLContext, MLGraph, MLGraphBuilder, MLOperand, MLTensor } = addon;
export const lm = require('./lm.cjs');
export default ml;
