// webnn_c_generate header|source|calls FOLDER: writes include/webnn/c/operators.h, the code behind
// it, or the test's calls of all functions, from the declarations of the operators and the comments
// of their headers, which are in FOLDER.
#include <cxxabi.h>

#include <cctype>
#include <iostream>
#include <set>

#include "docs/operator_headers.h"

using namespace webnn;

namespace {

/// `averagePool2d` as `average_pool2d`.
std::string snake(std::string_view name) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::string s;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool after_lower = i > 0 && !upper(name[i - 1]);
    const bool before_lower = i > 0 && i + 1 < name.size() && !upper(name[i + 1]);
    if (upper(c) && (after_lower || before_lower)) s += '_';
    s += static_cast<char>(c == '-' ? '_' : std::tolower(static_cast<unsigned char>(c)));
  }
  return s;
}
std::string upper(std::string s) {
  for (char& c : s) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return s;
}

/// The name of a type without its namespace: MLConv2dOptions.
template <class T> std::string type_name() {
  int status = 0;
  char* text = abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, &status);
  const std::string name = text ? text : "";
  std::free(text);
  return name.substr(name.rfind(':') + 1);
}
/// webnn_conv2d_options
template <class T> std::string c_type() { return "webnn_" + snake(type_name<T>().substr(2)); }

// The types of C: as a member or an argument, and how a member begins.

template <class T> struct C;
template <> struct C<MLOperand> {
  static std::string type() { return "webnn_operand*"; }
};
template <> struct C<std::optional<MLOperand>> : C<MLOperand> {
  static std::string initial(const std::optional<MLOperand>&) { return "NULL"; }
};
template <> struct C<bool> {
  static std::string type() { return "int32_t"; }
  static std::string initial(bool v) { return v ? "1" : "0"; }
};
template <> struct C<std::uint32_t> {
  static std::string type() { return "uint32_t"; }
  static std::string initial(std::uint32_t v) { return std::to_string(v); }
};
template <> struct C<std::int32_t> {
  static std::string type() { return "int32_t"; }
  static std::string initial(std::int32_t v) { return std::to_string(v); }
};
template <> struct C<double> {
  static std::string type() { return "double"; }
  static std::string initial(double v) { return detail::Arg(v).text; }
};
template <> struct C<MLNumber> {
  static std::string type() { return "webnn_number"; }
  template <class T> static std::string initial(const T&) { return "{WEBNN_NUMBER_ABSENT, {0}}"; }
};
template <> struct C<std::optional<MLNumber>> : C<MLNumber> {};
template <> struct C<MLSplits> {
  static std::string type() { return "webnn_splits"; }
};
template <NamedEnum E> struct C<E> {
  static std::string type() { return c_type<E>(); }
  static std::string initial(E e) {
    return "WEBNN_" + upper(snake(type_name<E>().substr(2)) + '_' + snake(name_of(e)));
  }
};
template <> struct C<MLOperandDataType> {
  static std::string type() { return "webnn_data_type"; }
  static std::string initial(MLOperandDataType t) {
    return "WEBNN_" + upper(std::string(name_of(t)));
  }
};
struct List {
  template <class T> static std::string initial(const T&) { return "{NULL, 0}"; }
};
template <> struct C<Dims> : List {
  static std::string type() { return "webnn_dims"; }
};
template <> struct C<std::vector<float>> : List {
  static std::string type() { return "webnn_floats"; }
};
template <> struct C<OptionalList<std::uint32_t>> : C<Dims> {};
template <NamedEnum E> struct C<OptionalList<E>> : List {
  static std::string type() { return "webnn_enums"; }
};

/// The enumeration in a type, or void.
template <class T> struct EnumIn { using type = void; };
template <NamedEnum E> struct EnumIn<E> { using type = E; };
template <NamedEnum E> struct EnumIn<OptionalList<E>> { using type = E; };
template <> struct EnumIn<MLOperandDataType> { using type = void; };

/// A text in lines of up to 100 columns, broken behind `last` and a space.
std::string wrapped(const std::string& text, const std::string& first, const std::string& next,
                    const std::string& last = "") {
  std::string s, line = first;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(last + ' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin) + (end < text.size() ? last : "");
    if (line.size() + 1 + word.size() > 100) {
      s += line + "\n";
      line = next;
    }
    line += ' ' + word;
    begin = end + last.size() + 1;
  }
  return s + line + "\n";
}
std::string comment(const std::string& text, const std::string& indent = "") {
  return wrapped(text + " */", indent + "/*", indent + " *");
}

struct Out {
  std::map<std::string, docs::Section> sections{};  // by the name of a method
  std::set<std::string> written{};                  // types
  std::string enums{}, options{}, functions{}, source{}, calls{};
};

template <NamedEnum E> void write_enum(Out& out) {
  if (!out.written.insert(c_type<E>()).second) return;
  out.enums += "typedef int32_t " + c_type<E>() + ";\nenum {\n";
  for (std::size_t i = 0; i < enum_names<E>.size(); ++i)
    out.enums += "  " + C<E>::initial(static_cast<E>(i)) + " = " + std::to_string(i) +
                 (i + 1 < enum_names<E>.size() ? ",\n" : "\n");
  out.enums += "};\n\n";
}

/// Collects what the rows of an operator become.
template <class Op> struct Rows {
  using Options = decltype(Op::options);
  Out& out;
  const std::map<std::string, std::string>& comments;
  bool new_options;
  std::string arguments{}, members{}, initials{}, fill{};
  std::string given{}, assigned{};  // parts of the calls

  template <auto M> void add(std::string_view row) {
    using T = typename ops::MemberPointer<decltype(M)>::Type;
    const std::string name = snake(row), member(row);
    if constexpr (!std::is_void_v<typename EnumIn<T>::type>)
      write_enum<typename EnumIn<T>::type>(out);
    if constexpr (std::is_same_v<T, std::vector<MLOperand>>) {
      arguments += ", webnn_operand* const* " + name + ", size_t " + name + "_length";
      fill += "        set({n, \"" + member + "\"}, op." + member + ", " + name + ", " + name +
              "_length);\n";
      given += "c.list(op." + member + "), op." + member + ".size(), ";
    } else if constexpr (ops::is_required<Op>(M)) {
      arguments += ", " + C<T>::type() + ' ' + name;
      fill += "        set({n, \"" + member + "\"}, op." + member + ", " + name + ");\n";
      given += "c(op." + member + "), ";
    } else {
      assigned += "  o." + name + " = c(op.options." + member + ");\n";
      fill += "        set({n, \"" + member + "\"}, op.options." + member + ", o." + name + ");\n";
      if (!new_options) return;
      if (const auto it = comments.find(member); it != comments.end())
        members += comment(it->second, "  ");
      members += "  " + C<T>::type() + ' ' + name + ";\n";
      initials += ", " + C<T>::initial(Options{}.*M);
    }
  }
  template <auto M> void operator()(const ops::Operand<M>& row) { add<M>(row.name); }
  template <auto M> void operator()(const ops::Attribute<M>& row) { add<M>(row.name); }
  template <auto M> void operator()(const ops::Output<M>&) {}
};

std::string in_c(std::string text) {
  text = std::regex_replace(text, std::regex("Throws TypeError"), "WEBNN_TYPE_ERROR");
  return std::regex_replace(text, std::regex("\\*/"), "* /");
}

template <class Op> void write(Out& out) {
  using Options = decltype(Op::options);
  const std::string name(Op::declaration.name), type = c_type<Options>();
  const std::string function = "webnn_builder_" + snake(name), macro = upper(type) + "_INIT";
  const docs::Section& section = out.sections.at(name);
  const auto comments = docs::member_comments(section.types, type_name<Options>());
  Rows<Op> rows{out, comments, out.written.insert(type).second};
  ops::for_each_row<Op>(rows);
  if (rows.new_options)
    out.options += "typedef struct " + type + " {\n  size_t struct_size;\n" +
                   "  webnn_string label; /* named in messages and by explain */\n" + rows.members +
                   "} " + type + ";\n#define " + macro + " {sizeof(" + type + "), {NULL, 0}" +
                   rows.initials + "}\n\n";

  const bool list = ops::returns_list<Op>();
  std::string text;
  for (const docs::Method& m : section.methods)
    if (m.name == name) text = m.text;
  if (section.methods.size() > 1 && !section.text.empty()) text += ' ' + section.text;
  if (list) text += " Results as in webnn_builder_op().";
  const std::string outputs =
      list ? ", webnn_operand** outputs, size_t capacity, size_t* outputs_length"
           : ", webnn_operand** output";
  const std::string parameters = "(webnn_builder* builder" + rows.arguments + ", const " + type +
                                 "* options" + outputs + ", webnn_error** error)";
  out.functions += '\n' + comment(in_c(text)) +
                   wrapped(function + parameters + ';', "WEBNN_C_API webnn_status", "   ", ",");
  out.source += "webnn_status " + function + parameters + " {\n  static const " + type +
                " defaults = " + macro +
                ";\n  return append<webnn::ops::" + docs::struct_name<Op>() +
                ">(\n      builder, options, defaults, " +
                (list ? "{outputs, capacity, outputs_length}" : "{output, 1, nullptr}") +
                ", error,\n      [&](auto& op, [[maybe_unused]] const auto& o,\n          "
                "[[maybe_unused]] std::string_view n) {\n" +
                rows.fill + "      });\n}\n";
  out.calls += "template <> Called call(Given& c, const webnn::ops::" + docs::struct_name<Op>() +
               "& op) {\n  " + type + " o = " + macro + ";\n  o.label = c(op.options.label);\n" +
               rows.assigned + "  Called y;\n  y.status = " + function + "(c.builder, " +
               rows.given + "&o, " + (list ? "y.outputs, 64, &y.length" : "y.outputs") +
               ", &y.error);\n  return y;\n}\n";
}

int run(const std::string& what, const docs::fs::path& folder) {
  Out out;
  for (const docs::Section& s : docs::sections_in(folder / "include/webnn/ops"))
    for (const docs::Method& m : s.methods) out.sections[m.name] = s;
  [&]<class... Op>(ops::OpList<Op...>) { (write<Op>(out), ...); }(ops::DeclaredOps{});
  if (what == "source")
    std::cout << "// Generated by webnn_c_generate: the functions of webnn/c/operators.h.\n"
                 "#include \"bindings/c/src/append.h\"\n\nusing namespace webnn::c;\n\n"
              << out.source;
  else if (what == "calls")
    std::cout << "// Generated by webnn_c_generate: a call of each function.\n"
                 "#include \"tests/c/given.h\"\n\nnamespace webnn::inline v0_1::test {\n\n"
              << out.calls << "\n}  // namespace webnn::inline v0_1::test\n";
  else
    std::cout << "/* Generated by webnn_c_generate from the declarations of the operators; do not "
                 "edit it.\n"
                 " *\n"
                 " * A function for each operator: it adds the operator to the builder and stores "
                 "its result,\n"
                 " * a new reference. `options` may be null; members of options that are absent "
                 "have their\n"
                 " * default. */\n/* clang-format off */\n"
                 "#ifndef WEBNN_C_OPERATORS_H\n#define WEBNN_C_OPERATORS_H\n\n"
                 "#include \"webnn/c/builder.h\"\n\n"
                 "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
              << out.enums << out.options << out.functions
              << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return std::cout ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  if (what != "header" && what != "source" && what != "calls") {
    std::cerr << "usage: webnn_c_generate header|source|calls FOLDER\n";
    return 2;
  }
  try {
    return run(what, argv[2]);
  } catch (const std::exception& e) {
    std::cerr << "webnn_c_generate: " << e.what() << '\n';
    return 1;
  }
}
