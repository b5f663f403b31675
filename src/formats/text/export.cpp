// export_model(): a line for each operand and operator; format() lays them out.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "src/formats/common/custom_values.h"
#include "src/formats/common/operator_rows.h"
#include "src/formats/common/write_file.h"
#include "src/formats/text/identifiers.h"
#include "src/formats/text/lexer.h"
#include "src/formats/text/types.h"
#include "src/formats/text/weights.h"
#include "src/graph/custom.h"
#include "src/graph/failure.h"
#include "src/graph/op.h"
#include "src/graph/text.h"
#include "webnn/bfloat16.h"
#include "webnn/float16.h"
#include "webnn/float8e4m3.h"

namespace webnn::inline v0_1::text {
namespace {

using formats::OperatorRow;
using formats::Value;

std::string text_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null: return "null";
    case Value::Kind::string: return string_literal(value.text);
    case Value::Kind::list: {
      std::vector<std::string> items;
      for (const Value& item : value.items) items.push_back(text_of(item));
      return '[' + joined(items) + ']';
    }
    case Value::Kind::object: {
      std::vector<std::string> items;
      for (std::size_t i = 0; i + 1 < value.items.size(); i += 2)
        items.push_back(string_literal(value.items[i].text) + ": " + text_of(value.items[i + 1]));
      return '{' + joined(items) + '}';
    }
    default: return value.text;
  }
}

/// `dyn("past", 2048)`, and `dyn("past", 2048, 0)` where the minimum is not 1.
std::string dimension_text(const MLDimension& d) {
  if (!d.is_open()) return std::to_string(d.size());
  const auto& [name, min, max] = d.dynamic();
  const std::string least = min == 1 ? "" : ", " + std::to_string(min);
  return "dyn(" + string_literal(name) + ", " + std::to_string(max) + least + ')';
}

/// Of an input or a constant.
std::string type_text(const MLOperand& x) {
  return std::string(short_name_of(x.dataType())) + '[' +
         joined(*x.dimensions(), ", ", dimension_text) + ']';
}

/// A comment with the name for which an identifier stands, where they differ.
std::string name_comment(std::string_view identifier, std::string_view name) {
  return identifier == name ? "\n" : " #: " + string_literal(name, true) + '\n';
}

template <class T> T element(const MLOperand& x) {
  T v;
  std::memcpy(&v, x.constant()->bytes().data(), sizeof v);
  return v;
}

/// The number of a scalar, if it can be written so that the same bits are read.
std::optional<std::string> scalar_text(const MLOperand& x) {
  if (!x.shape().empty()) return std::nullopt;
  Value v;
  switch (x.dataType()) {
    case float32: v = formats::to_value(element<float>(x)); break;
    case float16: v = formats::to_value(float{element<Float16>(x)}); break;
    case bfloat16: v = formats::to_value(float{element<BFloat16>(x)}); break;
    case float8e4m3: v = formats::to_value(float{element<Float8E4M3>(x)}); break;
    case int32: v = formats::to_value(element<std::int32_t>(x)); break;
    case uint32: v = formats::to_value(element<std::uint32_t>(x)); break;
    case int64: v = formats::to_value(MLNumber(element<std::int64_t>(x))); break;
    case uint64: v = formats::to_value(MLNumber(element<std::uint64_t>(x))); break;
    case int8: v = formats::to_value(std::int32_t{element<std::int8_t>(x)}); break;
    case uint8: v = formats::to_value(std::uint32_t{element<std::uint8_t>(x)}); break;
    default: return std::nullopt;  // half a byte is undefined
  }
  if (v.kind != Value::Kind::number) return std::nullopt;  // not finite
  return v.text;
}

std::string bytes_text(const MLOperand& x) {
  std::string s = "@bytes([";
  for (const std::byte b : x.constant()->bytes()) {
    if (s.back() != '[') s += ", ";
    s += std::to_string(std::to_integer<int>(b));
  }
  return s + "])";
}

class Exporter {
 public:
  Exporter(const Graph& graph, bool with_weights)
      : graph_(graph), with_weights_(with_weights), names_(graph) {}

  Files run(const std::string& name) {
    for (const auto& [input, x] : graph_.inputs())
      text_ += names_.of(x) + ": " + type_text(x) + ';' + name_comment(names_.of(x), input);
    end_block("inputs");
    for (std::size_t i = 0; i < graph_.operand_count(); ++i)
      if (graph_.operand(i).constant()) constant(graph_.operand(i));
    end_block("consts");
    for (std::size_t i = 0; i < graph_.size(); ++i) node(graph_.node(i));
    const std::string outputs = this->outputs();
    end_block("nodes");
    text_ += outputs;
    end_block("outputs");
    text_ = "webnn_graph " + string_literal(name) + (is_open() ? " v2 {\n" : " v1 {\n") + blocks_ +
            "}\n";
    Files files{format(text_), {}};
    const safetensors::Metadata packed{{std::string(packed4_key), std::string(packed4_version)}};
    if (!tensors_.empty())
      files.weights = safetensors::write(tensors_, packed_ ? packed : safetensors::Metadata());
    return files;
  }

 private:
  bool is_open() const {
    return std::ranges::any_of(graph_.inputs(),
                               [](const NamedOperand& x) { return x.operand.is_open(); });
  }
  void constant(const MLOperand& x) {
    const std::string& name = names_.of(x);
    text_ += name + ": " + type_text(x) + ' ';
    if (const auto number = scalar_text(x)) text_ += "@scalar(" + *number + ')';
    else if (!with_weights_) text_ += bytes_text(x);
    else text_ += "@weights(" + string_literal(weights(name, x)) + ')';
    text_ += ";\n";
  }
  const std::string& weights(const std::string& name, const MLOperand& x) {
    MLOperandDescriptor d = x.descriptor();
    if (bits_of(d.dataType) == 4) {
      d = {uint8, {static_cast<std::uint32_t>(byte_length(d))}};
      packed_ = true;
    }
    tensors_.push_back({name, d, x.constant()->bytes()});
    return name;
  }

  void node(const Node& node) {
    if (is_fused(node.kind())) refuse_kind(node.kind(), node.op());
    std::vector<std::string> results, arguments;
    for (const MLOperand& y : node.outputs()) results.push_back(names_.of(y));
    const formats::OperatorRows& rows = formats::rows_of(node.kind());
    if (const auto* own = node.as<ops::custom>()) arguments = custom_arguments(*own);
    else
      for (const bool operands : {true, false})
        for (const OperatorRow& row : rows.rows)
          if (row.is_attribute() != operands) add(arguments, row, node.op());
    // An operator without a label gets that of its result.
    const bool known = results.size() == 1 && node.label() == results.front();
    const std::string_view label = node.label();
    if (!label.empty() && !known) arguments.push_back("label=" + string_literal(label));
    const std::string list = joined(results);
    text_ += (results.size() == 1 ? list : '[' + list + ']') + " = " + std::string(rows.name) +
             '(' + joined(arguments) + ");\n";
  }
  /// `"example.TopK", x, version=1, attributes={"k": 5}`
  std::vector<std::string> custom_arguments(const ops::custom& op) const {
    std::vector<std::string> all{string_literal(op.definition->name)};
    for (const MLOperand& x : op.inputs) all.push_back(names_.of(x));
    all.push_back("version=" + std::to_string(op.definition->version));
    const CustomAttributes given = given_attributes(op);
    if (!given.empty()) all.push_back("attributes=" + text_of(formats::to_value(given)));
    return all;
  }
  void add(std::vector<std::string>& arguments, const OperatorRow& row, const void* op) const {
    const std::string name(row.name);
    if (row.is_attribute()) {
      if (row.required || !row.is_default(op))
        arguments.push_back(name + '=' + text_of(row.value(op)));
      return;
    }
    for (const MLOperand& x : formats::operands_of(row, op))
      arguments.push_back((row.required ? "" : name + '=') + names_.of(x));
  }

  /// What is there belongs to one block; there is none where it is nothing.
  void end_block(const std::string& name) {
    if (!text_.empty()) blocks_ += name + " {\n" + text_ + "}\n";
    text_.clear();
  }

  /// An operand that is two outputs gets a second name.
  std::string outputs() {
    std::string lines;
    std::unordered_set<std::string> used;
    for (const auto& [name, x] : graph_.outputs()) {
      std::string identifier = names_.of(x);
      if (!used.insert(identifier).second) {
        identifier = names_.another(name);
        text_ += identifier + " = " + names_.of(x) + ";\n";
      }
      lines += identifier + ';' + name_comment(identifier, name);
    }
    return lines;
  }

  const Graph& graph_;
  const bool with_weights_;
  Identifiers names_;
  std::string text_{}, blocks_{};  // this block, and those before
  std::vector<safetensors::NamedValues> tensors_{};
  bool packed_ = false;
};

}  // namespace

std::string export_model(const MLGraph& graph, const ExportOptions& options) {
  return Exporter(graph.graph(), false).run(options.name).text;
}

Files export_files(const MLGraph& graph, const ExportOptions& options) {
  return Exporter(graph.graph(), true).run(options.name);
}

}  // namespace webnn::inline v0_1::text

namespace webnn::inline v0_1::detail {

void export_text(const MLGraph& graph, const Path& path, const text::ExportOptions& options) {
  const std::filesystem::path weights =
      std::filesystem::path(path).replace_extension(".safetensors");
  if (weights == std::filesystem::path(path))
    raise(fail("the weights of a text are beside it, in a file of this name: give the text another "
               "one, such as {}",
               std::filesystem::path(path).replace_extension(".webnn").string()),
          "text export", path);
  const text::Files files = text::export_files(graph, options);
  std::vector<formats::NewFile> all{formats::file_of(path, std::as_bytes(std::span(files.text)))};
  if (!files.weights.empty()) all.push_back(formats::file_of(weights, files.weights));
  if (auto bad = formats::write_files(all)) raise(bad->failure, "text export", bad->path.string());
}

}  // namespace webnn::inline v0_1::detail
