// The 2023 draft of the Web Neural Network API, over the same operators:
// https://www.w3.org/TR/2023/CRD-webnn-20231219/
//   draft2023::MLGraphBuilder b(context);
//   MLOperand y = b.conv2d(x, f, {.autoPad = MLAutoPad::same_upper, .activation = b.relu()});
// Whatever breaks the rule of an operator is a DataError here.
#pragma once

#include <functional>
#include <future>

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::draft2023 {

enum class MLAutoPad { explicit_, same_upper, same_lower };
constexpr auto names_of(MLAutoPad) { return names("explicit", "same-upper", "same-lower"); }

/// symmetric, which was removed later: 2 1 [1 2 3] 3 2.
enum class MLPaddingMode { constant, edge, reflection, symmetric };
constexpr auto names_of(MLPaddingMode) {
  return names("constant", "edge", "reflection", "symmetric");
}

/// A scalar without dimensions. input() and constant() throw DataError for an empty list.
struct MLOperandDescriptor {
  MLOperandDataType type = float32;                       ///< the type of the elements
  OptionalList<std::uint32_t> dimensions = std::nullopt;  ///< a scalar when absent
};

/// An operator whose only operand is not given yet. It does not belong to a builder and may be used
/// any number of times. Made by the methods of MLGraphBuilder that have no operand, or from
/// an operator: `MLActivation(ops::gelu{})`.
class MLActivation {
 public:
  using Apply = std::function<MLOperand(webnn::MLGraphBuilder&, const MLOperand&)>;

  template <ops::Operator Op>
  requires(!ops::returns_list<Op>()) && requires(Op op) { op.input; }
  MLActivation(Op op)
      : MLActivation(Op::declaration.name, [op = std::move(op)](auto& b, const MLOperand& x) {
          Op applied = op;
          applied.input = x;
          return b.append(std::move(applied));
        }) {}

  std::string_view name() const { return name_; }  ///< the operator's
  MLOperand apply(webnn::MLGraphBuilder& b, const MLOperand& x) const { return apply_(b, x); }

 private:
  friend class MLGraphBuilder;
  friend MLActivation softmax_activation();
  MLActivation(std::string_view name, Apply apply) : name_(name), apply_(std::move(apply)) {}

  std::string_view name_;
  Apply apply_;
};
using OptionalActivation = std::optional<MLActivation>;

/// The operators that are activations without their operand; softmax and softplus besides.
using ActivationSections =
    ops::SectionList<ops::ClampSection, ops::EluSection, ops::HardSigmoidSection,
                     ops::HardSwishSection, ops::LeakyReluSection, ops::LinearSection,
                     ops::ReluSection, ops::SigmoidSection, ops::SoftsignSection, ops::TanhSection>;
/// The softmax of a matrix, along its rows.
MLActivation softmax_activation();

// Options with members that were removed or renamed later. All other options are those of the
// current specification.

struct MLBatchNormalizationOptions {
  std::optional<MLOperand> scale{}, bias{};  ///< [channels]; 1 and 0 when absent
  std::uint32_t axis = 1;                    ///< the dimension of the channels
  double epsilon = 1e-5;                     ///< added to the variance
  OptionalActivation activation{};           ///< applied to the result
  std::string label{};                       ///< named in messages, printed graphs and explain()
};

struct MLConv2dOptions {
  Dims padding{0, 0, 0, 0};             ///< used when autoPad is explicit_
  Dims strides{1, 1}, dilations{1, 1};  ///< those of the current specification
  MLAutoPad autoPad =
      MLAutoPad::explicit_;  ///< same_*: each size of the result is ceil(in / stride)
  std::uint32_t groups = 1;  ///< divides the channels of input and of the result
  MLInputOperandLayout inputLayout = MLInputOperandLayout::nchw;  ///< that of input and result
  MLConv2dFilterOperandLayout filterLayout = MLConv2dFilterOperandLayout::oihw;  ///< the filter's
  std::optional<MLOperand> bias{};  ///< [output channels]
  OptionalActivation activation{};  ///< applied to the result
  std::string label{};              ///< named in messages, printed graphs and explain()
};

struct MLConvTranspose2dOptions {
  Dims padding{0, 0, 0, 0};                                  ///< used when autoPad is explicit_
  Dims strides{1, 1}, dilations{1, 1}, outputPadding{0, 0};  ///< those of the current specification
  OptionalList<std::uint32_t> outputSizes = std::nullopt;    ///< height and width of the result
  MLAutoPad autoPad = MLAutoPad::explicit_;  ///< same_*: each size of the result is in * stride
  std::uint32_t groups = 1;                  ///< divides the channels of input and of the result
  MLInputOperandLayout inputLayout = MLInputOperandLayout::nchw;  ///< that of input and result
  MLConvTranspose2dFilterOperandLayout filterLayout =
      MLConvTranspose2dFilterOperandLayout::iohw;  ///< the filter's
  std::optional<MLOperand> bias{};                 ///< [output channels]
  OptionalActivation activation{};                 ///< applied to the result
  std::string label{};  ///< named in messages, printed graphs and explain()
};

struct MLPool2dOptions {
  OptionalList<std::uint32_t> windowDimensions = std::nullopt;  ///< the whole image when absent
  Dims padding{0, 0, 0, 0};                                     ///< used when autoPad is explicit_
  Dims strides{1, 1}, dilations{1, 1};  ///< those of the current specification
  MLAutoPad autoPad =
      MLAutoPad::explicit_;  ///< same_*: each size of the result is ceil(in / stride)
  MLInputOperandLayout layout = MLInputOperandLayout::nchw;  ///< that of input and result
  MLRoundingType roundingType = MLRoundingType::floor;       ///< how sizes are rounded
  OptionalList<std::uint32_t> outputSizes = std::nullopt;    ///< height and width of the result
  std::string label{};  ///< named in messages, printed graphs and explain()
};

/// The activations of gru and gruCell are 2 (sigmoid, tanh when absent), those of lstm and lstmCell
/// 3 (sigmoid, tanh, tanh). Any but relu, sigmoid and tanh make the operator a graph of others.
using Activations = OptionalList<MLActivation>;

/// Operators of the current spec with activations as objects, instead of those in their options.
std::vector<MLOperand> append(webnn::MLGraphBuilder& b, ops::gru op,
                              const Activations& activations);
MLOperand append(webnn::MLGraphBuilder& b, ops::gruCell op, const Activations& activations);
std::vector<MLOperand> append(webnn::MLGraphBuilder& b, ops::lstm op,
                              const Activations& activations);
std::vector<MLOperand> append(webnn::MLGraphBuilder& b, ops::lstmCell op,
                              const Activations& activations);

struct MLGruOptions {
  std::optional<MLOperand> bias{}, recurrentBias{},
      initialHiddenState{};     ///< [D, 3H] each, initialHiddenState [D, N, H]; zero when absent
  bool resetAfter = true;       ///< the reset gate multiplies the product with the recurrent weight
  bool returnSequence = false;  ///< also return the state after each step
  MLRecurrentNetworkDirection direction =
      MLRecurrentNetworkDirection::forward;           ///< both: two networks, D = 2
  MLGruWeightLayout layout = MLGruWeightLayout::zrn;  ///< the order of the gates
  Activations activations = std::nullopt;             ///< sigmoid, tanh when absent
  std::string label{};  ///< named in messages, printed graphs and explain()
};

struct MLGruCellOptions {
  std::optional<MLOperand> bias{}, recurrentBias{};  ///< [3H] each; zero when absent
  bool resetAfter = true;  ///< the reset gate multiplies the product with the recurrent weight
  MLGruWeightLayout layout = MLGruWeightLayout::zrn;  ///< the order of the gates
  Activations activations = std::nullopt;             ///< sigmoid, tanh when absent
  std::string label{};  ///< named in messages, printed graphs and explain()
};

struct MLLstmOptions {
  std::optional<MLOperand> bias{}, recurrentBias{},
      peepholeWeight{};  ///< [D, 4H], [D, 4H], [D, 3H]; zero when absent
  std::optional<MLOperand> initialHiddenState{},
      initialCellState{};       ///< [D, N, H] each; zero when absent
  bool returnSequence = false;  ///< also return the state after each step
  MLRecurrentNetworkDirection direction =
      MLRecurrentNetworkDirection::forward;              ///< both: two networks, D = 2
  MLLstmWeightLayout layout = MLLstmWeightLayout::iofg;  ///< the order of the gates
  Activations activations = std::nullopt;                ///< sigmoid, tanh, tanh when absent
  std::string label{};  ///< named in messages, printed graphs and explain()
};

struct MLLstmCellOptions {
  std::optional<MLOperand> bias{}, recurrentBias{},
      peepholeWeight{};                                  ///< [4H], [4H], [3H]; zero when absent
  MLLstmWeightLayout layout = MLLstmWeightLayout::iofg;  ///< the order of the gates
  Activations activations = std::nullopt;                ///< sigmoid, tanh, tanh when absent
  std::string label{};  ///< named in messages, printed graphs and explain()
};

struct MLPadOptions {
  MLPaddingMode mode = MLPaddingMode::constant;  ///< what the elements around input are
  float value = 0;                               ///< for the mode constant
  std::string label{};  ///< named in messages, printed graphs and explain()
};

struct MLSoftplusOptions {
  float steepness = 1;  ///< ln(1 + exp(steepness * x)) / steepness; not 0
  std::string label{};  ///< named in messages, printed graphs and explain()
};

struct MLSqueezeOptions {
  OptionalList<std::uint32_t> axes = std::nullopt;  ///< all of size 1 when absent
  std::string label{};  ///< named in messages, printed graphs and explain()
};

/// A shape of which one dimension may be left open: `{2, std::nullopt}`.
struct OpenShape : std::vector<std::optional<std::uint32_t>> {
  OpenShape(std::initializer_list<std::optional<std::uint32_t>> list) : vector(list) {}
  OpenShape(const Dims& shape) : vector(shape.begin(), shape.end()) {}
};

[[noreturn]] void raise_data_error(const TypeError&);
/// What f returns; its TypeError becomes a DataError.
template <class F> auto as_data_error(F&& f) {
  try {
    return f();
  } catch (const TypeError& e) { raise_data_error(e); }
}

/// Builds any number of graphs. Inputs may have the same name, though not in one graph; inputs and
/// constants may be outputs. Has the methods of the current spec and those of the draft; throws
/// DataError where webnn::MLGraphBuilder throws TypeError, but for empty names and elements that do
/// not fit a constant.
class MLGraphBuilder : public ops::Sections::Methods<MLGraphBuilder, MLOperand, const MLOperand&>,
                       public ActivationSections::Methods<MLGraphBuilder, MLActivation> {
  template <class Section>
  using Operator = typename Section::template Methods<MLGraphBuilder, MLOperand, const MLOperand&>;
  template <class Section>
  using Activation = typename Section::template Methods<MLGraphBuilder, MLActivation>;

 public:
  explicit MLGraphBuilder(MLContext context);

  MLOperand input(std::string name, const MLOperandDescriptor& descriptor);
  MLOperand constant(const MLOperandDescriptor& descriptor, InputView values);
  template <class T>
  MLOperand constant(const MLOperandDescriptor& d, std::initializer_list<T> values) {
    return constant(d, InputView(std::span<const T>(values.begin(), values.size())));
  }
  MLOperand constant(double value, MLOperandDataType type = float32);
  MLGraph build(const NamedOperands& outputs);
  MLGraph buildSync(const NamedOperands& outputs) { return build(outputs); }

  // With an operand the operator, without one an activation.
  using Operator<ops::ClampSection>::clamp, Activation<ops::ClampSection>::clamp;
  using Operator<ops::EluSection>::elu, Activation<ops::EluSection>::elu;
  using Operator<ops::HardSigmoidSection>::hardSigmoid;
  using Activation<ops::HardSigmoidSection>::hardSigmoid;
  using Operator<ops::HardSwishSection>::hardSwish, Activation<ops::HardSwishSection>::hardSwish;
  using Operator<ops::LeakyReluSection>::leakyRelu, Activation<ops::LeakyReluSection>::leakyRelu;
  using Operator<ops::LinearSection>::linear, Activation<ops::LinearSection>::linear;
  using Operator<ops::ReluSection>::relu, Activation<ops::ReluSection>::relu;
  using Operator<ops::SigmoidSection>::sigmoid, Activation<ops::SigmoidSection>::sigmoid;
  using Operator<ops::SoftsignSection>::softsign, Activation<ops::SoftsignSection>::softsign;
  using Operator<ops::TanhSection>::tanh, Activation<ops::TanhSection>::tanh;
  using Operator<ops::SoftmaxSection>::softmax;
  /// The softmax of a matrix, along its rows.
  MLOperand softmax(const MLOperand& x);
  MLActivation softmax() { return softmax_activation(); }
  MLOperand softplus(const MLOperand& x, const MLSoftplusOptions& options = {});
  MLActivation softplus(const MLSoftplusOptions& options = {});

  MLOperand batchNormalization(const MLOperand& input, const MLOperand& mean,
                               const MLOperand& variance, MLBatchNormalizationOptions o = {});
  MLOperand conv2d(const MLOperand& input, const MLOperand& filter, MLConv2dOptions o = {});
  MLOperand convTranspose2d(const MLOperand& input, const MLOperand& filter,
                            MLConvTranspose2dOptions o = {});
  MLOperand averagePool2d(const MLOperand& input, MLPool2dOptions o = {});
  MLOperand l2Pool2d(const MLOperand& input, MLPool2dOptions o = {});
  MLOperand maxPool2d(const MLOperand& input, MLPool2dOptions o = {});

  std::vector<MLOperand> gru(const MLOperand& input, const MLOperand& weight,
                             const MLOperand& recurrentWeight, std::uint32_t steps,
                             std::uint32_t hiddenSize, MLGruOptions o = {});
  MLOperand gruCell(const MLOperand& input, const MLOperand& weight,
                    const MLOperand& recurrentWeight, const MLOperand& hiddenState,
                    std::uint32_t hiddenSize, MLGruCellOptions o = {});
  std::vector<MLOperand> lstm(const MLOperand& input, const MLOperand& weight,
                              const MLOperand& recurrentWeight, std::uint32_t steps,
                              std::uint32_t hiddenSize, MLLstmOptions o = {});
  std::vector<MLOperand> lstmCell(const MLOperand& input, const MLOperand& weight,
                                  const MLOperand& recurrentWeight, const MLOperand& hiddenState,
                                  const MLOperand& cellState, std::uint32_t hiddenSize,
                                  MLLstmCellOptions o = {});

  /// Also vectors: a of [K] counts as [1, K], b as [K, 1]; of two vectors the result is a scalar.
  MLOperand matmul(const MLOperand& a, const MLOperand& b, MLOperatorOptions o = {});
  MLOperand pad(const MLOperand& input, const Dims& beginningPadding, const Dims& endingPadding,
                MLPadOptions o = {});
  /// slope broadcasts to the shape of input.
  MLOperand prelu(const MLOperand& input, const MLOperand& slope, MLOperatorOptions o = {});
  /// The two axes follow one another.
  MLOperand resample2d(const MLOperand& input, MLResample2dOptions o = {});
  /// The dimension that is left open takes what the others leave.
  MLOperand reshape(const MLOperand& input, const OpenShape& newShape, MLOperatorOptions o = {});
  /// input without the dimensions of size 1 that axes name.
  MLOperand squeeze(const MLOperand& input, const MLSqueezeOptions& options = {});

  MLContext context() const { return core_.context(); }
  /// The builder of the current spec that this one is made of: operands are common to both.
  webnn::MLGraphBuilder& core() { return core_; }

  template <class Op, class... A> auto call(A&&... arguments) {
    if constexpr (sizeof...(A) == 1)  // only the options
      return MLActivation(Op{{}, std::forward<A>(arguments)...});
    else return as_data_error([&] { return core_.append(Op{std::forward<A>(arguments)...}); });
  }

 private:
  webnn::MLGraphBuilder core_;
};

/// A future, as the draft's promise; otherwise as computeSync.
std::future<void> compute(MLContext context, const MLGraph& graph, ListView<NamedInput> inputs,
                          ListView<NamedOutput> outputs);
/// All inputs are given; outputs may be left out. Throws DataError for names and views that do not
/// fit, OperationError when a kernel fails.
void computeSync(MLContext context, const MLGraph& graph, ListView<NamedInput> inputs,
                 ListView<NamedOutput> outputs);

/// Recorded work: each submission queues all of it on the context's timeline, in order.
class MLCommandBuffer {
 public:
  /// Queues all or, when it throws, nothing: TypeError for a tensor that was destroyed,
  /// InvalidStateError for a graph that was. What the work does is seen by readTensor.
  void submit() const;

 private:
  friend class MLCommandEncoder;
  struct Recording;
  explicit MLCommandBuffer(std::shared_ptr<const Recording> r) : recording_(std::move(r)) {}

  std::shared_ptr<const Recording> recording_;
};

/// Records dispatches on tensors of a context.
class MLCommandEncoder {
 public:
  explicit MLCommandEncoder(MLContext context);

  /// Checks that the graph is one of the context; build() has packed its weights already.
  void initializeGraph(const MLGraph& graph);
  /// Throws DataError for names and tensors that do not fit, OperationError for a graph that was
  /// not initialized here.
  void dispatch(const MLGraph& graph, ListView<NamedTensor> inputs, ListView<NamedTensor> outputs);
  /// Ends the encoder: its methods throw OperationError from now on.
  MLCommandBuffer finish();

 private:
  std::shared_ptr<MLCommandBuffer::Recording> open(std::string_view method) const;

  std::shared_ptr<MLCommandBuffer::Recording> recording_;
};

inline MLCommandEncoder createCommandEncoder(MLContext context) {
  return MLCommandEncoder(std::move(context));
}

}  // namespace webnn::inline v0_1::draft2023
