#include <map>

#include "src/formats/common/mapped_file.h"
#include "src/formats/executorch/import/program.h"
#include "src/graph/failure.h"
#include "webnn/executorch.h"

namespace webnn::inline v0_1::executorch {
namespace {

void count_graph(const Blob& blob, DelegateInfo& d) {
  d.nodes = size_of(blob.graph->xnodes());
  d.constants = size_of(blob.graph->constant_data());
  if (d.constants == 0) d.constants = size_of(blob.graph->constant_buffer());
  if (d.constants > 0) --d.constants;  // entry 0
}

MethodInfo info_of(const Program& program, const pte::ExecutionPlan& plan) {
  MethodInfo m{.name = std::string(text_of(plan.name()))};
  for (fb::uoffset_t i = 0; i < size_of(plan.delegates()); ++i) {
    const pte::BackendDelegate& table = *plan.delegates()->Get(i);
    DelegateInfo d{.backend = std::string(text_of(table.id()))};
    auto bytes = program.delegate_bytes(table);
    if (!bytes) refuse(program.source(), fail("delegate {}: {}", i, bytes.failure().message));
    d.bytes = bytes->size();
    if (d.backend == xnnpack_backend) {
      auto blob = program.blob(table);
      if (!blob) refuse(program.source(), fail("delegate {}: {}", i, blob.failure().message));
      count_graph(*blob, d);
    }
    m.delegates.push_back(std::move(d));
  }
  std::map<std::string, std::uint64_t> calls;
  for (fb::uoffset_t i = 0; i < size_of(plan.chains()); ++i) {
    const auto* instructions = plan.chains()->Get(i)->instructions();
    for (fb::uoffset_t k = 0; k < size_of(instructions); ++k) {
      const auto* call = instructions->Get(k)->instr_args_as_KernelCall();
      if (!call) continue;
      auto name = name_of_operator(plan, *call);
      if (!name) refuse(program.source(), name.failure());
      ++calls[*name];
    }
  }
  for (const auto& [name, count] : calls) m.operators.push_back({name, count});
  return m;
}

FileInfo info_of(Source source) {
  FileInfo info;
  if (is_program(source.bytes)) {
    const Program program(std::move(source));
    info.format = "ExecuTorch program";
    const auto* plans = program.table().execution_plan();
    if (size_of(plans) > 1024)
      refuse(program.source(), fail("it has {} methods, more than 1024", size_of(plans)));
    for (fb::uoffset_t i = 0; i < size_of(plans); ++i)
      info.methods.push_back(info_of(program, *plans->Get(i)));
    return info;
  }
  auto blob = open_blob(source, {});
  if (!blob) refuse(source, blob.failure());
  info.format = "XNNPACK graph";
  DelegateInfo d{.backend = std::string(xnnpack_backend), .bytes = source.bytes.size()};
  count_graph(*blob, d);
  info.methods.push_back({.delegates = {std::move(d)}});
  return info;
}

}  // namespace

FileInfo read_info(const Path& path) {
  auto file = formats::map_file(path);
  if (!file) raise(file.failure(), "executorch", path);
  return info_of({{std::move(file->owner), file->bytes}, path});
}

FileInfo read_info(std::span<const std::byte> bytes, std::string_view label) {
  return info_of({{{}, bytes}, std::string(label)});
}

}  // namespace webnn::inline v0_1::executorch
