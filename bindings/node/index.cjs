// The same objects as those of index.mjs: both get them from the one addon.
const { ml, ML, MLActivation, MLContext, MLGraph, MLGraphBuilder, MLOperand, MLTensor } =
  require('./webnn.node');

module.exports = { ml, ML, MLActivation, MLContext, MLGraph, MLGraphBuilder, MLOperand, MLTensor,
                   lm: require('./lm.cjs'), default: ml };
