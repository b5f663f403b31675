#include "src/runtime/named_values.h"

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1 {

std::string listed(const NamedDescriptors& all) {
  if (all.empty()) return "none";
  return joined(all, ", ", [](const NamedDescriptor& x) {
    const auto& [name, d] = x;
    return format("\"{}\" {} {}", {Arg(escaped(name)), Arg(d.dataType), Arg(std::span(d.shape))});
  });
}

std::size_t find(const NamedDescriptors& all, const NameIndex& index, std::string_view name,
                 std::size_t hint, const char* what, std::string_view method) {
  const std::size_t i = index.find(name, hint);
  if (i != NameIndex::none) return i;
  raise(fail("no {} named \"{}\"; the graph has {}", what, escaped(name), listed(all)), method);
}

}  // namespace webnn::inline v0_1
