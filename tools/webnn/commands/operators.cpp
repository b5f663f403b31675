// webnn operators: what a build of the library needs to run a model, as the options of CMake.
#include <fmt/format.h>

#include <set>

#include "section_names.h"  // generated
#include "src/graph/graph_data.h"
#include "src/operators/control.h"
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/model/model.h"
#include "webnn/passes.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  ModelOptions model;
  bool json = false;
};

/// Sections of operators and data types, each in the order of their names.
struct Needed {
  std::set<std::string> sections{};
  std::set<MLOperandDataType> types{};

  void add(const Graph& graph) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const Node node = graph.node(i);
      add_section(node);
      for (const MLOperand& x : node.inputs()) types.insert(x.dataType());
      for (const MLOperand& y : node.outputs()) types.insert(y.dataType());
      if (const operators::ControlForm* control = operators::control_form(node))
        for (const control::LoopBody& body : control->subgraphs) add(body);
      if (const auto* op = node.as<ops::custom>(); op && operators::find(op->definition->name))
        sections.insert("custom");
    }
  }

 private:
  /// Fused operators come from those of their compositions, which an earlier graph has.
  void add_section(const Node& node) {
    for_each_section([&]<class... T>(const char* name, ops::OpList<T...>) {
      if ((node.as<T>() || ...)) sections.insert(name);
    });
  }
  void add(const control::LoopBody& body) {
    if (body)
      add(graph_of(std::shared_ptr<const GraphData>(std::shared_ptr<void>(), &body.graph())));
  }
};

}  // namespace

Action add_operators(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->model.add_to(app);
  add_json(app, o->json);
  app.footer(
      "The options leave the kernels of all other operators, and of other data types, out of a "
      "build of the library. With another size of an open dimension, a model may need more. With "
      "--dim it needs no open dimensions, and they are left out, too.\nExamples:\n"
      "  webnn operators net.onnx\n"
      "  cmake --preset core $(webnn operators net.onnx --dim batch=1)");
  return [o]() -> int {
    const MLContext context = context_of("reference", 1, true);
    Needed needed;
    Model m = load_open(o->model, context);
    const bool open = m.compiled.is_open();
    if (open) {
      needed.add(m.graph());
      m = load(o->model, context);
    }
    Graph graph = m.graph();
    needed.add(graph);
    for (const Pass& pass : all_passes()) needed.add(graph = pass.run(graph));
    const std::vector<std::string> sections(needed.sections.begin(), needed.sections.end());
    std::vector<std::string> types;
    for (const MLOperandDataType type : needed.types) types.emplace_back(webnn::name_of(type));
    if (o->json)
      print_json({{"model", m.path},
                  {"operators", sections},
                  {"data_types", types},
                  {"open_dimensions", open}});
    else
      print(fmt::format("-DWEBNN_OPERATORS={} -DWEBNN_DATA_TYPES={}{}\n", fmt::join(sections, ","),
                        fmt::join(types, ","), open ? "" : " -DWEBNN_OPEN_DIMENSIONS=OFF"));
    return Exit::ok;
  };
}

}  // namespace webnn::inline v0_1::tool
