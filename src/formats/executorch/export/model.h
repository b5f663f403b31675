// A graph of the delegate before it is written: values and nodes. Private.
#pragma once

#include <deque>
#include <memory>

#include "src/formats/common/quantizer.h"
#include "src/formats/executorch/schema.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1::executorch::exporter {

using formats::Quantizer;
using xnn::DataType;
using Kind = xnn::NodeUnion;

inline constexpr std::size_t max_dims = 6;  // XNNPACK has no more

struct Spec {
  DataType type = DataType::fp32;
  Dims shape{};
  std::optional<Quantizer> quantizer{};
};

/// A value of the graph, by its id.
struct Value {
  std::uint32_t id = no_value;
  explicit operator bool() const { return id != no_value; }
  bool operator==(const Value&) const = default;
};

struct ValueRecord {
  Spec spec{};
  std::optional<Constant> constant{};
  std::string name{};
};

struct ModelRecord {
  std::deque<ValueRecord> values{};
  std::vector<std::unique_ptr<xnn::NodeT>> nodes{};
  std::vector<Value> inputs{}, outputs{};

  const ValueRecord& operator[](Value x) const { return values[x.id]; }
};

/// The bytes of the header, the flatbuffer and the constants.
std::vector<std::byte> write(ModelRecord& model);

/// The bytes of a program with the method "forward", which calls that graph; of the model only its
/// inputs and outputs are read.
std::vector<std::byte> write_program(const ModelRecord& model, std::span<const std::byte> graph);

}  // namespace webnn::inline v0_1::executorch::exporter
