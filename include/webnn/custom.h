// Custom operators: operators that WebNN does not have, as parts of a graph.
#pragma once

#include "webnn/backend.h"
#include "webnn/context.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

/// One use of a custom operator, as its functions see it.
struct CustomCall {
  std::vector<MLOperandDescriptor> inputs{};   ///< data types and sizes, all known
  std::vector<MLOperandDescriptor> outputs{};  ///< the results of infer(); empty in infer() itself
  CustomAttributes attributes{};               ///< all of the operator
  std::string label{};                         ///< that of the caller, or empty

  /// The value of an attribute: bool, an integer, double, float, std::string, or a std::vector of
  /// std::int64_t, double or std::string. Throws TypeError when the operator has none of that name,
  /// or one that does not have this type or is not within it.
  template <class T> T attribute(std::string_view name) const;

  /// The elements of input i, if it is a constant that still exists, for an infer() whose sizes
  /// follow from values. build() may release constants of 64 KiB and more before infer() is called
  /// again for other sizes of open dimensions. Empty for any other input.
  std::span<const std::byte> constant(std::size_t i) const;

  std::vector<std::optional<Constant>> constants{};  ///< what constant() returns, by input

 private:
  const CustomValue& value(std::string_view name) const;
  [[noreturn]] static void raise_type(std::string_view name, std::string_view wanted);
};

/// One run of a custom operator: its elements, row-major, without padding.
class CustomRun {
 public:
  CustomRun(const CustomCall& of, const Buffers& buffers) : call(of), buffers_(buffers) {}

  const CustomCall& call;

  template <class T> T attribute(std::string_view name) const { return call.attribute<T>(name); }
  const Dims& shape(std::size_t input) const { return call.inputs.at(input).shape; }

  /// The elements of input i. Throws TypeError when there is none, and when its data type is not
  /// that of T: float, Float16, 8-, 32- and 64-bit integers; std::byte and std::uint8_t view the
  /// bytes of every type, std::uint16_t the bits of float16.
  template <Element T> std::span<const T> in(std::size_t i) const {
    check(i, call.inputs, "input", OutputView(std::span<T>()));
    return {buffers_.in<T>(i), byte_length(call.inputs[i]) / sizeof(T)};
  }
  /// The elements of output i, all of which have to be written. Throws as in().
  template <Element T> std::span<T> out(std::size_t i = 0) const {
    check(i, call.outputs, "output", OutputView(std::span<T>()));
    return {buffers_.out<T>(i), byte_length(call.outputs[i]) / sizeof(T)};
  }

 private:
  static void check(std::size_t i, const std::vector<MLOperandDescriptor>& all,
                    std::string_view what, const OutputView& as);

  const Buffers& buffers_;
};

/// An operator: a pure function of its operands and attributes, unless it says otherwise. It does
/// not change once it is in use; graphs share it. Its functions may be called from several threads
/// at the same time, and while a builder or a context is locked: they must not use a builder, nor
/// wait for work of the context that runs them. An exception that they throw becomes an error that
/// names the operator and the label of its use.
struct CustomOperator {
  /// Its name in messages, printed graphs, explain() and files. It has letters, digits, and `_`,
  /// `-`, `.`, `:`, and is not the name of an operator of WebNN. In .onnx files the part before the
  /// last dot is the domain.
  std::string name{};
  std::uint32_t version = 1;  ///< of the meaning that the name has in files; at least 1
  /// All attributes that it has, with their defaults; an attribute without a default must be given.
  /// A given value has the type of the default. If that is a double or a list of doubles, integers
  /// are converted; if it is a bool, 0 and 1 are converted, because files write them.
  CustomAttributes attributes{};
  /// Returns the data types and shapes of the results, of which there is at least one. They depend
  /// only on data types, shapes, attributes, and the values of constants. For graphs with open
  /// dimensions it is called many times, with sizes that are tried while the graph is built, and
  /// with those of each run. To refuse its operands, it throws an exception that is derived from
  /// std::exception.
  std::function<std::vector<MLOperandDescriptor>(const CustomCall& call)> infer{};
  /// Computes all results, on one thread.
  std::function<void(const CustomRun& run)> compute{};
  /// In place of compute(), or before it: a kernel of tiles, as Backend::lower() makes it, which
  /// runs on all threads, or a Refusal, for which compute() runs. Its buffers are the operands in
  /// their order and the results. It may throw while it runs, and allocate.
  std::function<Lowering(const CustomCall& call)> lower{};
  /// For operators between images, whose layout passes choose: the attributes with which the
  /// operator gives its results with their dimensions in the order `permutation`, as transpose()
  /// has it, from operands that are all in that order; std::nullopt if there are none. Operands and
  /// results of another rank stay as they are. An operator that computes each element from the
  /// elements at its place returns call.attributes. Without this function, operands always have the
  /// order of the graph.
  std::function<std::optional<CustomAttributes>(const CustomCall& call, const Dims& permutation)>
      transposed{};
  /// Whether equal operands always give equal results. Otherwise two uses of the operator stay two,
  /// and none is computed in advance; a run still leaves it out if no output needs its results.
  bool pure = true;
  /// Whether compute() must not be called by two runs of a graph at the same time.
  bool exclusive = false;
};

/// A custom operator to be shared. Throws TypeError for a name that is not one, a version of 0,
/// attributes with an empty or repeated name, and without infer(), or without both compute() and
/// lower().
std::shared_ptr<const CustomOperator> custom_operator(CustomOperator definition);

/// The operators of MLContextOptions::operators.
const std::vector<std::shared_ptr<const CustomOperator>>& custom_operators(
    const MLContext& context);
/// The operator that MLContextOptions::operators has under that name, with that version or, for 0,
/// the highest one; null if there is none.
std::shared_ptr<const CustomOperator> find_custom_operator(const MLContext& context,
                                                           std::string_view name,
                                                           std::uint32_t version = 0);

template <class T> T CustomCall::attribute(std::string_view name) const {
  const CustomValue& v = value(name);
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    const auto* n = std::get_if<std::int64_t>(&v);
    if (!n || !std::in_range<T>(*n)) raise_type(name, "an integer that its reader takes");
    return static_cast<T>(*n);
  } else {
    using Stored = std::conditional_t<std::floating_point<T>, double, T>;
    const auto* x = std::get_if<Stored>(&v);
    if (!x) raise_type(name, "of the type that its reader takes");
    return static_cast<T>(*x);
  }
}

}  // namespace webnn::inline v0_1
