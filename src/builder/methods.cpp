// The code behind the operator methods of MLGraphBuilder, section by section.
#include "webnn/graph_builder.h"

namespace webnn {

// Used: where it is inlined into the methods or cloned for them, there would be nothing left for a
// user's file to link with.
template <class Op, class... A>
[[gnu::used]] typename ops::Returned<Op>::type MLGraphBuilder::call(A&&... arguments) {
  return append(Op{std::forward<A>(arguments)...});
}

namespace ops {

template struct ArgMinMaxSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct BatchNormalizationSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct CastSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct ClampSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct ConcatSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct Conv2dSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct ConvTranspose2dSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct CumulativeSumSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct BinarySection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct LogicalSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct UnarySection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct DequantizeLinearSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct QuantizeLinearSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct EluSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct ExpandSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct GatherSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct GatherElementsSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct GatherNdSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct GeluSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct GemmSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct GruSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct GruCellSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct HardSigmoidSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct HardSwishSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct InstanceNormalizationSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct LayerNormalizationSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct LeakyReluSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct LinearSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct LstmSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct LstmCellSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct MatmulSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct PadSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct Pool2dSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct PreluSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct ReduceSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct ReluSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct Resample2dSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct ReshapeSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct ReverseSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct ScatterElementsSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct ScatterNdSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct SigmoidSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct SliceSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct SoftmaxSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct SoftplusSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct SoftsignSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct SplitSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct TanhSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct TileSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct TransposeSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct TriangularSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
template struct WhereSection::Methods<MLGraphBuilder, MLOperand, const MLOperand&>;

}  // namespace ops

}  // namespace webnn
