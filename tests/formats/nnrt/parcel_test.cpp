// Attributes as parcels: structures without lists as their memory, others field by field.
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/nnrt.h"

using namespace webnn;

namespace {

std::string hex(const std::vector<std::byte>& bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && i % 4 == 0) out += ' ';
    out += digits[static_cast<int>(bytes[i]) >> 4];
    out += digits[static_cast<int>(bytes[i]) & 15];
  }
  return out;
}

}  // namespace

TEST_CASE("nnrt: structures without lists are parcels of their memory", "[nnrt]") {
  using namespace nnrt;
  CHECK(hex(to_parcel(AddFusion{ActivationType::ACTIVATION_TYPE_RELU6})) == "03000000 00000000");
  CHECK(hex(to_parcel(Clip{.max = 6, .min = 0})) == "0000c040 00000000");
  CHECK(hex(to_parcel(MatMulFusion{true, false, ActivationType::ACTIVATION_TYPE_RELU})) ==
        "01000100 00000000");
  // Eight bytes, then a bool; a field begins at a multiple of its size.
  CHECK(hex(to_parcel(FullConnection{.hasBias = true, .useAxis = false, .axis = 2})) ==
        "01000000 00000000 02000000 00000000 00000000 00000000");
  CHECK(hex(to_parcel(LayerNormFusion{
            .beginNormAxis = -1, .epsilon = 1, .elementwiseAffine = true, .beginParamsAxis = 3})) ==
        "ffffffff ffffffff 0000803f 01000000 03000000 00000000");
}

TEST_CASE("nnrt: structures with lists and strings are written field by field", "[nnrt]") {
  using namespace nnrt;
  CHECK(hex(to_parcel(Softmax{.axis = {-1}})) == "01000000 ffffffff ffffffff");
  CHECK(hex(to_parcel(
            DepthToSpace{.blockSize = 2, .format = nnrt::Format::FORMAT_NHWC, .mode = "DCR"})) ==
        "02000000 00000000 01000000 00000000 44435200");
  CHECK(hex(to_parcel(L2NormalizeFusion{
            .axis = {1}, .epsilon = 1, .activationType = ActivationType::ACTIVATION_TYPE_RELU6})) ==
        "01000000 01000000 00000000 0000803f 03000000 00000000");
  CHECK(hex(to_parcel(LRN{.normRegion = "ACROSS"})) ==
        "00000000 00000000 00000000 00000000 00000000 4143524f 53530000");
  CHECK(hex(to_parcel(Split{.outputNum = 2, .sizeSplits = {1, 3}, .axis = 1})) ==
        "02000000 00000000 02000000 01000000 00000000 03000000 00000000 01000000 00000000");
}

namespace {

/// Every field has another value than it has by default, as far as its type goes.
struct Filler {
  std::int64_t next = 1;
  void set(bool& v) { v = true; }
  void set(float& v) { v = static_cast<float>(next++) / 4; }
  void set(std::int64_t& v) { v = next++; }
  void set(std::string& v) { v = "text " + std::to_string(next++); }
  template <class T> void set(std::vector<T>& v) {
    v.resize(2);
    for (T& x : v) set(x);
  }
  template <class E>
  requires std::is_enum_v<E>
  void set(E& v) { v = all_names(E{})[1].value; }
};

template <class A> A filled() {
  A a;
  Filler f;
  std::apply([&](auto... field) { (f.set(a.*field.member), ...); }, A::fields);
  return a;
}

template <std::size_t I = 0, class F> void for_each_kind(F&& f) {
  if constexpr (I < std::variant_size_v<nnrt::AnyAttributes>) {
    f(nnrt::Attributes(filled<std::variant_alternative_t<I, nnrt::AnyAttributes>>()));
    for_each_kind<I + 1>(f);
  }
}

}  // namespace

TEST_CASE("nnrt: every structure survives its parcel and a file", "[nnrt]") {
  std::size_t kinds = 0;
  nnrt::Model model{.name = "all"};
  for_each_kind([&](const nnrt::Attributes& a) {
    ++kinds;
    INFO(nnrt::name_of(nnrt::node_type(a)));
    CHECK(nnrt::from_parcel(nnrt::node_type(a), nnrt::to_parcel(a)) == a);
    model.nodes.push_back({.name = "n", .attributes = a});
  });
  CHECK(kinds == 96);
  const auto file = nnrt::write_model(model);
  const nnrt::Model again = nnrt::read_model(nullptr, file);
  REQUIRE(again.nodes.size() == kinds);
  for (std::size_t i = 0; i < kinds; ++i)
    CHECK(again.nodes[i].attributes == model.nodes[i].attributes);
}

TEST_CASE("nnrt: parcels of other lengths are refused", "[nnrt]") {
  using namespace nnrt;
  const auto refusal = [](NodeType type, std::vector<std::byte> bytes) {
    return webnn::test::thrown([&] { from_parcel(type, bytes); });
  };
  CHECK_THAT(refusal(NodeType::NODE_TYPE_SOFTMAX, {}), ContainsSubstring("too few"));
  CHECK_THAT(refusal(NodeType::NODE_TYPE_SOFTMAX, std::vector<std::byte>(4, std::byte{0x7f})),
             ContainsSubstring("a length"));
  CHECK_THAT(refusal(NodeType::NODE_TYPE_LRN, std::vector<std::byte>(24, std::byte{'a'})),
             ContainsSubstring("too few"));  // a string without an end
  CHECK_THAT(refusal(NodeType::NODE_TYPE_CLIP, std::vector<std::byte>(64)),
             ContainsSubstring("too many"));
  CHECK_THAT(refusal(static_cast<NodeType>(3), {}), ContainsSubstring("node type 3"));
}
