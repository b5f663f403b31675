// custom: a custom operator in a graph. webnn/custom.h describes it.
#pragma once

#include <limits>

#include "webnn/ops/operator.h"

namespace webnn::inline v0_1 {

struct CustomOperator;  // webnn/custom.h

/// The value of an attribute of a custom operator. Texts may be any bytes.
struct CustomValue
    : std::variant<std::monostate, bool, std::int64_t, double, std::string,
                   std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>> {
  CustomValue() = default;  ///< none
  CustomValue(bool v) : variant(v) {}
  /// A number beyond 63 bits becomes the largest one.
  template <std::integral T>
  requires(!std::same_as<T, bool>) CustomValue(T v)
      : variant(std::in_range<std::int64_t>(v) ? static_cast<std::int64_t>(v)
                                               : std::numeric_limits<std::int64_t>::max()) {}
  template <std::floating_point T> CustomValue(T v) : variant(static_cast<double>(v)) {}
  CustomValue(const char* v) : variant(std::string(v)) {}
  CustomValue(std::string v) : variant(std::move(v)) {}
  CustomValue(std::vector<std::int64_t> v) : variant(std::move(v)) {}
  CustomValue(std::vector<double> v) : variant(std::move(v)) {}
  CustomValue(std::vector<std::string> v) : variant(std::move(v)) {}
  CustomValue(const std::vector<std::uint32_t>& v)
      : variant(std::vector<std::int64_t>(v.begin(), v.end())) {}
  /// `{1, 2}`, `{0.5, 1.0}`, `{"a", "b"}`: a list.
  template <class T>
  requires std::is_arithmetic_v<T> || std::convertible_to<T, std::string> CustomValue(
      std::initializer_list<T> v)
      : variant(std::vector<Listed<T>>(v.begin(), v.end())) {}

  /// Whether there is a value.
  explicit operator bool() const { return index() != 0; }
  /// The same alternative with the same value: 0 and -0 differ, a NaN equals itself.
  bool operator==(const CustomValue& other) const;

 private:
  template <class T>
  using Listed =
      std::conditional_t<std::integral<T>, std::int64_t,
                         std::conditional_t<std::floating_point<T>, double, std::string>>;
};

struct CustomAttribute {
  std::string name;     ///< not empty
  CustomValue value{};  ///< in CustomOperator::attributes the default, or none: it has to be given
  bool operator==(const CustomAttribute&) const = default;
};

/// Attributes, each name once: `{{"k", 5}, {"largest", true}}`.
struct CustomAttributes : std::vector<CustomAttribute> {
  using vector::vector;
  CustomAttributes() = default;

  /// Null if there is none of that name.
  const CustomValue* find(std::string_view name) const {
    for (const CustomAttribute& a : *this)
      if (a.name == name) return &a.value;
    return nullptr;
  }
};

struct CustomOptions {
  CustomAttributes attributes{};  ///< of those of the operator; the others have their defaults
  std::string label{};            ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

template <> inline constexpr bool is_value<std::shared_ptr<const CustomOperator>> = true;
template <> inline constexpr bool is_value<CustomAttributes> = true;

/// A custom operator in a graph: Node::as<ops::custom>(). MLGraphBuilder::custom() adds one.
struct custom {
  std::shared_ptr<const CustomOperator> definition;
  std::vector<MLOperand> inputs;
  CustomOptions options{};  ///< all attributes of the operator, in its order

  static constexpr auto declaration =
      declare("custom", attribute<&custom::definition>("definition"),
              operand<&custom::inputs>("inputs", allow(types::any)),
              attribute<&CustomOptions::attributes>("attributes"),
              results("outputs", type_of("inputs")));  // in truth CustomOperator::infer() says it
};

/// What CustomOperator::infer() says, without the data types.
Result<Shapes> infer(const custom& op);

}  // namespace webnn::inline v0_1::ops
