// gemm and matmul: products of matrices, in tiles of rows, columns or batches.
#include <cmath>

#include "src/kernels/common/convolution.h"
#include "src/kernels/common/library.h"
#include "src/kernels/common/loop.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/onednn/backend.h"
#include "src/kernels/onednn/tile.h"

namespace webnn::inline v0_1::onednn {
namespace {

using Size = std::size_t;

/// y = scale * a * b + addend, once for each of `calls`: matrices of m x k and k x n, with the
/// strides of their rows and columns in elements.
struct Matmul {
  Size m, n, k;
  Size a_row, a_column, b_row, b_column;
  std::vector<CallOffsets> calls{{}};
  std::optional<MLOperand> weights{};  // b, when it is constant and the same in all calls
  int w_slot = 1;
  float scale = 1;
  PackedArray<float> bias{};  // n elements, or none
  Prefill prefill{};
};

class MatmulLowering {
 public:
  /// `blocks`: what is wanted so far.
  MatmulLowering(Matmul p, const LoweringRequest& request, std::vector<WeightBlock> blocks = {})
      : p_(std::move(p)), request_(request), tiles_(std::make_shared<Tiles>()) {
    p_.prefill.residual = request.epilogue.residual;
    tiles_->weights = std::move(blocks);
    if (p_.weights) weights_scale_ = std::exchange(p_.scale, 1.f);
    // The scale is applied last, so values that are added before it are divided by it.
    p_.prefill.scale /= p_.scale;
    p_.prefill.residual_scale /= p_.scale;
  }

  Lowering run() {
    const Size count = p_.calls.size();
    const double each = product_microseconds(static_cast<double>(p_.m), static_cast<double>(p_.n),
                                             static_cast<double>(p_.k));
    const auto wanted = static_cast<Size>(library_tiles(each * static_cast<double>(count)));
    if (count >= wanted) {
      for (Size i = 0; i < wanted; ++i)
        add(0, p_.m, 0, p_.n, count * i / wanted, count * (i + 1) / wanted);
    } else if (p_.n > p_.m || p_.m < wanted) {
      const Size each = ((p_.n + wanted - 1) / wanted + 15) / 16 * 16;
      for (Size at = 0; at < p_.n; at += each)
        add(0, p_.m, at, std::min(p_.n, at + each), 0, count);
    } else {
      for (Size i = 0; i < wanted; ++i)
        add(p_.m * i / wanted, p_.m * (i + 1) / wanted, 0, p_.n, 0, count);
    }
    return kernel_of(tiles_, "matmul", request_.epilogue);
  }

 private:
  static memory::desc matrix(Size rows, Size columns, Size row_step, Size column_step) {
    const auto d = [](Size v) { return static_cast<memory::dim>(v); };
    return {{d(rows), d(columns)}, f32, memory::dims{d(row_step), d(column_step)}};
  }

  void add(Size m0, Size m1, Size n0, Size n1, Size first, Size last) {
    const Size columns = n1 - n0;
    const memory::desc plain = matrix(p_.k, columns, p_.b_row, p_.b_column);
    MatmulForm form{.x = matrix(m1 - m0, p_.k, p_.a_row, p_.a_column),
                    .w = plain,
                    .y = matrix(m1 - m0, columns, columns, 1)};
    if (!p_.bias.empty()) form.bias = matrix(1, columns, columns, 1);
    const auto make = [&](const memory::desc& w) {
      form.w = w;
      return matmul(form, attributes_of(request_.epilogue, bool(p_.prefill), p_.scale));
    };
    PackedLayouts of_some;
    PackedLayouts& layouts = columns == p_.n ? layouts_ : of_some;
    const auto made = p_.weights ? layouts.describe(dims_of(plain), make) : make(plain);
    Tile t;
    // A scale is folded into constant weights: one more rounding, in an order that the
    // specification leaves open.
    t.arguments.w = memory(made.weights_desc(), cpu(), nullptr);
    if (!p_.weights) t.w_slot = p_.w_slot;
    else
      t.weights = layouts.in(made.weights_desc(), [&](const memory::desc& layout) {
        return pack(tiles_->weights,
                    {*p_.weights, p_.w_slot, n0 * p_.b_column, plain, weights_scale_}, layout);
      });
    tiles_->add_implementation(made.impl_info_str());
    t.primitive = dnnl::matmul(made);
    t.arguments.x = memory(form.x, cpu(), nullptr);
    t.arguments.y = memory(form.y, cpu(), nullptr);
    if (form.bias) t.arguments.bias = memory(*form.bias, cpu(), nullptr);
    t.bias = p_.bias, t.bias_at = n0;
    if (const auto s = made.scratchpad_desc(); s.get_size() > 0)
      t.arguments.scratchpad = memory(s, cpu(), nullptr);
    t.output.rows = m1 - m0, t.output.columns = columns, t.output.step = p_.n;
    t.staged = t.output.rows > 1 && columns != p_.n;  // fast only without gaps

    for (Size i = first; i < last; ++i)
      t.calls.push_back({p_.calls[i].a + m0 * p_.a_row, p_.calls[i].b + n0 * p_.b_column,
                         p_.calls[i].y + m0 * p_.n + n0});
    t.prefill = p_.prefill;
    t.prefill.addend_at = m0 * t.prefill.row_step + n0 * t.prefill.column_step;
    tiles_->tiles.push_back(std::move(t));
  }

  Matmul p_;
  const LoweringRequest& request_;
  float weights_scale_ = 1;
  PackedLayouts layouts_{};  // those of all columns
  std::shared_ptr<Tiles> tiles_;
};

/// c * beta: a bias when it is constant and the same in each row, else the result is filled with it
/// before the product.
void add_c(std::vector<WeightBlock>& weights, Matmul& p, const ops::gemm& op) {
  const auto beta = static_cast<float>(op.options.beta);
  if (!op.options.c || beta == 0) return;
  const Dims& shape = op.options.c->shape();
  const Size columns = shape.empty() ? 1 : shape.back();
  const Size column_step = columns > 1 ? 1 : 0;
  const Size row_step = shape.size() == 2 && shape[0] > 1 ? columns : 0;
  if (op.options.c->constant() && row_step == 0 && (p.weights || p.scale == 1)) {
    p.bias = add_packed<float>(weights, p.n, layout_text("scaled row/1", column_step, beta),
                               {slot<&MLGemmOptions::c>(op)}, [=, &op, n = p.n](float* to) {
                                 const auto c = floats_of(*op.options.c);
                                 for (Size i = 0; i < n; ++i) to[i] = beta * c[i * column_step];
                               });
    return;
  }
  p.prefill.addend = slot<&MLGemmOptions::c>(op);
  p.prefill.scale = beta;
  p.prefill.row_step = row_step;
  p.prefill.column_step = column_step;
}

}  // namespace

Lowering lower(const ops::gemm& op, const LoweringRequest& request) {
  const Size m = request.result.shape()[0], n = request.result.shape()[1];
  const Size k = op.a.shape()[op.options.aTranspose ? 0 : 1];
  Matmul p{.m = m, .n = n, .k = k, .a_row = k, .a_column = 1, .b_row = n, .b_column = 1};
  if (op.options.aTranspose) p.a_row = 1, p.a_column = m;
  if (op.options.bTranspose) p.b_row = 1, p.b_column = k;
  if (op.b.constant()) p.weights = op.b;
  p.scale = static_cast<float>(op.options.alpha);
  if (!p.weights && !(std::abs(p.scale) > 0x1p-20f && std::abs(p.scale) < 0x1p20f))
    return Refusal{"an extreme alpha, and b is not constant"};
  if (!std::isfinite(p.scale)) return Refusal{"alpha is not a finite float"};
  std::vector<WeightBlock> weights;
  add_c(weights, p, op);
  return MatmulLowering(std::move(p), request, std::move(weights)).run();
}

Lowering lower(const ops::matmul& op, const LoweringRequest& request) {
  constexpr Size max_batches = 65536;
  const Dims &a = op.a.shape(), &b = op.b.shape(), &y = request.result.shape();
  const Size m = y.end()[-2], n = y.end()[-1], k = a.end()[-1];
  Matmul p{.m = m, .n = n, .k = k, .a_row = k, .a_column = 1, .b_row = n, .b_column = 1};
  const Dims a_batch(a.begin(), a.end() - 2), b_batch(b.begin(), b.end() - 2);
  const Dims y_batch(y.begin(), y.end() - 2);
  const Size batches = element_count(y_batch);
  if (element_count(b_batch) == 1) {
    if (op.b.constant()) p.weights = op.b;
    if (element_count(a_batch) == batches) {  // one product with more rows
      p.m *= batches;
      return MatmulLowering(std::move(p), request).run();
    }
  }
  if (batches > max_batches) return Refusal{"more than 65536 products"};
  p.calls.clear();
  const Loop<2> loop(y_batch,
                     {broadcast_strides(a_batch, y_batch), broadcast_strides(b_batch, y_batch)});
  loop.run_elements(0, batches, [&](Size first, const auto& at, Size count) {
    for (Size i = 0; i < count; ++i) {
      const auto s = static_cast<std::ptrdiff_t>(i);
      p.calls.push_back({static_cast<Size>(at[0] + s * loop.step[0]) * m * k,
                         static_cast<Size>(at[1] + s * loop.step[1]) * k * n, (first + i) * m * n});
    }
  });
  return MatmulLowering(std::move(p), request).run();
}

}  // namespace webnn::inline v0_1::onednn
