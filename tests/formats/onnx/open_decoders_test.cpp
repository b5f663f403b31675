// Decoders whose caches grow in place: each step has the bits of a graph of its length.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "src/kernels/backends.h"
#include "tests/formats/onnx/decoders.h"
#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"
#include "tests/support/source_dir.h"
#include "webnn/state.h"

using namespace webnn;
using namespace webnn::onnx::test;
using test::thrown;
namespace fs = std::filesystem;

namespace {

using Bytes = std::vector<std::byte>;

bool has_simd() { return std::ranges::count(backend_names(), "simd") > 0; }
bool contains(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

/// A sequence, or several of the same length.
class Sequence {
 public:
  explicit Sequence(const Decoder& d, std::uint32_t batch = 1, std::uint32_t bound = 80)
      : d_(d), batch_(batch), file_(d.writer().file()) {
    MLGraphBuilder b(context_);
    const onnx::Model model = onnx::import_model(b, file_);
    pairs_ = updateCaches(b, model.inputs, model.outputs, bound);
    graph_ = b.build(model.outputs, {.inputs = model.inputs});
    for (const auto& [past, present] : pairs_)
      states_.push_back(createState(graph_, past, {batch, d.key_heads, 0, Decoder::head}));
  }

  const std::vector<CacheNames>& pairs() const { return pairs_; }
  const MLGraph& graph() const { return graph_; }
  MLContext& context() { return context_; }
  std::uint32_t size() const { return states_.front().shape()[2]; }
  void resize(std::uint32_t rows) {
    for (const MLTensor& s : states_) resizeState(s, rows);
  }
  /// How many of the first tokens attention_mask leaves out.
  void leave_out(std::uint32_t tokens) { left_out_ = tokens; }

  /// A run: what it had, and what it gave.
  struct Run {
    std::uint32_t past = 0, fresh = 0;
    std::vector<NamedTensor> inputs{};  // those of the file, in its order
    std::vector<Bytes> outputs{};       // likewise
  };
  Run step(std::uint32_t fresh) {
    Run run{size(), fresh, inputs(size(), fresh), {}};
    std::vector<NamedTensor> in = run.inputs, out;
    for (std::size_t i = 0; run.past > 0 && i < states_.size(); ++i)
      run.inputs.push_back(
          {pairs_[i].past, tensor(float32, states_[i].shape(), context_.readTensor(states_[i]))});
    const MLTensor logits = tensor(float32, {batch_, fresh, Decoder::vocabulary}, {});
    out.push_back({"logits", logits});
    for (std::size_t i = 0; i < states_.size(); ++i) {
      in.push_back({pairs_[i].past, states_[i]});
      out.push_back({pairs_[i].present, states_[i]});
    }
    context_.dispatch(graph_, in, out);
    for (const auto& [name, t] : out) run.outputs.push_back(context_.readTensor(t));
    CHECK(size() == run.past + fresh);
    return run;
  }
  /// A run, compared with that of a graph with its sizes.
  void check(std::uint32_t fresh) {
    const Run run = step(fresh);
    if (run.past == 0) return;
    CAPTURE(run.past, fresh);
    MLGraphBuilder b(context_);
    const onnx::Model model = onnx::import_model(
        b, file_,
        {.dimensions = {{"batch_size", batch_},
                        {"sequence_length", fresh},
                        {"past_sequence_length", run.past},
                        {"past_sequence_length + sequence_length", run.past + fresh}}});
    const MLGraph fixed = b.build(model.outputs, {.inputs = model.inputs});
    std::vector<NamedTensor> out{
        {"logits", tensor(float32, {batch_, fresh, Decoder::vocabulary}, {})}};
    for (std::size_t i = 0; i < states_.size(); ++i)
      out.push_back({pairs_[i].present, tensor(float32, states_[i].shape(), {})});
    context_.dispatch(fixed, run.inputs, out);
    for (std::size_t i = 0; i < out.size(); ++i)
      CHECK(run.outputs[i] == context_.readTensor(out[i].tensor));
  }
  bool in_place() const { return contains(graph_.explain(), "append rows"); }

 private:
  std::vector<NamedTensor> inputs(std::uint32_t past, std::uint32_t fresh) {
    const std::uint32_t total = past + fresh;
    std::vector<std::int64_t> ids, mask, places;
    for (std::uint32_t n = 0; n < batch_; ++n) {
      for (std::uint32_t i = 0; i < fresh; ++i) {
        ids.push_back((7 * (past + i) + 3 * n + 1) % Decoder::vocabulary);
        places.push_back(past + i);
      }
      for (std::uint32_t i = 0; i < total; ++i) mask.push_back(i >= left_out_);
    }
    const auto list = [&](const std::vector<std::int64_t>& v, std::uint32_t n) {
      const auto bytes = std::as_bytes(std::span(v));
      return tensor(int64, {batch_, n}, {bytes.begin(), bytes.end()});
    };
    std::vector<NamedTensor> all{{"input_ids", list(ids, fresh)},
                                 {"attention_mask", list(mask, total)}};
    if (d_.has_positions()) all.push_back({"position_ids", list(places, fresh)});
    return all;
  }
  MLTensor tensor(MLOperandDataType type, const Dims& shape, const Bytes& bytes) {
    const MLTensor t = context_.createTensor(
        {.dataType = type, .shape = shape, .readable = true, .writable = true});
    if (!bytes.empty()) context_.writeTensor(t, InputView(std::span(bytes)));
    return t;
  }

  Decoder d_;
  std::uint32_t batch_, left_out_ = 0;
  std::vector<std::byte> file_;
  MLContext context_{{.threads = 2}};
  MLGraph graph_{};
  std::vector<CacheNames> pairs_{};
  std::vector<MLTensor> states_{};
};

constexpr DecoderForm all_forms[] = {DecoderForm::rotary, DecoderForm::learned,
                                     DecoderForm::counted, DecoderForm::grouped};

}  // namespace

TEST_CASE("decoders: a prompt and steps, one specialization for all lengths") {
  for (const DecoderForm form : all_forms)
    for (const std::uint32_t key_heads : {2u, 4u}) {
      CAPTURE(int(form), key_heads);
      Sequence s({.form = form, .key_heads = key_heads});
      s.check(5);
      s.check(1);
      const std::string first = s.graph().explain();
      CAPTURE(first);
      CHECK(contains(first, "append rows") == has_simd());
      for (int i = 0; i < 60; ++i) s.check(1);
      if (has_simd()) CHECK(s.graph().explain() == first);
      s.check(3);
      CHECK(contains(s.graph().explain(), "append rows") == has_simd());
      s.resize(2);
      s.check(1);
      s.check(9);
      s.check(2);
    }
}

TEST_CASE("decoders: a batch, and tokens that attention_mask leaves out") {
  for (const DecoderForm form : all_forms) {
    CAPTURE(int(form));
    Sequence s({.form = form}, 2);
    s.check(4);
    for (int i = 0; i < 5; ++i) s.check(1);
    CHECK(s.in_place() == has_simd());
    // The lengths of GroupQueryAttention then are not those of the caches.
    s.leave_out(2);
    for (int i = 0; i < 3; ++i) s.check(1);
    CHECK(s.in_place() == (has_simd() && form != DecoderForm::grouped));
    s.leave_out(0);
    s.check(1);
    CHECK(s.in_place() == has_simd());
  }
}

TEST_CASE("decoders: a step beyond the bound, and wrong lengths") {
  for (const DecoderForm form : all_forms) {
    Sequence s({.form = form}, 1, 12);
    s.check(8);
    for (int i = 0; i < 4; ++i) s.check(1);
    CHECK(thrown([&] { s.step(1); }).find("is beyond the bound of its state (12)") !=
          std::string::npos);
    CHECK(s.size() == 12);
    s.resize(5);
    s.check(2);
  }
}

/// With WEBNN_ONNXRUNTIME_NODE=DIR, where DIR has node_modules with onnxruntime-node.
TEST_CASE("decoders: steps in place have the results of ONNX Runtime", "[onnxruntime]") {
  const char* modules = std::getenv("WEBNN_ONNXRUNTIME_NODE");
  if (!modules) {
    WARN("WEBNN_ONNXRUNTIME_NODE is not set");
    return;
  }
  const fs::path folder = fs::temp_directory_path() / "webnn_decoders";
  const auto write = [](const fs::path& file, const Bytes& bytes) {
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  };
  for (const DecoderForm form : all_forms) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    const Decoder d{.form = form};
    Sequence s(d);
    s.step(3);
    std::vector<Sequence::Run> runs;
    for (int i = 0; i < 64; ++i) {
      runs.push_back(s.step(1));
      const std::string base = (folder / std::to_string(i)).string(),
                        past = std::to_string(runs[i].past);
      write(base + ".onnx", d.writer({"1", "1", past, std::to_string(runs[i].past + 1)}).file());
      for (std::size_t k = 0; k < runs[i].inputs.size(); ++k)
        write(base + ".in" + std::to_string(k), s.context().readTensor(runs[i].inputs[k].tensor));
    }
    CHECK(s.in_place() == has_simd());
    const std::string script = (test::source_dir() / "tests/formats/onnx/onnxruntime.mjs").string();
    const std::string command = "node '" + script + "' '" + modules + "' '" + folder.string() +
                                "' 0 " + std::to_string(runs.size()) + " >/dev/null";
    REQUIRE(std::system(command.c_str()) == 0);
    double worst = 0;
    for (std::size_t i = 0; i < runs.size(); ++i)
      for (std::size_t k = 0; k < runs[i].outputs.size(); ++k) {
        const Bytes& own = runs[i].outputs[k];
        std::ifstream in(folder / (std::to_string(i) + ".out" + std::to_string(k)),
                         std::ios::binary);
        std::vector<float> theirs(own.size() / sizeof(float)), ours(theirs.size());
        std::memcpy(ours.data(), own.data(), own.size());
        CAPTURE(int(form), i, k);
        REQUIRE(in.read(reinterpret_cast<char*>(theirs.data()),
                        static_cast<std::streamsize>(own.size())));
        for (std::size_t j = 0; j < ours.size(); ++j)
          worst = std::max(worst, std::abs(double{ours[j]} - theirs[j]) /
                                      std::max(1.0, std::abs(double{theirs[j]})));
      }
    CAPTURE(int(form), worst);
    CHECK(worst < 1e-4);
    fs::remove_all(folder);
  }
}
