#include "src/lm/imported/outline.h"

#include <algorithm>

#include "src/formats/common/mapped_file.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::lm {
namespace {

using onnx::ElementType;
using onnx::Node;
using onnx::Tensor;

std::uint64_t elements_of(const Tensor& t) {
  std::uint64_t n = 1;
  for (const std::int64_t d : t.dims) {
    if (d <= 0 || n > (std::uint64_t{1} << 48) / static_cast<std::uint64_t>(d)) return 0;
    n *= static_cast<std::uint64_t>(d);
  }
  return n;
}
std::uint64_t bits_in_file(ElementType t) {
  if (t == ElementType::DOUBLE) return 64;
  const auto held = data_type_of(t);
  return held ? static_cast<std::uint64_t>(bits_of(*held)) : 8;
}
std::int64_t integer(const Node& node, std::string_view name, std::int64_t otherwise) {
  for (const onnx::Attribute& a : node.attributes)
    if (a.name == name && a.type == onnx::AttributeType::integer) return integer_of(a);
  return otherwise;
}
std::string_view input_of(const Node& node, std::size_t i) {
  return i < node.inputs.size() ? node.inputs[i] : std::string_view();
}
bool is_any(std::string_view name, std::initializer_list<std::string_view> of) {
  return std::ranges::find(of, name) != of.end();
}

}  // namespace

Outline::Outline(const std::filesystem::path& path) {
  auto file = formats::map_file(path);
  if (!file) raise(file.failure(), "lm", path.string());
  owner_ = file->owner;
  try {
    onnx::Limits limits;
    model_ = onnx::read_model(file->bytes, limits);
    read_graph();
    count_weights();
    find_window();
  } catch (const onnx::Broken& e) { raise({e.what(), ErrorName::DataError}, "lm", path.string()); }
  if (!model_.has_graph)
    raise({"the file has no graph: it is not an ONNX model", ErrorName::DataError}, "lm",
          path.string());
}

void Outline::read_graph() {
  for (const Tensor& t : model_.graph.initializers) tensors_.emplace(t.name, &t);
  for (const Node& node : model_.graph.nodes)
    for (const std::string_view output : node.outputs) writers_.emplace(output, &node);
  for (const onnx::ValueInfo& info : model_.graph.inputs) {
    if (tensors_.contains(info.name)) continue;
    Input in{std::string(info.name), info.type, std::nullopt};
    if (info.has_shape) {
      in.shape.emplace();
      for (const onnx::Dimension& d : info.shape) {
        const std::int64_t size = d.value.value_or(0);
        in.shape->push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0)));
      }
    }
    inputs_.push_back(std::move(in));
  }
}

const Outline::Input* Outline::input(std::string_view name) const {
  const auto found = std::ranges::find(inputs_, name, &Input::name);
  return found == inputs_.end() ? nullptr : &*found;
}

bool Outline::has_output(std::string_view name) const {
  return std::ranges::any_of(model_.graph.outputs,
                             [&](const onnx::ValueInfo& o) { return o.name == name; });
}

const Node* Outline::writer(std::string_view value) const {
  const auto found = writers_.find(value);
  return found == writers_.end() ? nullptr : found->second;
}

/// Whether it is a tensor of the file, or follows from some by operators that move or widen them.
bool Outline::is_weight(std::string_view value) const {
  for (int depth = 0; depth < 8; ++depth) {
    if (tensors_.contains(value)) return true;
    const Node* node = writer(value);
    if (!node) return false;
    if (node->op_type == "Constant") return true;
    if (!is_any(node->op_type, {"Transpose", "Cast", "Identity", "DequantizeLinear"})) return false;
    for (std::size_t i = 1; i < node->inputs.size(); ++i)
      if (!tensors_.contains(node->inputs[i])) return false;
    value = input_of(*node, 0);
  }
  return false;
}

/// The input whose rows decide those of the result, where it is one.
std::optional<std::string_view> Outline::row_of(const Node& node) const {
  const bool own = node.domain.empty();
  if (own && is_any(node.op_type, {"Cast", "Identity", "Tanh"})) return input_of(node, 0);
  if (!own || !is_any(node.op_type, {"Add", "Sub", "Mul", "Div"})) return std::nullopt;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const auto other = tensors_.find(input_of(node, 1 - i));  // a list is the same for all rows
    if (other != tensors_.end() && other->second->dims.size() <= 1) return input_of(node, i);
  }
  return std::nullopt;
}

std::string Outline::rows_before(std::string_view output) const {
  for (int depth = 0; depth < 16; ++depth) {
    const Node* node = writer(output);
    if (!node) return {};
    const bool is_product = (node->domain.empty() && node->op_type == "MatMul") ||
                            (node->domain == "com.microsoft" && node->op_type == "MatMulNBits");
    if (is_product) {
      for (std::size_t i = 1; i < node->inputs.size(); ++i)
        if (!node->inputs[i].empty() && !is_weight(node->inputs[i])) return {};
      const std::string_view rows = input_of(*node, 0);
      return writer(rows) ? std::string(rows) : std::string();
    }
    const auto next = row_of(*node);
    if (!next) return {};
    output = *next;
  }
  return {};
}

std::optional<std::uint32_t> Outline::window_of(std::string_view value) const {
  const Node* node = writer(value);
  if (!node || node->domain != "com.microsoft" || node->op_type != "GroupQueryAttention")
    return std::nullopt;
  const std::int64_t own = integer(*node, "local_window_size", -1);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(own, 0, 0xffff'ffff));
}

void Outline::find_window() {
  for (const Node& node : model_.graph.nodes) {
    if (node.op_type != "GroupQueryAttention") continue;
    const std::int64_t own = integer(node, "local_window_size", -1);
    if (own <= 0) {
      window_.reset();
      return;
    }
    window_ = std::max(window_.value_or(0), own);
  }
}

void Outline::add_weights(const std::string& stored, const std::string& kept, std::uint64_t bytes,
                          std::uint64_t kept_bytes) {
  auto row = std::ranges::find(weights_, stored, &WeightReport::stored);
  if (row == weights_.end()) row = weights_.insert(row, {stored, kept});
  ++row->tensors;
  row->storedBytes += bytes;
  row->keptBytes += kept_bytes;
}

void Outline::count_weights() {
  struct Blocks {
    std::uint64_t bits = 4;
    std::int64_t size = 0;
  };
  std::unordered_map<std::string_view, Blocks> quantized;
  std::unordered_set<std::string_view> beside;  // scales and zero points
  for (const Node& node : model_.graph.nodes) {
    const bool gathers = node.op_type == "GatherBlockQuantized";
    if (node.domain != "com.microsoft" || (!gathers && node.op_type != "MatMulNBits")) continue;
    quantized[input_of(node, gathers ? 0 : 1)] = {integer(node, "bits", 4) == 8 ? 8u : 4u,
                                                  integer(node, "block_size", gathers ? 128 : 0)};
    for (const std::size_t i : {2u, 3u}) beside.insert(input_of(node, i));
  }
  for (const Tensor& t : model_.graph.initializers) {
    const std::uint64_t elements = elements_of(t), bytes = elements * bits_in_file(t.type) / 8;
    if (const auto q = quantized.find(t.name); q != quantized.end()) {
      const auto [bits, size] = q->second;
      parameters_ += 8 * bytes / bits;
      add_weights(format("{} bits in blocks of {}", {bits, size}),
                  format("uint{}, scales for blocks of {}", {bits, size}), bytes, bytes);
    } else if (t.type == ElementType::FLOAT || t.type == ElementType::FLOAT16 ||
               t.type == ElementType::BFLOAT16 || t.type == ElementType::DOUBLE) {
      if (beside.contains(t.name)) continue;
      const MLOperandDataType held = data_type_of(t.type).value_or(float32);  // DOUBLE
      parameters_ += elements;
      add_weights(name_of_type(t.type), std::string(name_of(held)), bytes,
                  elements * static_cast<std::uint64_t>(bits_of(held)) / 8);
    }
  }
}

}  // namespace webnn::inline v0_1::lm
