// What graphs of a file consist of: numbers of operands, operators, places of arrays. Private.
#pragma once

#include <unordered_set>

#include "src/formats/compiled/graph.h"
#include "src/graph/graph_data.h"

namespace webnn::inline v0_1::compiled {

inline constexpr std::size_t max_operators = 1 << 18, max_operands = 1 << 20;

/// The numbers of the operands: inputs, constants, results, each in the order of the graph.
class Numbers {
 public:
  explicit Numbers(const Graph& graph) : of_(graph.operand_count()) {
    for (const auto& [name, x] : graph.inputs()) add(x);
    for (std::size_t i = 0; i < graph.operand_count(); ++i)
      if (graph.operand(i).constant()) {
        constants_.push_back(graph.operand(i));
        add(constants_.back());
      }
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const Node node = graph.node(i);
      for (const MLOperand& y : node.outputs()) add(y);
    }
  }
  std::uint32_t of(const MLOperand& x) const { return of_[x.record().id]; }
  const std::vector<MLOperand>& constants() const { return constants_; }

 private:
  void add(const MLOperand& x) { of_[x.record().id] = next_++; }

  std::vector<std::uint32_t> of_;
  std::vector<MLOperand> constants_{};
  std::uint32_t next_ = 0;
};

void write_node(Writer& to, const Node& node, const Numbers& numbers);
/// An operator whose operands are of the graph; nothing else is checked. A custom one is that of
/// the context; throws DataError when it has none of that name and version. Without a context it
/// has only these.
Op read_op(Reader& from, const GraphData& data, const MLContext* context);

/// A name that no other input, or output, has.
std::string read_name(Reader& from, std::unordered_set<std::string>& used);

void write_place(Writer& to, const Place& p);
Place read_place(Reader& from, std::uint8_t part);

/// What is known of the values of a constant, which may not be in the file.
void write_facts(Writer& to, const Constant& constant);
void read_facts(Reader& from, const Constant& constant);

void write_metadata(Writer& to, const Metadata& metadata);
Metadata read_metadata(Reader& from);

}  // namespace webnn::inline v0_1::compiled
