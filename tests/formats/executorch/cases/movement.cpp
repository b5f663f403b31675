#include "tests/formats/executorch/cases/cases_common.h"

namespace webnn::inline v0_1::executorch::test {
namespace {

void add_movement(std::vector<Case>& all, Place place) {
  const std::size_t first = all.size();
  {
    Case c{.name = "StaticReshape"};
    c.inputs = {sample({2, 3, 4})};
    xnn::NodeReshapeT t;
    t.num_dims = 2;
    t.new_shape = {4, 0};
    t.input_id = c.graph.input({2, 3, 4});
    t.output_id = c.graph.output({4, 6});
    c.graph.node(Kind::StaticReshape, t);
    c.expected = [](const Tensors& in) {
      Tensor y = in[0];
      y.shape = {4, 6};
      return Tensors{y};
    };
    all.push_back(std::move(c));
  }
  {
    Case c{.name = "StaticTranspose"};
    c.inputs = {sample({2, 3, 4})};
    xnn::NodeTransposeT t;
    t.num_dims = 3;
    t.perm = {2, 0, 1};
    t.input_id = c.graph.input({2, 3, 4});
    t.output_id = c.graph.output({4, 2, 3});
    c.graph.node(Kind::StaticTranspose, t);
    c.expected = [](const Tensors& in) {
      return Tensors{webnn::test::generated(float32, {4, 2, 3}, [&](const Dims& p) {
        return in[0].at({p[1], p[2], p[0]});
      })};
    };
    all.push_back(std::move(c));
  }
  {
    Case c{.name = "StaticExpandDims"};
    c.inputs = {sample({2, 3})};
    xnn::NodeExpandDimsT t;
    t.num_new_axes = 2;
    t.new_axes = {3, 0};
    t.input_id = c.graph.input({2, 3});
    t.output_id = c.graph.output({1, 2, 3, 1});
    c.graph.node(Kind::StaticExpandDims, t);
    c.expected = [](const Tensors& in) {
      Tensor y = in[0];
      y.shape = {1, 2, 3, 1};
      return Tensors{y};
    };
    all.push_back(std::move(c));
  }
  {
    Case c{.name = "StaticSlice"};
    c.inputs = {sample({4, 5})};
    xnn::NodeSliceT t;
    t.num_dims = 2;
    t.offsets = {1, 2};
    t.sizes = {2, 3};
    t.input_id = c.graph.input({4, 5});
    t.output_id = c.graph.output({2, 3});
    c.graph.node(Kind::StaticSlice, t);
    c.expected = [](const Tensors& in) {
      return Tensors{webnn::test::generated(float32, {2, 3}, [&](const Dims& p) {
        return in[0].at({p[0] + 1, p[1] + 2});
      })};
    };
    all.push_back(std::move(c));
  }
  {
    Case c{.name = "StaticConstantPad"};
    c.inputs = {sample({2, 3})};
    xnn::NodePadT t;
    t.pre_paddings = {1, 0};
    t.post_paddings = {0, 2};
    t.padding_value = 7;
    t.input_id = c.graph.input({2, 3});
    t.output_id = c.graph.output({3, 5});
    c.graph.node(Kind::StaticConstantPad, t);
    c.expected = [](const Tensors& in) {
      return Tensors{webnn::test::generated(float32, {3, 5}, [&](const Dims& p) {
        return p[0] == 0 || p[1] > 2 ? 7 : in[0].at({p[0] - 1, p[1]});
      })};
    };
    all.push_back(std::move(c));
  }
  for (std::uint32_t n = 2; n <= 5; ++n) {
    Case c{.name = "Concatenate" + std::to_string(n)};
    xnn::NodeConcatenateT t;
    t.axis = 1;
    std::uint32_t* const ids[] = {&t.input1_id, &t.input2_id, &t.input3_id, &t.input4_id,
                                  &t.input5_id};
    std::uint32_t columns = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      c.inputs.push_back(sample({2, i + 1}, -2, 2, i + 1));
      *ids[i] = c.graph.input({2, i + 1});
      columns += i + 1;
    }
    t.output_id = c.graph.output({2, columns});
    const Kind kinds[] = {Kind::Concatenate2, Kind::Concatenate3, Kind::Concatenate4,
                          Kind::Concatenate5};
    c.graph.node(kinds[n - 2], t);
    c.expected = [columns](const Tensors& in) {
      Tensor y = webnn::test::filled(float32, {2, columns}, 0);
      std::size_t k = 0;
      for (std::uint32_t r = 0; r < 2; ++r)
        for (const Tensor& x : in)
          for (std::uint32_t i = 0; i < x.shape[1]; ++i) y.set(k++, x.at({r, i}));
      return Tensors{y};
    };
    all.push_back(std::move(c));
  }
  for (const std::uint32_t flags : {0u, align_corners, legacy_resize}) {
    Case c{.name = "StaticResizeBilinear2D_" + std::to_string(flags)};
    c.inputs = {sample({1, 3, 2, 2})};
    xnn::NodeResizeT t;
    t.new_height = 5;
    t.new_width = 4;
    t.flags = flags;
    t.input_id = c.graph.input({1, 3, 2, 2});
    t.output_id = c.graph.output({1, 5, 4, 2});
    c.graph.node(Kind::StaticResizeBilinear2D, t);
    c.expected = [flags](const Tensors& in) {
      const auto place_of = [&](std::uint32_t i, double from, double to) {
        if (flags == align_corners) return i * (from - 1) / (to - 1);
        if (flags == legacy_resize) return i * from / to;
        return clamp((i + 0.5) * from / to - 0.5, 0, from - 1);
      };
      return Tensors{webnn::test::generated(float32, {1, 5, 4, 2}, [&](const Dims& p) {
        const double r = place_of(p[1], 3, 5), s = place_of(p[2], 2, 4);
        const auto r0 = static_cast<std::uint32_t>(r), s0 = static_cast<std::uint32_t>(s);
        const std::uint32_t r1 = std::min(r0 + 1, 2u), s1 = std::min(s0 + 1, 1u);
        const double a = r - r0, b = s - s0;
        const auto e = [&](std::uint32_t i, std::uint32_t j) { return in[0].at({0, i, j, p[3]}); };
        return (e(r0, s0) * (1 - b) + e(r0, s1) * b) * (1 - a) +
               (e(r1, s0) * (1 - b) + e(r1, s1) * b) * a;
      })};
    };
    all.push_back(std::move(c));
  }
  for (std::size_t i = first; i < all.size(); ++i) all[i].graph.place = place;
}

}  // namespace

void add_movement_cases(std::vector<Case>& all, Place place) { add_movement(all, place); }

}  // namespace webnn::inline v0_1::executorch::test
