// MLGraphBuilder: https://www.w3.org/TR/webnn/#api-mlgraphbuilder
#pragma once

#include "webnn/context.h"
#include "webnn/graph.h"
#include "webnn/views.h"

namespace webnn::inline v0_1 {

struct BuilderState;  // private: src/builder/builder_state.h

/// The progress of a build.
struct BuildProgress {
  /// "passes", "kernels", "tuning" with a table, and "weights" where some are packed.
  std::string_view stage{};
  std::size_t done = 0;  ///< the number of passes, operators, steps or bytes, of `total`
  std::size_t total = 0;
};
struct BuildOptions {
  /// The inputs of the graph in their order, such as those of an imported file, by the names that
  /// input() gave them. Those that no output needs are inputs too: a run may give them, which is
  /// checked, or leave them out, and does not read them. When this is empty, the inputs are those
  /// that the outputs need, in the order in which the operators use them.
  NamedOperands inputs{};
  /// Called on the thread that builds. An exception that it throws ends the build, and the builder.
  /// It must not wait for work of the same context; a build of it throws InvalidStateError.
  std::function<void(const BuildProgress&)> progress{};
  /// Ends the build with AbortError, before the next pass or kernel.
  std::stop_token stop{};
  /// For a graph with open dimensions: the number of bytes of intermediate results that the
  /// combinations of sizes that were run may keep together. The combination that was not run for
  /// the longest time is dropped first; weights are shared and do not count.
  std::size_t specializationBytes = std::size_t{256} << 20;
};

/// Builds one graph. The operator methods, one header for each section of the spec, are in
/// webnn/ops/. Every method throws
///   InvalidStateError  when the context is lost or the builder has built its graph,
///   TypeError          when an argument breaks a rule; the message names operator, label, value
///                      and limit,
/// or std::bad_alloc; the builder stays as it was.
/// A handle: copies are the same builder. Several threads may use one builder, through one handle
/// or several: each call takes effect as a whole, in some order; of two build() calls one succeeds,
/// and calls after it throw InvalidStateError. An import of a file is one such call. Only assigning
/// to a handle needs that no other thread uses this very handle. Operands may be read by any
/// thread.
class MLGraphBuilder
    : public ops::Sections::Methods<MLGraphBuilder, MLOperand, const MLOperand&>,
      public ops::ShapeSections::Methods<MLGraphBuilder, MLOperand, const MLOperand&> {
 public:
  explicit MLGraphBuilder(MLContext context);
  MLGraphBuilder(const MLGraphBuilder&) = default;  // no moves: none is ever empty
  MLGraphBuilder& operator=(const MLGraphBuilder&) = default;

  /// An input of the graph. The name is not empty, and no other input of the builder has it. A
  /// dimension may have a name in place of a size: `{float32, {1, "sequence"}}`. Each run of the
  /// graph chooses its size, the same for all dimensions of that name. A method that gets such an
  /// operand throws TypeError only if none of the sizes that the numbers in the graph suggest is
  /// right; a run throws it if its own sizes are not.
  MLOperand input(std::string name, MLInputOperandDescriptor descriptor);

  /// A constant with a copy of the caller's elements, whose bytes are byte_length(descriptor).
  MLOperand constant(MLOperandDescriptor descriptor, InputView values);
  /// The same with elements in braces. {1, 2} and {true, false} are numbers for any data type.
  template <class T> MLOperand constant(MLOperandDescriptor d, std::initializer_list<T> values) {
    const auto as_numbers = [&] {
      const std::vector<double> numbers(values.begin(), values.end());
      return constant(std::move(d), std::span<const double>(numbers));
    };
    if constexpr (std::is_same_v<T, bool>) {
      return as_numbers();
    } else {
      if constexpr (std::is_same_v<T, int>)
        if (d.dataType != MLOperandDataType::int32) return as_numbers();
      return constant(std::move(d), InputView(std::span<const T>(values.begin(), values.size())));
    }
  }
  /// A constant of numbers, each of which is converted as the spec's "number-cast": to nearest,
  /// ties to even, saturating. There is one for each element.
  MLOperand constant(MLOperandDescriptor descriptor, std::span<const double> values);
  MLOperand constant(MLOperandDescriptor descriptor, std::initializer_list<double> values) {
    return constant(std::move(descriptor), std::span(values.begin(), values.size()));
  }
  /// A constant that shares its bytes, for instance with a mapped file, instead of copying them.
  MLOperand constant(MLOperandDescriptor descriptor, Constant bytes);
  /// A scalar, converted as the spec's "number-cast": to nearest, ties to even, saturating.
  MLOperand constant(MLOperandDataType type, MLNumber value);
  /// The contents of a tensor made by MLContext::createConstantTensor.
  MLOperand constant(const MLTensor& tensor);

  /// The results of a custom operator (webnn/custom.h). Throws TypeError for a null or wrong
  /// definition, for attributes that it does not have or that have other types, for a missing
  /// attribute that has no default, and for operands that its infer() refuses.
  std::vector<MLOperand> custom(std::shared_ptr<const CustomOperator> definition,
                                std::vector<MLOperand> inputs, CustomOptions options = {});
  /// The same for an operator of MLContextOptions::operators: the highest version of that name.
  std::vector<MLOperand> custom(std::string_view name, std::vector<MLOperand> inputs,
                                CustomOptions options = {});

  /// Validates, optimizes, packs weights and chooses kernels. Ends the builder, unless it throws
  /// TypeError (no outputs; an empty or repeated name of an output; an operand of another builder,
  /// an input or a constant as output; a list of inputs in which one is missing that the outputs
  /// need, is there twice, or has another name). Throws OperationError when no backend runs an
  /// operator or memory runs out.
  MLGraph build(const NamedOperands& outputs, const BuildOptions& options = {});
  /// Builds on the context's timeline. TypeError is thrown at once, any other error is passed to
  /// `done` (null when all went well). MLContext::compute_async() says what `done` may do.
  void build_async(const NamedOperands& outputs,
                   std::function<void(std::exception_ptr, MLGraph)> done,
                   BuildOptions options = {});
  /// Builds with a future, which is ready when `done` would have been called.
  std::future<MLGraph> build_async(const NamedOperands& outputs, BuildOptions options = {});

  MLContext context() const;

  /// The one function through which every operator enters the graph. It is not called `add`, which
  /// would hide the operator of that name.
  template <ops::Operator T> auto append(T op) {
    static_assert(ops::DeclaredOps::contains<T>(), "T is in neither list of webnn/ops/sections.h");
    constexpr std::size_t kind = ops::DeclaredOps::index_of<T>();
    if constexpr (ops::returns_list<T>()) return append(kind, &op);
    else return append_one(kind, &op);
  }
  /// What the operator methods call. Compiled once, in the library (src/builder/methods.cpp), for
  /// the types of arguments that those have: as a template of every user's file it is half of what
  /// that file takes to compile.
  template <class Op, class... A> typename ops::Returned<Op>::type call(A&&... arguments);

 private:
  friend struct detail::Access;
  explicit MLGraphBuilder(std::shared_ptr<BuilderState> state) : state_(std::move(state)) {}
  std::vector<MLOperand> append(std::size_t kind, void* op);
  MLOperand append_one(std::size_t kind, void* op);
  /// Checks the lists and ends the builder.
  Graph finish(const NamedOperands& outputs, const NamedOperands& inputs);
  /// Throws InvalidStateError when the context is lost or the builder has built its graph.
  void require_open(std::string_view method, std::string_view label = {}) const;

  std::shared_ptr<BuilderState> state_;
};

/// The builder that made an operand. Throws TypeError for one that came from a Graph.
MLGraphBuilder builder_of(const MLOperand&);

}  // namespace webnn::inline v0_1
