// Models of OpenHarmony's NNRt.
#include "webnn/nnrt.h"
#include "tools/webnn/formats/format.h"

namespace webnn::inline v0_1::tool {
namespace {

using Params = std::vector<std::optional<nnrt::QuantParam>>;
std::vector<std::optional<Quantization>> quantizations(const Params& from) {
  std::vector<std::optional<Quantization>> all;
  for (const auto& q : from)
    all.push_back(q ? std::optional(Quantization{static_cast<float>(q->scale), q->zeroPoint})
                    : std::nullopt);
  return all;
}

Imported read_nnrt(MLGraphBuilder& b, const std::filesystem::path& path, const ReadOptions& o) {
  nnrt::Imported m = nnrt::import_model(b, path, {.shapes = o.shapes});
  return {std::move(m.inputs), std::move(m.outputs), quantizations(m.input_quantization),
          quantizations(m.output_quantization), std::move(m.name)};
}
std::vector<std::byte> write_nnrt(const MLGraph& g) { return nnrt::export_model(g); }

Contents nnrt_contents(const std::filesystem::path& path) {
  std::map<std::string, std::size_t> count;
  for (const nnrt::Node& n : nnrt::read_model(path).nodes)
    ++count[nnrt::name_of(nnrt::node_type(n.attributes))];
  Contents parts;
  for (const auto& [name, times] : count)
    parts.push_back({name, std::to_string(times) + (times == 1 ? " node" : " nodes")});
  return parts;
}

}  // namespace

std::vector<Format> nnrt_formats() {
  return {{"nnrt",
           "model of OpenHarmony's NNRt",
           {"nnrt"},
           &read_nnrt,
           &one_file<&write_nnrt>,
           &nnrt_contents}};
}

}  // namespace webnn::inline v0_1::tool
