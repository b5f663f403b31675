// types TEMPLATE OUTPUT: writes the TypeScript declarations of the operators and of the options of
// a context and of language models, derived from their C++ declarations.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "bindings/node/src/older_forms.h"
#include "src/lm/interface/options.h"
#include "src/runtime/context_options.h"

using namespace webnn;

namespace {

template <class T> struct Of {
  static std::string text() { return "number"; }
};
template <> struct Of<bool> {
  static std::string text() { return "boolean"; }
};
template <> struct Of<MLNumber> {
  static std::string text() { return "MLNumber"; }
};
template <> struct Of<MLOperand> {
  static std::string text() { return "MLOperand"; }
};
template <> struct Of<MLOperandDataType> {
  static std::string text() { return "MLOperandDataType"; }
};
template <> struct Of<MLSplits> {
  static std::string text() { return "number | Iterable<number>"; }
};
template <> struct Of<std::string> {
  static std::string text() { return "string"; }
};
template <> struct Of<MLPowerPreference> {
  static std::string text() { return "MLPowerPreference"; }
};
template <> struct Of<BackendChoice> : Of<std::string> {};
template <class T> struct Of<std::optional<T>> : Of<T> {};
template <class T> struct Of<std::vector<T>> {
  static std::string text() { return "Iterable<" + Of<T>::text() + '>'; }
};
template <> struct Of<Activations> {
  static std::string text() {
    return Of<std::vector<MLRecurrentNetworkActivation>>::text() + " | Iterable<MLActivation>";
  }
};
template <class T> struct Of<OptionalList<T>> : Of<std::vector<T>> {};
template <NamedEnum E> struct Of<E> {
  static std::string text() {
    std::string s;
    for (std::string_view name : enum_names<E>)
      s += (s.empty() ? "'" : " | '") + std::string(name) + '\'';
    return s;
  }
};

// Of language models, what lm.cjs takes.
template <> struct Of<std::uint64_t> {
  static std::string text() { return "number | bigint"; }
};
template <> struct Of<std::optional<std::int64_t>> {
  static std::string text() { return "number | Date"; }
};
template <> struct Of<std::vector<std::string>> {
  static std::string text() { return "string | Iterable<string>"; }
};
template <> struct Of<std::vector<std::pair<lm::Token, float>>> {
  static std::string text() { return "Record<number, number> | Iterable<[number, number]>"; }
};

struct Lists {
  std::string arguments, operands, options = "label?: string";
};
template <class Op> struct Reader {
  Lists& lists;
  template <auto M> void add(std::string_view name) {
    const std::string type = Of<typename ops::MemberPointer<decltype(M)>::Type>::text();
    if (ops::is_required<Op>(M)) lists.arguments += std::string(name) + ": " + type + ", ";
    else lists.options += "; " + std::string(name) + "?: " + type;
  }
  template <auto M> void operator()(const ops::Operand<M>& row) {
    add<M>(row.name);
    lists.operands = lists.arguments;
  }
  template <auto M> void operator()(const ops::Attribute<M>& row) { add<M>(row.name); }
  template <auto M> void operator()(const ops::Output<M>&) {}
};

template <class Op> void method(std::string& methods) {
  Lists lists;
  ops::for_each_row<Op>(Reader<Op>{lists});
  if (node::is_activated<Op>) lists.options += "; activation?: MLActivation";
  if (node::is_activation<Op>)
    methods += "  " + std::string(Op::declaration.name) + "(" +
               (std::same_as<Op, ops::softmax> ? "" : "options?: { " + lists.options + " }") +
               "): MLActivation;\n";
  const auto operator_method = [&](const std::string& arguments) {
    methods += "  " + std::string(Op::declaration.name) + "(\n    " + arguments + "options?: { " +
               lists.options + " }): MLOperand" + (ops::returns_list<Op>() ? "[];\n" : ";\n");
  };
  operator_method(lists.arguments);
  if (node::has_optional_axis<Op>) operator_method(lists.operands);
}
std::string methods() {
  std::string s;
  [&]<class... Op>(ops::OpList<Op...>) { (method<Op>(s), ...); }(ops::DeclaredOps{});
  return s;
}
/// What a member is when it is not given, or an empty text.
template <class T> std::string default_text(const T& value) {
  if constexpr (std::same_as<T, bool>) return value ? "true" : "false";
  else if constexpr (std::integral<T>) return std::to_string(value);
  else if constexpr (NamedEnum<T>) return '\'' + std::string(name_of(value)) + '\'';
  else return {};
}

/// The members of MLContextOptions. What the specification does not have is an extension.
std::string context_options() {
  std::string s;
  const MLContextOptions options{.rules = Rules::tests2025};  // as the addon has them
  for_each_context_option([&]<class Row>(const Row& row) {
    if constexpr (Row::of != OptionOf::native) {
      const bool standard = row.name == "powerPreference" || row.name == "accelerated";
      const bool extension = !standard && Row::of == OptionOf::all;
      const std::string value = default_text(Row::get(options));
      s += "  /**\n   * " + std::string(extension ? "An extension. " : "") + std::string(row.about);
      if (!value.empty()) s += "\n   * It is " + value + " by default.";
      s += "\n   */\n";
      s += "  " + std::string(row.name) + "?: " + Of<typename Row::Type>::text() + ";\n";
    }
  });
  return s;
}
/// The members of a structure of options of language models.
template <class Options> std::string lm_options() {
  std::string s;
  const Options options;
  lm::OptionsOf<Options>::each([&]<class Row>(const Row& row) {
    if constexpr (Row::form != lm::OptionForm::native) {
      const bool is_json = Row::form == lm::OptionForm::json;
      std::string value = default_text(Row::get(options));
      if constexpr (std::same_as<typename Row::Type, float>)
        value = detail::Arg(static_cast<double>(Row::get(options))).text;
      s += "  /**\n   * " + std::string(row.about);
      if (!value.empty()) s += "\n   * It is " + value + " by default.";
      s += "\n   */\n  " + std::string(row.name) +
           "?: " + (is_json ? "string | object" : Of<typename Row::Type>::text()) + ";\n";
    }
  });
  return s;
}
std::string limits() {
  std::string s;
  const MLOpSupportLimits all = support_limits();
  for (const auto& entry : all.entries()) {
    s += "  " + std::string(entry.op) + ": { ";
    for (const auto& row : entry.rows) s += std::string(row.name) + ": MLTensorLimits; ";
    s += "};\n";
  }
  return s;
}

void replace(std::string& text, const std::string& marker, const std::string& by) {
  const auto at = text.find(marker);
  if (at != std::string::npos) text.replace(at, marker.size(), by);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::cerr << "usage: types TEMPLATE OUTPUT\n", 2;
  std::ifstream in(argv[1]);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  replace(text, "  // @contextOptions\n", context_options());
  replace(text, "  // @operators\n", methods());
  replace(text, "  // @lmLoadOptions\n", lm_options<lm::LoadOptions>());
  replace(text, "  // @lmGenerateOptions\n", lm_options<lm::GenerateOptions>());
  replace(text, "  // @lmSamplingOptions\n", lm_options<lm::SamplingOptions>());
  replace(text, "  // @lmEncodeOptions\n", lm_options<lm::EncodeOptions>());
  replace(text, "  // @lmDecodeOptions\n", lm_options<lm::DecodeOptions>());
  replace(text, "  // @lmChatOptions\n", lm_options<lm::ChatOptions>());
  replace(text, "  // @limits\n", limits());
  std::ofstream out(argv[2]);
  out << text;
  return in && out ? 0 : 1;
}
