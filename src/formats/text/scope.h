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
  std::map<std::string, std::uint32_t> dimensions;  ///< that are open, by name
  std::set<std::string> found{};                    ///< names of open dimensions in the text

  /// A result may take a name again: what follows reads the later one.
  void set(const Token& name, MLOperand x, bool again = false);
  /// Null if there is none; refuses a name that could be several.
  const MLOperand* find(std::string_view name, std::size_t offset) const;
  const MLOperand& operand(std::string_view name, std::size_t offset) const;
  /// The size of a dimension that the text leaves open.
  std::uint32_t dimension(const std::string& name, std::uint32_t maximum);

 private:
  struct Other {
    MLOperand operand{};
    bool ambiguous = false;
  };
  std::unordered_map<std::string_view, MLOperand> operands_{};  // the views are of the text
  std::unordered_map<std::string, Other> by_normalized_{};
};

/// Adds the operator of a statement, and its results to the scope.
void import_statement(Scope& scope, const Statement& statement);

}  // namespace webnn::inline v0_1::text
