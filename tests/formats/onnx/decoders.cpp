#include "tests/formats/onnx/decoders.h"

#include <cmath>
#include <limits>

namespace webnn::inline v0_1::onnx::test {
namespace {

using enum ElementType;

std::vector<float> noise(std::size_t n, std::uint32_t seed, float scale) {
  std::vector<float> v(n);
  std::uint32_t state = seed * 2654435761u + 12345;
  for (float& x : v) {
    state = state * 1664525u + 1013904223u;
    x = (static_cast<float>(state >> 8) / static_cast<float>(1 << 24) - 0.5f) * scale;
  }
  return v;
}

class DecoderWriter {
 public:
  DecoderWriter(const Decoder& d, const DecoderSizes& sizes) : d_(d), s_(sizes) {}

  Writer run() {
    w_.input("input_ids", {s_.batch, s_.fresh}, INT64);
    w_.input("attention_mask", {s_.batch, s_.total}, INT64);
    if (d_.has_positions()) w_.input("position_ids", {s_.batch, s_.fresh}, INT64);
    for (std::uint32_t i = 0; i < Decoder::layers; ++i)
      for (const char* what : {"key", "value"})
        w_.input(past(i, what),
                 {s_.batch, std::to_string(d_.key_heads), s_.past, std::to_string(Decoder::head)});
    for (const std::int64_t n : {-1, 0, 1, 2, 3}) {
      w_.initializer(int64s("s" + text(n), {}, {n}));
      w_.initializer(int64s("l" + text(n), {1}, {n}));
    }
    real("zero", 0), real("one", 1), real("two", 2), real("epsilon", 1e-5f);
    real("lowest", std::numeric_limits<float>::lowest());
    real("scale", 1 / std::sqrt(static_cast<float>(Decoder::head)));
    weights("embedding", {Decoder::vocabulary, Decoder::width}, 2);
    sizes();
    std::string x = node("Gather", {"embedding", "input_ids"});
    if (d_.form == DecoderForm::grouped) lengths();
    else if (d_.form == DecoderForm::rotary) rotary(), mask_of_ranges();
    else x = learned(x), mask_of_slices();
    for (layer_ = 0; layer_ < Decoder::layers; ++layer_) x = block(x);
    weights("head", {Decoder::width, Decoder::vocabulary}, 1);
    node("MatMul", {normalized(x), "head"}, {}, "logits");
    w_.output("logits");
    for (std::uint32_t i = 0; i < Decoder::layers; ++i)
      w_.output(present(i, "key")).output(present(i, "value"));
    return w_;
  }

 private:
  static std::string text(std::int64_t n) { return std::to_string(n); }
  static std::string past(std::uint32_t i, const char* what) {
    return "past_key_values." + text(i) + '.' + what;
  }
  static std::string present(std::uint32_t i, const char* what) {
    return "present." + text(i) + '.' + what;
  }

  std::string node(const char* type, const Names& inputs,
                   const std::vector<Message>& attributes = {}, std::string output = {}) {
    if (output.empty()) output = "v" + text(++count_);
    w_.node(type, inputs, {output}, attributes);
    return output;
  }
  void real(const std::string& name, float value) { w_.initializer(floats(name, {}, {value})); }
  void weights(const std::string& name, const Ints& dims, float scale) {
    std::size_t n = 1;
    for (const std::int64_t d : dims) n *= static_cast<std::size_t>(d);
    w_.initializer(floats(name, dims, noise(n, ++seed_, scale)));
  }
  std::string constant(const Ints& values) {
    const std::string name = "c" + text(++count_);
    w_.initializer(int64s(name, {static_cast<std::int64_t>(values.size())}, values));
    return name;
  }

  std::string size(const std::string& x, int axis) {
    return node("Gather", {node("Shape", {x}), "s" + text(axis)}, {attribute("axis", 0)});
  }
  std::string list(const std::string& scalar) { return node("Unsqueeze", {scalar, "l0"}); }
  std::string joined(const Names& lists) { return node("Concat", lists, {attribute("axis", 0)}); }

  void sizes() {
    batch_ = size("input_ids", 0);
    fresh_ = size("input_ids", 1);
    past_ = size(past(0, "key"), 2);
    total_ = node("Add", {past_, fresh_});
  }

  /// Cosines and sines of position_ids.
  void rotary() {
    std::vector<float> frequencies;
    for (std::uint32_t i = 0; i < Decoder::head / 2; ++i)
      frequencies.push_back(std::pow(100.f, -static_cast<float>(i) / (Decoder::head / 2)));
    w_.initializer(floats("frequencies", {1, Decoder::head / 2, 1}, frequencies));
    const std::string all =
        node("Expand", {"frequencies", joined({list(size("position_ids", 0)), "l1", "l1"})});
    const std::string places = node("Cast", {node("Unsqueeze", {"position_ids", "l1"})},
                                    {attribute("to", std::int64_t{1})});
    const std::string half =
        node("Transpose", {node("MatMul", {all, places})}, {attribute("perm", Ints{0, 2, 1})});
    const std::string angles = node("Concat", {half, half}, {attribute("axis", -1)});
    cos_ = node("Unsqueeze", {node("Cos", {angles}), "l1"});
    sin_ = node("Unsqueeze", {node("Sin", {angles}), "l1"});
  }
  std::string rotated(const std::string& x) {
    const std::string half = constant({Decoder::head / 2}),
                      end = constant({std::numeric_limits<std::int64_t>::max()});
    const std::string first = node("Slice", {x, "l0", half, "l3", "l1"}),
                      second = node("Slice", {x, half, end, "l3", "l1"});
    const std::string turned =
        node("Concat", {node("Neg", {second}), first}, {attribute("axis", -1)});
    return node("Add", {node("Mul", {x, cos_}), node("Mul", {turned, sin_})});
  }

  /// Masks as transformers has them: a causal one, and what attention_mask leaves out.
  void mask_of_ranges() {
    const std::string places = node("Range", {past_, total_, "s1"});
    const std::string shape = joined({list(fresh_), list(total_)});
    const std::string full =
        node("ConstantOfShape", {shape},
             {tensor_attribute("value", floats("", {1}, {std::numeric_limits<float>::lowest()}))});
    const std::string upper = node("Trilu", {full, "s1"}, {attribute("upper", 1)});
    const std::string later = node("Greater", {node("Range", {"s0", total_, "s1"}),
                                               node("Reshape", {places, constant({-1, 1})})});
    const std::string causal =
        node("Mul", {upper, node("Cast", {later}, {attribute("to", std::int64_t{1})})});
    const std::string wide = node("Unsqueeze", {causal, constant({0, 1})});
    const std::string expanded = node("Expand", {wide, joined({list(batch_), "l1", "l1", "l1"})});
    const std::string given =
        node("Cast", {node("Unsqueeze", {"attention_mask", constant({1, 2})})},
             {attribute("to", std::int64_t{1})});
    const std::string cut = node("Slice", {expanded, "l0", list(size("attention_mask", 1)), "l3"});
    const std::string blank = node("Equal", {node("Add", {cut, given}), "zero"});
    mask_ = node("Where", {blank, "lowest", expanded});
  }

  /// Embeddings with the rows of a table at their positions.
  std::string learned(const std::string& x) {
    weights("table", {Decoder::positions, Decoder::width}, 1);
    std::string places;
    if (d_.form == DecoderForm::counted) {
      const std::string sums = node("Sub", {node("CumSum", {"attention_mask", "s1"}), "s1"});
      const std::string end = constant({std::numeric_limits<std::int64_t>::max()});
      places = node("Slice", {sums, list(past_), end, "l1"});
    } else {
      places = node("Unsqueeze", {node("Range", {past_, total_, "s1"}), "l0"});
    }
    return node("Add", {x, node("Gather", {"table", places})});
  }
  /// A condition of what is seen, sliced out of a constant, and a sum for what is left out.
  void mask_of_slices() {
    std::vector<std::uint8_t> seen;
    for (std::uint32_t i = 0; i < Decoder::positions; ++i)
      for (std::uint32_t j = 0; j < Decoder::positions; ++j) seen.push_back(j <= i);
    w_.initializer(tensor("seen", BOOL, {1, 1, Decoder::positions, Decoder::positions}, seen));
    const std::string rows = node("Slice", {"seen", list(past_), list(total_), "l2"});
    condition_ = node("Slice", {rows, "l0", list(total_), "l3"});
    const std::string given =
        node("Cast", {node("Unsqueeze", {"attention_mask", constant({1, 2})})},
             {attribute("to", std::int64_t{1})});
    mask_ = node("Mul", {node("Sub", {"one", given}), "lowest"});
  }

  /// The lengths of sequences as attention_mask says them.
  void lengths() {
    const std::string count = node("ReduceSum", {"attention_mask", "l1"});
    last_ = node("Cast", {node("Sub", {count, "l1"})}, {attribute("to", 6)});
    length_ = node("Cast", {size("attention_mask", 1)}, {attribute("to", 6)});
    std::vector<float> cos, sin;
    for (std::uint32_t p = 0; p < Decoder::positions; ++p)
      for (std::uint32_t i = 0; i < Decoder::head / 2; ++i) {
        const double angle = p * std::pow(100.0, -2.0 * i / Decoder::head);
        cos.push_back(static_cast<float>(std::cos(angle)));
        sin.push_back(static_cast<float>(std::sin(angle)));
      }
    w_.initializer(floats("cos", {Decoder::positions, Decoder::head / 2}, cos));
    w_.initializer(floats("sin", {Decoder::positions, Decoder::head / 2}, sin));
  }

  std::string normalized(const std::string& x) {
    const std::string gain = "gain" + text(++count_);
    weights(gain, {Decoder::width}, 4);
    const std::string mean =
        node("ReduceMean", {node("Pow", {x, "two"})}, {attribute("axes", Ints{-1})});
    const std::string root = node("Sqrt", {node("Add", {mean, "epsilon"})});
    return node("Mul", {node("Mul", {x, node("Div", {"one", root})}), gain});
  }
  std::string dense(const std::string& x, std::uint32_t from, std::uint32_t to) {
    const std::string w = "w" + text(++count_);
    weights(w, {from, to}, 2 / std::sqrt(static_cast<float>(from)) * 1.7f);
    return node("MatMul", {x, w});
  }
  std::string split(const std::string& x, std::uint32_t heads) {
    const std::string shape =
        joined({list(size(x, 0)), list(size(x, 1)), constant({heads}), constant({Decoder::head})});
    return node("Transpose", {node("Reshape", {x, shape})}, {attribute("perm", Ints{0, 2, 1, 3})});
  }

  /// Heads of keys and values for all those of queries.
  std::string repeated(const std::string& x) {
    if (d_.key_heads == Decoder::heads) return x;
    const std::uint32_t times = Decoder::heads / d_.key_heads;
    const Names s{list(size(x, 0)), list(size(x, 1)), list(size(x, 2)), list(size(x, 3))};
    const std::string wide = node("Expand", {node("Unsqueeze", {x, "l2"}),
                                             joined({s[0], s[1], constant({times}), s[2], s[3]})});
    return node("Reshape", {wide, joined({s[0], constant({Decoder::heads}), s[2], s[3]})});
  }

  std::string attention(const std::string& x) {
    const std::uint32_t narrow = d_.key_heads * Decoder::head;
    std::string q = dense(x, Decoder::width, Decoder::width), k = dense(x, Decoder::width, narrow),
                v = dense(x, Decoder::width, narrow);
    if (d_.form == DecoderForm::grouped) {
      const std::string y = "v" + text(++count_);
      w_.domains = {{"com.microsoft", 1}};
      w_.node("GroupQueryAttention",
              {q, k, v, past(layer_, "key"), past(layer_, "value"), last_, length_, "cos", "sin"},
              {y, present(layer_, "key"), present(layer_, "value")},
              {attribute("num_heads", std::int64_t{Decoder::heads}),
               attribute("kv_num_heads", std::int64_t{d_.key_heads}), attribute("do_rotary", 1)},
              "com.microsoft");
      return y;
    }
    q = split(q, Decoder::heads), k = split(k, d_.key_heads), v = split(v, d_.key_heads);
    if (d_.form == DecoderForm::rotary) q = rotated(q), k = rotated(k);
    k = node("Concat", {past(layer_, "key"), k}, {attribute("axis", -2)}, present(layer_, "key"));
    v = node("Concat", {past(layer_, "value"), v}, {attribute("axis", -2)},
             present(layer_, "value"));
    k = repeated(k), v = repeated(v);
    std::string s =
        node("MatMul", {q, node("Transpose", {k}, {attribute("perm", Ints{0, 1, 3, 2})})});
    s = node("Mul", {s, "scale"});
    if (!condition_.empty()) s = node("Where", {condition_, s, "lowest"});
    std::string mask = mask_;
    if (d_.form == DecoderForm::rotary)
      mask = node("Slice", {mask, "l0", list(size(k, 2)), "l3", "l1"});
    s = node("Softmax", {node("Add", {s, mask})}, {attribute("axis", -1)});
    const std::string y =
        node("Transpose", {node("MatMul", {s, v})}, {attribute("perm", Ints{0, 2, 1, 3})});
    return node("Reshape", {y, joined({list(batch_), list(fresh_), constant({Decoder::width})})});
  }

  std::string block(const std::string& x) {
    const std::string mixed = dense(attention(normalized(x)), Decoder::width, Decoder::width);
    const std::string y = node("Add", {x, mixed});
    const std::string z = normalized(y), inner = dense(z, Decoder::width, 2 * Decoder::width);
    const std::string gate = node("Mul", {inner, node("Sigmoid", {inner})});
    const std::string up = dense(z, Decoder::width, 2 * Decoder::width);
    return node("Add", {y, dense(node("Mul", {gate, up}), 2 * Decoder::width, Decoder::width)});
  }

  const Decoder d_;
  const DecoderSizes s_;
  Writer w_{};
  int count_ = 0;
  std::uint32_t seed_ = 0, layer_ = 0;
  std::string batch_{}, fresh_{}, past_{}, total_{}, cos_{}, sin_{}, mask_{}, condition_{}, last_{},
      length_{};
};

}  // namespace

Writer Decoder::writer(const DecoderSizes& sizes) const {
  return DecoderWriter(*this, sizes).run();
}

}  // namespace webnn::inline v0_1::onnx::test
