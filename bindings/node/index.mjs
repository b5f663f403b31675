// The Web Neural Network API: https://www.w3.org/TR/webnn/
import { createRequire } from 'node:module';

const addon = createRequire(import.meta.url)('./webnn.node');

export const { ml, ML, MLActivation, MLContext, MLCustomOperator, MLGraph, MLGraphBuilder, MLOperand, MLTensor } = addon;
export default ml;
