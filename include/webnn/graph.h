// Graph: immutable, typed, in topological order, holding only what its outputs need. MLGraph: the
// same, compiled.
#pragma once

#include "webnn/ops/sections.h"
#include "webnn/views.h"

namespace webnn::inline v0_1 {

struct NamedOperand {
  std::string name;   ///< that of an input, an output or a row
  MLOperand operand;  ///< the value of that name
};
using NamedOperands = std::vector<NamedOperand>;

struct NamedAttribute {
  std::string name;   ///< that of the row
  std::string value;  ///< the text that to_text() prints
  bool operator==(const NamedAttribute&) const = default;
};

/// One operator of a graph, as backends and passes see it. A node that came from a Graph keeps what
/// it names alive, and so do the operands that it returns by value; what it returns by reference,
/// pointer or view is valid as long as the node, a copy of it, or the graph.
class Node {
 public:
  /// Without `graph`, what it names has to outlive it.
  Node(std::size_t kind, const void* op, std::span<const MLOperand> outputs,
       std::shared_ptr<const GraphData> graph = {})
      : kind_(kind), op_(op), outputs_(outputs), graph_(std::move(graph)) {}

  /// The operator if it is a T, else null: `if (const auto* op = node.as<ops::conv2d>())`.
  template <ops::Operator T> const T* as() const {
    static_assert(ops::GraphOps::contains<T>(), "T is in neither list of webnn/ops/sections.h");
    return kind_ == ops::GraphOps::index_of<T>() ? static_cast<const T*>(op_) : nullptr;
  }
  std::size_t kind() const { return kind_; }  ///< its index in ops::GraphOps
  const void* op() const { return op_; }      ///< for tables by kind
  std::string_view name() const;              ///< the spec's name, "conv2d", or a custom operator's
  std::string_view label() const;             ///< the caller's, or empty
  std::vector<MLOperand> inputs() const;      ///< every operand present, in the order of the rows
  /// These operands with the names of their rows: {"input", x}, {"filter", w}. The operands of a
  /// list all have its name.
  NamedOperands named_inputs() const;
  /// The attributes that differ from their default: {"strides", "[2, 2]"}.
  std::vector<NamedAttribute> attributes() const;
  MLOperand input(std::size_t i) const { return inputs().at(i); }
  std::span<const MLOperand> outputs() const& { return outputs_; }
  /// Give the node a name first: a view of what only a temporary keeps alive would dangle.
  std::span<const MLOperand> outputs() const&& = delete;
  const MLOperand& output(std::size_t i = 0) const& { return outputs_[i]; }
  MLOperand output(std::size_t i = 0) const&& { return owned(outputs_[i]); }

 private:
  friend struct detail::Access;
  /// An operand that keeps the graph alive, if the node does.
  MLOperand owned(const MLOperand& x) const;

  std::size_t kind_;
  const void* op_;
  std::span<const MLOperand> outputs_;
  std::shared_ptr<const GraphData> graph_;
};

/// Operators in an order in which each comes after the producers of its operands. A handle, cheap
/// to copy: copies name the same graph, which lives as long as one of them, or as a node or an
/// operand that it returned by value.
class Graph {
 public:
  std::size_t size() const;  ///< the number of operators
  Node node(std::size_t i) const;
  Node producer_of(const MLOperand& x) const { return node(x.record().producer); }
  std::size_t operand_count() const;
  MLOperand operand(std::size_t id) const;  ///< inputs, constants and results
  /// The reference and its operands are valid as long as the graph.
  const NamedOperands& inputs() const&;
  const NamedOperands& outputs() const&;
  /// For a temporary, such as MLGraph::graph(): operands that keep the graph alive.
  NamedOperands inputs() const&&;
  NamedOperands outputs() const&&;

 private:
  friend struct detail::Access;
  explicit Graph(std::shared_ptr<const GraphData> data) : state_(std::move(data)) {}
  NamedOperands owned(const NamedOperands& operands) const;

  std::shared_ptr<const GraphData> state_;
};

/// A line for each operand and operator: `%5 = conv2d(%0, %1, bias=%2) {strides=[2, 2]}  float32
/// [1, 8, 4, 4]`.
std::string to_text(const Graph&);
/// Graphviz source: `dot -Tsvg`.
std::string to_graphviz(const Graph&);
/// Same operators, attributes, descriptors and constants. Labels do not count.
bool operator==(const Graph&, const Graph&);
std::size_t hash_of(const Graph&);

struct NamedDescriptor {
  std::string name;                ///< that of an input or output
  MLOperandDescriptor descriptor;  ///< its data type and shape
  bool operator==(const NamedDescriptor&) const = default;
};
using NamedDescriptors = std::vector<NamedDescriptor>;

struct NamedShape {
  std::string_view name;  ///< an input of a graph
  Dims shape;             ///< its sizes in a run
};

/// One step of the plan of a compiled graph: a kernel, and the operators that it runs.
struct StepReport {
  std::vector<Node> operators{};      ///< of MLGraph::optimized(), which they keep alive
  std::string backend{}, kernel{};    ///< their names
  int tiles = 1;                      ///< into which the work is divided
  std::size_t packed = 0;             ///< bytes of weights that the kernel holds
  std::vector<std::string> others{};  ///< why other backends do not: "onednn: only float32"
};
/// The effect of a pass on a graph.
struct PassReport {
  std::string_view name{};            ///< the name that WEBNN_PASSES has for it
  std::size_t before = 0, after = 0;  ///< operators
};
/// The memory of a graph, in bytes.
struct GraphMemory {
  std::size_t packed = 0;     ///< weights that kernels hold
  std::size_t shared = 0;     ///< the part of them that other graphs of this process hold too
  std::size_t constants = 0;  ///< copies of constants that kernels read as they are
  std::size_t arena = 0;      ///< intermediate results of all runs
  std::size_t scratch = 0;    ///< the sum over all threads of all runs
  std::size_t runs = 0;       ///< how many at the same time there is memory for

  std::size_t total() const { return packed + constants + arena + scratch; }
};
/// The content of explain() as data. Sizes are bytes. An operator without a step needs no kernel:
/// its result is a view.
struct GraphReport {
  std::vector<StepReport> steps{};   ///< in the order in which they run
  std::vector<PassReport> passes{};  ///< those that ran, in their order
  std::size_t arena = 0;             ///< the size of all intermediate results together ...
  std::size_t arena_at_least = 0;    ///< ... and the most that is in use at one time
  std::size_t packed = 0;            ///< weights that kernels hold
  std::size_t scratch = 0;           ///< the memory that each thread needs
  int threads = 1;                   ///< the number of threads that work on a dispatch
  int threads_asked = 1;             ///< more than `threads` when the system did not start them all
  double build_ms = 0;               ///< milliseconds that build() took
};

struct GraphState;  // private: src/runtime/graph_state.h

/// A graph that a context has compiled. https://www.w3.org/TR/webnn/#mlgraph
/// A handle: copies name the same graph, whose memory is freed with the last of them or by
/// destroy(). Any thread may use it.
class MLGraph {
 public:
  MLGraph() = default;

  const NamedDescriptors& inputs() const;   ///< of BuildOptions, or those that the outputs need
  const NamedDescriptors& outputs() const;  ///< in the order given to build()
  /// Whether inputs have dimensions whose sizes each run chooses: 0 in the descriptors of inputs()
  /// and outputs(); graph() has their names.
  bool is_open() const;
  /// The descriptors of the outputs in a run with these shapes of the inputs. Inputs without open
  /// dimensions may be left out. Throws TypeError for an unknown or missing name, a shape that the
  /// input does not have, two sizes of one dimension, and for sizes that an operator of the graph
  /// refuses: the message names it.
  NamedDescriptors computeShapes(ListView<NamedShape> inputs) const;
  /// Prepares runs with these shapes, as the first such run would: kernels are chosen and memory is
  /// planned. Returns the graph of these sizes alone, which can run and be explained and profiled
  /// like any other; for a graph without open dimensions, this is the graph itself. Throws what
  /// computeShapes() throws, InvalidStateError for a destroyed graph, and OperationError as
  /// build().
  MLGraph prepare(ListView<NamedShape> inputs) const;
  /// The graph as it was built: walk it, print it with to_text() or to_graphviz(). It stays valid
  /// after destroy(). Constants may be released: MLContextOptions::keepConstants.
  Graph graph() const;
  /// The graph after the passes, as the backends saw it. For an open graph, explain(), report(),
  /// optimized() and profile() describe the sizes that were prepared last, and memory() counts all
  /// sizes; prepare() returns the graph of any others.
  Graph optimized() const;
  /// A text that names the kernel of each operator and its tiles, and says why other kernels do not
  /// run it, how much memory is used, and what the passes did. `microseconds` has the time of each
  /// step, as MLContext::profile() measures it.
  std::string explain() const;
  std::string explain(std::span<const double> microseconds) const;
  /// The content of explain() as data; the steps are those of MLContext::profile().
  GraphReport report() const;
  /// The memory that the graph holds now. The part that other graphs share may change with them.
  GraphMemory memory() const;
  /// Idempotent. Frees the graph, its weights, kernels and memory: at once, or when the calls that
  /// are under way and the work that is queued have ended. Later use throws InvalidStateError,
  /// except for inputs() and outputs().
  void destroy();

  explicit operator bool() const { return state_ != nullptr; }

 private:
  friend struct detail::Access;
  explicit MLGraph(std::shared_ptr<GraphState> state) : state_(std::move(state)) {}

  std::shared_ptr<GraphState> state_;
};

}  // namespace webnn::inline v0_1
