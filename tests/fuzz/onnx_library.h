// Models with nodes that become operators of the library, or are composed, as seeds.
#pragma once

#include "tests/formats/onnx/writer.h"

namespace webnn::inline v0_1::fuzz {

/// f(name, model) for each.
template <class F> void each_onnx_library_model(F f) {
  using namespace onnx::test;
  const auto one = [&](const char* name, std::int64_t opset, auto make) {
    Writer w;
    w.opset = opset;
    make(w);
    f(std::string("library_") + name, w.file());
  };
  const auto suppression = [](Writer& w) {
    w.input("boxes", {"1", "n", "4"}).input("scores", {"1", "1", "n"});
    w.initializer(int64s("most", {1}, {3})).initializer(floats("iou", {1}, {0.5f}));
    w.initializer(floats("least", {1}, {0.25f})).initializer(int64s("column", {}, {2}));
    w.node("NonMaxSuppression", {"boxes", "scores", "most", "iou", "least"}, {"selected"});
    w.node("Gather", {"selected", "column"}, {"places"}, {attribute("axis", 1)});
    w.node("Gather", {"boxes", "places"}, {"kept"}, {attribute("axis", 1)}).output("kept");
  };
  one("suppression", 17, suppression);
  one("non_zero", 17, [](Writer& w) {
    w.input("x", {"2", "3"}).node("NonZero", {"x"}, {"p"}).node("Transpose", {"p"}, {"rows"});
    w.node("GatherND", {"x", "rows"}, {"y"}).output("y");
  });
  one("unique", 17, [](Writer& w) {
    w.input("x", {"2", "n"}).output("y").output("i").output("r").output("c");
    w.node("Unique", {"x"}, {"y", "i", "r", "c"}, {attribute("axis", 1), attribute("sorted", 0)});
  });
  one("roi_align", 16, [](Writer& w) {
    w.input("x", {"1", "2", "h", "w"})
        .input("r", {"n", "4"})
        .input("i", {"n"}, onnx::ElementType::INT64);
    w.output("y").node("RoiAlign", {"x", "r", "i"}, {"y"}, {attribute("output_width", 2)});
  });
  one("max_unpool", 11, [](Writer& w) {
    w.input("x", {"1", "1", "2", "2"})
        .input("i", {"1", "1", "2", "2"}, onnx::ElementType::INT64)
        .output("y");
    w.node("MaxUnpool", {"x", "i"}, {"y"}, {attribute("kernel_shape", Ints{2, 2})});
  });
  one("affine_grid", 20, [](Writer& w) {
    w.input("t", {"1", "2", "3"}).output("y").initializer(int64s("size", {4}, {1, 1, 2, 3}));
    w.node("AffineGrid", {"t", "size"}, {"y"});
  });
  one("col2im", 18, [](Writer& w) {
    w.input("x", {"1", "4", "4"}).initializer(int64s("image", {2}, {3, 3})).output("y");
    w.initializer(int64s("block", {2}, {2, 2})).node("Col2Im", {"x", "image", "block"}, {"y"});
  });
  one("deform_conv", 19, [](Writer& w) {
    w.input("x", {"1", "1", "3", "3"}).input("o", {"1", "8", "2", "2"}).output("y");
    w.initializer(floats("w", {1, 1, 2, 2}, {1, 2, 3, 4}));
    w.node("DeformConv", {"x", "w", "o"}, {"y"});
  });
  one("products", 26, [](Writer& w) {
    w.input("x", {"n", "n"}).output("y").output("d").initializer(int64s("axis", {}, {1}));
    w.node("CumProd", {"x", "axis"}, {"y"}).node("Det", {"x"}, {"d"});
  });
  one("random", 17, [](Writer& w) {
    w.input("x", {"2", "n"}).output("y").output("m").output("u");
    w.node("Bernoulli", {"x"}, {"y"}, {attribute("seed", 1.0f)});
    w.node("Multinomial", {"x"}, {"m"}, {attribute("sample_size", 3)});
    w.node("RandomUniform", {}, {"u"}, {attribute("shape", Ints{2, 2})});
  });
  one("recurrent", 27, [](Writer& w) {
    w.input("x", {"1", "2", "n"}).input("g", {"1", "n", "1"}).output("y").output("s");
    w.initializer(floats("w", {2, 1, 3}, {1, 2, 3, 4, 5, 6}));
    w.node("CausalConvWithState", {"x", "w"}, {"c"}, {attribute("activation", "silu")});
    w.node("Transpose", {"c"}, {"t"}, {attribute("perm", Ints{0, 2, 1})});
    w.node("LinearAttention", {"t", "t", "t", "", "g", "g"}, {"y", "s"},
           {attribute("q_num_heads", 1), attribute("kv_num_heads", 1)});
  });
}

}  // namespace webnn::inline v0_1::fuzz
