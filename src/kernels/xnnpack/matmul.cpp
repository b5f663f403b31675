// gemm and matmul with constant weights.
#include "src/kernels/common/convolution.h"
#include "src/kernels/common/library.h"
#include "src/kernels/xnnpack/backend.h"
#include "src/kernels/xnnpack/tile.h"

namespace webnn::inline v0_1::xnnpack {
namespace {

using Size = std::size_t;

/// scale * b, whose elements are so far apart.
struct Factor {
  const float* data;
  Size row_step, column_step;
  float scale;

  float operator()(Size row, Size column) const {
    return scale * data[row * row_step + column * column_step];
  }
};

/// y = a b + bias: `rows` rows of k elements.
struct FullyConnected {
  Size rows, n, k;
  Factor b;
  std::vector<float> bias{};
};

/// The weights as [n][k].
std::vector<float> packed(const FullyConnected& p) {
  std::vector<float> to(p.n * p.k);
  for (Size i = 0; i < p.k; ++i)
    for (Size j = 0; j < p.n; ++j) to[j * p.k + i] = p.b(i, j);
  return to;
}

/// An element of the result, in plain arithmetic, from a row of a.
float element_of(const FullyConnected& p, const float* row, Size column) {
  double sum = p.bias.empty() ? 0 : static_cast<double>(p.bias[column]);
  for (Size i = 0; i < p.k; ++i)
    sum += static_cast<double>(row[i]) * static_cast<double>(p.b(i, column));
  return static_cast<float>(sum);
}

/// Whether XNNPACK makes such an operator; its parameters do not depend on the size of the weights.
bool supports(FullyConnectedForm form) {
  const float zero = 0;
  form.inputs = form.outputs = form.rows = 1;
  form.kernel = &zero;
  return static_cast<bool>(fully_connected(form));
}

Lowering lower(const FullyConnected& p, const LoweringRequest& request) {
  const Epilogue& epilogue = request.epilogue;
  constexpr Size small = 32 << 10;  // weights, in elements, that each tile may pack for itself
  const auto wanted = static_cast<Size>(library_tiles(product_microseconds(
      static_cast<double>(p.rows), static_cast<double>(p.n), static_cast<double>(p.k))));
  const bool by_rows = p.n * p.k <= small && p.rows >= wanted;
  const Size count = by_rows ? p.rows : p.n;
  const Size each = ((count + wanted - 1) / wanted + (by_rows ? 0 : 15)) / (by_rows ? 1 : 16) *
                    (by_rows ? 1 : 16);
  const auto kept = std::make_shared<const FullyConnected>(p);
  Tiles tiles;
  std::vector<FullyConnectedForm> forms;
  std::vector<Size> columns;  // where they begin
  for (Size at = 0; at < count; at += each) {
    const Size end = std::min(count, at + each);
    const Size r0 = by_rows ? at : 0, r1 = by_rows ? end : p.rows, c0 = by_rows ? 0 : at,
               c1 = by_rows ? p.n : end;
    Tile t;
    forms.push_back({.inputs = p.k,
                     .outputs = c1 - c0,
                     .input_step = p.k,
                     .output_step = p.n,
                     .kernel = nullptr,
                     .bias = nullptr,
                     .bounds = bounds_of(epilogue),
                     .rows = r1 - r0});
    columns.push_back(c0);
    t.a = {(r1 - r0) * p.k, p.k % 4 != 0};
    t.calls = {{r0 * p.k, 0, r0 * p.n + c0}};
    t.output.rows = r1 - r0;
    t.output.columns = c1 - c0;
    t.output.step = p.n;
    t.after = remainder_of(epilogue);
    if (!products_keep_nan())
      t.element = [kept, c0](const float* a, Size row, Size column) {
        return element_of(*kept, a + row * kept->k, c0 + column);
      };
    tiles.push_back(std::move(t));
  }
  if (!supports(forms.front())) return Refusal{not_supported};
  WeightBlock held{.bytes = p.n * p.k * sizeof(float), .inputs = {1}};
  if (!products_keep_nan()) held.kept = held.inputs;
  return kernel_of(std::move(tiles), "fully connected" + epilogue.text(), std::move(held),
                   [kept, forms = std::move(forms), columns = std::move(columns)](Tiles& all) {
                     const std::vector<float> weights = packed(*kept);
                     for (Size i = 0; i < all.size(); ++i) {
                       FullyConnectedForm form = forms[i];
                       form.kernel = weights.data() + columns[i] * kept->k;
                       if (!kept->bias.empty()) form.bias = kept->bias.data() + columns[i];
                       all[i].op = fully_connected(form);
                     }
                   });
}

}  // namespace

Lowering lower(const ops::gemm& op, const LoweringRequest& request) {
  const Size m = request.result.shape()[0], n = request.result.shape()[1];
  const Size k = op.a.shape()[op.options.aTranspose ? 0 : 1];
  if (!op.b.constant()) return Refusal{"b is not constant"};
  if (op.options.aTranspose && m > 1 && k > 1) return Refusal{"a is transposed"};
  const bool transposed = op.options.bTranspose;
  FullyConnected p{.rows = m,
                   .n = n,
                   .k = k,
                   .b = {floats_of(op.b).data(), transposed ? 1 : n, transposed ? k : 1,
                         static_cast<float>(op.options.alpha)}};
  const auto beta = static_cast<float>(op.options.beta);
  if (op.options.c && beta != 0) {
    const Dims& shape = op.options.c->shape();
    if (!op.options.c->constant() || (shape.size() == 2 && shape[0] > 1))
      return Refusal{"c is not a constant row"};
    const auto c = floats_of(*op.options.c);
    for (Size i = 0; i < n; ++i) p.bias.push_back(beta * c[c.size() > 1 ? i : 0]);
  }
  return lower(p, request);
}

Lowering lower(const ops::matmul& op, const LoweringRequest& request) {
  const Dims &b = op.b.shape(), &y = request.result.shape();
  const Size n = y.end()[-1], k = b.end()[-2];
  if (!op.b.constant()) return Refusal{"b is not constant"};
  if (element_count(b) != n * k) return Refusal{"b has batches"};
  return lower({.rows = static_cast<Size>(element_count(y)) / n,
                .n = n,
                .k = k,
                .b = {floats_of(op.b).data(), n, 1, 1}},
               request);
}

}  // namespace webnn::inline v0_1::xnnpack
