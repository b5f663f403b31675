// What the names of a .webnn text stand for while it is imported. Private.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "src/formats/text/parser.h"
#include "webnn/text.h"

namespace webnn::inline v0_1::text {

inline constexpr std::size_t max_operators = 1 << 18;
inline constexpr std::size_t max_operands = 1 << 20;

class Scope {
 public:
  Scope(const MLGraphBuilder& b, const ImportOptions& o, const Source& s)
      : builder(b), options(o), source(s), dimensions(o.dimensions) {}

  MLGraphBuilder builder;
  const ImportOptions& options;
  const Source& source;
  std::map<std::string, std::uint32_t> dimensions;  ///< sizes of open dimensions, by name
  std::set<std::string> found{};                    ///< names of open dimensions in the text

  /// A result may take a name again: what follows reads the later one.
  void set(const Token& name, MLOperand x, bool again = false);
  void add_input(const MLOperand& x) { inputs_.push_back(x); }
  /// Null if there is none; refuses a name that could be several.
  const MLOperand* find(std::string_view name, std::size_t offset) const;
  const MLOperand& operand(std::string_view name, std::size_t offset) const;
  /// Notes that an input has such a dimension, with bounds that hold besides those before.
  void add_bounds(const Dimension& d, std::size_t offset);
  /// A dimension that the text leaves open: the size that the options give, or a name with the
  /// bounds of all inputs.
  MLDimension dimension(const std::string& name, std::uint32_t maximum);
  /// The size of an open dimension of that name in a run, uint32 [1]; nothing where no input has
  /// it.
  std::optional<MLOperand> size_of(const std::string& name);

 private:
  struct Other {
    MLOperand operand{};
    bool ambiguous = false;
  };
  std::map<std::string, MLDynamicDimension> bounds_{};
  std::vector<MLOperand> inputs_{};
  std::unordered_map<std::string_view, MLOperand> operands_{};  // the views are of the text
  std::unordered_map<std::string, Other> by_normalized_{};
};

/// The results of `custom("example.TopK", x, version=1, attributes={"k": 5})`, an operator of the
/// context.
std::vector<MLOperand> import_custom(Scope& scope, const Statement& statement);
/// Adds the operator of a statement, and its results to the scope.
void import_statement(Scope& scope, const Statement& statement);

}  // namespace webnn::inline v0_1::text
