// Operators of com.microsoft that are composed.
#include <cmath>
#include <limits>

#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx::test;
using webnn::test::tensor;
using enum webnn::onnx::ElementType;

namespace {

/// A model of one node, whose inputs without a tensor are inputs of the model.
struct Call {
  Writer w{};
  std::map<std::string, Tensor> inputs{};

  Call(std::string_view op, const Names& names, const std::vector<Message>& attributes,
       const Names& outputs = {"y"}) {
    w.domains.push_back({"com.microsoft", 1});
    for (const std::string& y : outputs)
      if (!y.empty()) w.output(y);
    w.node(op, names, outputs, attributes, "com.microsoft");
  }
  Call& input(const std::string& name, Tensor x) {
    std::vector<std::string> dims;
    for (std::uint32_t d : x.shape) dims.push_back(std::to_string(d));
    w.input(name, dims, x.type == int32 ? INT32 : FLOAT);
    inputs[name] = std::move(x);
    return *this;
  }
  Call& constant(const Message& t) {
    w.initializer(t);
    return *this;
  }
  void check(std::size_t i, const Doubles& expected) const {
    const Tensor y = run(w.file(), inputs).at(i);
    REQUIRE(y.size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      INFO("element " << k << ": " << y[k] << ", expected " << expected[k]);
      CHECK(std::abs(y[k] - expected[k]) <= 1e-5 * std::max(1.0, std::abs(expected[k])));
    }
  }
};

Message int32s(std::string_view name, const Ints& dims, const std::vector<std::int32_t>& values) {
  return onnx::test::tensor(name, INT32, dims, values);
}

/// Scores of 0, so that the result is the mean of the values that are seen.
Call attention_with_mask(const Ints& dims, const std::vector<std::int32_t>& mask) {
  Call c("MultiHeadAttention", {"q", "k", "v", "", "mask"}, {attribute("num_heads", 1)});
  c.input("q", tensor(float32, {1, 2, 1}, {0, 0})).input("k", tensor(float32, {1, 2, 1}, {1, 2}));
  c.input("v", tensor(float32, {1, 2, 1}, {2, 6})).constant(int32s("mask", dims, mask));
  return c;
}

}  // namespace

TEST_CASE("onnx: MultiHeadAttention with a mask of keys") {
  attention_with_mask({1}, {1}).check(0, {2, 2});
  attention_with_mask({1, 2}, {0, 1}).check(0, {6, 6});
  attention_with_mask({1, 2, 2}, {1, 1, 0, 1}).check(0, {4, 6});
  CHECK(refusal(attention_with_mask({5}, {1, 1, 1, 1, 1}).w) ==
        "NotSupportedError onnx: node 0 (com.microsoft:MultiHeadAttention-1): a mask of shape [5] "
        "for 1 sequences, 2 queries and 2 keys.");
}

/// ONNX Runtime takes the lowest number for minus infinity when it looks for the largest score.
TEST_CASE("onnx: queries of com.microsoft that see no key have the mean of the values") {
  const float infinity = std::numeric_limits<float>::infinity();
  Call c("MultiHeadAttention", {"q", "k", "v", "", "", "bias"}, {attribute("num_heads", 1)});
  c.input("q", tensor(float32, {1, 2, 1}, {3, 1})).input("k", tensor(float32, {1, 2, 1}, {1, 2}));
  c.input("v", tensor(float32, {1, 2, 1}, {2, 6}));
  c.input("bias", tensor(float32, {1, 1, 2, 2}, {-infinity, -infinity, -infinity, 0}));
  c.check(0, {4, 6});
}

/// Query i sees the keys up to i, behind those of the past, however many keys there are.
TEST_CASE("onnx: MultiHeadAttention that is unidirectional") {
  Call c("MultiHeadAttention", {"q", "k", "v"},
         {attribute("num_heads", 1), attribute("unidirectional", 1)});
  c.input("q", tensor(float32, {1, 2, 1}, {0, 0}));
  c.input("k", tensor(float32, {1, 3, 1}, {1, 2, 3}))
      .input("v", tensor(float32, {1, 3, 1}, {2, 6, 7}));
  c.check(0, {2, 4});
}

TEST_CASE("onnx: Attention of com.microsoft") {
  // The queries are 0, the values twice the input.
  Call c("Attention", {"x", "w", "", "", "past"},
         {attribute("num_heads", 1), attribute("unidirectional", 1)}, {"y", "present"});
  c.input("x", tensor(float32, {1, 2, 1}, {1, 4})).constant(floats("w", {1, 3}, {0, 1, 2}));
  c.input("past", tensor(float32, {2, 1, 1, 1, 1}, {9, 5}));
  c.check(0, {3.5, 5});  // (5 + 2) / 2, (5 + 2 + 8) / 3
  c.check(1, {9, 1, 4, 5, 2, 8});

  Call sizes("Attention", {"x", "w", "b"},
             {attribute("num_heads", 1), attribute("qkv_hidden_sizes", Ints{1, 1, 2})});
  sizes.input("x", tensor(float32, {1, 1, 1}, {3})).constant(floats("w", {1, 4}, {0, 0, 1, 2}));
  sizes.constant(floats("b", {4}, {0, 0, 1, 0})).check(0, {4, 6});
}

TEST_CASE("onnx: EmbedLayerNormalization of com.microsoft") {
  Call c("EmbedLayerNormalization", {"words", "segments", "w", "p", "s", "scale", "bias", "mask"},
         {attribute("epsilon", 0.0f)}, {"y", "seen", "sum"});
  c.input("words", tensor(int32, {1, 2}, {1, 0})).input("segments", tensor(int32, {1, 2}, {0, 1}));
  c.input("mask", tensor(int32, {1, 2}, {1, 0}));
  c.constant(floats("w", {2, 2}, {1, 2, 3, 4})).constant(floats("p", {3, 2}, {0, 1, 0, 2, 7, 7}));
  c.constant(floats("s", {2, 2}, {0, 0, 0, 4})).constant(floats("scale", {2}, {1, 2}));
  c.constant(floats("bias", {2}, {0, 1}));
  c.check(2, {3, 5, 1, 8});
  c.check(0, {-1, 3, -1, 3});
  c.check(1, {1});
}

TEST_CASE("onnx: SkipLayerNormalization has an epsilon of 1e-12 when none is given") {
  Call c("SkipLayerNormalization", {"x", "skip", "scale"}, {});
  c.input("x", tensor(float32, {1, 1, 2}, {1e-4, 0})).constant(floats("scale", {2}, {1, 1}));
  c.constant(floats("skip", {1, 1, 2}, {0, -1e-4f})).check(0, {0.9999500, -0.9999500});
  Call simplified("SkipSimplifiedLayerNormalization", {"x", "skip", "scale"}, {});
  simplified.input("x", tensor(float32, {1, 1, 1}, {1e-6})).constant(floats("scale", {1}, {1}));
  simplified.constant(floats("skip", {1, 1, 1}, {0})).check(0, {std::sqrt(0.5)});
}

TEST_CASE("onnx: FusedConv and FusedGemm of com.microsoft") {
  Call c("FusedConv", {"x", "w", "b", "z"},
         {attribute("activation", "LeakyRelu"), reals_attribute("activation_params", {0.5f})});
  c.input("x", tensor(float32, {1, 1, 1, 2}, {1, -3})).constant(floats("w", {1, 1, 1, 1}, {2}));
  c.input("z", tensor(float32, {1, 1, 1, 2}, {10, 1})).constant(floats("b", {1}, {1}));
  c.check(0, {13, -2});
  Call g("FusedGemm", {"x", "w"},
         {attribute("activation", "Clip"), reals_attribute("activation_params", {})});
  g.input("x", tensor(float32, {1, 1}, {1})).constant(floats("w", {1, 1}, {2}));
  CHECK(refusal(g.w) ==
        "NotSupportedError onnx: node 0 (com.microsoft:FusedGemm-1): the activation \"Clip\".");
  Call relu("FusedGemm", {"x", "w"}, {attribute("activation", "Relu"), attribute("transB", 1)});
  relu.input("x", tensor(float32, {1, 1}, {3})).constant(floats("w", {2, 1}, {-1, 2}));
  relu.check(0, {0, 6});
}

TEST_CASE("onnx: GroupQueryAttention adds attention_bias") {
  Call c("GroupQueryAttention", {"q", "k", "v", "", "", "n", "total", "", "", "", "bias"},
         {attribute("num_heads", 1), attribute("kv_num_heads", 1)});
  c.input("q", tensor(float32, {1, 2, 1}, {1, 1})).input("k", tensor(float32, {1, 2, 1}, {0, 0}));
  c.input("v", tensor(float32, {1, 2, 1}, {1, 3}));
  c.input("bias", tensor(float32, {1, 1, 2, 2}, {0, 9, 0, std::log(3.0)}));
  c.constant(int32s("n", {1}, {1})).constant(int32s("total", {}, {2}));
  c.check(0, {1, 2.5});
}

TEST_CASE("onnx: inputs of GroupQueryAttention that are not computed are named") {
  for (const std::size_t place : {9, 11, 12}) {
    Names names{"q", "k", "v", "", "", "n", "total"};
    names.resize(place + 1);
    names[place] = "other";
    Call c("GroupQueryAttention", names, {attribute("num_heads", 1), attribute("kv_num_heads", 1)});
    for (const char* name : {"q", "k", "v"}) c.input(name, tensor(float32, {1, 1, 1}, {1}));
    c.constant(int32s("n", {1}, {0})).constant(int32s("total", {}, {1}));
    c.constant(floats("other", {1}, {0}));
    CHECK(refusal(c.w) ==
          std::string("NotSupportedError onnx: node 0 (com.microsoft:GroupQueryAttention-1): its "
                      "input ") +
              (place == 9    ? "position_ids."
               : place == 11 ? "head_sink."
                             : "k_scale."));
  }
}

TEST_CASE("onnx: inputs of MultiHeadAttention that are not computed are named") {
  for (const std::size_t place : {8, 9}) {
    Names names{"q", "k", "v"};
    names.resize(place + 1);
    names[place] = "other";
    Call c("MultiHeadAttention", names, {attribute("num_heads", 1)});
    for (const char* name : {"q", "k", "v"}) c.input(name, tensor(float32, {1, 1, 1}, {1}));
    c.constant(int32s("other", {1}, {0}));
    CHECK(refusal(c.w) ==
          std::string("NotSupportedError onnx: node 0 (com.microsoft:MultiHeadAttention-1): its "
                      "input ") +
              (place == 8 ? "past_sequence_length." : "cache_indirection."));
  }
}

TEST_CASE("onnx: inputs and results of com.microsoft that are not computed are named") {
  Call c("GroupQueryAttention", {"q", "k", "v", "", "", "n", "total"},
         {attribute("num_heads", 1), attribute("kv_num_heads", 1)}, {"y", "", "", "scores"});
  for (const char* name : {"q", "k", "v"}) c.input(name, tensor(float32, {1, 1, 1}, {1}));
  c.constant(int32s("n", {1}, {0})).constant(int32s("total", {}, {1}));
  CHECK(refusal(c.w) ==
        "NotSupportedError onnx: node 0 (com.microsoft:GroupQueryAttention-1): its output "
        "output_qk has no counterpart in WebNN.");
}
