#include <array>
#include <cmath>

#include "src/kernels/common/convolution.h"
#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/conv2d.h"
#include "src/kernels/simd/cost.h"
#include "src/kernels/simd/vector/float32/moments.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

/// The parameters of one channel: y = (x - mean) * factor + bias.
struct Parameters {
  float mean;
  double factor;
  float bias;
};

/// The rows of Normalization for some channels.
class ChannelTerms {
 public:
  static constexpr std::size_t rows = 4;

  static std::array<float, rows> of(const Parameters& p) {
    const auto factor = static_cast<float>(p.factor);
    const double rest = std::isfinite(factor) ? p.factor - double{factor} : 0;
    return {p.mean, factor, static_cast<float>(rest), p.bias};
  }

  /// parameters(i): of channel i. memory: `rows` floats for each channel.
  template <class F> ChannelTerms(float* memory, std::size_t channels, F parameters) {
    for (std::size_t r = 0; r < rows; ++r) rows_[r] = memory + r * channels;
    for (std::size_t i = 0; i < channels; ++i) {
      const auto terms = of(parameters(i));
      for (std::size_t r = 0; r < rows; ++r) rows_[r][i] = terms[r];
    }
  }
  void apply(const Epilogue& e, std::size_t channels, const float* x, std::size_t pixels,
             const float* residual, float* y) const {
    const auto& [mean, factor, factor_rest, bias] = rows_;
    normalize({mean, factor, factor_rest, bias, channels, e}, x, pixels, residual, y);
  }

 private:
  std::array<float*, rows> rows_;
};

/// The input is [outer, channels, inner].
struct BatchNormalization {
  std::size_t channels, inner = 1;
  double epsilon;
  int scale, bias;  // their inputs, -1 when absent
  Epilogue epilogue;
  Partition c{};  // of rows: `inner` elements of one channel, or one element of each

  static float value(const Buffers& b, int input, std::size_t channel, float absent) {
    return input < 0 ? absent : b.in<float>(static_cast<std::size_t>(input))[channel];
  }
  Parameters parameters(const Buffers& b, std::size_t i) const {
    const double variance = value(b, 2, i, 0);
    return {value(b, 1, i, 0), value(b, scale, i, 1) / std::sqrt(variance + epsilon),
            value(b, bias, i, 0)};
  }
  const float* residual(const Buffers& b, std::size_t at) const {
    const int r = epilogue.residual;
    return r < 0 ? nullptr : b.in<float>(static_cast<std::size_t>(r)) + at;
  }

  /// A row is pixels of as many channels as a vector has, all with the same parameters, and a rest.
  void run_channels(Range r, const Buffers& b) const {
    const auto n = static_cast<std::size_t>(lanes());
    const std::size_t whole = inner / n, done = whole * n;
    for (std::size_t row = c.begin(r); row < c.end(r); ++row) {
      std::array<float, ChannelTerms::rows * max_lanes> memory;
      const Parameters same = parameters(b, row % channels);
      const ChannelTerms terms(memory.data(), n, [&](std::size_t) { return same; });
      const std::size_t at = row * inner;
      terms.apply(epilogue, n, b.in<float>() + at, whole, residual(b, at), b.out<float>() + at);
      if (done < inner)
        terms.apply(epilogue, inner - done, b.in<float>() + at + done, 1, residual(b, at + done),
                    b.out<float>() + at + done);
    }
  }
  void run_pixels(Range r, const Buffers& b, float* scratch) const {
    const ChannelTerms terms(scratch, channels, [&](std::size_t i) { return parameters(b, i); });
    const std::size_t at = c.begin(r) * channels;
    terms.apply(epilogue, channels, b.in<float>() + at, c.end(r) - c.begin(r), residual(b, at),
                b.out<float>() + at);
  }
};

/// The activation of a normalization whose terms are packed: ChannelTerms::rows for each channel.
struct NormalizedRows {
  std::size_t channels;
  Epilogue epilogue;
};

/// A pixel is a row.
void copy_normalized(const PanelRows& in, std::size_t first, std::size_t rows, std::size_t k,
                     std::size_t count, float* to, std::size_t pitch) {
  const auto& [context, terms] = *static_cast<const GatheredTerms*>(in.context);
  const auto& n = *static_cast<const NormalizedRows*>(context);
  const auto term = [&, from = terms](std::size_t i) { return from + i * n.channels + k; };
  normalize({term(0), term(1), term(2), term(3), count, n.epilogue, in.stride, pitch},
            in.x + first * in.stride + k, rows, nullptr, to);
}

/// The same for constant parameters.
Parameters constant_parameters(const ops::batchNormalization& op, double epsilon, std::size_t i) {
  const auto value = [&](const std::optional<MLOperand>& x, float absent) {
    return x ? floats_of(*x)[i] : absent;
  };
  const double variance = value(op.variance, 0);
  return {value(op.mean, 0), value(op.options.scale, 1) / std::sqrt(variance + epsilon),
          value(op.options.bias, 0)};
}

/// With the 1x1 convolution that alone reads the result: its rows are normalized when they are
/// copied, and the result is never stored.
Lowering lower_into_product(const ops::batchNormalization& op, const BatchNormalization& n,
                            const Stage& convolution, Chain chain) {
  const auto constant = [](const std::optional<MLOperand>& x) { return !x || x->constant(); };
  if (!convolution.head.as<ops::conv2d>() || n.inner != 1 || n.epilogue.residual >= 0)
    return Refusal{"only a 1x1 convolution can follow, after a normalization of pixels"};
  if (!constant(op.mean) || !constant(op.variance) || !constant(op.options.scale) ||
      !constant(op.options.bias))
    return Refusal{"a parameter of the normalization is not constant"};
  const auto product = pointwise_product(chain, convolution);
  if (const auto* refusal = std::get_if<Refusal>(&product)) return *refusal;
  const Product& p = std::get<Product>(product);
  if (p.columns <= 2 * lanes()) return Refusal{"too few channels"};
  const auto rows = std::make_shared<const NormalizedRows>(NormalizedRows{n.channels, n.epilogue});
  const auto add_terms = [&](std::vector<WeightBlock>& weights) {
    std::vector<int> parameters{1, 2};
    for (const int input : {n.scale, n.bias})
      if (input >= 0) parameters.push_back(input);
    WeightBlock block{.bytes = ChannelTerms::rows * n.channels * sizeof(float),
                      .layout = layout_text("channel terms/2", n.channels,
                                            static_cast<float>(n.epsilon), n.scale, n.bias),
                      .inputs = parameters,
                      .kept = parameters};
    return add_packed<float>(
        weights, std::move(block), [&op, channels = n.channels, epsilon = n.epsilon](float* to) {
          ChannelTerms(to, channels,
                       [&](std::size_t i) { return constant_parameters(op, epsilon, i); });
        });
  };
  Lowering lowering = lower_product(p, {&copy_normalized, rows, add_terms});
  if (auto* k = std::get_if<Candidate>(&lowering))
    k->name = "batch normalization" + n.epilogue.text() + ", " + k->name;
  return lowering;
}

}  // namespace

Lowering lower(const ops::batchNormalization& op, Chain chain) {
  const auto stages = stages_of(chain);
  if (!stages || stages->size() > 2)
    return Refusal{"only a sum, an activation and a 1x1 convolution can follow a normalization"};
  const Dims& shape = op.input.shape();
  BatchNormalization n{.channels = shape[op.options.axis],
                       .epsilon = MLNumber(op.options.epsilon).to(float32).as_double(),
                       .scale = slot<&MLBatchNormalizationOptions::scale>(op),
                       .bias = slot<&MLBatchNormalizationOptions::bias>(op),
                       .epilogue = stages->front().epilogue};
  for (std::size_t d = op.options.axis + 1; d < shape.size(); ++d) n.inner *= shape[d];
  if (stages->size() == 2) {
    if constexpr (is_built<ops::conv2d>) return lower_into_product(op, n, stages->back(), chain);
    return Refusal{"no convolutions"};
  }
  const bool pixels = n.inner == 1;
  const std::size_t row = pixels ? n.channels : n.inner;
  const std::size_t scratch = pixels ? ChannelTerms::rows * n.channels * sizeof(float) : 0;
  if (scratch > max_scratch) return Refusal{"needs too much scratch"};
  // The parameters of all channels are computed for each range of tiles.
  n.c = partition(element_count(shape) / row, static_cast<double>(row) / 2 + 8, pixels ? 64 : 1);
  Candidate k{.name = (pixels ? "batch normalization nhwc" : "batch normalization nchw") +
                      n.epilogue.text(),
              .tiles = n.c.tiles(),
              .scratch = scratch,
              .in_place = {0},
              .run = [n, pixels](Range r, const Buffers& b, std::byte* scratch) {
                if (pixels) n.run_pixels(r, b, reinterpret_cast<float*>(scratch));
                else n.run_channels(r, b);
              }};
  if (n.epilogue.residual >= 0) k.in_place.push_back(n.epilogue.residual);
  return k;
}

}  // namespace webnn::inline v0_1::simd
