#include "framework.h"

#include <algorithm>
#include <cmath>
#include <system_error>

namespace tiny {

std::shared_ptr<float[]> Allocator::allocate(std::size_t count) {
  std::unique_ptr<float[]> block;
  if (const auto it = free_.find(count); it != free_.end()) {
    block = std::move(it->second);
    free_.erase(it);
  } else {
    block = std::make_unique<float[]>(count);
    ++blocks_;
  }
  return {block.release(), [this, count](float* gone) { free_.emplace(count, gone); }};
}

std::size_t Tensor::size() const {
  std::size_t n = 1;
  for (const std::uint32_t d : shape) n *= d;
  return n;
}

ThreadPool::ThreadPool(int count) {
  try {
    for (int i = 1; i < count; ++i) threads_.emplace_back([this, i] { loop(i); });
  } catch (const std::system_error&) {}  // it works with those that the system has started
}
ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : threads_) t.join();
}
void ThreadPool::run(const std::function<void(int)>& work) {
  const std::lock_guard one(busy_);
  {
    const std::lock_guard lock(mutex_);
    work_ = &work, left_ = size() - 1;
    ++round_, ++runs_;
  }
  wake_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return left_ == 0; });
}
void ThreadPool::loop(int worker) {
  std::unique_lock lock(mutex_);
  for (int seen = 0;;) {
    wake_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_) return;
    seen = round_;
    const auto* work = work_;
    lock.unlock();
    (*work)(worker);
    lock.lock();
    if (--left_ == 0) done_.notify_one();
  }
}

namespace {

/// Rows of a matrix, the last dimension in each.
std::size_t columns(const Tensor& t) { return t.shape.back(); }

void matmul(const Tensor& a, const Tensor& b, Tensor& y) {
  const std::size_t rows = a.shape[0], inner = a.shape[1], n = b.shape[1];
  std::fill_n(y.data.get(), rows * n, 0.f);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < inner; ++k)
      for (std::size_t j = 0; j < n; ++j)
        y.data[i * n + j] += a.data[i * inner + k] * b.data[k * n + j];
}
void softmax(const Tensor& x, Tensor& y) {
  const std::size_t n = columns(x);
  for (std::size_t i = 0; i < x.size(); i += n) {
    const float* row = x.data.get() + i;
    const float largest = *std::max_element(row, row + n);
    float sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += y.data[i + j] = std::exp(row[j] - largest);
    for (std::size_t j = 0; j < n; ++j) y.data[i + j] /= sum;
  }
}

}  // namespace

void run_node(const Graph& graph, const Node& node, Values& values, Runtime& runtime) {
  const auto input = [&](std::size_t i) -> const Tensor& {
    const auto weight = graph.weights.find(node.inputs[i]);
    return weight != graph.weights.end() ? weight->second : values.at(node.inputs[i]);
  };
  Tensor y{graph.shapes.at(node.output), nullptr};
  y.data = runtime.allocator.allocate(y.size());
  const Tensor& x = input(0);
  const std::size_t n = x.size(), last = columns(x);
  if (node.op == "matmul") matmul(x, input(1), y);
  else if (node.op == "softmax") softmax(x, y);
  else if (node.op == "add") {
    const Tensor& b = input(1);
    for (std::size_t i = 0; i < n; ++i) y.data[i] = x.data[i] + b.data[i % b.size()];
  } else if (node.op == "relu") {
    for (std::size_t i = 0; i < n; ++i) y.data[i] = std::max(x.data[i], 0.f);
  } else {  // roll: each row is rotated by one
    for (std::size_t i = 0; i < n; ++i) y.data[i] = x.data[i - i % last + (i + 1) % last];
  }
  values[node.output] = std::move(y);
}

Session::Session(const Graph& graph, Runtime runtime, Backend* backend) : outputs_(graph.outputs) {
  for (std::size_t i = 0; i < graph.nodes.size();) {
    std::size_t end = i;
    while (backend && end < graph.nodes.size() && backend->supports(graph.nodes[end])) ++end;
    if (end > i) {
      parts_.push_back(backend->compile(graph, i, end));
      i = end;
      continue;
    }
    runtime.log("framework: " + graph.nodes[i].op);
    parts_.push_back([&graph, node = graph.nodes[i], runtime](Values& values) mutable {
      run_node(graph, node, values, runtime);
    });
    ++i;
  }
}

Values Session::run(Values values) const {
  for (const Part& part : parts_) part(values);
  Values results;
  for (const std::string& name : outputs_) results[name] = values.at(name);
  return results;
}

}  // namespace tiny
