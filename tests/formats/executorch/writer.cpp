#include "tests/formats/executorch/writer.h"

#include <cstring>

namespace webnn::inline v0_1::executorch::test {
namespace {

void pad(Bytes& bytes, std::size_t alignment) {
  while (bytes.size() % alignment) bytes.push_back({});
}
template <class T> void put(Bytes& bytes, std::size_t at, T v) {
  std::memcpy(bytes.data() + at, &v, sizeof v);
}
Bytes finished(fb::FlatBufferBuilder& b) {
  const auto view = std::as_bytes(std::span(b.GetBufferPointer(), b.GetSize()));
  return {view.begin(), view.end()};
}

}  // namespace

GraphWriter::GraphWriter() {
  graph.version = "0";
  graph.constant_data.push_back(std::make_unique<xnn::ConstantDataOffsetT>());
}

std::uint32_t GraphWriter::value(Dims dims, DataType type, std::uint32_t flags,
                                 std::uint32_t constant) {
  const auto id = static_cast<std::uint32_t>(graph.xvalues.size());
  auto t = xnn::TensorValueT();
  t.datatype = type;
  t.num_dims = static_cast<std::uint32_t>(dims.size());
  t.dims.assign(dims.begin(), dims.end());
  t.constant_buffer_idx = constant;
  t.external_id = flags ? graph.num_externs++ : no_value;
  t.flags = flags;
  t.id_out = id;
  if (flags == external_input) graph.input_ids.push_back(id);
  if (flags == external_output) graph.output_ids.push_back(id);
  auto v = std::make_unique<xnn::ValueT>();
  v->value.Set(std::move(t));
  graph.xvalues.push_back(std::move(v));
  return id;
}
std::uint32_t GraphWriter::input(Dims dims, DataType type) {
  return value(std::move(dims), type, external_input, 0);
}
std::uint32_t GraphWriter::output(Dims dims, DataType type) {
  return value(std::move(dims), type, external_output, 0);
}
std::uint32_t GraphWriter::between(Dims dims, DataType type) {
  return value(std::move(dims), type, 0, 0);
}
std::uint32_t GraphWriter::constant(Dims dims, DataType type, const Bytes& values) {
  const std::uint32_t index = add_data(values);
  return value(std::move(dims), type, 0, index);
}
std::uint32_t GraphWriter::floats(Dims dims, const std::vector<float>& values) {
  return constant(std::move(dims), DataType::fp32, bytes_of(values));
}

std::uint32_t GraphWriter::add_data(const Bytes& bytes) {
  if (place == Place::in_flatbuffer) {
    if (graph.constant_buffer.empty())
      graph.constant_buffer.push_back(std::make_unique<xnn::BufferT>());
    auto b = std::make_unique<xnn::BufferT>();
    const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
    b->storage.assign(begin, begin + bytes.size());
    graph.constant_buffer.push_back(std::move(b));
    return static_cast<std::uint32_t>(graph.constant_buffer.size() - 1);
  }
  auto at = std::make_unique<xnn::ConstantDataOffsetT>();
  at->size = bytes.size();
  if (place == Place::under_keys) {
    at->offset = UINT64_MAX;
    at->named_key = "key" + std::to_string(graph.constant_data.size());
    named[at->named_key] = bytes;
  } else {
    at->offset = data_.size();
    data_.insert(data_.end(), bytes.begin(), bytes.end());
    pad(data_, 16);
  }
  graph.constant_data.push_back(std::move(at));
  return static_cast<std::uint32_t>(graph.constant_data.size() - 1);
}

xnn::TensorValueT& GraphWriter::tensor(std::uint32_t id) {
  auto& u = graph.xvalues[id]->value;
  return u.AsTensorValue() ? *u.AsTensorValue() : *u.AsQuantizedTensorValue()->tensor_value;
}
void GraphWriter::quantize(std::uint32_t id, xnn::QuantParamsUnion q) {
  xnn::QuantizedTensorValueT v;
  v.tensor_value = std::make_unique<xnn::TensorValueT>(tensor(id));
  v.quant_params = std::move(q);
  graph.xvalues[id]->value.Reset();
  graph.xvalues[id]->value.Set(std::move(v));
}
void GraphWriter::per_tensor(std::uint32_t id, float scale, std::int32_t zero) {
  xnn::PerTensorQuantT q;
  q.scale = scale;
  q.zero_point = zero;
  xnn::QuantParamsUnion u;
  u.Set(std::move(q));
  quantize(id, std::move(u));
}
void GraphWriter::per_channel(std::uint32_t id, std::vector<float> scales, std::int32_t dim) {
  xnn::PerChannelQuantT q;
  q.scale = std::move(scales);
  q.channel_dim = dim;
  xnn::QuantParamsUnion u;
  u.Set(std::move(q));
  quantize(id, std::move(u));
}
void GraphWriter::per_group(std::uint32_t id, std::vector<float> scales, std::int32_t size) {
  xnn::PerChannelGroupQuantT q;
  q.scale = std::move(scales);
  q.group_size = size;
  xnn::QuantParamsUnion u;
  u.Set(std::move(q));
  quantize(id, std::move(u));
}
void GraphWriter::per_token(std::uint32_t id, std::int32_t dims) {
  xnn::PerTokenDynamicQuantT q;
  q.num_nonbatch_dims = dims;
  xnn::QuantParamsUnion u;
  u.Set(std::move(q));
  quantize(id, std::move(u));
}

void GraphWriter::unary(Kind kind, std::uint32_t x, std::uint32_t y, std::uint32_t flags) {
  xnn::Node1x1T t;
  t.input_id = x;
  t.output_id = y;
  t.flags = flags;
  node(kind, t);
}
void GraphWriter::binary(Kind kind, std::uint32_t a, std::uint32_t b, std::uint32_t y,
                         std::uint32_t flags) {
  xnn::Node2x1T t;
  t.input1_id = a;
  t.input2_id = b;
  t.output_id = y;
  t.flags = flags;
  node(kind, t);
}
void GraphWriter::fully_connected(std::uint32_t x, std::uint32_t filter, std::uint32_t bias,
                                  std::uint32_t y, std::uint32_t flags) {
  xnn::NodeFullyConnectedT t;
  t.input1_id = x;
  t.filter_id = filter;
  t.bias_id = bias;
  t.output_id = y;
  t.flags = flags;
  node(Kind::FullyConnected, t);
}
void GraphWriter::limits(float low, float high) {
  auto m = std::make_unique<xnn::OutputMinMaxT>();
  m->output_min = low;
  m->output_max = high;
  graph.xnodes.back()->output_min_max = std::move(m);
}

Bytes GraphWriter::flatbuffer() const {
  fb::FlatBufferBuilder b;
  b.Finish(xnn::Graph::Pack(b, &graph), identifier.c_str());
  return finished(b);
}

Bytes GraphWriter::file() const {
  const Bytes flat = flatbuffer();
  if (place == Place::in_flatbuffer) return flat;
  Bytes out(32);
  std::memcpy(out.data() + 4, "XH00", 4);
  put<std::uint16_t>(out, 8, 30);
  put<std::uint32_t>(out, 10, 32);
  put<std::uint32_t>(out, 14, static_cast<std::uint32_t>(flat.size()));
  out.insert(out.end(), flat.begin(), flat.end());
  pad(out, 16);
  put<std::uint32_t>(out, 18, static_cast<std::uint32_t>(out.size()));
  put<std::uint64_t>(out, 22, data_.size());
  out.insert(out.end(), data_.begin(), data_.end());
  return out;
}

ProgramWriter::ProgramWriter() {
  program.execution_plan.push_back(std::make_unique<pte::ExecutionPlanT>());
  plan().name = "forward";
  plan().chains.push_back(std::make_unique<pte::ChainT>());
  plan().non_const_buffer_sizes = {0, 1024};
}

int ProgramWriter::tensor(std::vector<int> sizes, pte::ScalarType type) {
  pte::TensorT t;
  t.scalar_type = type;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    t.dim_order.push_back(static_cast<std::uint8_t>(i));
  t.sizes = std::move(sizes);
  t.allocation_info = std::make_unique<pte::AllocationDetailsT>();
  t.allocation_info->memory_id = 1;
  t.allocation_info->memory_offset_low = static_cast<std::uint32_t>(plan().values.size() * 4096);
  auto v = std::make_unique<pte::EValueT>();
  v->val.Set(std::move(t));
  plan().values.push_back(std::move(v));
  return static_cast<int>(plan().values.size() - 1);
}

std::uint32_t ProgramWriter::segment(const Bytes& bytes) {
  segments_.push_back(bytes);
  return static_cast<std::uint32_t>(segments_.size() - 1);
}

int ProgramWriter::view(int of, std::vector<int> sizes) {
  const int at = tensor(std::move(sizes), tensor_at(of).scalar_type);
  *tensor_at(at).allocation_info = *tensor_at(of).allocation_info;
  return at;
}

int ProgramWriter::number(std::int64_t n) {
  pte::IntT i;
  i.int_val = n;
  auto v = std::make_unique<pte::EValueT>();
  v->val.Set(std::move(i));
  plan().values.push_back(std::move(v));
  return static_cast<int>(plan().values.size() - 1);
}

int ProgramWriter::numbers(const std::vector<std::int64_t>& list) {
  pte::IntListT items;
  for (const std::int64_t n : list) items.items.push_back(number(n));
  auto v = std::make_unique<pte::EValueT>();
  v->val.Set(std::move(items));
  plan().values.push_back(std::move(v));
  return static_cast<int>(plan().values.size() - 1);
}

int ProgramWriter::constant(std::vector<int> sizes, const std::vector<float>& values) {
  const int at = tensor(std::move(sizes));
  if (!program.constant_segment) {
    program.constant_segment = std::make_unique<pte::SubsegmentOffsetsT>();
    program.constant_segment->offsets.push_back(0);
  }
  program.constant_segment->offsets.push_back(constants_.size());
  tensor_at(at).data_buffer_idx =
      static_cast<std::uint32_t>(program.constant_segment->offsets.size() - 1);
  tensor_at(at).allocation_info.reset();
  const Bytes bytes = bytes_of(values);
  constants_.insert(constants_.end(), bytes.begin(), bytes.end());
  pad(constants_, 16);
  return at;
}

void ProgramWriter::delegate(std::string id, const Bytes& blob, std::vector<int> args) {
  auto d = std::make_unique<pte::BackendDelegateT>();
  d->id = std::move(id);
  d->processed = std::make_unique<pte::BackendDelegateDataReferenceT>();
  if (segments) {
    d->processed->location = pte::DataLocation::SEGMENT;
    d->processed->index = segment(blob);
  } else {
    auto data = std::make_unique<pte::BackendDelegateInlineDataT>();
    const auto* begin = reinterpret_cast<const std::uint8_t*>(blob.data());
    data->data.assign(begin, begin + blob.size());
    d->processed->index = static_cast<std::uint32_t>(program.backend_delegate_data.size());
    program.backend_delegate_data.push_back(std::move(data));
  }
  plan().delegates.push_back(std::move(d));
  pte::DelegateCallT c;
  c.delegate_index = static_cast<int>(plan().delegates.size() - 1);
  c.args = std::move(args);
  auto i = std::make_unique<pte::InstructionT>();
  i->instr_args.Set(std::move(c));
  chain().instructions.push_back(std::move(i));
}

void ProgramWriter::delegate(const GraphWriter& graph, std::vector<int> args) {
  delegate("XnnpackBackend", graph.file(), std::move(args));
  for (const auto& [key, bytes] : graph.named) {
    auto n = std::make_unique<pte::NamedDataT>();
    n->key = key;
    n->segment_index = segment(bytes);
    program.named_data.push_back(std::move(n));
  }
}

void ProgramWriter::kernel(std::string name, std::string overload, std::vector<int> args) {
  auto op = std::make_unique<pte::OperatorT>();
  op->name = std::move(name);
  op->overload = std::move(overload);
  plan().operators.push_back(std::move(op));
  pte::KernelCallT c;
  c.op_index = static_cast<int>(plan().operators.size() - 1);
  c.args = std::move(args);
  auto i = std::make_unique<pte::InstructionT>();
  i->instr_args.Set(std::move(c));
  chain().instructions.push_back(std::move(i));
}

Bytes ProgramWriter::file() {
  if (program.constant_segment) program.constant_segment->segment_index = segment(constants_);
  Bytes data;
  program.segments.clear();
  for (const Bytes& s : segments_) {
    pad(data, 128);
    auto at = std::make_unique<pte::DataSegmentT>();
    at->offset = data.size();
    at->size = s.size();
    program.segments.push_back(std::move(at));
    data.insert(data.end(), s.begin(), s.end());
  }
  fb::FlatBufferBuilder b;
  b.Finish(pte::Program::Pack(b, &program), "ET12");
  const Bytes flat = finished(b);
  if (data.empty()) return flat;
  // The header is put between the identifier and the rest.
  constexpr std::size_t header = 32;
  Bytes out(flat.begin(), flat.begin() + 8);
  std::uint32_t root = 0;
  std::memcpy(&root, flat.data(), 4);
  put<std::uint32_t>(out, 0, root + header);
  out.resize(8 + header);
  std::memcpy(out.data() + 8, "eh00", 4);
  out.insert(out.end(), flat.begin() + 8, flat.end());
  put<std::uint32_t>(out, 12, header);
  put<std::uint64_t>(out, 16, out.size());
  pad(out, 128);
  put<std::uint64_t>(out, 24, out.size());
  put<std::uint64_t>(out, 32, data.size());
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

namespace {

pte::ScalarType scalar_type(DataType type) {
  switch (type) {
    case DataType::fp16: return pte::ScalarType::HALF;
    case DataType::qint8: return pte::ScalarType::CHAR;
    case DataType::quint8: return pte::ScalarType::BYTE;
    case DataType::int32: return pte::ScalarType::INT;
    default: return pte::ScalarType::FLOAT;
  }
}

}  // namespace

Bytes program_of(const GraphWriter& graph) {
  ProgramWriter p;
  std::vector<int> args;
  auto& w = const_cast<GraphWriter&>(graph);
  for (std::uint32_t id = 0; id < graph.graph.xvalues.size(); ++id) {
    const xnn::TensorValueT& t = w.tensor(id);
    if (!t.flags) continue;
    if (args.size() <= t.external_id) args.resize(t.external_id + 1, -1);
    args[t.external_id] = p.tensor({t.dims.begin(), t.dims.end()}, scalar_type(t.datatype));
  }
  for (std::uint32_t id = 0; id < graph.graph.xvalues.size(); ++id) {
    const xnn::TensorValueT& t = w.tensor(id);
    if (t.flags & external_input) p.plan().inputs.push_back(args[t.external_id]);
    if (t.flags & external_output) p.plan().outputs.push_back(args[t.external_id]);
  }
  p.delegate(graph, args);
  return p.file();
}

}  // namespace webnn::inline v0_1::executorch::test
