#include "src/runtime/computed_inputs.h"

#include <algorithm>
#include <cstring>

#include "src/runtime/tensor.h"

namespace webnn::inline v0_1 {
namespace {

std::vector<Use<TensorState>> tensors_of(ContextState& context, const LengthValues& all,
                                         const GraphData& open, ListView<NamedTensor> inputs) {
  std::vector<Use<TensorState>> tensors;
  for (const std::uint32_t id : all.inputs) {
    const OperandRecord& r = open.operands[id];
    Use<TensorState> use;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].name == r.name && inputs[i].tensor)
        use = Use<TensorState>(detail::state_of(inputs[i].tensor));
    if (!use || !same(use->context, context) || use->constant || use->growth ||
        use->descriptor.dataType != r.descriptor.dataType)
      return {};
    tensors.push_back(std::move(use));
  }
  return tensors;
}

/// Row by row, of which each has `total` elements at the begin of its place.
void spread(const Constant& value, const MLOperandDescriptor& d, std::uint32_t total,
            std::byte* to) {
  const std::size_t each = static_cast<std::size_t>(bits_of(d.dataType)) / 8;
  const std::size_t row = total * each, place = d.shape.back() * each;
  const auto from = value.bytes();
  for (std::size_t i = 0; i * row < from.size(); ++i)
    std::memcpy(to + i * place, from.data() + i * row, row);
}

}  // namespace

std::optional<std::vector<Constant>> values_of(ContextState& context, const LengthValues& all,
                                               const GraphData& open,
                                               ListView<NamedTensor> inputs) {
  const auto tensors = tensors_of(context, all, open, inputs);
  if (tensors.size() != all.inputs.size()) return std::nullopt;
  std::vector<Constant> values;
  bool read = true;
  const auto copy = [&]() noexcept {
    try {
      for (const auto& t : tensors) {
        read = read && !t->failure;
        if (read) values.push_back(Constant::copy_of({t->values(), byte_length(t->descriptor)}));
      }
    } catch (...) { read = false; }
  };
  if (!context.timeline.run_if_idle(copy)) {
    auto job = context.timeline.take();
    job->kind = Job::Kind::call;
    job->call = copy;
    job->light = true;
    context.timeline.wait(context.timeline.push(std::move(job), true));
  }
  return read ? std::optional(std::move(values)) : std::nullopt;
}

std::vector<NamedTensor> computed_inputs(ContextState& context, const LengthValues& all,
                                         std::span<const Constant> results,
                                         const NamedDescriptors& inputs,
                                         const StateLengths& lengths) {
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < all.results.size(); ++i) {
    const LengthValues::Result& result = all.results[i];
    const auto input = std::ranges::find(inputs, result.name, &NamedDescriptor::name);
    auto t = std::make_shared<TensorState>();
    t->descriptor = input->descriptor;
    t->context = context.self;
    const auto bytes = static_cast<std::size_t>(byte_length(t->descriptor));
    t->memory = std::make_shared<TensorMemory>(bytes, memory_of(context, MemoryPurpose::tensors));
    if (result.has_total())
      spread(results[i], t->descriptor, lengths.total, t->memory->bytes.get());
    else std::memcpy(t->memory->bytes.get(), results[i].bytes().data(), bytes);
    tensors.push_back({result.name, detail::make<MLTensor>(std::move(t))});
  }
  return tensors;
}

}  // namespace webnn::inline v0_1
