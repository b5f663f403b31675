#include "src/operators/operators.h"

#include <algorithm>

#include "left_out.h"  // generated
#include "src/operators/control.h"
#include "src/operators/own_operators.h"

namespace webnn::inline v0_1::operators {
namespace {

std::span<const Definition> listed() {
  static const std::vector<Definition> list = [] {
    std::vector<Definition> l{top_k(),
                              bitwise(),
                              grid_sample(),
                              scatter_elements(),
                              scatter_nd(),
                              non_max_suppression(),
                              non_zero(),
                              unique(),
                              roi_align(),
                              cumulative_product(),
                              determinant(),
                              col2im(),
                              deform_columns(),
                              random(),
                              fresh_random(),
                              linear_attention(),
                              detection_post_process(),
                              narrow()};
    std::ranges::sort(l, {}, [](const Definition& o) { return std::string_view(o->name); });
    return l;
  }();
  return list;
}

}  // namespace

std::span<const Definition> all() {
  if constexpr (!own_operators_built) return {};
  else return listed();
}

Definition find(std::string_view name, std::uint32_t version) {
  for (const Definition& o : all())
    if (o->name == name && (version == 0 || o->version == version)) return o;
  return nullptr;
}

std::optional<Failure> own_operators_left_out() {
  if (own_operators_built) return std::nullopt;
  return Failure{
      "the library's own operators were left out of this build (WEBNN_OPERATORS without custom)",
      ErrorName::NotSupportedError};
}

bool is_of_library(const Definition& definition) {
  return find(definition->name, definition->version) == definition || control_form(*definition) ||
         definition == parameter();
}

}  // namespace webnn::inline v0_1::operators
