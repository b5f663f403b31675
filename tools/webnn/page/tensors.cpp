#include "tools/webnn/page/tensors.h"

#include <algorithm>

#include "src/formats/common/base64.h"
#include "tools/webnn/model/align.h"
#include "tools/webnn/model/compiled.h"
#include "tools/webnn/model/results.h"
#include "tools/webnn/page/numbers.h"
#include "tools/webnn/page/thumbnail.h"

namespace webnn::inline v0_1::tool {
namespace {

/// The layout of most images in a graph, by its operators on them; empty if there are none.
std::string layout_of(const Graph& graph) {
  std::string layout;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    for (const auto& [name, value] : node.attributes())
      if ((name == "inputLayout" || name == "layout") && value.find("nhwc") != std::string::npos)
        return "nhwc";
    if (node.name().find("2d") != std::string_view::npos) layout = "nchw";
  }
  return layout;
}

/// The results that steps hand to one another; between operators of a step there may be none.
std::vector<bool> leaves_its_step(const Graph& graph, const GraphReport& report) {
  std::vector<std::size_t> step_of(graph.operand_count());  // from 1; 0: of no step
  for (std::size_t i = 0; i < report.steps.size(); ++i)
    for (const Node& node : report.steps[i].operators)
      for (const MLOperand& y : node.outputs()) step_of[y.record().id] = i + 1;
  std::vector<bool> leaves(graph.operand_count());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    for (const MLOperand& x : node.inputs())
      leaves[x.record().id] =
          leaves[x.record().id] || step_of[x.record().id] != step_of[node.output().record().id];
  }
  for (const auto& [name, x] : graph.outputs()) leaves[x.record().id] = true;
  for (std::size_t id = 0; id < leaves.size(); ++id) leaves[id] = leaves[id] && step_of[id] > 0;
  return leaves;
}

class Recorder {
 public:
  Recorder(const Model& m, const InputOptions& o)
      : model_(m), feeds_(make_feeds(o, m)), forced_(o.layout) {}

  Tensors run() {
    const Graph &built = model_.graph(), &optimized = model_.compiled.optimized();
    const std::vector<bool> leaves = leaves_its_step(optimized, model_.compiled.report());
    std::vector<bool> seen = observable(optimized);
    for (std::size_t id = 0; id < seen.size(); ++id) seen[id] = seen[id] || leaves[id];
    std::vector<MLOperand> steps, others, built_results = results_to_see(built, observable(built));
    for (const MLOperand& y : results_to_see(optimized, seen))
      (leaves[y.record().id] ? steps : others).push_back(y);
    share_images({&steps, &others, &built_results});
    record_ports();
    keep_outputs(built, tensors_.built);
    keep_outputs(optimized, tensors_.optimized);
    // By themselves, so that what runs as one step still does.
    record(optimized, steps, tensors_.optimized);
    record(optimized, others, tensors_.optimized);
    record(built, built_results, tensors_.built);
    return std::move(tensors_);
  }

 private:
  /// But the outputs, which are known, and what follows from constants alone.
  static std::vector<MLOperand> results_to_see(const Graph& graph, const std::vector<bool>& seen) {
    std::vector<MLOperand> all;
    if (!packed_operators(graph).empty()) return all;
    std::vector<bool> is_output(graph.operand_count()), varies(graph.operand_count());
    for (const auto& [name, x] : graph.outputs()) is_output[x.record().id] = true;
    for (const auto& [name, x] : graph.inputs()) varies[x.record().id] = true;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const Node node = graph.node(i);
      const std::vector<MLOperand> inputs = node.inputs();
      if (std::none_of(inputs.begin(), inputs.end(),
                       [&](const MLOperand& x) { return varies[x.record().id]; }))
        continue;
      for (const MLOperand& y : node.outputs()) {
        varies[y.record().id] = true;
        if (seen[y.record().id] && !is_output[y.record().id]) all.push_back(y);
      }
    }
    return all;
  }

  /// Half of the bytes of pixels in equal shares for inputs and outputs, what these leave in equal
  /// shares for the results.
  void share_images(std::initializer_list<const std::vector<MLOperand>*> results) {
    std::size_t ports = 0, others = 0;
    for (const auto* list : {&model_.compiled.inputs(), &model_.compiled.outputs()})
      for (const NamedDescriptor& port : *list) ports += has_thumbnail(port.descriptor.shape);
    for (const auto* list : results)
      for (const MLOperand& y : *list) others += has_thumbnail(y.shape());
    const auto share = [](std::size_t bytes, std::size_t count) {
      return std::min(max_image_bytes, bytes / std::max<std::size_t>(count, 1));
    };
    image_bytes_ = share(max_images_bytes / 2, ports);
    result_image_bytes_ = share(max_images_bytes - ports * image_bytes_, others);
  }

  void record_ports() {
    usual_ = layout_of(model_.graph());
    for (std::size_t i = 0; i < feeds_.size(); ++i) {
      const Feed& f = feeds_[i];
      tensors_.inputs[f.name] = add(f.descriptor, f.bytes, model_.input_quantization[i]);
      tensors_.list.back()["from"] = f.from;
    }
    const Results results = execute(model_.context, model_.compiled, feeds_);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto& [name, d] = model_.compiled.outputs()[i];
      tensors_.outputs[name] = add(d, results[i], model_.output_quantization[i]);
    }
  }
  void keep_outputs(const Graph& graph, std::map<std::uint32_t, std::size_t>& places) const {
    for (const auto& [name, x] : graph.outputs())
      if (const auto at = tensors_.outputs.find(name); at != tensors_.outputs.end())
        places[x.record().id] = at->second;
  }

  void record(const Graph& graph, const std::vector<MLOperand>& watched,
              std::map<std::uint32_t, std::size_t>& places) {
    usual_ = layout_of(graph);
    image_bytes_ = result_image_bytes_;
    std::vector<std::uint64_t> sizes;
    for (const MLOperand& y : watched) sizes.push_back(byte_length(y.descriptor()));
    for (std::size_t begin = 0, end = 0; begin < watched.size(); begin = end) {
      end = end_of_group(sizes, begin);
      const std::vector<MLOperand> group(watched.begin() + static_cast<std::ptrdiff_t>(begin),
                                         watched.begin() + static_cast<std::ptrdiff_t>(end));
      const Results results = results_of(model_.context, graph, group, feeds_);
      for (std::size_t i = 0; i < group.size(); ++i)
        places[group[i].record().id] = add(group[i].descriptor(), results[i], std::nullopt);
    }
  }

  std::size_t add(const MLOperandDescriptor& d, std::span<const std::byte> bytes,
                  const std::optional<Quantization>& q) {
    Json tensor = statistics_json(d, bytes);
    add_quantization(tensor, q);
    if (element_count(d.shape) <= max_elements)
      for (double v : doubles_of(d, bytes)) tensor["elements"].push_back(number_json(v));
    if (has_thumbnail(d.shape)) {
      const Thumbnail t =
          thumbnail_of(d, bytes, channels_first(d.shape, forced_, usual_), image_bytes_);
      tensor["image"] = {
          {"width", t.width},   {"height", t.height}, {"channels", t.channels},
          {"images", t.images}, {"of", t.of},         {"pixels", formats::to_base64(t.pixels)}};
    }
    tensors_.list.push_back(std::move(tensor));
    return tensors_.list.size() - 1;
  }

  const Model& model_;
  Feeds feeds_;
  std::string forced_, usual_;  // layouts of images
  std::size_t image_bytes_ = 0, result_image_bytes_ = 0;
  Tensors tensors_;
};

}  // namespace

Tensors record_tensors(const Model& model, const InputOptions& options) {
  return Recorder(model, options).run();
}

}  // namespace webnn::inline v0_1::tool
