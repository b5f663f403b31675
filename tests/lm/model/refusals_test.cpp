// Files that make no model, and why.
#include "tests/lm/model/load_random.h"
#include "tests/support/thrown.h"

namespace webnn::inline v0_1::lm {
namespace {

std::string refused(const gguf::Writer& w, const LoadOptions& options = {}) {
  return test::thrown([&] { load_bytes(w.bytes(), options); });
}
bool has(const std::string& text, std::string_view part) {
  INFO(text);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("lm: what a file asks and no architecture has is named") {
  const RandomModel m(small_form());
  gguf::Writer none;
  none.value("general.architecture", std::string("mamba"))
      .value("mamba.block_count", std::uint32_t{1})
      .value("mamba.embedding_length", std::uint32_t{64})
      .value("mamba.context_length", std::uint32_t{64})
      .value("mamba.attention.head_count", std::uint32_t{2});
  has(refused(none), "the architecture \"mamba\" is not one of llama, qwen2, qwen3, gemma3");
  has(refused(gguf::Writer()), "general.architecture is missing");
  has(refused(m.file().value("llama.expert_count", std::uint32_t{8})),
      "llama.expert_count: is not supported");
  has(refused(m.file().value("llama.rope.scaling.type", std::string("yarn"))),
      "llama.rope.scaling.type: \"yarn\" is not supported");
  has(refused(m.file().tensor("blk.0.odd.weight", gguf::TensorType::F32, {2}, gguf::Bytes(8))),
      "the architecture llama does not use the tensor \"blk.0.odd.weight\"");
  has(refused(m.file(), {.capacity = 1000}), "capacity (1000) is beyond the context");
  has(refused(m.file(), {.cacheType = int32}),
      "cacheType (int32) is not float16, bfloat16, float32 or int8");
  ModelForm narrow = small_form();
  narrow.headSize = 16;
  has(refused(RandomModel(narrow).file(), {.cacheType = int8}),
      "a cache of int8 has blocks of 32 elements, and the size of a head (16) is not a multiple");
}

TEST_CASE("lm: broken files are refused") {
  const auto with = [](auto change) {
    RandomModel m(small_form());
    change(m);
    return refused(m.file());
  };
  has(with([](RandomModel& m) { m.tensors.erase("blk.1.ffn_up.weight"); }),
      "there is no tensor \"blk.1.ffn_up.weight\"");
  has(with([](RandomModel& m) {
        m.tensors["blk.1.attn_q.weight"] = m.tensors["blk.1.attn_k.weight"];
      }),
      "tensor \"blk.1.attn_q.weight\" has 32 rows, not 64");
  has(with([](RandomModel& m) {
        m.tensors["blk.1.attn_q.weight"] = m.tensors["output_norm.weight"];
      }),
      "is not a matrix of 64 terms");
  has(with([](RandomModel& m) { m.tensors["output_norm.weight"] = m.tensors["output.weight"]; }),
      "is not a list of 64");
  has(with([](RandomModel& m) {
        m.tensors["blk.0.ffn_up.weight"] = m.tensors["blk.0.attn_k.weight"];
      }),
      "lm [");
  has(with([](RandomModel& m) { m.heads = 0; }), "head_count");
  has(with([](RandomModel& m) { m.keyHeads = 3; }), "number of heads of keys (3)");
  has(with([](RandomModel& m) { m.headSize = 0x7fffffff; }), "size of a head");
  has(with([](RandomModel& m) { m.layers = 0; }), "number of layers (0)");
  has(with([](RandomModel& m) { m.base = -1; }), "base of the rotation");
}

TEST_CASE("lm: a file with changed bytes is read or refused") {
  ModelForm form = small_form();
  form.layers = 1;
  const gguf::Bytes whole = RandomModel(form).bytes();
  std::mt19937 random(11);
  std::size_t read = 0, refused = 0;
  for (int i = 0; i < 150; ++i) {
    gguf::Bytes bytes = whole;
    // Most of what matters is at the beginning of the header, and before the tensors.
    for (std::size_t n = 1 + random() % 3; n > 0; --n) {
      const std::size_t at = random() % 2 == 0 ? random() % 1200 : random() % bytes.size();
      bytes[at] = static_cast<std::byte>(random() % 4 == 0 ? random() & 255 : 1 << random() % 8);
    }
    try {
      const Model model = load_bytes(bytes);
      Cache cache = model.cache();
      model.evaluate(cache, Tokens{1, 2});
      model.evaluate(cache, Tokens{3});
      ++read;
    } catch (const Error&) { ++refused; }
  }
  CHECK(read > 10);
  CHECK(refused > 10);
}

}  // namespace webnn::inline v0_1::lm
