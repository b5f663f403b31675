#include "webnn_backend.h"

#include <webnn/c/webnn.h>

#include <algorithm>
#include <stdexcept>

namespace {

using tiny::Graph;
using tiny::Node;
using tiny::Tensor;

webnn_string to_c(const std::string& s) { return {s.data(), s.size()}; }
std::string text(webnn_string s) { return {s.data, s.length}; }

/// Calls a function with an error behind its arguments.
template <class F, class... A> void call(F function, A... arguments) {
  webnn_error* error = nullptr;
  if (function(arguments..., &error) == WEBNN_OK) return;
  const std::string message = text(webnn_error_message(error));
  webnn_error_release(error);
  throw std::runtime_error(message);
}

/// A reference that is given back.
template <class T> using Handle = std::unique_ptr<T, void (*)(T*)>;
template <class T> Handle<T> owned(T* handle, void (*release)(T*)) { return {handle, release}; }

/// The subgraph of some nodes while it is built.
class Builder {
 public:
  Builder(webnn_context* context, const Graph& graph) : graph_(graph) {
    webnn_builder* made = nullptr;
    call(&webnn_builder_create, context, &made);
    builder_.reset(made);
  }

  void add(const Node& node) {
    std::vector<webnn_operand*> operands;
    for (const std::string& name : node.inputs) operands.push_back(operand(name));
    webnn_attribute axis{{"axis", 4}, WEBNN_ATTRIBUTE_NUMBER, 0, {}};
    axis.value.number.kind = WEBNN_NUMBER_UINT64;
    axis.value.number.value.uint64 = graph_.shapes.at(node.output).size() - 1;
    webnn_operand* result = nullptr;
    std::size_t count = 0;
    call(&webnn_builder_op, builder_.get(), to_c(node.op), operands.data(), operands.size(), &axis,
         std::size_t{node.op == "softmax"}, &result, std::size_t{1}, &count);
    keep(node.output, result);
  }

  /// Inputs have the names of the framework's values.
  Handle<webnn_graph> build(const std::vector<std::string>& outputs) {
    std::vector<webnn_named_operand> named;
    for (const std::string& name : outputs) named.push_back({to_c(name), operand(name)});
    webnn_graph* made = nullptr;
    call(&webnn_builder_build, builder_.get(), named.data(), named.size(),
         static_cast<const webnn_build_options*>(nullptr), &made);
    return owned(made, &webnn_graph_release);
  }

 private:
  webnn_operand* operand(const std::string& name) {
    if (const auto it = operands_.find(name); it != operands_.end()) return it->second.get();
    const auto& shape = graph_.shapes.at(name);
    const webnn_descriptor d{WEBNN_FLOAT32, {shape.data(), shape.size()}};
    webnn_operand* made = nullptr;
    if (const auto weight = graph_.weights.find(name); weight != graph_.weights.end()) {
      // The weights stay where the framework has them, as long as the library needs them.
      auto* owner = new std::shared_ptr<float[]>(weight->second.data);
      const auto release = [](void* user) { delete static_cast<std::shared_ptr<float[]>*>(user); };
      try {
        call(&webnn_builder_constant_shared, builder_.get(), &d,
             static_cast<const void*>(owner->get()), weight->second.size() * sizeof(float),
             static_cast<void (*)(void*)>(release), static_cast<void*>(owner), &made);
      } catch (...) {
        delete owner;
        throw;
      }
    } else call(&webnn_builder_input, builder_.get(), to_c(name), &d, &made);
    return keep(name, made);
  }
  webnn_operand* keep(const std::string& name, webnn_operand* operand) {
    operands_.emplace(name, owned(operand, &webnn_operand_release));
    return operand;
  }

  const Graph& graph_;
  Handle<webnn_builder> builder_{nullptr, &webnn_builder_release};
  std::map<std::string, Handle<webnn_operand>> operands_;
};

class WebnnBackend final : public tiny::Backend {
 public:
  explicit WebnnBackend(tiny::Runtime runtime) : runtime_(std::move(runtime)) {
    webnn_thread_pool pool = WEBNN_THREAD_POOL_INIT;
    pool.user = &runtime_.threads;
    pool.threads = runtime_.threads.size();
    pool.run = [](void* user, void (*body)(void*, int), void* argument) {
      static_cast<tiny::ThreadPool*>(user)->run([&](int worker) { body(argument, worker); });
    };
    webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
    options.thread_pool = &pool;
    webnn_context* made = nullptr;
    call(&webnn_context_create, static_cast<const webnn_context_options*>(&options), &made);
    context_.reset(made);
  }

  bool supports(const Node& node) const override { return node.op != "roll"; }

  tiny::Part compile(const Graph& graph, std::size_t begin, std::size_t end) override {
    Builder builder(context_.get(), graph);
    for (std::size_t i = begin; i < end; ++i) builder.add(graph.nodes[i]);
    const std::shared_ptr<webnn_graph> compiled = builder.build(needed_later(graph, begin, end));
    runtime_.log("webnn: " + std::to_string(end - begin) + " nodes\n" + explained(compiled.get()));
    return [this, compiled](tiny::Values& values) { run(compiled.get(), values); };
  }

 private:
  /// Results that other nodes or the caller read.
  static std::vector<std::string> needed_later(const Graph& graph, std::size_t begin,
                                               std::size_t end) {
    std::vector<std::string> names;
    for (std::size_t i = begin; i < end; ++i) {
      const std::string& name = graph.nodes[i].output;
      bool needed = std::count(graph.outputs.begin(), graph.outputs.end(), name) > 0;
      for (std::size_t k = end; k < graph.nodes.size(); ++k)
        needed =
            needed || std::count(graph.nodes[k].inputs.begin(), graph.nodes[k].inputs.end(), name);
      if (needed) names.push_back(name);
    }
    return names;
  }
  static std::string explained(webnn_graph* graph) {
    webnn_text* made = nullptr;
    call(&webnn_graph_explain, static_cast<const webnn_graph*>(graph),
         static_cast<const double*>(nullptr), std::size_t{0}, &made);
    const auto explanation = owned(made, &webnn_text_release);
    return text(webnn_text_string(explanation.get()));
  }
  /// Reads the framework's tensors, and writes into new ones of its allocator.
  void run(webnn_graph* graph, tiny::Values& values) {
    std::vector<webnn_input_view> inputs;
    std::vector<webnn_output_view> outputs;
    webnn_named_descriptor d;
    for (std::size_t i = 0; webnn_graph_input(graph, i, &d); ++i) {
      const Tensor& t = values.at(text(d.name));
      inputs.push_back({d.name, t.data.get(), t.size() * sizeof(float)});
    }
    for (std::size_t i = 0; webnn_graph_output(graph, i, &d); ++i) {
      const webnn_dims shape = d.descriptor.shape;
      Tensor t{{shape.data, shape.data + shape.length}, nullptr};
      t.data = runtime_.allocator.allocate(t.size());
      outputs.push_back({d.name, t.data.get(), t.size() * sizeof(float)});
      values[text(d.name)] = std::move(t);
    }
    call(&webnn_context_compute, context_.get(), graph,
         static_cast<const webnn_input_view*>(inputs.data()), inputs.size(),
         static_cast<const webnn_output_view*>(outputs.data()), outputs.size(),
         static_cast<webnn_stop*>(nullptr));
  }

  tiny::Runtime runtime_;
  Handle<webnn_context> context_{nullptr, &webnn_context_release};
};

}  // namespace

std::unique_ptr<tiny::Backend> make_webnn_backend(tiny::Runtime runtime) {
  return std::make_unique<WebnnBackend>(std::move(runtime));
}
