// A model in the words of its file, whether WebNN can express it or not: what `webnn info` and
// `webnn graph` show. Private. Texts are those of the file and are not escaped.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "webnn/context.h"
#include "webnn/models.h"

namespace webnn::inline v0_1::formats {

/// What operators read and write.
struct FileValue {
  std::string name{};
  std::string type{};  ///< "float32 [batch, 3]", as far as it is known; ? is an unknown size
  bool is_constant = false;
};

struct FileArgument {
  std::string name{};  ///< that of the operator's input, "X"; may be empty
  std::size_t value = 0;
};

struct FileOperator {
  std::size_t index = 0;  ///< its place in the file
  std::string name{};     ///< that of this operator; may be empty
  std::string type{};     ///< "Conv", with a domain before it where it is not the format's own
  std::vector<FileArgument> inputs{}, outputs{};
  std::vector<std::pair<std::string, std::string>> attributes{};
  std::vector<std::size_t> graphs{};  ///< its subgraphs, places in FileView::graphs
  std::string refusal{};              ///< why WebNN cannot express it; empty where it can
};

struct FileGraph {
  std::string title{};  ///< "graph", "then_branch of node 3"
  std::vector<FileValue> values{};
  std::vector<std::size_t> inputs{}, outputs{};  ///< places in `values`
  std::vector<FileOperator> operators{};         ///< in the order of the file
};

struct FileView {
  std::vector<std::pair<std::string, std::string>> properties{};  ///< "producer", "operator sets"
  std::vector<FileGraph> graphs{};                                ///< the model's is the first one
  std::vector<std::string> refusals{};  ///< why the model is not imported, but for operators
};

/// What is viewed: a file, or bytes that the owner keeps alive.
struct ViewedFile {
  Path path{};  ///< empty: in memory
  std::shared_ptr<const void> owner{};
  std::span<const std::byte> bytes{};
  std::string label{};  ///< for messages
};

/// What an importer found in the main graph that it read: it notes here what it refuses and goes
/// on, in place of stopping there.
struct ImportLog {
  struct Type {
    std::string element{}, shape{};  ///< "float32", "[batch, 3]"
  };
  std::map<std::size_t, std::string> refusals{};     ///< by the place of an operator in the file
  std::map<std::string, Type, std::less<>> types{};  ///< by what names a value in the file

  void clear() { *this = {}; }
};

/// "[batch, 3]"
[[gnu::visibility("hidden")]] std::string view_shape(const MLOperand& x);
/// "[2, ?]"; a size below 0 is unknown.
[[gnu::visibility("hidden")]] std::string view_shape(std::span<const std::int64_t> sizes);
/// In lower case, as element types are shown: "int16" for INT16.
[[gnu::visibility("hidden")]] std::string lower_case(std::string_view text);
/// An operator's name as it is called outside of the schema: "DepthwiseConv2D" for
/// DEPTHWISE_CONV_2D.
[[gnu::visibility("hidden")]] std::string camel_case(std::string_view name);

/// The most elements of a list, and bytes of a text, that a view has.
inline constexpr std::size_t max_view_elements = 32, max_view_text = 400;

/// "[1, 2, ...]": the first of the values; `text` makes one of them.
template <class List, class Text> std::string view_list(const List& values, Text text) {
  std::string all = "[";
  std::size_t n = 0;
  for (const auto& v : values) {
    if (n > 0) all += ", ";
    if (n++ == max_view_elements) {
      all += "...";
      break;
    }
    all += text(v);
  }
  return all + ']';
}
/// Six digits, and "inf" or "nan".
[[gnu::visibility("hidden")]] std::string view_number(double v);

/// What an error says without the format and the file, and without the part, such as a node, at its
/// beginning.
[[gnu::visibility("hidden")]] std::string without_part(std::string reason, const std::string& part);

/// A context for imports that only look.
[[gnu::visibility("hidden")]] MLContext view_context();

}  // namespace webnn::inline v0_1::formats

// The views of the formats. They throw DataError for a file that is not as the format says. Options
// are those of the import, which says what cannot be expressed and which types follow.
namespace webnn::inline v0_1::onnx {
formats::FileView view_file(const formats::ViewedFile&, const webnn::ImportOptions&);
}  // namespace webnn::inline v0_1::onnx
namespace webnn::inline v0_1::tflite {
formats::FileView view_file(const formats::ViewedFile&, const webnn::ImportOptions&);
}  // namespace webnn::inline v0_1::tflite
namespace webnn::inline v0_1::executorch {
formats::FileView view_file(const formats::ViewedFile&, const webnn::ImportOptions&);
}  // namespace webnn::inline v0_1::executorch
