// A random llama as a folder with an .onnx file, as ONNX Runtime GenAI and Optimum have them.
#pragma once

#include <filesystem>
#include <fstream>
#include <utility>

#include "tests/formats/onnx/writer.h"
#include "tests/lm/model/random_model.h"
#include "webnn/bfloat16.h"

namespace webnn::inline v0_1::lm {

struct OnnxForm {
  enum class Attention : std::uint8_t {
    grouped,  ///< GroupQueryAttention, which rotates and has the cache
    packed,   ///< the same with queries, keys and values as one product
    plain,    ///< Concat, MatMul and Softmax; RotaryEmbedding at position_ids
  };
  Attention attention = Attention::grouped;
  bool half = false;         ///< FLOAT16 everywhere
  bool brain = false;        ///< BFLOAT16 everywhere
  std::uint32_t shared = 0;  ///< rows of caches that past and present share; 0: they grow
  std::uint32_t window = 0;  ///< local_window_size
  bool first_only = false;   ///< the window is that of the first layer alone
  bool hidden = false;       ///< seqlens_k goes through FLOAT
  bool interleaved = false;  ///< pairs of a head are side by side
  bool last_row = false;     ///< logits of the last token alone
  double softcap = 0;        ///< of attention
  int accuracy = 4;          ///< accuracy_level of MatMulNBits
};

/// The network of a RandomModel of the architecture llama.
class OnnxLlama {
 public:
  OnnxLlama(const RandomModel& m, const OnnxForm& form) : m_(m), f_(form) {}

  onnx::test::Writer writer();
  /// genai_config.json.
  std::string config() const;

 private:
  using Names = onnx::test::Names;
  using Message = onnx::test::Message;

  onnx::ElementType type() const {
    return f_.half    ? onnx::ElementType::FLOAT16
           : f_.brain ? onnx::ElementType::BFLOAT16
                      : onnx::ElementType::FLOAT;
  }
  std::string node(const char* type, const Names& in, const std::vector<Message>& attributes = {},
                   std::string_view domain = {}, std::string output = {}) {
    if (output.empty()) output = "v" + std::to_string(++count_);
    w_.node(type, in, {output}, attributes, domain);
    return output;
  }
  std::string ints(const onnx::test::Ints& values, bool scalar = false) {
    const std::string name = "c" + std::to_string(++count_);
    const auto n = static_cast<std::int64_t>(values.size());
    w_.initializer(
        onnx::test::int64s(name, scalar ? onnx::test::Ints{} : onnx::test::Ints{n}, values));
    return name;
  }
  void add_floats(const std::string& name, const onnx::test::Ints& dims,
                  const std::vector<float>& values);
  std::string list(const std::string& name) {
    const auto& values = m_.at(name);
    add_floats(name, {static_cast<std::int64_t>(values.size())}, values);
    return name;
  }
  std::vector<std::uint32_t> rows_of(const std::string& name) const;
  std::string product(const std::string& x, const Names& names);
  std::string quantized(const std::string& x, const std::string& name);
  void inputs();
  void lengths();
  void angles();
  std::string attention(const std::string& x, const std::string& at, std::uint32_t layer);
  std::string plain(std::uint32_t layer, std::string q, std::string k, std::string v);
  std::string heads(const std::string& x, std::uint32_t n);
  std::string normalized(const std::string& name);
  static std::string past(std::uint32_t i, const char* what) {
    return "past_key_values." + std::to_string(i) + '.' + what;
  }
  static std::string present(std::uint32_t i, const char* what) {
    return "present." + std::to_string(i) + '.' + what;
  }

  const RandomModel& m_;
  OnnxForm f_;
  onnx::test::Writer w_{};
  int count_ = 0;
  std::string sum_{}, added_{}, last_{}, total_{}, mask_{};
};

inline void OnnxLlama::add_floats(const std::string& name, const onnx::test::Ints& dims,
                                  const std::vector<float>& values) {
  if (type() == onnx::ElementType::FLOAT) {
    w_.initializer(onnx::test::floats(name, dims, values));
    return;
  }
  std::vector<std::uint16_t> bits;
  for (const float v : values) bits.push_back(f_.half ? float16_bits(v) : BFloat16(v).bits);
  w_.initializer(onnx::test::tensor(name, type(), dims, bits));
}

/// The row of the .gguf file for each row of a matrix: there, pairs that are rotated are side by
/// side.
inline std::vector<std::uint32_t> OnnxLlama::rows_of(const std::string& name) const {
  std::vector<std::uint32_t> rows(m_.tensors.at(name).shape[0]);
  const bool rotates = name.ends_with("attn_q.weight") || name.ends_with("attn_k.weight");
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t at = i % m_.headSize, half = m_.headSize / 2;
    rows[i] = rotates && !f_.interleaved ? i - at + (at < half ? 2 * at : 2 * (at - half) + 1) : i;
  }
  return rows;
}

/// x times the matrices of these names, side by side.
inline std::string OnnxLlama::product(const std::string& x, const Names& names) {
  using gguf::TensorType;
  const TensorType stored = m_.tensors.at(names[0]).type;
  if (stored == TensorType::Q4_0 || stored == TensorType::Q8_0) return quantized(x, names[0]);
  std::size_t columns = m_.tensors.at(names[0]).shape[1], results = 0;
  for (const std::string& name : names) results += m_.tensors.at(name).shape[0];
  std::vector<float> values(columns * results);
  std::size_t to = 0;
  for (const std::string& name : names)
    for (const std::uint32_t row : rows_of(name)) {
      for (std::size_t j = 0; j < columns; ++j)
        values[j * results + to] = m_.at(name)[row * columns + j];
      ++to;
    }
  add_floats(names[0], {static_cast<std::int64_t>(columns), static_cast<std::int64_t>(results)},
             values);
  return node("MatMul", {x, names[0]});
}

/// MatMulNBits with the integers and scales of the blocks of 32.
inline std::string OnnxLlama::quantized(const std::string& x, const std::string& name) {
  const RandomModel::Stored& t = m_.tensors.at(name);
  const bool narrow = t.type == gguf::TensorType::Q4_0;
  const std::size_t size = narrow ? 18 : 34, per_row = t.shape[1] / 32;
  std::vector<std::uint8_t> bytes;
  std::vector<float> scales;
  for (const std::uint32_t row : rows_of(name))
    for (std::size_t b = 0; b < per_row; ++b) {
      const std::byte* block = t.bytes.data() + (row * per_row + b) * size;
      std::uint16_t scale = 0;
      std::memcpy(&scale, block, 2);
      scales.push_back(float16_value(scale));
      const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(block[2 + i]); };
      if (narrow) {
        const auto element = [&](std::size_t i) { return i < 16 ? at(i) & 15u : at(i - 16) >> 4; };
        for (std::size_t i = 0; i < 32; i += 2)
          bytes.push_back(static_cast<std::uint8_t>(element(i) | element(i + 1) << 4));
      } else {  // int8 becomes uint8 whose zero is 128
        for (std::size_t i = 0; i < 32; ++i)
          bytes.push_back(static_cast<std::uint8_t>(at(i) ^ 128));
      }
    }
  const auto n = static_cast<std::int64_t>(t.shape[0]), k = static_cast<std::int64_t>(t.shape[1]);
  w_.initializer(
      onnx::test::tensor(name, onnx::ElementType::UINT8, {n, k / 32, narrow ? 16 : 32}, bytes));
  add_floats(name + ".scales", {n * k / 32}, scales);
  w_.domains = {{"com.microsoft", 1}};
  return node(
      "MatMulNBits", {x, name, name + ".scales"},
      {onnx::test::attribute("K", k), onnx::test::attribute("N", n),
       onnx::test::attribute("bits", narrow ? 4 : 8), onnx::test::attribute("block_size", 32),
       onnx::test::attribute("accuracy_level", f_.accuracy)},
      "com.microsoft");
}

inline void OnnxLlama::inputs() {
  const std::string kv = std::to_string(m_.keyHeads), head = std::to_string(m_.headSize),
                    rows = f_.shared ? std::to_string(f_.shared) : "past_sequence_length";
  w_.input("input_ids", {"batch_size", "sequence_length"}, onnx::ElementType::INT64);
  w_.input("attention_mask", {"batch_size", "total_sequence_length"}, onnx::ElementType::INT64);
  if (f_.attention == OnnxForm::Attention::plain)
    w_.input("position_ids", {"batch_size", "sequence_length"}, onnx::ElementType::INT64);
  w_.output("logits");
  for (std::uint32_t i = 0; i < m_.layers; ++i)
    for (const char* what : {"key", "value"}) {
      w_.input(past(i, what), {"batch_size", kv, rows, head}, type());
      w_.output(present(i, what));
    }
}

/// seqlens_k and total_sequence_length, or a mask of what is seen.
inline void OnnxLlama::lengths() {
  using onnx::test::attribute;
  const auto to = [](std::int64_t t) { return std::vector<Message>{attribute("to", t)}; };
  const std::string shape = node("Shape", {"attention_mask"});
  const std::string size = node("Gather", {shape, ints({1}, true)}, {attribute("axis", 0)});
  if (f_.attention != OnnxForm::Attention::plain) {
    const std::string count =
        node("ReduceSum", {"attention_mask", ints({1})}, {attribute("keepdims", 1)});
    std::string last = node("Sub", {count, ints({1})});
    if (f_.hidden) last = node("Cast", {last}, to(1));
    last_ = node("Cast", {last}, to(6));
    total_ = node("Cast", {size}, to(6));
    return;
  }
  const std::string keys = node("Range", {ints({0}, true), size, ints({1}, true)});
  const std::string queries = node("Unsqueeze", {"position_ids", ints({1, 3})});
  const std::string seen = node("LessOrEqual", {keys, queries});
  add_floats("zero", {}, {0});
  add_floats("unseen", {}, {-60000});
  const std::string given =
      node("Cast", {node("Unsqueeze", {"attention_mask", ints({1, 2})})}, to(9));
  mask_ = node("Where", {node("And", {seen, given}), "zero", "unseen"});
}

inline void OnnxLlama::angles() {
  std::vector<float> cos, sin;
  for (std::uint32_t p = 0; p < m_.context; ++p)
    for (std::uint32_t i = 0; i < m_.headSize / 2; ++i) {
      const double angle = p * std::pow(m_.base, -2.0 * i / m_.headSize);
      cos.push_back(static_cast<float>(std::cos(angle)));
      sin.push_back(static_cast<float>(std::sin(angle)));
    }
  const onnx::test::Ints dims{m_.context, m_.headSize / 2};
  add_floats("cos_cache", dims, cos);
  add_floats("sin_cache", dims, sin);
}

/// The norm of the sum so far and what was added last.
inline std::string OnnxLlama::normalized(const std::string& name) {
  const onnx::test::Message epsilon =
      onnx::test::attribute("epsilon", static_cast<float>(m_.epsilon));
  if (added_.empty()) return node("SimplifiedLayerNormalization", {sum_, list(name)}, {epsilon});
  const std::string y = "v" + std::to_string(++count_), sum = "v" + std::to_string(++count_);
  w_.node("SkipSimplifiedLayerNormalization", {sum_, added_, list(name)}, {y, "", "", sum},
          {epsilon}, "com.microsoft");
  sum_ = sum;
  return y;
}

inline std::string OnnxLlama::heads(const std::string& x, std::uint32_t n) {
  return node("Transpose", {node("Reshape", {x, ints({0, 0, n, m_.headSize})})},
              {onnx::test::attribute("perm", onnx::test::Ints{0, 2, 1, 3})});
}

inline std::string OnnxLlama::plain(std::uint32_t layer, std::string q, std::string k,
                                    std::string v) {
  using onnx::test::attribute;
  const std::int64_t kv = m_.keyHeads, size = m_.headSize, group = m_.heads / m_.keyHeads;
  const auto rotated = [&](const std::string& x) {
    return node("RotaryEmbedding", {x, "position_ids", "cos_cache", "sin_cache"},
                {attribute("interleaved", f_.interleaved ? 1 : 0)}, "com.microsoft");
  };
  q = rotated(heads(q, m_.heads));
  k = node("Concat", {past(layer, "key"), rotated(heads(k, m_.keyHeads))}, {attribute("axis", 2)},
           {}, present(layer, "key"));
  v = node("Concat", {past(layer, "value"), heads(v, m_.keyHeads)}, {attribute("axis", 2)}, {},
           present(layer, "value"));
  const auto repeated = [&](const std::string& x) {
    if (group == 1) return x;
    const std::string wide =
        node("Expand", {node("Unsqueeze", {x, ints({2})}), ints({1, 1, group, 1, 1})});
    return node("Reshape", {wide, ints({0, kv * group, -1, size})});
  };
  k = node("Transpose", {repeated(k)}, {attribute("perm", onnx::test::Ints{0, 1, 3, 2})});
  add_floats("scale" + std::to_string(layer), {}, {1 / std::sqrt(static_cast<float>(size))});
  std::string s = node("Mul", {node("MatMul", {q, k}), "scale" + std::to_string(layer)});
  s = node("Softmax", {node("Add", {s, mask_})}, {attribute("axis", -1)});
  const std::string y = node("Transpose", {node("MatMul", {s, repeated(v)})},
                             {attribute("perm", onnx::test::Ints{0, 2, 1, 3})});
  return node("Reshape", {y, ints({0, 0, kv * group * size})});
}

inline std::string OnnxLlama::attention(const std::string& x, const std::string& at,
                                        std::uint32_t layer) {
  using onnx::test::attribute;
  const std::string q = at + "attn_q.weight", k = at + "attn_k.weight", v = at + "attn_v.weight";
  if (f_.attention == OnnxForm::Attention::plain)
    return plain(layer, product(x, {q}), product(x, {k}), product(x, {v}));
  Names in;
  if (f_.attention == OnnxForm::Attention::packed) in = {product(x, {q, k, v}), "", ""};
  else in = {product(x, {q}), product(x, {k}), product(x, {v})};
  for (const std::string& name : {past(layer, "key"), past(layer, "value"), last_, total_,
                                  std::string("cos_cache"), std::string("sin_cache")})
    in.push_back(name);
  std::vector<Message> attributes{attribute("num_heads", std::int64_t{m_.heads}),
                                  attribute("kv_num_heads", std::int64_t{m_.keyHeads}),
                                  attribute("do_rotary", 1),
                                  attribute("rotary_interleaved", f_.interleaved ? 1 : 0)};
  if (f_.window && (layer == 0 || !f_.first_only))
    attributes.push_back(attribute("local_window_size", std::int64_t{f_.window}));
  if (f_.softcap > 0) attributes.push_back(attribute("softcap", static_cast<float>(f_.softcap)));
  const std::string y = "v" + std::to_string(++count_);
  w_.node("GroupQueryAttention", in, {y, present(layer, "key"), present(layer, "value")},
          attributes, "com.microsoft");
  return y;
}

inline onnx::test::Writer OnnxLlama::writer() {
  using onnx::test::attribute;
  w_.domains = {{"com.microsoft", 1}};
  inputs();
  lengths();
  angles();
  const auto& table = m_.tensors.at("token_embd.weight");
  add_floats("token_embd.weight", {m_.vocabulary, m_.width}, table.values);
  sum_ = node("Gather", {"token_embd.weight", "input_ids"});
  for (std::uint32_t i = 0; i < m_.layers; ++i) {
    const std::string at = "blk." + std::to_string(i) + '.';
    added_ =
        product(attention(normalized(at + "attn_norm.weight"), at, i), {at + "attn_output.weight"});
    const std::string x = normalized(at + "ffn_norm.weight"),
                      gate = product(x, {at + "ffn_gate.weight"}),
                      up = product(x, {at + "ffn_up.weight"});
    const std::string active = node("Mul", {gate, node("Sigmoid", {gate})});
    added_ = product(node("Mul", {active, up}), {at + "ffn_down.weight"});
  }
  std::string x = normalized("output_norm.weight");
  if (f_.last_row) {
    const std::string shape = node("Shape", {x});
    const std::string size = node("Gather", {shape, ints({1})}, {attribute("axis", 0)});
    x = node("Gather", {x, node("Sub", {size, ints({1})})}, {attribute("axis", 1)});
  }
  const std::string logits = product(x, {"output.weight"});
  node("Identity", {logits}, {}, {}, "logits");
  return w_;
}

inline std::string OnnxLlama::config() const {
  const auto n = [](std::uint64_t v) { return std::to_string(v); };
  std::string s =
      R"({"model":{"bos_token_id":1,"eos_token_id":[2],"pad_token_id":2,"type":"llama",)";
  s +=
      "\"context_length\":" + n(m_.context) + ",\"vocab_size\":" + n(m_.vocabulary) +
      R"(,"decoder":{"session_options":{"provider_options":[]},"filename":"model.onnx","head_size":)" +
      n(m_.headSize) + ",\"hidden_size\":" + n(m_.width) +
      R"(,"inputs":{"input_ids":"input_ids",)" +
      R"("attention_mask":"attention_mask","position_ids":"position_ids",)" +
      R"("past_key_names":"past_key_values.%d.key","past_value_names":"past_key_values.%d.value"},)" +
      R"("outputs":{"logits":"logits","present_key_names":"present.%d.key",)" +
      R"("present_value_names":"present.%d.value"},"num_attention_heads":)" + n(m_.heads) +
      ",\"num_hidden_layers\":" + n(m_.layers) + ",\"num_key_value_heads\":" + n(m_.keyHeads);
  if (f_.window && !f_.first_only)
    s += ",\"sliding_window\":{\"window_size\":" + n(f_.window) + ",\"pad_value\":0}";
  return s + R"(}},"search":{"do_sample":false,"max_length":)" + n(m_.context) +
         R"(,"num_beams":1,"past_present_share_buffer":)" + (f_.shared ? "true" : "false") +
         R"(,"repetition_penalty":1.0,"temperature":1.0,"top_k":1,"top_p":1.0}})";
}

/// The tokenizer of RandomModel::file() as tokenizer.json.
inline std::string tokenizer_json(std::uint32_t vocabulary) {
  std::string vocab = R"("<unk>":0,"<s>":1,"</s>":2)";
  for (int i = 0; i < 256; ++i) {
    constexpr char digits[] = "0123456789ABCDEF";
    vocab +=
        std::string(",\"<0x") + digits[i / 16] + digits[i % 16] + ">\":" + std::to_string(3 + i);
  }
  for (std::uint32_t i = 259; i < vocabulary; ++i)
    vocab += ",\"\xe2\x96\x81w" + std::to_string(i) + "\":" + std::to_string(i);
  return R"({"added_tokens":[{"id":1,"content":"<s>","special":true},)"
         R"({"id":2,"content":"</s>","special":true}],"model":{"type":"BPE","unk_token":"<unk>",)"
         R"("byte_fallback":true,"vocab":{)" +
         vocab +
         R"(},"merges":[]},"decoder":{"type":"Sequence","decoders":[{"type":"Replace",)"
         R"("pattern":{"String":"\u2581"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"}]}})";
}

inline void write_folder(const std::filesystem::path& folder, const RandomModel& m,
                         const OnnxForm& form) {
  std::filesystem::create_directories(folder);
  OnnxLlama llama(m, form);
  const std::vector<std::byte> bytes = llama.writer().file();
  std::ofstream(folder / "model.onnx", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  std::ofstream(folder / "genai_config.json") << llama.config();
  std::ofstream(folder / "tokenizer.json") << tokenizer_json(m.vocabulary);
}

}  // namespace webnn::inline v0_1::lm
