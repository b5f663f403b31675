// Nodes that become operators of the library, or are composed, beside ONNX Runtime. What it selects
// is the first part of what is imported. With WEBNN_ONNXRUNTIME_NODE=DIR, as onnxruntime_test.cpp.
#include <map>

#include "tests/formats/onnx/onnxruntime.h"
#include "tests/formats/onnx/run.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::onnx::test;
using enum onnx::ElementType;
using webnn::test::Random;

namespace {

struct Model {
  std::string name;
  Writer w;
  std::vector<std::pair<std::string, Tensor>> inputs;  // in their order
  std::vector<std::size_t> outer{};  ///< of each output: parts of which the first elements count
};

class Models {
 public:
  std::vector<Model> all{};
  Random random{7};

  Model& add(const std::string& name, std::int64_t opset) {
    all.push_back({name, {}, {}});
    all.back().w.opset = opset;
    return all.back();
  }
  void input(Model& m, const std::string& name, const Tensor& x) {
    std::vector<std::string> dims;
    for (const std::uint32_t d : x.shape) dims.push_back(std::to_string(d));
    m.w.input(name, dims, x.type == int64 ? INT64 : FLOAT);
    m.inputs.emplace_back(name, x);
  }
  Tensor floats(Dims shape, double low = -1, double high = 1) {
    return random.tensor(float32, std::move(shape), low, high);
  }
  Tensor integers(Dims shape, double low, double high) {
    return random.tensor(int64, std::move(shape), low, high);
  }

  void suppressions() {
    for (const int center : {0, 1})
      for (const float least : {0.1f, 0.6f}) {
        Model& m = add("NonMaxSuppression", 11);
        input(m, "boxes", floats({2, 60, 4}, 1, 6));
        input(m, "scores", floats({2, 3, 60}, 0, 1));
        m.w.initializer(int64s("most", {1}, {9}))
            .initializer(onnx::test::floats("iou", {1}, {0.3f}));
        m.w.initializer(onnx::test::floats("least", {1}, {least})).output("y");
        m.w.node("NonMaxSuppression", {"boxes", "scores", "most", "iou", "least"}, {"y"},
                 {attribute("center_point_box", center)});
        m.outer = {1};
      }
    Model& m = add("NonZero", 13);
    Tensor x = floats({3, 4, 5});
    for (std::size_t i = 0; i < x.size(); i += 2) x.set(i, 0);
    input(m, "x", x);
    m.w.node("NonZero", {"x"}, {"y"}).output("y");
    m.outer = {3};
    for (const int sorted : {0, 1}) {
      Model& u = add("Unique", 11);
      input(u, "x", integers({40}, 0, 9));
      u.w.node("Unique", {"x"}, {"y", "i", "r", "c"}, {attribute("sorted", sorted)});
      u.w.output("y").output("i").output("r").output("c");
      u.outer = {1, 1, 0, 1};
    }
  }
  void regions() {
    for (const std::int64_t opset : {10, 16})
      for (const char* mode : {"avg", "max"})
        for (const int samples : {0, 2}) {
          if (opset == 10 && std::string_view(mode) == "max") continue;
          Model& m = add("RoiAlign", opset);
          input(m, "x", floats({2, 3, 12, 15}));
          Tensor rois = floats({8, 4}, 0, 12);
          for (std::size_t i = 0; i < rois.size(); i += 4)
            for (std::size_t d = 0; d < 2; ++d)
              rois.set(i + 2 + d, rois[i + d] + 1 + rois[i + 2 + d]);
          input(m, "r", rois);
          input(m, "i", integers({8}, 0, 1));
          m.w.node("RoiAlign", {"x", "r", "i"}, {"y"},
                   {attribute("mode", mode), attribute("sampling_ratio", samples),
                    attribute("output_height", 3), attribute("output_width", 4),
                    attribute("spatial_scale", 0.7f)});
          m.w.output("y");
        }
    for (const int corners : {0, 1}) {
      Model& m = add("AffineGrid", 20);
      input(m, "t", floats({2, 2, 3}));
      m.w.initializer(int64s("size", {4}, {2, 3, 5, 4})).output("y");
      m.w.node("AffineGrid", {"t", "size"}, {"y"}, {attribute("align_corners", corners)});
    }
    Model& m = add("DeformConv", 19);
    input(m, "x", floats({2, 4, 9, 8}));
    input(m, "w", floats({6, 2, 3, 2}));
    input(m, "o", floats({2, 24, 5, 9}, -2, 2));
    input(m, "b", floats({6}));
    input(m, "m", floats({2, 12, 5, 9}, 0, 1));
    m.w.node("DeformConv", {"x", "w", "o", "b", "m"}, {"y"},
             {attribute("group", 2), attribute("offset_group", 2),
              attribute("pads", Ints{1, 1, 1, 1}), attribute("strides", Ints{2, 1})});
    m.w.output("y");
  }
  void others() {
    Model& d = add("Det", 11);
    input(d, "x", floats({3, 5, 5}));
    d.w.node("Det", {"x"}, {"y"}).output("y");
    Model& c = add("Col2Im", 18);
    input(c, "x", floats({2, 12, 25}));
    c.w.initializer(int64s("image", {2}, {8, 6})).initializer(int64s("block", {2}, {2, 3}));
    c.w.node("Col2Im", {"x", "image", "block"}, {"y"},
             {attribute("strides", Ints{2, 1}), attribute("pads", Ints{1, 0, 1, 1})});
    c.w.output("y");
    Model& u = add("MaxUnpool", 11);
    Tensor places = webnn::test::filled(int64, {1, 2, 2, 2}, 0);
    for (std::size_t i = 0; i < 8; ++i) places.set(i, static_cast<double>(i * 3 + i % 3));
    input(u, "x", floats({1, 2, 2, 2}));
    input(u, "i", places);
    u.w.node("MaxUnpool", {"x", "i"}, {"y"},
             {attribute("kernel_shape", Ints{2, 2}), attribute("strides", Ints{2, 2})});
    u.w.output("y");
    Model& p = add("CumProd", 26);
    input(p, "x", floats({3, 4}, 0.5, 1.5));
    p.w.initializer(int64s("axis", {}, {1})).node("CumProd", {"x", "axis"}, {"y"}).output("y");
  }
  void recurrent() {
    for (const char* rule : {"linear", "gated", "delta", "gated_delta"}) {
      const std::string_view name = rule;
      Model& m = add("LinearAttention", 21);
      m.w.domains = {{"com.microsoft", 1}};
      input(m, "q", floats({2, 5, 8}));
      input(m, "k", floats({2, 5, 8}, -0.5, 0.5));
      input(m, "v", floats({2, 5, 6}));
      input(m, "s", floats({2, 2, 4, 3}));
      Names names{"q", "k", "v", "s", "", ""};
      if (name.starts_with("gated")) input(m, "g", floats({2, 5, 2}, -1, 0)), names[4] = "g";
      if (name.ends_with("delta")) input(m, "b", floats({2, 5, 2}, 0, 1)), names[5] = "b";
      m.w.node("LinearAttention", names, {"y", "state"},
               {attribute("q_num_heads", 2), attribute("kv_num_heads", 2),
                attribute("update_rule", rule)},
               "com.microsoft");
      m.w.output("y").output("state");
    }
    for (const char* activation : {"none", "silu"}) {
      Model& m = add("CausalConvWithState", 21);
      m.w.domains = {{"com.microsoft", 1}};
      input(m, "x", floats({2, 3, 5}));
      input(m, "w", floats({3, 1, 4}));
      input(m, "b", floats({3}));
      input(m, "s", floats({2, 3, 3}));
      m.w.node("CausalConvWithState", {"x", "w", "b", "s"}, {"y", "state"},
               {attribute("activation", activation)}, "com.microsoft");
      m.w.output("y").output("state");
    }
  }
};

/// The first elements of each of `outer` parts, as many as a result of the runtime has.
Tensor first_of(const Tensor& y, std::size_t outer, std::size_t elements) {
  Tensor first{y.type, {static_cast<std::uint32_t>(elements)}, {}};
  const std::size_t part = y.bytes.size() / outer,
                    taken = part / (y.size() / outer) * elements / outer;
  for (std::size_t i = 0; i < outer; ++i) {
    const auto at = y.bytes.begin() + static_cast<std::ptrdiff_t>(i * part);
    first.bytes.insert(first.bytes.end(), at, at + static_cast<std::ptrdiff_t>(taken));
  }
  return first;
}

}  // namespace

TEST_CASE("onnxruntime computes the same: operators of the library", "[.][onnxruntime]") {
  if (!std::getenv("WEBNN_ONNXRUNTIME_NODE")) {
    WARN("WEBNN_ONNXRUNTIME_NODE is not set");
    return;
  }
  Models models;
  models.suppressions();
  models.regions();
  models.others();
  models.recurrent();
  const Folder folder;
  for (std::size_t n = 0; n < models.all.size(); ++n) {
    const Model& m = models.all[n];
    write(file_of(folder, n, "onnx"), m.w.file());
    for (std::size_t i = 0; i < m.inputs.size(); ++i)
      write(file_of(folder, n, "in" + std::to_string(i)), m.inputs[i].second.bytes);
  }
  run_all(folder, models.all.size());
  std::map<std::string, int> same, missing;
  for (std::size_t n = 0; n < models.all.size(); ++n) {
    const Model& m = models.all[n];
    const std::string error = text_of(file_of(folder, n, "error"));
    CAPTURE(n, m.name);
    if (!error.empty()) {
      ++missing[m.name + ": " + error.substr(0, 160)];
      continue;
    }
    const std::map<std::string, Tensor> inputs(m.inputs.begin(), m.inputs.end());
    const auto results = run(m.w.file(), inputs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::string bytes = text_of(file_of(folder, n, "out" + std::to_string(i)));
      const auto view = std::as_bytes(std::span(bytes));
      Tensor y = results[i];
      const std::size_t elements = bytes.size() / (y.bytes.size() / y.size());
      CHECK(elements > 0);
      const std::size_t outer = m.outer.empty() ? 0 : m.outer[i];
      if (outer > 0) {
        REQUIRE(elements <= y.size());
        y = first_of(y, outer, elements);
      }
      REQUIRE(y.bytes.size() == bytes.size());
      const Tensor expected{y.type, y.shape, {view.begin(), view.end()}};
      if (y.bytes != expected.bytes) CHECK(is_near(y, expected));
    }
    ++same[m.name];
  }
  std::string list;
  for (const auto& [name, times] : same) list += name + " " + std::to_string(times) + ", ";
  for (const auto& [name, times] : missing) list += "not: " + name + "; ";
  WARN(list);
  CHECK(same.size() >= 10);
}
