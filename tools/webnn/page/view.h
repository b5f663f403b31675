// Boxes, the lines between them, and what a page says of each.
#pragma once

#include "tools/webnn/page/constants.h"
#include "tools/webnn/page/layout.h"
#include "tools/webnn/page/tensors.h"

namespace webnn::inline v0_1::tool {

/// A drawing that grows from top to bottom: lines lead to the box that is added next.
class View {
 public:
  static constexpr std::size_t none = ~std::size_t{0};  ///< in place of the index of a box or step

  explicit View(std::string title) : json_{{"title", std::move(title)}} {}

  /// A box of up to four lines: `title`, and under it what is not empty.
  Json& add(const char* kind, const std::string& title, const std::string& subtitle,
            const std::string& shape, const std::string& label = {});
  /// An input or output. `tensors` have its values by its name.
  void add_port(const char* kind, const NamedOperand& port,
                const std::map<std::string, std::size_t>& tensors);
  /// A line from that box.
  void join(std::size_t box, std::string type);
  void join(std::size_t box, const MLOperandDescriptor& d) { join(box, type_text(d)); }
  std::size_t size() const { return boxes_.size(); }
  Json json();

 private:
  Json json_, nodes_ = Json::array();
  std::vector<Box> boxes_;
  std::vector<Line> lines_;
  std::vector<std::string> line_types_;
};

/// What a view takes from elsewhere.
struct Sources {
  Constants& constants;
  const Tensors& tensors;
  const std::map<std::uint32_t, std::size_t>& results;  ///< places of results in `tensors`
};

/// Every operator is a box, but those that compute on constants alone: those are seen as the
/// constants of their readers.
Json view_of_operators(const Graph& graph, std::string title, const Sources& from);
/// The view with steps and times.
Json view_of_operators(const Graph& graph, std::string title, const Sources& from,
                       const GraphReport& report, std::span<const double> microseconds);
/// Every step is a box: the operators that one kernel runs. Operators without a step, whose results
/// are views, are seen as the operands of steps that read them.
Json view_of_steps(const MLGraph& graph, const GraphReport& report,
                   std::span<const double> microseconds, std::string title, const Sources& from);

}  // namespace webnn::inline v0_1::tool
