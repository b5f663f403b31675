// The attributes of a node.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

const Attribute* Call::attribute(std::string_view name) const {
  for (std::size_t i = 0; i < node_.attributes.size(); ++i)
    if (node_.attributes[i].name == name) {
      read_[i] = true;
      return scope_.resolve(node_.attributes[i]);
    }
  return nullptr;
}
const Attribute* Call::attribute(std::string_view name, AttributeType type) const {
  const Attribute* a = attribute(name);
  // Files of IR version 1 have no types.
  if (a && a->type != type && a->type != AttributeType::undefined)
    refuse(fail("its attribute {} is of another type", in_quotes(name)));
  return a;
}
std::int64_t Call::integer(std::string_view name, std::int64_t fallback) const {
  const Attribute* a = attribute(name, AttributeType::integer);
  return a ? integer_of(*a) : fallback;
}
double Call::real(std::string_view name, double fallback) const {
  const Attribute* a = attribute(name, AttributeType::real);
  return a ? real_of(*a) : fallback;
}
std::string_view Call::text(std::string_view name, std::string_view fallback) const {
  const Attribute* a = attribute(name, AttributeType::text);
  return a ? text_of(*a) : fallback;
}
std::optional<Ints> Call::ints(std::string_view name) const {
  const Attribute* a = attribute(name, AttributeType::integers);
  return a ? std::optional(integers_of(*a)) : std::nullopt;
}
std::optional<std::vector<float>> Call::reals(std::string_view name) const {
  const Attribute* a = attribute(name, AttributeType::reals);
  return a ? std::optional(reals_of(*a)) : std::nullopt;
}
std::vector<std::string_view> Call::texts(std::string_view name) const {
  const Attribute* a = attribute(name, AttributeType::texts);
  return a ? texts_of(*a) : std::vector<std::string_view>();
}
std::optional<Tensor> Call::tensor(std::string_view name) const {
  const Attribute* a = attribute(name, AttributeType::tensor);
  return a ? std::optional(tensor_of(*a, scope_.import().limits)) : std::nullopt;
}
std::optional<GraphProto> Call::graph(std::string_view name) const {
  const Attribute* a = attribute(name, AttributeType::graph);
  return a ? std::optional(graph_of(*a, scope_.import().limits)) : std::nullopt;
}
ElementType Call::element_type(std::string_view name, ElementType fallback) const {
  const std::int64_t v = integer(name, static_cast<std::int64_t>(fallback));
  return static_cast<ElementType>(v < 0 || v > 1000 ? 1000 : v);
}
void Call::check_all_read() const {
  for (std::size_t i = 0; i < read_.size(); ++i) {
    // Operator sets before 6 have a hint for the allocation of memory.
    if (version_ < 6 && node_.attributes[i].name == "consumed_inputs") continue;
    if (!read_[i] && scope_.resolve(node_.attributes[i]))
      unsupported(
          fail("its attribute {} is not one that is known", in_quotes(node_.attributes[i].name)));
  }
}

}  // namespace webnn::inline v0_1::onnx
