// Writes graphs of the XNNPACK delegate and programs for tests, as upstream's exporter lays them
// out: JSON of the schema becomes bytes there, objects of the schema here.
#pragma once

#include <map>
#include <string>

#include "src/formats/executorch/schema.h"
#include "webnn/operand.h"

namespace webnn::inline v0_1::executorch::test {

using Kind = xnn::NodeUnion;
using xnn::DataType;
using Bytes = std::vector<std::byte>;

template <class T> Bytes bytes_of(const std::vector<T>& values) {
  const auto view = std::as_bytes(std::span(values));
  return {view.begin(), view.end()};
}

/// Where constants lie.
enum class Place { behind_header, under_keys, in_flatbuffer };

/// A graph. Values have the ids 0, 1, ...; inputs and outputs have external ids in the order in
/// which they were added, as upstream's have.
class GraphWriter {
 public:
  GraphWriter();

  xnn::GraphT graph{};
  Place place = Place::behind_header;
  std::map<std::string, Bytes> named{};  ///< what Place::under_keys leaves to the program
  std::string identifier = "XN01";

  std::uint32_t input(Dims dims, DataType type = DataType::fp32);
  std::uint32_t output(Dims dims, DataType type = DataType::fp32);
  std::uint32_t between(Dims dims, DataType type = DataType::fp32);
  std::uint32_t constant(Dims dims, DataType type, const Bytes& values);
  std::uint32_t floats(Dims dims, const std::vector<float>& values);

  void per_tensor(std::uint32_t id, float scale, std::int32_t zero);
  void per_channel(std::uint32_t id, std::vector<float> scales, std::int32_t dim);
  void per_group(std::uint32_t id, std::vector<float> scales, std::int32_t size);
  void per_token(std::uint32_t id, std::int32_t dims = 1);

  template <class Table> Table& node(Kind kind, Table table) {
    auto n = std::make_unique<xnn::NodeT>();
    auto* made = new Table(std::move(table));
    n->node.type = kind;
    n->node.value = made;
    n->debug_handle = static_cast<std::uint32_t>(graph.xnodes.size());
    graph.xnodes.push_back(std::move(n));
    return *made;
  }
  void unary(Kind kind, std::uint32_t x, std::uint32_t y, std::uint32_t flags = 0);
  void binary(Kind kind, std::uint32_t a, std::uint32_t b, std::uint32_t y,
              std::uint32_t flags = 0);
  void fully_connected(std::uint32_t x, std::uint32_t filter, std::uint32_t bias, std::uint32_t y,
                       std::uint32_t flags = 0);
  /// The limits of the last node.
  void limits(float low, float high);
  xnn::TensorValueT& tensor(std::uint32_t id);

  /// An entry of the constants; returns its index.
  std::uint32_t add_data(const Bytes& bytes);
  /// The blob of a delegate: header, flatbuffer, constants; of XN00 the flatbuffer alone.
  Bytes file() const;
  Bytes flatbuffer() const;

 private:
  std::uint32_t value(Dims dims, DataType type, std::uint32_t flags, std::uint32_t constant);
  void quantize(std::uint32_t id, xnn::QuantParamsUnion q);

  Bytes data_{};
};

/// A program whose values are tensors.
class ProgramWriter {
 public:
  ProgramWriter();

  pte::ProgramT program{};
  bool segments = true;  ///< delegates in segments; else inline

  pte::ExecutionPlanT& plan() { return *program.execution_plan.back(); }
  int tensor(std::vector<int> sizes, pte::ScalarType type = pte::ScalarType::FLOAT);
  pte::TensorT& tensor_at(int value) { return *plan().values[value]->val.AsTensor(); }
  /// Adds the delegate, its named data, and a call of it.
  void delegate(const GraphWriter& graph, std::vector<int> args);
  void delegate(std::string id, const Bytes& blob, std::vector<int> args);
  void kernel(std::string name, std::string overload, std::vector<int> args);
  /// A tensor in the memory of another one, as upstream's views whose shape is known.
  int view(int of, std::vector<int> sizes);
  /// A number, and a list of them, which holds indices of values.
  int number(std::int64_t n);
  int numbers(const std::vector<std::int64_t>& list);
  /// A constant tensor.
  int constant(std::vector<int> sizes, const std::vector<float>& values);

  Bytes file();

 private:
  std::uint32_t segment(const Bytes& bytes);
  pte::ChainT& chain() { return *plan().chains.back(); }

  std::vector<Bytes> segments_{};
  Bytes constants_{};
};

/// A graph in a program with the same inputs and outputs.
Bytes program_of(const GraphWriter& graph);

}  // namespace webnn::inline v0_1::executorch::test
