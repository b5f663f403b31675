// Inputs and outputs for the caller, and the methods of a program. Private.
#pragma once

#include <functional>

#include "src/formats/executorch/import/delegate.h"
#include "src/formats/executorch/import/program.h"

namespace webnn::inline v0_1::executorch {

struct PortName {
  std::string name;
  std::string_view kind;  ///< "input" or "output"
};
/// Distinct names for those that have none, or the same as an earlier one.
void make_distinct(std::vector<PortName>& ports);
/// Raises for options that name an input that there is not.
void check_names(const Import& import, const std::vector<PortName>& inputs);

/// A value that becomes an output, and its name there.
struct OutputPort {
  std::uint32_t value = 0;
  std::string name{};
};
/// Those that ImportOptions::outputs names: of `all`, or what `find` knows by another name; all of
/// them where it names none. Raises.
std::vector<OutputPort> chosen_outputs(
    const Import& import, std::vector<OutputPort> all,
    const std::function<std::optional<std::uint32_t>(const std::string& name)>& find);

/// Makes the caller's operands.
class Ports {
 public:
  explicit Ports(Import& import) : import_(import) {}
  /// `fixed`: dimensions that ImportOptions::shapes may not change; empty: it may change all.
  MLOperand input(const std::string& name, MLOperandDescriptor d, const std::vector<bool>& fixed);
  /// A result that build() takes as an output.
  MLOperand result(MLOperand y, const std::string& name);

 private:
  Import& import_;
  std::vector<MLOperand> outputs_{};
};

std::optional<Quantization> quantization_of(const ValueInfo& v);
/// The value of an external output, as numbers where it has been quantized in this run; raises.
MLOperand output_of(Delegate& delegate, std::uint32_t id);

Model import_program(Import& import);

/// The method that the options ask for; raises.
const pte::ExecutionPlan& find_method(const Import& import, const Program& program);

}  // namespace webnn::inline v0_1::executorch
