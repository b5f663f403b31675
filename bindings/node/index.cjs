// The same objects as those of index.mjs: both get them from the one addon.
const { ml, ML, MLActivation, MLContext, MLCustomOperator, MLGraph, MLGraphBuilder, MLOperand,
        MLTensor } = require('./webnn.node');

module.exports = { ml, ML, MLActivation, MLContext, MLCustomOperator, MLGraph, MLGraphBuilder,
                   MLOperand, MLTensor,
                   lm: require('./lm.cjs'), default: ml };
// For compilers that make require() of `import ml from`.
Object.defineProperty(module.exports, '__esModule', { value: true });
