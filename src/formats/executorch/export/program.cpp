#include <cstring>

#include "src/formats/executorch/export/model.h"
#include "src/formats/executorch/import/program.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::executorch::exporter {
namespace {

pte::ScalarType scalar_type(DataType type) {
  switch (type) {
    case DataType::fp16: return pte::ScalarType::HALF;
    case DataType::int32: return pte::ScalarType::INT;
    case DataType::qint8: return pte::ScalarType::CHAR;
    case DataType::quint8: return pte::ScalarType::BYTE;
    default: return pte::ScalarType::FLOAT;
  }
}

/// The values of a method: one tensor for each input and output, in planned memory.
class Plan {
 public:
  explicit Plan(const ModelRecord& model) : model_(model) {
    plan_->name = "forward";
    plan_->container_meta_type = std::make_unique<pte::ContainerMetadataT>();
    for (const Value x : model.inputs) plan_->inputs.push_back(tensor(x));
    for (const Value y : model.outputs) plan_->outputs.push_back(tensor(y));
    plan_->non_const_buffer_sizes = {0, static_cast<std::int64_t>(memory_)};
  }

  std::unique_ptr<pte::ExecutionPlanT> finish(std::uint32_t segment) {
    auto delegate = std::make_unique<pte::BackendDelegateT>();
    delegate->id = xnnpack_backend;
    delegate->processed = std::make_unique<pte::BackendDelegateDataReferenceT>();
    delegate->processed->location = pte::DataLocation::SEGMENT;
    delegate->processed->index = segment;
    plan_->delegates.push_back(std::move(delegate));
    pte::DelegateCallT call;
    for (std::size_t i = 0; i < plan_->values.size(); ++i) call.args.push_back(static_cast<int>(i));
    auto instruction = std::make_unique<pte::InstructionT>();
    instruction->instr_args.Set(std::move(call));
    auto chain = std::make_unique<pte::ChainT>();
    chain->inputs = plan_->inputs;
    chain->outputs = plan_->outputs;
    chain->instructions.push_back(std::move(instruction));
    plan_->chains.push_back(std::move(chain));
    return std::move(plan_);
  }

 private:
  int tensor(Value x) {
    const ValueRecord& record = model_[x];
    pte::TensorT t;
    t.scalar_type = scalar_type(record.spec.type);
    std::uint64_t bytes =
        record.spec.type == DataType::fp16                                            ? 2
        : record.spec.type == DataType::qint8 || record.spec.type == DataType::quint8 ? 1
                                                                                      : 4;
    for (std::size_t d = 0; d < record.spec.shape.size(); ++d) {
      t.sizes.push_back(static_cast<int>(record.spec.shape[d]));
      t.dim_order.push_back(static_cast<std::uint8_t>(d));
      bytes *= record.spec.shape[d];
    }
    t.allocation_info = std::make_unique<pte::AllocationDetailsT>();
    t.allocation_info->memory_id = 1;
    t.allocation_info->memory_offset_low = static_cast<std::uint32_t>(memory_);
    t.allocation_info->memory_offset_high = static_cast<std::uint32_t>(memory_ >> 32);
    memory_ += (bytes + 15) / 16 * 16;
    t.extra_tensor_info = std::make_unique<pte::ExtraTensorInfoT>();
    t.extra_tensor_info->fully_qualified_name = record.name;
    auto value = std::make_unique<pte::EValueT>();
    value->val.Set(std::move(t));
    plan_->values.push_back(std::move(value));
    return static_cast<int>(plan_->values.size() - 1);
  }

  const ModelRecord& model_;
  std::unique_ptr<pte::ExecutionPlanT> plan_ = std::make_unique<pte::ExecutionPlanT>();
  std::uint64_t memory_ = 0;
};

constexpr std::size_t header_size = 32, segment_alignment = 128;

}  // namespace

std::vector<std::byte> write_program(const ModelRecord& model, std::span<const std::byte> graph) {
  pte::ProgramT program;
  // Segment 0 is that of constant tensors, of which there are none but the reserved one.
  program.constant_segment = std::make_unique<pte::SubsegmentOffsetsT>();
  program.constant_segment->offsets = {0};
  program.segments.push_back(std::make_unique<pte::DataSegmentT>());
  program.segments.push_back(std::make_unique<pte::DataSegmentT>());
  program.segments[1]->size = graph.size();
  program.execution_plan.push_back(Plan(model).finish(1));
  fb::FlatBufferBuilder b;
  b.Finish(pte::Program::Pack(b, &program), pte::ProgramIdentifier());

  // The extended header lies between the identifier and the rest of the flatbuffer, whose offset to
  // its root grows by as much.
  const std::size_t size = b.GetSize() + header_size;
  const std::size_t base = (size + segment_alignment - 1) / segment_alignment * segment_alignment;
  std::vector<std::byte> out(base + graph.size());
  const auto put = [&](std::size_t at, auto v) { std::memcpy(&out[at], &v, sizeof v); };
  const std::uint8_t* const from = b.GetBufferPointer();
  std::uint32_t root = 0;
  std::memcpy(&root, from, 4);
  put(0, root + static_cast<std::uint32_t>(header_size));
  std::memcpy(&out[4], from + 4, 4);
  std::memcpy(&out[8], "eh00", 4);
  put(12, static_cast<std::uint32_t>(header_size));
  put(16, std::uint64_t{size});
  put(24, std::uint64_t{base});
  put(32, std::uint64_t{graph.size()});
  std::memcpy(&out[8 + header_size], from + 8, b.GetSize() - 8);
  std::memcpy(&out[base], graph.data(), graph.size());
  return out;
}

}  // namespace webnn::inline v0_1::executorch::exporter
