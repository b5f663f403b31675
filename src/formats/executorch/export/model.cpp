#include "src/formats/executorch/export/model.h"

#include <algorithm>
#include <cstring>

#include "src/formats/executorch/import/blob.h"
#include "src/graph/failure.h"
#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::executorch::exporter {
namespace {

constexpr std::size_t header_size = 30, alignment = 16;

std::uint64_t aligned(std::uint64_t size) { return round_up(size, alignment); }

/// The constants, one after the other, and where each is.
class Data {
 public:
  Data() { entries.push_back(std::make_unique<xnn::ConstantDataOffsetT>()); }

  std::uint32_t add(const Constant& bytes) {
    auto entry = std::make_unique<xnn::ConstantDataOffsetT>();
    entry->offset = size;
    entry->size = bytes.bytes().size();
    entries.push_back(std::move(entry));
    parts.push_back(bytes);
    size = aligned(size + bytes.bytes().size());
    return static_cast<std::uint32_t>(entries.size() - 1);
  }

  std::vector<std::unique_ptr<xnn::ConstantDataOffsetT>> entries{};
  std::vector<Constant> parts{};
  std::uint64_t size = 0;
};

std::unique_ptr<xnn::ValueT> value_table(const Spec& spec, xnn::TensorValueT t) {
  auto v = std::make_unique<xnn::ValueT>();
  if (!spec.quantizer) {
    v->value.Set(std::move(t));
    return v;
  }
  const Quantizer& q = *spec.quantizer;
  xnn::QuantizedTensorValueT both;
  both.tensor_value = std::make_unique<xnn::TensorValueT>(std::move(t));
  if (q.per_tensor()) {
    xnn::PerTensorQuantT table;
    table.scale = q.scale[0];
    table.zero_point = static_cast<std::int32_t>(q.zero_point[0]);
    both.quant_params.Set(std::move(table));
  } else {
    xnn::PerChannelQuantT table;
    table.scale = q.scale;
    table.channel_dim = q.axis;
    both.quant_params.Set(std::move(table));
  }
  v->value.Set(std::move(both));
  return v;
}

/// What value_names() reads.
Constant names_of(const ModelRecord& model) {
  std::vector<std::byte> out;
  const auto put = [&](const void* data, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    out.insert(out.end(), begin, begin + size);
  };
  put(names_magic.data(), names_magic.size());
  for (std::uint32_t id = 0; id < model.values.size(); ++id) {
    const std::string& name = model.values[id].name;
    if (name.empty()) continue;
    const auto size = static_cast<std::uint32_t>(name.size());
    put(&id, 4);
    put(&size, 4);
    put(name.data(), name.size());
  }
  return Constant::copy_of(out);
}

void add_values(const ModelRecord& model, xnn::GraphT& graph, Data& data) {
  for (std::uint32_t id = 0; id < model.values.size(); ++id) {
    const ValueRecord& v = model.values[id];
    xnn::TensorValueT t;
    t.datatype = v.spec.type;
    t.dims.assign(v.spec.shape.begin(), v.spec.shape.end());
    t.num_dims = static_cast<std::uint32_t>(t.dims.size());
    t.id_out = id;
    t.external_id = no_value;
    const auto place = [&](const std::vector<Value>& list, std::uint32_t first,
                           std::uint32_t flag) {
      const auto at = std::find(list.begin(), list.end(), Value{id});
      if (at == list.end()) return;
      t.external_id = first + static_cast<std::uint32_t>(at - list.begin());
      t.flags |= flag;
    };
    place(model.inputs, 0, external_input);
    place(model.outputs, static_cast<std::uint32_t>(model.inputs.size()), external_output);
    if (v.constant) t.constant_buffer_idx = data.add(*v.constant);
    graph.xvalues.push_back(value_table(v.spec, std::move(t)));
  }
}

}  // namespace

std::vector<std::byte> write(ModelRecord& model) {
  xnn::GraphT graph;
  Data data;
  graph.version = "0";
  graph.num_externs = static_cast<std::uint32_t>(model.inputs.size() + model.outputs.size());
  for (const Value x : model.inputs) graph.input_ids.push_back(x.id);
  for (const Value y : model.outputs) graph.output_ids.push_back(y.id);
  add_values(model, graph, data);
  graph.xnodes = std::move(model.nodes);
  data.add(names_of(model));
  graph.constant_data = std::move(data.entries);
  fb::FlatBufferBuilder b;
  b.Finish(xnn::Graph::Pack(b, &graph), xnn::GraphIdentifier());

  const std::uint32_t offset = static_cast<std::uint32_t>(aligned(header_size)), size = b.GetSize();
  const std::uint64_t data_offset = offset + aligned(size);
  if (data_offset > UINT32_MAX)
    raise({"the graph without its constants has more than 2^32 - 1 bytes",
           ErrorName::NotSupportedError},
          "executorch export");
  std::vector<std::byte> out(static_cast<std::size_t>(data_offset + data.size));
  const auto put = [&](std::size_t at, auto v) { std::memcpy(&out[at], &v, sizeof v); };
  std::memcpy(&out[4], "XH00", 4);
  put(8, static_cast<std::uint16_t>(header_size));
  put(10, offset);
  put(14, size);
  put(18, static_cast<std::uint32_t>(data_offset));
  put(22, data.size);
  std::memcpy(&out[offset], b.GetBufferPointer(), size);
  std::size_t at = static_cast<std::size_t>(data_offset);
  for (const Constant& part : data.parts) {
    const auto bytes = part.bytes();
    if (!bytes.empty()) std::memcpy(&out[at], bytes.data(), bytes.size());
    at += static_cast<std::size_t>(aligned(bytes.size()));
  }
  return out;
}

}  // namespace webnn::inline v0_1::executorch::exporter
