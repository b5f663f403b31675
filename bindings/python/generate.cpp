// webnn_python_generate docs|stub FOLDER: writes the docstrings of the operator methods for the
// extension module, or the stub of the module, from the declarations of the operators and the
// comments of their headers, which are in FOLDER.
#include <iostream>

#include "docs/operator_headers.h"
#include "src/runtime/context_options.h"

using namespace webnn;

namespace {

/// The type of a row in Python, and its default.
template <class T> struct Of;
template <> struct Of<MLOperand> {
  static std::string type() { return "MLOperand"; }
};
template <> struct Of<std::vector<MLOperand>> {
  static std::string type() { return "Iterable[MLOperand]"; }
};
template <class T> struct Number {
  static std::string initial(const T& v) { return detail::Arg(v).text; }
};
template <> struct Of<bool> {
  static std::string type() { return "bool"; }
  static std::string initial(bool v) { return v ? "True" : "False"; }
};
template <> struct Of<std::string> {
  static std::string type() { return "Union[str, \"os.PathLike[str]\"]"; }
};
template <> struct Of<std::vector<BackendChoice>> {
  static std::string type() { return "Union[str, Iterable[str]]"; }
};
template <> struct Of<std::size_t> {
  static std::string type() { return "int"; }
};
template <> struct Of<std::uint32_t> : Number<std::uint32_t> {
  static std::string type() { return "int"; }
};
template <> struct Of<std::int32_t> : Number<std::int32_t> {
  static std::string type() { return "int"; }
};
template <> struct Of<double> : Number<double> {
  static std::string type() { return "float"; }
};
template <> struct Of<float> : Number<float> {
  static std::string type() { return "float"; }
  static std::string initial(float v) { return detail::Arg(static_cast<double>(v)).text; }
};
template <> struct Of<MLNumber> : Number<MLNumber> {
  static std::string type() { return "float"; }
};
template <> struct Of<MLSplits> {
  static std::string type() { return "Union[int, Sequence[int]]"; }
};
template <NamedEnum E> struct Of<E> {
  static std::string type() {
    std::string s;
    for (const std::string_view name : enum_names<E>)
      s += (s.empty() ? "'" : ", '") + std::string(name) + '\'';
    return "Literal[" + s + ']';
  }
  static std::string initial(E e) { return '\'' + std::string(name_of(e)) + '\''; }
};
template <> struct Of<MLOperandDataType> {
  static std::string type() { return "MLOperandDataType"; }
  static std::string initial(MLOperandDataType t) { return '\'' + std::string(name_of(t)) + '\''; }
};
template <class T> struct Of<std::vector<T>> {
  static std::string type() { return "Sequence[" + Of<T>::type() + ']'; }
  static std::string initial(const std::vector<T>& all) {
    std::string s;
    for (const T& v : all) s += (s.empty() ? "" : ", ") + Of<T>::initial(v);
    return '[' + s + ']';
  }
};
template <class T> struct Of<std::optional<T>> {
  static std::string type() { return "Optional[" + Of<T>::type() + ']'; }
  static std::string initial(const std::optional<T>& v) {
    if constexpr (requires { Of<T>::initial(*v); })
      if (v) return Of<T>::initial(*v);
    return "None";
  }
};
template <class T> struct Of<OptionalList<T>> : Of<std::optional<std::vector<T>>> {};

template <class Op> struct Rows {
  std::string arguments{}, options{}, typed_arguments{}, typed_options{}, text{};
  const std::map<std::string, std::string>& comments;

  template <auto M> void add(std::string_view row) {
    using T = typename ops::MemberPointer<decltype(M)>::Type;
    const std::string name(row);
    if constexpr (ops::is_required<Op>(M)) {
      arguments += name + ", ";
      typed_arguments += ", " + name + ": " + Of<T>::type();
    } else {
      const std::string initial = Of<T>::initial(decltype(Op::options){}.*M);
      options += name + '=' + initial + ", ";
      typed_options += ", " + name + ": " + Of<T>::type() + " = ...";
      if (const auto it = comments.find(name); it != comments.end())
        text += "\n  " + name + ": " + it->second;
    }
  }
  template <auto M> void operator()(const ops::Operand<M>& row) { add<M>(row.name); }
  template <auto M> void operator()(const ops::Attribute<M>& row) { add<M>(row.name); }
  template <auto M> void operator()(const ops::Output<M>&) {}
};

struct Out {
  std::map<std::string, docs::Section> sections{};  // by the name of a method
  std::string docs{}, stub{};
};

template <class T> std::string type_name() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t begin = text.find("webnn::", text.find("T = ")) + 7;
  return std::string(text.substr(begin, text.find_first_of("];", begin) - begin));
}

template <class Op> void write(Out& out) {
  const std::string name(Op::declaration.name);
  const docs::Section& section = out.sections.at(name);
  const auto comments = docs::member_comments(section.types, type_name<decltype(Op::options)>());
  Rows<Op> rows{.comments = comments};
  ops::for_each_row<Op>(rows);
  std::string text;
  for (const docs::Method& m : section.methods)
    if (m.name == name) text = m.text;
  if (section.methods.size() > 1 && !section.text.empty()) text += ' ' + section.text;
  text = std::regex_replace(text, std::regex("Throws"), "Raises");
  if (!rows.text.empty()) text += "\n" + rows.text;
  text += "\n\n" + section.url;
  const std::string returned = ops::returns_list<Op>() ? "List[MLOperand]" : "MLOperand";
  out.docs += "    R\"---(" + name + '(' + rows.arguments + "*, " + rows.options + "label='') -> " +
              returned + "\n\n" + text + ")---\",\n";
  out.stub += "    def " + name + "(self" + rows.typed_arguments + ", *" + rows.typed_options +
              ", label: str = ...) -> " + returned + ": ...\n";
}

std::string filled(std::string text, const std::string& marker, const std::string& by) {
  const auto at = text.find(marker);
  if (at == std::string::npos) throw std::runtime_error("the template has no " + marker);
  return text.replace(at, marker.size(), by);
}

/// The options of MLContext and their types.
std::string context_options(std::string_view between, std::string_view after) {
  std::string s;
  const auto add = [&](std::string_view name, std::string_view type) {
    s.append(s.empty() ? "" : between).append(name).append(": ").append(type).append(after);
  };
  for_each_context_option([&]<class Row>(const Row& row) {
    if constexpr (Row::of == OptionOf::all) add(row.name, Of<typename Row::Type>::type());
  });
  add("operators", "Iterable[CustomOperator]");
  add("log", "Optional[Callable[[str, str], Any]]");
  add("trace", "Optional[Callable[[Dict[str, Any]], Any]]");
  return s;
}

std::string data_types() {
  std::string s;
  for (const std::string_view name : enum_names<MLOperandDataType>)
    s += (s.empty() ? "'" : ", '") + std::string(name) + '\'';
  return s;
}

int run(const std::string& what, const docs::fs::path& folder) {
  Out out;
  for (const docs::Section& s : docs::sections_in(folder / "include/webnn/ops"))
    for (const docs::Method& m : s.methods) out.sections[m.name] = s;
  [&]<class... Op>(ops::OpList<Op...>) { (write<Op>(out), ...); }(ops::DeclaredOps{});
  if (what == "docs")
    std::cout << "// Generated by webnn_python_generate, in the order of ops::DeclaredOps.\n"
                 "inline constexpr const char* operator_docs[] = {\n"
              << out.docs << "};\n";
  else
    std::cout << filled(
        filled(filled(filled(docs::read(folder / "bindings/python/webnn/_webnn.pyi.in"),
                             "    # @operators\n", out.stub),
                      "@types@", data_types()),
               "@contextOptions@", "*, " + context_options(", ", " = ...")),
        "@contextMembers@", context_options("\n    ", ""));
  return std::cout ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  if (what != "docs" && what != "stub") {
    std::cerr << "usage: webnn_python_generate docs|stub FOLDER\n";
    return 2;
  }
  try {
    return run(what, argv[2]);
  } catch (const std::exception& e) {
    std::cerr << "webnn_python_generate: " << e.what() << '\n';
    return 1;
  }
}
