// Shapes that WebNN's operators would broadcast or take for blocks, and ONNX refuses.
#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;
using webnn::test::tensor;
using enum ElementType;

namespace {

using Shape = std::vector<std::string>;

/// A node of inputs a, b, ... of these shapes and types, in that order.
struct Operand {
  Shape shape;
  ElementType type = FLOAT;
};
std::string refused(std::string_view op, const std::vector<Operand>& operands,
                    const std::vector<Message>& attributes = {}, std::int64_t opset = 17,
                    std::string_view domain = {}) {
  Writer w;
  w.opset = opset;
  if (!domain.empty()) w.domains.push_back({std::string(domain), 1});
  Names names;
  for (const Operand& o : operands) {
    names.push_back(std::string(1, static_cast<char>('a' + names.size())));
    w.input(names.back(), o.shape, o.type);
  }
  w.output("y").node(op, names, {"y"}, attributes, domain);
  std::string message = refusal(w);
  const std::size_t at = message.find("): ");
  return message.starts_with("DataError") && at != std::string::npos ? message.substr(at + 3)
                                                                     : message;
}

}  // namespace

TEST_CASE("onnx: GatherND with batch_dims wants equal first dimensions") {
  CHECK(refused("GatherND", {{{"3", "3"}}, {{"2", "1"}, INT64}}, {attribute("batch_dims", 1)}) ==
        "batch_dims is 1, but dimension 0 of data is 3, and that of indices 2.");
  CHECK(refused("GatherND", {{{"2", "3", "4"}}, {{"2", "1", "1"}, INT64}},
                {attribute("batch_dims", 2)}) ==
        "batch_dims is 2, but dimension 1 of data is 3, and that of indices 1.");
  CHECK(refused("GatherND", {{{"2", "3"}}, {{"2", "1"}, INT64}}, {attribute("batch_dims", 1)}) ==
        "nothing");
}

TEST_CASE("onnx: operands that broadcast one way") {
  const auto does_not = [](std::string_view what, std::string_view from, std::string_view to) {
    return std::string(what) + " has shape [" + std::string(from) +
           "], which does not broadcast to [" + std::string(to) + "].";
  };
  CHECK(refused("PRelu", {{{"3"}}, {{"2", "3"}}}) == does_not("the slope", "2, 3", "3"));
  CHECK(refused("PRelu", {{{"1", "3"}}, {{"2", "1"}}}) == does_not("the slope", "2, 1", "1, 3"));
  CHECK(refused("PRelu", {{{"3"}, UINT32}, {{"2", "3"}, UINT32}}) ==
        does_not("the slope", "2, 3", "3"));
  CHECK(refused("PRelu", {{{"2", "3"}}, {{"3"}}}) == "nothing");
  CHECK(refused("RMSNormalization", {{{"1", "3"}}, {{"2", "3"}}}, {}, 23) ==
        does_not("the scale", "2, 3", "1, 3"));
  CHECK(refused("FastGelu", {{{"3"}}, {{"2", "3"}}}, {}, 17, "com.microsoft") ==
        does_not("the bias", "2, 3", "3"));
  CHECK(refused("BiasGelu", {{{"1", "3"}}, {{"2", "3"}}}, {}, 17, "com.microsoft") ==
        does_not("the bias", "2, 3", "1, 3"));
  CHECK(refused("SkipLayerNormalization", {{{"1", "1", "3"}}, {{"2", "1", "3"}}, {{"3"}}}, {}, 17,
                "com.microsoft") == does_not("the skip", "2, 1, 3", "1, 1, 3"));
  CHECK(refused("Add", {{{"3"}}, {{"2", "3"}}}, {attribute("broadcast", 1)}, 6) != "nothing");
  CHECK(refused("Add", {{{"2", "3"}}, {{"1", "3"}}}, {}, 6) ==
        "B without broadcast has shape [1, 3], not [2, 3].");
  CHECK(refused("Add", {{{"2", "3"}}, {{"2"}}}, {attribute("broadcast", 1), attribute("axis", 0)},
                6) == "nothing");
  CHECK(refused("Sum", {{{"2", "3"}}, {{"3"}}}, {}, 6) ==
        "one of its inputs has shape [3], not [2, 3].");
  CHECK(refused("Sum", {{{"2", "3"}}, {{"3"}}}, {}, 8) == "nothing");
}

TEST_CASE("onnx: one value for each channel, row or column, or one for all") {
  CHECK(refused("GroupNormalization", {{{"1", "4", "2"}}, {{"1"}}, {{"4"}}},
                {attribute("num_groups", 2)},
                21) == "it has 1 values for the channels of [1, 4, 2].");
  CHECK(refused("MatMulInteger", {{{"1", "3"}, UINT8}, {{"3", "2"}, UINT8}, {{"4"}, UINT8}}) ==
        "a zero point has shape [4], not [1].");
  CHECK(refused("MatMulInteger", {{{"1", "3"}, UINT8}, {{"3", "2"}, UINT8}, {{"4", "1"}, UINT8}}) ==
        "a zero point has shape [4, 1], which does not broadcast to [1, 3].");
  CHECK(refused("NegativeLogLikelihoodLoss", {{{"2", "3"}}, {{"2"}, INT64}, {{"2"}}}) ==
        "the weight has shape [2], not [3].");
  CHECK(refused("NegativeLogLikelihoodLoss", {{{"2", "3"}}, {{"1"}, INT64}}) ==
        "the target has shape [1], not [2].");
  CHECK(refused("Clip", {{{"3"}}, {{"3"}}}) == "its input 1 has shape [3], not one element.");
  CHECK(refused("FusedConv",
                {{{"1", "1", "2", "2"}}, {{"1", "1", "1", "1"}}, {{"1"}}, {{"2", "1", "2", "2"}}},
                {attribute("activation", "Relu")}, 17,
                "com.microsoft") == "Z has shape [2, 1, 2, 2], not [1, 1, 2, 2].");
}

TEST_CASE("onnx: scales that WebNN would take for those of blocks") {
  for (const std::string_view op : {"DequantizeLinear", "QuantizeLinear"}) {
    const ElementType type = op == "QuantizeLinear" ? FLOAT : INT8;
    CAPTURE(op);
    CHECK(refused(op, {{{"4"}, type}, {{"2"}}}, {attribute("axis", 0)}) ==
          "the scale has shape [2], the operand [4].");
    CHECK(refused(op, {{{"4", "6"}, type}, {{"4", "3"}}}) ==
          "the scale has shape [4, 3], the operand [4, 6].");
    CHECK(refused(op, {{{"4", "6"}, type}, {{"4", "3"}}},
                  {attribute("block_size", 2), attribute("axis", 1)}, 21) == "nothing");
    CHECK(refused(op, {{{"4", "6"}, type}, {{"2", "3"}}},
                  {attribute("block_size", 2), attribute("axis", 1)},
                  21) == "the scale has shape [2, 3], the operand [4, 6].");
    CHECK(refused(op, {{{"4", "6"}, type}, {{"6"}}}) == "nothing");
  }
}

TEST_CASE("onnx: Concat checks inputs without elements too") {
  for (const auto& [dims, fits] : {std::pair(Ints{0, 3}, true), {Ints{0, 2}, false}}) {
    Writer w;
    w.input("x", {"2", "3"}).output("y").initializer(floats("none", dims, {}));
    w.node("Concat", {"x", "none"}, {"y"}, {attribute("axis", 0)});
    CHECK(refusal(w) == (fits ? "nothing"
                              : "DataError onnx: node 0 (Concat-17): dimension 1 of its inputs is "
                                "3 and 2."));
  }
}

TEST_CASE("onnx: axes below minus the rank, and indices outside") {
  CHECK(refused("LogSoftmax", {{{"4", "4"}}}, {attribute("axis", -3)}) ==
        "axis (-3) is not within the rank (2).");
  CHECK(refused("Softmax", {{{"4", "4"}}}, {attribute("axis", 2)}) ==
        "axis (2) is not within the rank.");
  CHECK(refused("Softmax", {{{"4", "4"}}}, {attribute("axis", 2)}, 11) == "nothing");
  CHECK(refused("Flatten", {{{"4", "4"}}}, {attribute("axis", -3)}) ==
        "axis (-3) is not within the rank (2).");
  CHECK(refused("Flatten", {{{"4", "4"}}}, {attribute("axis", 2)}) == "nothing");
  const auto known = [](std::string_view op, const Ints& dims, const Ints& places) {
    Writer w;
    w.input("x", {"2", "3"}).input("u", {"1", "1"}).input("v", {"1"}).output("y");
    w.initializer(int64s("i", dims, places));
    Names inputs{"x", "i"};
    if (op == "ScatterElements") inputs.push_back("u");
    if (op == "ScatterND") inputs.push_back("v");
    w.node(op, inputs, {"y"});
    return refusal(w);
  };
  const auto outside = [](std::string_view op, int place, int size) {
    return "DataError onnx: node 0 (" + std::string(op) + "-17): its input 1 (\"i\"): the index " +
           std::to_string(place) + " is not within a dimension of " + std::to_string(size) + ".";
  };
  CHECK(known("Gather", {1}, {2}) == outside("Gather", 2, 2));
  CHECK(known("Gather", {1}, {-2}) == "nothing");
  CHECK(known("GatherElements", {1, 1}, {-3}) == outside("GatherElements", -3, 2));
  CHECK(known("GatherND", {1, 2}, {1, 3}) == outside("GatherND", 3, 3));
  CHECK(known("GatherND", {1, 2}, {1, -3}) == "nothing");
  CHECK(known("ScatterElements", {1, 1}, {5}) == outside("ScatterElements", 5, 2));
  CHECK(known("ScatterND", {1, 2}, {2, 0}) == outside("ScatterND", 2, 2));
}
