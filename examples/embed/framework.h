// A small framework, as many exist: tensors, an allocator, threads, a logger, and graphs of
// operators that it runs itself or hands to an execution backend. It knows nothing of WebNN.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tiny {

/// Memory for tensors, which is used again.
class Allocator {
 public:
  std::shared_ptr<float[]> allocate(std::size_t count);
  std::size_t blocks() const { return blocks_; }  ///< that came from the system

 private:
  std::multimap<std::size_t, std::unique_ptr<float[]>> free_;
  std::size_t blocks_ = 0;
};

struct Tensor {
  std::vector<std::uint32_t> shape;
  std::shared_ptr<float[]> data;

  std::size_t size() const;
};

class ThreadPool {
 public:
  explicit ThreadPool(int count);
  ~ThreadPool();
  int size() const { return static_cast<int>(threads_.size()) + 1; }
  /// Calls work(i) for all i below size(), each on its thread, 0 on the calling one.
  void run(const std::function<void(int)>& work);
  int runs() const { return runs_; }

 private:
  void loop(int worker);
  std::mutex busy_, mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int)>* work_ = nullptr;
  int round_ = 0, left_ = 0, runs_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

using Logger = std::function<void(const std::string&)>;

struct Node {
  std::string op;  // matmul, add, relu, softmax, roll
  std::vector<std::string> inputs;
  std::string output;
};

/// Nodes in the order in which they run. Values are known by their names.
struct Graph {
  std::vector<Node> nodes;
  std::map<std::string, Tensor> weights;
  std::map<std::string, std::vector<std::uint32_t>> shapes;  // those of all values
  std::vector<std::string> outputs;
};

using Values = std::map<std::string, Tensor>;

struct Runtime {
  Allocator& allocator;
  ThreadPool& threads;
  Logger log;
};

/// A part of a graph that runs as a whole: reads some values and adds others.
using Part = std::function<void(Values&)>;

/// Compiles nodes that follow one another.
struct Backend {
  virtual ~Backend() = default;
  virtual bool supports(const Node& node) const = 0;
  virtual Part compile(const Graph& graph, std::size_t begin, std::size_t end) = 0;
};

/// The framework's own kernel of a node.
void run_node(const Graph& graph, const Node& node, Values& values, Runtime& runtime);

/// Runs nodes that the backend supports through it, and the others itself. The backend may be null.
class Session {
 public:
  Session(const Graph& graph, Runtime runtime, Backend* backend);
  Values run(Values inputs) const;

 private:
  std::vector<Part> parts_;
  std::vector<std::string> outputs_;
};

}  // namespace tiny
