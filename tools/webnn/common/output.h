// What the command prints: text in columns, or one JSON object.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/counted.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1::tool {

using Json = nlohmann::ordered_json;

/// Replaces what is not UTF-8.
void print_json(const Json& json);
std::string text_of(const Json& json, int indent = 2);
void print(std::string_view text);
/// At the end of the command. Throws CommandError when not all of the output could be written.
void flush_output();
/// ": No space left on device", for the end of a message; nothing for 0.
std::string reason_of(int error);
/// To the standard error: "webnn: ..."
void print_error(std::string_view message);

/// Columns as wide as their widest cell. Cells that begin with '>' are numbers and are aligned
/// right.
class Table {
 public:
  explicit Table(std::vector<std::string> heads) { rows_.push_back(std::move(heads)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text(std::string_view indent = "") const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string type_text(const MLOperandDescriptor& d);  ///< "float32 [1, 3]"
Json json_of(const MLOperandDescriptor& d);           ///< {"type": "float32", "shape": [1, 3]}
std::string type_text(const MLOperand& x);            ///< "float32 [1, sequence]"
Json json_of(const MLOperand& x);       ///< {"type": "float32", "shape": [1, "sequence"]}, or null
std::string bytes_text(double bytes);   ///< "4.60 MB"
std::string count_text(double count);   ///< "41.2 M"
std::string number_text(double value);  ///< five significant digits
/// The end of a text, of at most so many characters.
std::string shortened(const std::string& text, std::size_t width = 40);
/// The label of a node if it has one, else its name and index: "conv2d 3".
std::string name_of(const Graph& graph, std::size_t node);

}  // namespace webnn::inline v0_1::tool
