#include "tests/formats/onnx/writer.h"

#include <bit>
#include <cstring>

namespace webnn::inline v0_1::onnx::test {
namespace {

enum AttributeType {
  real = 1,
  integer = 2,
  text = 3,
  tensor_type = 4,
  graph_type = 5,
  reals = 6,
  integers = 7
};

Message named(std::string_view name, AttributeType type) {
  Message m;
  m.text(1, name).integer(20, type);
  return m;
}

}  // namespace

void Message::varint(std::uint64_t value) {
  for (; value >= 128; value >>= 7) bytes_ += static_cast<char>(value | 128);
  bytes_ += static_cast<char>(value);
}
Message& Message::integer(int field, std::int64_t value) {
  varint(static_cast<std::uint64_t>(field) << 3);
  varint(static_cast<std::uint64_t>(value));
  return *this;
}
Message& Message::real(int field, float value) {
  varint(static_cast<std::uint64_t>(field) << 3 | 5);
  const auto bits = std::bit_cast<std::array<char, 4>>(value);
  bytes_.append(bits.data(), 4);
  return *this;
}
Message& Message::text(int field, std::string_view value) {
  varint(static_cast<std::uint64_t>(field) << 3 | 2);
  varint(value.size());
  bytes_ += value;
  return *this;
}
Message& Message::integers(int field, const std::vector<std::int64_t>& values) {
  Message all;
  for (std::int64_t v : values) all.varint(static_cast<std::uint64_t>(v));
  return message(field, all);
}
Message& Message::reals(int field, const std::vector<float>& values) {
  return text(field, {reinterpret_cast<const char*>(values.data()), values.size() * 4});
}
std::vector<std::byte> Message::bytes() const {
  const auto all = std::as_bytes(std::span(bytes_));
  return {all.begin(), all.end()};
}

Message attribute(std::string_view name, std::int64_t value) {
  return named(name, integer).integer(3, value);
}
Message attribute(std::string_view name, float value) { return named(name, real).real(2, value); }
Message attribute(std::string_view name, std::string_view value) {
  return named(name, text).text(4, value);
}
Message attribute(std::string_view name, const Ints& values) {
  return named(name, integers).integers(8, values);
}
Message reals_attribute(std::string_view name, const std::vector<float>& values) {
  return named(name, reals).reals(7, values);
}
Message tensor_attribute(std::string_view name, const Message& tensor) {
  return named(name, tensor_type).message(5, tensor);
}
Message graph_attribute(std::string_view name, const Message& graph) {
  return named(name, graph_type).message(6, graph);
}

Message raw_tensor(std::string_view name, ElementType type, const Ints& dims,
                   std::span<const std::byte> raw) {
  Message m;
  m.integers(1, dims).integer(2, static_cast<std::int64_t>(type)).text(8, name);
  return m.text(9, {reinterpret_cast<const char*>(raw.data()), raw.size()});
}

Message value_info(std::string_view name, ElementType type, const std::vector<std::string>& dims) {
  Message shape, tensor_type, whole, m;
  for (const std::string& d : dims) {
    Message dim;
    const bool number = !d.empty() && (d[0] == '-' || (d[0] >= '0' && d[0] <= '9'));
    if (number) dim.integer(1, std::stoll(d));
    else dim.text(2, d);
    shape.message(1, dim);
  }
  tensor_type.integer(1, static_cast<std::int64_t>(type)).message(2, shape);
  return m.text(1, name).message(2, whole.message(1, tensor_type));
}

Writer& Writer::input(std::string_view name, const std::vector<std::string>& dims,
                      ElementType type) {
  graph.message(11, value_info(name, type, dims));
  return *this;
}
Writer& Writer::output(std::string_view name) {
  graph.message(12, Message().text(1, name));
  return *this;
}
Writer& Writer::initializer(const Message& tensor) {
  graph.message(5, tensor);
  return *this;
}
Message node_of(std::string_view op_type, const Names& inputs, const Names& outputs,
                const std::vector<Message>& attributes, std::string_view domain,
                std::string_view name) {
  Message m;
  for (const std::string& i : inputs) m.text(1, i);
  for (const std::string& o : outputs) m.text(2, o);
  if (!name.empty()) m.text(3, name);
  m.text(4, op_type);
  for (const Message& a : attributes) m.message(5, a);
  if (!domain.empty()) m.text(7, domain);
  return m;
}
Message graph_of(const std::vector<Message>& nodes, const Names& inputs, const Names& outputs) {
  Message g;
  for (const Message& n : nodes) g.message(1, n);
  for (const std::string& i : inputs) g.message(11, Message().text(1, i));
  for (const std::string& o : outputs) g.message(12, Message().text(1, o));
  return g;
}
Writer& Writer::node(std::string_view op_type, const Names& inputs, const Names& outputs,
                     const std::vector<Message>& attributes, std::string_view domain,
                     std::string_view name) {
  graph.message(1, node_of(op_type, inputs, outputs, attributes, domain, name));
  return *this;
}
std::vector<std::byte> Writer::file() const {
  Message m;
  m.integer(1, 8).message(7, graph);
  m.message(8, Message().text(1, "").integer(2, opset));
  for (const auto& [domain, version] : domains)
    m.message(8, Message().text(1, domain).integer(2, version));
  for (const Message& f : functions) m.message(25, f);
  return m.bytes();
}

}  // namespace webnn::inline v0_1::onnx::test
