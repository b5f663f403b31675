// Custom operators, which a text names: those of the context.
#include "webnn/custom.h"
#include "src/formats/common/control_values.h"
#include "src/formats/common/custom_values.h"
#include "src/formats/text/scope.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::text {
namespace {

using formats::Value;

class CustomCallReader {
 public:
  CustomCallReader(Scope& scope, const Statement& s) : scope_(scope), s_(s) {}

  std::vector<MLOperand> append() {
    for (const Argument& a : s_.arguments) a.name.empty() ? positional(a) : named(a);
    if (!name_) refuse(s_.op.offset, fail("custom: there is no name, \"domain.Name\""));
    auto definition = this->definition();
    if (!definition)
      refuse(s_.op.offset, fail("custom: the option operators has no {}{}", in_quotes(*name_),
                                version_ ? " of version " + std::to_string(version_) : ""));
    if (options_.label.empty() && s_.results.size() == 1) options_.label = s_.results.front().text;
    try {
      return scope_.builder.custom(std::move(definition), std::move(inputs_), std::move(options_));
    } catch (const TypeError& e) {
      refuse(s_.op.offset, fail("{}: {}", name_and_label(e.op(), e.label()), e.reason()));
    }
  }

 private:
  std::shared_ptr<const CustomOperator> definition() const {
    const MLContext context = scope_.builder.context();
    if (!formats::is_control(*name_)) return find_custom_operator(context, *name_, version_);
    auto made = formats::control_definition(*name_, version_, options_.attributes, context);
    if (!made) refuse(s_.op.offset, fail("custom: {}: {}", *name_, made.failure().message));
    return std::move(*made);
  }
  [[noreturn]] void refuse(std::size_t offset, const Failure& f) const {
    scope_.source.refuse(offset, f);
  }

  /// The name comes first, then the operands.
  void positional(const Argument& a) {
    if (!name_) {
      if (a.value.kind != Value::Kind::string)
        refuse(a.value.offset, fail("custom: {} is not a name in quotes", shown(a.value)));
      name_ = a.value.text;
      return;
    }
    if (!a.value.is_text())
      refuse(a.value.offset, fail("custom: {} is not an operand", shown(a.value)));
    inputs_.push_back(scope_.operand(a.value.text, a.value.offset));
  }
  void named(const Argument& a) {
    std::optional<Failure> bad;
    if (a.name == "version") bad = from_value(a.value, version_);
    else if (a.name == "attributes") bad = formats::from_value(a.value, options_.attributes);
    else if (a.name == "label") bad = from_value(a.value, options_.label);
    else
      refuse(a.offset,
             fail("custom: {} is not one of version, attributes, label", in_quotes(a.name)));
    if (bad) refuse(a.value.offset, fail("custom: {}: {}", a.name, bad->message));
  }

  Scope& scope_;
  const Statement& s_;
  std::optional<std::string> name_{};
  std::uint32_t version_ = 0;
  std::vector<MLOperand> inputs_{};
  CustomOptions options_{};
};

}  // namespace

std::vector<MLOperand> import_custom(Scope& scope, const Statement& s) {
  return CustomCallReader(scope, s).append();
}

}  // namespace webnn::inline v0_1::text
