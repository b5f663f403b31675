// Writes ONNX files for tests: the messages of protobuf, field by field.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/onnx/element_type.h"

namespace webnn::inline v0_1::onnx::test {

/// One message, as bytes.
class Message {
 public:
  Message& integer(int field, std::int64_t value);
  Message& real(int field, float value);
  Message& text(int field, std::string_view value);
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }
  /// A packed field.
  Message& integers(int field, const std::vector<std::int64_t>& values);
  Message& reals(int field, const std::vector<float>& values);

  const std::string& text() const { return bytes_; }
  std::vector<std::byte> bytes() const;

 private:
  void varint(std::uint64_t value);
  std::string bytes_{};
};

using Ints = std::vector<std::int64_t>;

/// An AttributeProto.
Message attribute(std::string_view name, std::int64_t value);
Message attribute(std::string_view name, float value);
Message attribute(std::string_view name, std::string_view value);
inline Message attribute(std::string_view name, int value) {
  return attribute(name, std::int64_t{value});
}
inline Message attribute(std::string_view name, const char* value) {
  return attribute(name, std::string_view(value));
}
Message attribute(std::string_view name, const Ints& values);
Message reals_attribute(std::string_view name, const std::vector<float>& values);
Message tensor_attribute(std::string_view name, const Message& tensor);
Message graph_attribute(std::string_view name, const Message& graph);

/// A TensorProto, with raw_data of a vector of elements.
Message raw_tensor(std::string_view name, ElementType type, const Ints& dims,
                   std::span<const std::byte> raw);
template <class T>
Message tensor(std::string_view name, ElementType type, const Ints& dims,
               const std::vector<T>& values) {
  return raw_tensor(name, type, dims, std::as_bytes(std::span(values)));
}
inline Message floats(std::string_view name, const Ints& dims, const std::vector<float>& values) {
  return tensor(name, ElementType::FLOAT, dims, values);
}
inline Message int64s(std::string_view name, const Ints& dims, const Ints& values) {
  return tensor(name, ElementType::INT64, dims, values);
}

/// A ValueInfoProto. A dimension is a number, or a name when it is not one.
Message value_info(std::string_view name, ElementType type, const std::vector<std::string>& dims);

using Names = std::vector<std::string>;

/// A model of one graph.
struct Writer {
  std::int64_t opset = 17;
  Message graph{};
  std::vector<std::pair<std::string, std::int64_t>> domains{};
  std::vector<Message> functions{};

  Writer& input(std::string_view name, const std::vector<std::string>& dims,
                ElementType type = ElementType::FLOAT);
  Writer& output(std::string_view name);
  Writer& initializer(const Message& tensor);
  Writer& node(std::string_view op_type, const Names& inputs, const Names& outputs,
               const std::vector<Message>& attributes = {}, std::string_view domain = {},
               std::string_view name = {});
  std::vector<std::byte> file() const;
};

/// A NodeProto.
Message node_of(std::string_view op_type, const Names& inputs, const Names& outputs,
                const std::vector<Message>& attributes = {}, std::string_view domain = {},
                std::string_view name = {});
/// A GraphProto, such as the body of a loop.
Message graph_of(const std::vector<Message>& nodes, const Names& inputs, const Names& outputs);

}  // namespace webnn::inline v0_1::onnx::test
