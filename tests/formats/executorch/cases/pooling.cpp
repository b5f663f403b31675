#include "tests/formats/executorch/cases/cases_common.h"

namespace webnn::inline v0_1::executorch::test {
namespace {

void add_pooling(std::vector<Case>& all, Place place) {
  const auto pooled = [](const Tensor& x,
                         bool largest) {  // 2 by 3, stride 2 and 1, padding 0, 1, 1, 1
    const std::int64_t out_h = (6 + 1 - 2) / 2 + 1, out_w = (5 + 2 - 3) / 1 + 1;
    Tensor y = webnn::test::filled(
        float32, {1, static_cast<std::uint32_t>(out_h), static_cast<std::uint32_t>(out_w), 3}, 0);
    for (std::int64_t r = 0; r < out_h; ++r)
      for (std::int64_t s = 0; s < out_w; ++s)
        for (std::uint32_t k = 0; k < 3; ++k) {
          double sum = 0, most = -INFINITY, n = 0;
          for (std::int64_t a = r * 2; a < r * 2 + 2; ++a)
            for (std::int64_t b = s - 1; b < s + 2; ++b)
              if (a >= 0 && b >= 0 && a < 6 && b < 5) {
                const double v =
                    x.at({0, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), k});
                sum += v;
                most = std::max(most, v);
                ++n;
              }
          y.set(static_cast<std::size_t>((r * out_w + s) * 3 + k), largest ? most : sum / n);
        }
    return y;
  };
  for (const int k : {0, 1, 2, 3}) {
    const bool largest = k % 2 == 1;
    Case c{.name = largest ? "MaxPooling2d" : "AvgPooling2d"};
    c.inputs = {sample({1, 6, 5, 3})};
    xnn::NodePoolingT t;
    t.padding_right = t.padding_left = t.padding_bottom = 1;
    t.pooling_height = 2;
    t.pooling_width = 3;
    t.stride_height = 2;
    t.stride_width = t.dilation_height = t.dilation_width = 1;
    t.flags = k < 2 ? 0 : keep_dims;  // the newer exporter's, without an effect
    t.input_id = c.graph.input({1, 6, 5, 3});
    t.output_id = c.graph.output(pooled(c.inputs[0], largest).shape);
    c.graph.node(largest ? Kind::MaxPooling2d : Kind::AvgPooling2d, t);
    c.expected = [=](const Tensors& in) { return Tensors{pooled(in[0], largest)}; };
    c.graph.place = place;
    all.push_back(std::move(c));
  }
  {
    Case c{.name = "GlobalAvgPooling2d"};
    c.graph.place = place;
    c.inputs = {sample({1, 6, 5, 3})};
    const auto x = c.graph.input({1, 6, 5, 3}), y = c.graph.output({1, 1, 1, 3});
    c.graph.unary(Kind::GlobalAvgPooling2d, x, y, keep_dims);
    c.expected = [](const Tensors& in) {
      Tensor y = webnn::test::filled(float32, {1, 1, 1, 3}, 0);
      for (std::size_t k = 0; k < 3; ++k) {
        double sum = 0;
        for (std::size_t i = 0; i < 30; ++i) sum += in[0][i * 3 + k];
        y.set(k, sum / 30);
      }
      return Tensors{y};
    };
    all.push_back(std::move(c));
  }
  Case c{.name = "ArgMaxPooling2d"};
  c.graph.place = place;
  c.inputs = {sample({1, 6, 5, 3})};
  xnn::NodeArgMaxPoolingT t;
  t.pooling_height = 3;
  t.pooling_width = 2;
  t.input_id = c.graph.input({1, 6, 5, 3});
  t.output_value_id = c.graph.output({1, 2, 2, 3});
  t.output_index_id = c.graph.output({1, 2, 2, 3}, DataType::int32);
  c.graph.node(Kind::ArgMaxPooling2d, t);
  c.expected = [](const Tensors& in) {
    Tensor v = webnn::test::filled(float32, {1, 2, 2, 3}, 0),
           at = webnn::test::filled(int32, {1, 2, 2, 3}, 0);
    for (std::uint32_t r = 0; r < 2; ++r)
      for (std::uint32_t s = 0; s < 2; ++s)
        for (std::uint32_t k = 0; k < 3; ++k) {
          const std::size_t i = (r * 2 + s) * 3 + k;
          v.set(i, -INFINITY);
          for (std::uint32_t p = 0; p < 6; ++p)
            if (const double e = in[0].at({0, r * 3 + p / 2, s * 2 + p % 2, k}); e > v[i]) {
              v.set(i, e);
              at.set(i, p);
            }
        }
    return Tensors{v, at};
  };
  all.push_back(std::move(c));
}

}  // namespace

void add_pooling_cases(std::vector<Case>& all, Place place) { add_pooling(all, place); }

}  // namespace webnn::inline v0_1::executorch::test
