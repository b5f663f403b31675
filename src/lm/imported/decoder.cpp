#include "src/lm/imported/decoder.h"

#include <algorithm>
#include <cstring>

#include "src/builder/builder_state.h"
#include "src/formats/common/json.h"
#include "src/formats/common/mapped_file.h"
#include "src/formats/onnx/given_attention.h"
#include "src/lm/imported/outline.h"
#include "src/lm/network/network.h"
#include "webnn/onnx.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::lm {
namespace {

namespace fs = std::filesystem;
using onnx::ElementType;

class Builder {
 public:
  /// `joins`: the graph takes several sequences, of lengths of their own.
  Builder(ModelContents& m, const ImportedConfig& c, const Outline& file, bool joins)
      : m_(m), c_(c), file_(file), joins_(joins), b_(m.context) {}

  void run() {
    check_names();
    if (joins_) find_windows();
    tokens_ = b_.input(inputs::tokens, {int32, {sequences(), "new"}});
    for (std::uint32_t i = 0; i < layers_; ++i) {
      add_state(i, true);
      add_state(i, false);
    }
    past_ = b_.dimension(states_.front(), 2);
    total_ = b_.add(past_, b_.dimension(tokens_, 1));
    for (const Outline::Input& in : file_.inputs()) add_input(in);
    for (const std::uint32_t window : windows_) mask(window);  // an import may begin again
    import();
    m_.fingerprint = fingerprint();
    m_.graph = b_.build(outputs_);
    m_.joins = joins_;
    set_info();
  }

 private:
  [[noreturn]] void refuse(const std::string& message, ErrorName name = ErrorName::DataError) {
    raise({message, name}, "lm", c_.label);
  }

  /// The layers, and that everything which they need is there.
  void check_names() {
    const auto require_input = [&](const std::string& name) {
      if (!file_.input(name)) refuse("the model has no input " + in_quotes(name));
    };
    const auto require_output = [&](const std::string& name) {
      if (!file_.has_output(name)) refuse("the model has no output " + in_quotes(name));
    };
    require_input(c_.tokens);
    require_output(c_.logits);
    require_input(name_of_layer(c_.pastKeys, 0));
    while (file_.input(name_of_layer(c_.pastKeys, layers_))) ++layers_;
    if (c_.layers > layers_) require_input(name_of_layer(c_.pastKeys, layers_));
    for (std::uint32_t i = 0; i < layers_; ++i) {
      require_input(name_of_layer(c_.pastValues, i));
      require_output(name_of_layer(c_.presentKeys, i));
      require_output(name_of_layer(c_.presentValues, i));
    }
    if (const auto own = file_.window(); c_.window != 0 && (!own || *own > c_.window))
      refuse("sliding_window.window_size (" + std::to_string(c_.window) +
                 "): caches keep all tokens, and the file of the model has no such window",
             ErrorName::NotSupportedError);
  }

  MLDimension sequences() const { return joins_ ? MLDimension("sequences") : MLDimension(1); }

  /// The window of each layer, of which there may be one beside layers that see all.
  void find_windows() {
    for (std::uint32_t i = 0; i < layers_; ++i) {
      const auto window = file_.window_of(name_of_layer(c_.presentKeys, i));
      if (!window || file_.window_of(name_of_layer(c_.presentValues, i)) != window)
        refuse("layer " + std::to_string(i) + " has no GroupQueryAttention",
               ErrorName::NotSupportedError);
      if (*window != 0 && m_.h.window != 0 && *window != m_.h.window)
        refuse("layers have windows of several sizes", ErrorName::NotSupportedError);
      m_.h.window = std::max(m_.h.window, *window);
      windows_.push_back(*window);
    }
  }

  /// The cache of a layer: [sequences, heads, past, size]. What the file says of its length is that
  /// of a buffer that past and present may share.
  void add_state(std::uint32_t layer, bool keys) {
    const std::string name = name_of_layer(keys ? c_.pastKeys : c_.pastValues, layer);
    const Outline::Input& in = *file_.input(name);
    const auto type = data_type_of(in.type);
    if (type != float32 && type != float16 && type != bfloat16)
      refuse(in_quotes(name) + " is " + name_of_type(in.type) + ", not FLOAT, FLOAT16 or BFLOAT16",
             ErrorName::NotSupportedError);
    if (!in.shape || in.shape->size() != 4)
      refuse(in_quotes(name) + " does not have four dimensions");
    const auto size = [&](std::size_t axis, std::uint32_t otherwise, std::string_view what) {
      const std::uint64_t own = (*in.shape)[axis];
      const std::uint64_t n = own != 0 ? own : otherwise;
      if (n == 0 || n > 0xffff)
        refuse(in_quotes(name) + ": " + std::string(what) + " (" + std::to_string(n) +
               ") is not possible");
      return static_cast<std::uint32_t>(n);
    };
    if ((*in.shape)[0] > 1)
      refuse(in_quotes(name) + " has a batch of " + std::to_string((*in.shape)[0]) + ", not 1",
             ErrorName::NotSupportedError);
    const std::uint32_t heads = size(1, c_.keyHeads, "the number of heads"),
                        width = size(3, c_.headSize, "the size of a head");
    const MLDynamicDimension past{.name = "past", .minSize = 0, .maxSize = m_.h.capacity};
    const std::string own = keys ? inputs::past_keys(layer) : inputs::past_values(layer);
    states_.push_back(b_.input(own, {*type, {sequences(), heads, past, width}}));
    given_.push_back({name, states_.back()});
    if (layer == 0 && keys) m_.h.keyHeads = heads, m_.h.headSize = width;
  }

  /// What is [sequences, tokens].
  MLOperand as_rows(const MLOperand& x, const Outline::Input& in) {
    if (in.shape && in.shape->size() != 2)
      refuse("the input " + in_quotes(in.name) + " has rank " + std::to_string(in.shape->size()) +
                 ", not 2",
             ErrorName::NotSupportedError);
    return in_type(x, in);
  }
  /// Where new tokens are, [sequences, new].
  const MLOperand& positions() {
    if (positions_) return positions_;
    const MLOperand list = b_.input(inputs::positions, {int32, {joins_ ? "tokens" : "new"}});
    positions_ = joins_ ? b_.reshapeDynamic(list, b_.shape(tokens_)) : b_.unsqueeze(list, {0});
    return positions_;
  }
  /// What hides keys from the new tokens.
  MLOperand mask(std::uint32_t window) {
    MLOperand& x = window == 0 ? mask_ : local_mask_;
    if (!x)
      x = b_.input(window == 0 ? inputs::mask : inputs::local_mask,
                   {float32, {"sequences", 1, 1, "new", "total"}});
    return x;
  }
  MLOperand in_type(const MLOperand& x, const Outline::Input& in) {
    const auto type = data_type_of(in.type);
    if (!type || bits_of(*type) < 8)
      refuse("the input " + in_quotes(in.name) + " is " + name_of_type(in.type),
             ErrorName::NotSupportedError);
    return x.dataType() == *type ? x : b_.cast(x, *type);
  }
  MLOperand sized_as(const MLOperand& scalar, const Outline::Input& in) {
    const MLOperand x = in_type(scalar, in);
    return in.shape && in.shape->size() == 1 ? b_.reshape(x, {1}) : x;
  }

  void add_input(const Outline::Input& in) {
    if (std::ranges::find(given_, in.name, &NamedOperand::name) != given_.end()) return;
    MLOperand x;
    if (in.name == c_.tokens) {
      x = as_rows(tokens_, in);
    } else if (in.name == c_.positions) {
      x = as_rows(positions(), in);
    } else if (in.name == c_.mask) {  // no token is left out
      const MLOperand one = as_rows(b_.constant<std::int32_t>({int32, {1, 1}}, {1}), in);
      const MLOperand count = joins_ ? b_.reshape(b_.dimension(tokens_, 0), {1})
                                     : b_.constant<std::uint32_t>({uint32, {1}}, {1});
      x = b_.expandDynamic(one, b_.concat({count, b_.reshape(total_, {1})}, 0));
    } else if (in.name == c_.totalLength) {
      x = sized_as(total_, in);
    } else if (in.name == c_.pastLength) {
      x = sized_as(past_, in);
    } else if (in.name == "use_cache_branch") {  // of decoders that Optimum has merged
      options_.constants[in.name] = {{1}, {std::byte{1}}, {}};
      return;
    } else {
      refuse("the model has an input " + in_quotes(in.name) + " that is not known",
             ErrorName::NotSupportedError);
    }
    given_.push_back({in.name, x});
  }

  void import() {
    const std::string path = c_.model.string();
    const std::string rows = file_.rows_before(c_.logits);
    options_.inputs = given_;
    options_.outputs = {rows.empty() ? c_.logits : rows};
    for (std::uint32_t i = 0; i < layers_; ++i) {
      options_.outputs.push_back(name_of_layer(c_.presentKeys, i));
      options_.outputs.push_back(name_of_layer(c_.presentValues, i));
    }
    const onnx::GivenAttention attention{
        .positions = joins_ ? positions() : MLOperand(),
        .mask = [this](std::uint32_t window) { return mask(window); }};
    const onnx::Model model = joins_ ? onnx::import_model(b_, path, options_, attention)
                                     : onnx::import_model(b_, path, options_);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const MLOperand& after = model.outputs[i + 1].operand;
      update(b_, states_[i], after);
      const auto layer = static_cast<std::uint32_t>(i / 2);
      outputs_.push_back({i % 2 == 0 ? outputs::keys(layer) : outputs::values(layer), after});
      m_.states.push_back({i % 2 == 0 ? inputs::past_keys(layer) : inputs::past_values(layer),
                           outputs_[i].name,
                           {1, m_.h.keyHeads, 0, m_.h.headSize},
                           joins_ ? windows_[layer] : 0});
    }
    MLOperand x = wanted_rows(model.outputs[0].operand, options_.outputs[0]);
    if (!rows.empty()) {  // the last product alone
      options_.inputs.push_back({rows, x});
      options_.outputs = {c_.logits};
      x = onnx::import_model(b_, path, options_).outputs[0].operand;
    }
    finish(x);
  }

  /// [1, results, size] for the tokens of which there shall be logits.
  MLOperand wanted_rows(const MLOperand& x, const std::string& name) {
    const auto dimensions = x.dimensions();
    if (!dimensions || dimensions->size() != 3)
      refuse(in_quotes(name) + " does not have three dimensions", ErrorName::NotSupportedError);
    m_.last_row_only = !(*dimensions)[1].is_open();
    const MLOperand rows = b_.input(inputs::rows, {int32, {"results"}});
    if (!joins_) return b_.gather(x, rows, {.axis = 1});
    const MLOperand count = b_.mul(b_.dimension(x, 0), b_.dimension(x, 1));
    const MLOperand width = b_.reshape(b_.dimension(x, 2), {1});
    const MLOperand all = b_.reshapeDynamic(x, b_.concat({b_.reshape(count, {1}), width}, 0));
    return b_.unsqueeze(b_.gather(all, rows), {0});
  }

  void finish(const MLOperand& x) {
    const auto dimensions = x.dimensions();
    const std::uint32_t own = dimensions && dimensions->size() == 3 ? dimensions->back().size() : 0;
    if (own == 0)
      refuse(in_quotes(c_.logits) + " is not [batch, tokens, vocabulary]",
             ErrorName::NotSupportedError);
    if (own < c_.vocabulary)
      refuse(in_quotes(c_.logits) + " has " + std::to_string(own) + " elements for a token, and " +
             "vocab_size is " + std::to_string(c_.vocabulary));
    vocabulary_ = own;
    MLOperand y = b_.squeeze(x, {.axes = {{0}}});
    if (y.dataType() != float32) y = b_.cast(y, float32);
    outputs_.push_back({outputs::logits, y});
  }

  /// A hash of the first bytes of each constant.
  std::uint64_t fingerprint() const {
    std::uint64_t h = 14695981039346656037u;
    const auto add = [&](std::span<const std::byte> bytes) {
      for (const std::byte v : bytes) h = (h ^ std::to_integer<std::uint64_t>(v)) * 1099511628211u;
    };
    for (const OwnedRecord& r : detail::state_of(b_)->data.operands) {
      if (!r.constant) continue;
      const auto bytes = r.constant->bytes();
      add(bytes.first(std::min<std::size_t>(bytes.size(), 64)));
      const std::uint64_t size = bytes.size();
      add(std::as_bytes(std::span(&size, 1)));
    }
    return h;
  }

  void set_info() {
    ModelInfo& i = m_.info;
    i.architecture = c_.type.empty() ? "onnx" : c_.type;
    i.layers = layers_;
    i.keyHeads = m_.h.keyHeads;
    i.headSize = m_.h.headSize;
    i.heads = c_.heads != 0 ? c_.heads : i.keyHeads;
    i.width = c_.width != 0 ? c_.width : i.heads * i.headSize;
    i.vocabulary = vocabulary_;
    i.contextLength = c_.contextLength;
    i.capacity = m_.h.capacity;
    i.parameters = file_.parameters();
    i.weights = file_.weights();
  }

  ModelContents& m_;
  const ImportedConfig& c_;
  const Outline& file_;
  bool joins_;
  MLGraphBuilder b_;
  std::uint32_t layers_ = 0, vocabulary_ = 0;
  std::vector<std::uint32_t> windows_{};  // by layer
  MLOperand tokens_{}, past_{}, total_{}, positions_{}, mask_{}, local_mask_{};
  std::vector<MLOperand> states_{};
  NamedOperands given_{}, outputs_{};
  onnx::ImportOptions options_{};
};

/// The JSON of a file; nothing where there is none.
std::optional<Value> json_of(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  auto file = formats::map_file(path);
  if (!file) raise(file.failure(), "lm", path.string());
  auto value =
      formats::read_json({reinterpret_cast<const char*>(file->bytes.data()), file->bytes.size()});
  if (!value) raise(value.failure(), "lm", path.string());
  return std::move(*value);
}

}  // namespace

bool has_imported(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "genai_config.json", error)) return true;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".safetensors") return false;
  return !optimum_file(folder).empty();
}

ImportedConfig imported_config(const fs::path& folder) {
  if (const auto root = json_of(folder / "genai_config.json"))
    return config_of_genai(*root, folder);
  const auto root = json_of(folder / "config.json");
  if (!root) raise({"the folder has no config.json", ErrorName::DataError}, "lm", folder.string());
  const auto generation = json_of(folder / "generation_config.json");
  return config_of_optimum(*root, generation ? &*generation : nullptr, folder,
                           optimum_file(folder));
}

void build_imported(ModelContents& m, const ImportedConfig& config) {
  m.h.label = config.label;
  m.h.contextLength = config.contextLength;
  m.h.architecture = config.type;
  const std::uint32_t limit = config.maxLength == 0 ? config.contextLength : config.maxLength;
  m.h.set_capacity(m.options.capacity);
  if (m.options.capacity == 0) m.h.capacity = std::min(m.h.capacity, limit);
  const Outline file(config.model);
  try {  // whatever does not join is one sequence after the other
    return Builder(m, config, file, true).run();
  } catch (const Error&) {
    m.states.clear();
    m.h.window = 0;
    m.last_row_only = false;
  }
  try {
    Builder(m, config, file, false).run();
  } catch (const TypeError& e) {  // the sizes of the files do not fit each other
    raise({e.what(), ErrorName::DataError}, "lm", config.label);
  }
}

}  // namespace webnn::inline v0_1::lm
