// Writes docs/operators.md: every operator, from its declaration, its header and the lists of the
// backends (`Lowers` and `QuantizedOps`).
//
//   webnn_operators [folder of the repository] >docs/operators.md
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <stdexcept>
#include <utility>

#include "docs/operator_headers.h"
#include "listed_backends.h"
#include "webnn/ops/sections.h"

using namespace webnn;
using namespace webnn::docs;

namespace {

/// A text as a paragraph of Markdown.
std::string paragraph(const std::string& text) {
  return std::regex_replace(text, std::regex("[*<>_|]"), "\\$&");
}

// What declarations say

std::string types_text(const ops::Limits& l) {
  if (!l.type_row.empty()) return "that of " + std::string(l.type_row);
  if (l.types == types::any) return "any";
  std::string s;
  for (std::size_t i = 0; i < enum_names<MLOperandDataType>.size(); ++i)
    if (l.types.contains(static_cast<MLOperandDataType>(i)))
      s += (s.empty() ? "" : ", ") + std::string(enum_names<MLOperandDataType>[i]);
  return s;
}
std::string ranks_text(const ops::Limits& l) {
  if (!l.rank_row.empty()) return "that of " + std::string(l.rank_row);
  const auto [min, max] = l.ranks;
  if (min == max) return std::to_string(min);
  if (max < ops::any_rank) return std::to_string(min) + " to " + std::to_string(max);
  return min ? std::to_string(min) + " or more" : "any";
}

template <class Op, auto M> std::string kind_of(const ops::Operand<M>&) {
  using Type = typename ops::MemberPointer<decltype(M)>::Type;
  if (std::is_same_v<Type, std::vector<MLOperand>>) return "operands";
  return ops::is_required<Op>(M) ? "operand" : "option";
}
template <class Op, auto M> std::string kind_of(const ops::Output<M>& row) {
  return row.list ? "results" : "result";
}

template <class Op> std::string limits_table() {
  std::string s = "| | | data type | rank |\n| --- | --- | --- | --- |\n";
  ops::for_each_row<Op>([&]<class Row>(const Row& row) {
    if constexpr (requires { row.limits; }) {
      std::string types = types_text(row.limits);
      if constexpr (requires { kind_of<Op>(row); })
        s += "| " + std::string(row.name) + " | " + kind_of<Op>(row) + " | " + types + " | " +
             ranks_text(row.limits) + " |\n";
    }
  });
  return s;
}

const auto tables = []<class... T>(ops::OpList<T...>) {
  return std::map<std::string_view, std::string>{{T::declaration.name, limits_table<T>()}...};
}(ops::DeclaredOps{});

// What the lists of the backends say

struct Kernels {
  std::string backends, quantized;
};

/// For each operator the backends that list it in `Lowers` and in `QuantizedOps`.
std::map<std::string_view, Kernels> listed_kernels() {
  std::map<std::string_view, Kernels> all;
  const auto add = [](std::string& to, const char* name) {
    to.append(to.empty() ? "" : ", ").append(name);
  };
  for_each_backend(
      [&]<class... L, class... Q>(const char* name, ops::OpList<L...>, ops::OpList<Q...>) {
        (add(all[L::declaration.name].backends, name), ...);
        (add(all[Q::declaration.name].quantized, name), ...);
      });
  for (std::string_view op : ops::AllOps::names) add(all[op].backends, "reference");
  return all;
}

/// Whether the operators of a section are of ops::ShapeOps.
bool is_on_shapes(const Section& s) {
  const auto& all = ops::ShapeOps::names;
  return std::find(all.begin(), all.end(), s.methods.at(0).name) != all.end();
}

std::string kernels_text(const Kernels& k) {
  if (k.backends.empty())
    return "Kernels: none; a graph of known sizes has constants or static operators in their "
           "place.\n\n";
  return "Kernels: " + k.backends + "." +
         (k.quantized.empty() ? "" : " Quantized: " + k.quantized + ".") + "\n\n";
}

void write(const Section& s, const std::map<std::string_view, Kernels>& kernels) {
  const std::string heading = is_on_shapes(s) ? "### " : "## ";
  const bool single = s.methods.size() == 1;
  const auto print = [](const std::string& text) { std::fputs(text.c_str(), stdout); };
  const auto print_paragraph = [&](const std::string& text) {
    if (!text.empty()) print(text + "\n\n");
  };
  print(heading + (single ? s.methods[0].name : s.title) + "\n\n");
  const bool extension = s.url.find("w3.org") == std::string::npos;
  print((extension ? "[proposal](" : "[specification](") + s.url + "), `webnn/ops/" + s.file +
        "`\n\n");
  if (!single) print_paragraph(paragraph(s.text));
  for (const Method& m : s.methods) {
    if (!single) print('#' + heading + m.name + "\n\n");
    print("```cpp\n" + m.signature + "\n```\n");
    print(paragraph(m.text) + "\n\n" + tables.at(m.name) + "\n");
    const auto k = kernels.find(m.name);
    print(kernels_text(k == kernels.end() ? Kernels() : k->second));
  }
  if (single) print_paragraph(paragraph(s.text));
  print_paragraph(paragraph(s.notes));
  if (!s.types.empty()) print("```cpp\n" + s.types + "```\n\n");
}

/// That of the operators on shapes, which come last.
void write_introduction() {
  std::printf(
      "## Operators on shapes\n\n"
      "%zu methods read and compute shapes. They are for graphs whose inputs have dimensions with "
      "names\n(`MLInputOperandDescriptor`), of which each run chooses the sizes. An operand that "
      "gives a shape follows from `shape`,\n`rank`, `dimension` and constants, through any "
      "operators. Operands of `webnn/fluent.h` do not have these\nmethods.\n\n",
      ops::ShapeOps::size);
}

int run(const fs::path& source) {
  const auto sections = sections_in(source / "include/webnn/ops");
  std::size_t methods = 0;
  for (const Section& s : sections) methods += s.methods.size();
  if (methods != ops::DeclaredOps::size)
    throw std::runtime_error("a method has another form than expected");

  std::printf(
      "# Operators\n\n"
      "The %zu methods of MLGraphBuilder in the order of the specification, followed by the "
      "extensions and the\nmethods on shapes. With `webnn/fluent.h` an operand has the same "
      "methods without their\nfirst operand.\n\n"
      "Every options dictionary has a `label`, the operator's name in messages and in "
      "`explain()`;\n`MLOperatorOptions` has nothing else. Ranks are at most %u, dimensions at "
      "least 1.\n\n"
      "\"Kernels\" lists the backends with a kernel for the operator on float32, and \"Quantized\" "
      "those with\na kernel for the operator on 8 bits, between dequantizeLinear and "
      "quantizeLinear. "
      "Data types, shapes\nand neighboring operators decide which of them runs; "
      "`MLGraph::explain()` shows it. The reference\nkernels support every data type.\n\n"
      "This page is generated by `./dev docs`; do not edit it.\n\n",
      methods, max_rank);
  const auto kernels = listed_kernels();
  bool on_shapes = false;
  for (const Section& s : sections) {
    if (!std::exchange(on_shapes, is_on_shapes(s)) && on_shapes) write_introduction();
    write(s, kernels);
  }
  std::string shared;
  for (const std::string header : {"window", "recurrent"})
    shared += types_in(read(source / ("include/webnn/shape/" + header + ".h")));
  std::printf("## Types of several operators\n\n```cpp\n%s```\n", shared.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : WEBNN_SOURCE_DIR);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "webnn_operators: %s\n", e.what());
    return 1;
  }
}
