// Operation-level execution: a framework that runs a model one operator at a time. A graph of one
// operator is built at its first use and kept; values stay in the context as tensors, and only the
// last one is read back. The timeline keeps the order.
#include <webnn/webnn.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <string>

using namespace webnn;

namespace {

using Make = std::function<MLOperand(MLGraphBuilder&, const std::vector<MLOperand>&)>;

class Framework {
 public:
  explicit Framework(MLContext context) : context_(std::move(context)) {}

  MLTensor tensor(const Dims& shape, std::span<const float> values) {
    MLTensor t = make(shape);
    context_.writeTensor(t, values);
    return t;
  }
  /// Queues the operator and returns at once.
  MLTensor run(const std::string& op, const std::vector<MLTensor>& inputs, const Make& operation) {
    const MLGraph& graph = graph_of(op, inputs, operation);
    MLTensor result = make(graph.outputs()[0].descriptor.shape);
    std::vector<NamedTensor> named;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      named.push_back({graph.inputs()[i].name, inputs[i]});
    context_.dispatch(graph, named, {{"y", result}});
    return result;
  }
  std::vector<float> read(const MLTensor& t) {
    std::vector<float> values(element_count(t.shape()));
    context_.readTensor(t, values);
    return values;
  }
  std::size_t graphs() const { return graphs_.size(); }

 private:
  MLTensor make(const Dims& shape) {
    return context_.createTensor({.shape = shape, .readable = true, .writable = true});
  }
  /// One for each operator and shapes of its operands.
  const MLGraph& graph_of(const std::string& op, const std::vector<MLTensor>& inputs,
                          const Make& operation) {
    std::string key = op;
    for (const MLTensor& t : inputs)
      for (std::uint32_t d : t.shape())
        key += (d == t.shape().front() ? " " : "x") + std::to_string(d);
    const auto found = graphs_.find(key);
    if (found != graphs_.end()) return found->second;
    MLGraphBuilder b(context_);
    std::vector<MLOperand> operands;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      operands.push_back(b.input("x" + std::to_string(i), {float32, inputs[i].shape()}));
    return graphs_.emplace(key, b.build({{"y", operation(b, operands)}})).first->second;
  }

  MLContext context_;
  std::map<std::string, MLGraph> graphs_;
};

}  // namespace

int main() {
  Framework f{MLContext()};
  const Make matmul = [](auto& b, const auto& x) { return b.matmul(x[0], x[1]); };
  const Make relu = [](auto& b, const auto& x) { return b.relu(x[0]); };
  const Make softmax = [](auto& b, const auto& x) { return b.softmax(x[0], 1); };
  const std::array<float, 4> eye = {1, 0, 0, 1};
  const MLTensor w = f.tensor({2, 2}, eye);
  for (int step = 0; step < 100; ++step) {  // 3 layers each, of which no value comes back
    const std::array<float, 2> in = {static_cast<float>(step), 1};
    MLTensor h = f.tensor({1, 2}, in);
    for (int layer = 0; layer < 3; ++layer)
      h = f.run("relu", {f.run("matmul", {h, w}, matmul)}, relu);
    const std::vector<float> y = f.read(f.run("softmax", {h}, softmax));
    if (step < 3) std::printf("%.4f %.4f\n", y[0], y[1]);
  }
  std::printf("700 operators run, %zu graphs built\n", f.graphs());
}
