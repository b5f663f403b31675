// The options of a context as data: C, Python, Node and its types, and the command read this list.
// Private.
#pragma once

#include <array>
#include <string_view>

#include "webnn/context.h"
#include "webnn/ops/operator.h"

namespace webnn::inline v0_1 {

constexpr auto names_of(Rules) { return names("specification", "tests2025"); }

/// Which interfaces have an option besides C++.
enum class OptionOf : std::uint8_t {
  all,       ///< C, Python and Node
  browsers,  ///< Node, for programs that were written for earlier drafts
  native     ///< none, or C in its own form: an object of C++
};

/// A member of MLContextOptions. `about` begins with a capital letter and ends with a full stop.
template <auto M, OptionOf Of = OptionOf::all> struct ContextOption {
  static constexpr OptionOf of = Of;
  using Type = typename ops::MemberPointer<decltype(M)>::Type;

  std::string_view name, about;

  /// The member of the options.
  template <class Options> static constexpr auto& get(Options& options) { return options.*M; }
};

/// Calls f with the row of each member, in the order of the members.
template <class F> constexpr void for_each_context_option(F f) {
  using O = MLContextOptions;
  f(ContextOption<&O::powerPreference>{"powerPreference",
                                       "A hint, which this library does not use."});
  f(ContextOption<&O::accelerated>{
      "accelerated", "The value of `accelerated` of the context; this library runs on the CPU."});
  f(ContextOption<&O::deviceType, OptionOf::browsers>{
      "deviceType", "The form of `accelerated` in earlier drafts."});
  f(ContextOption<&O::threads>{
      "threads",
      "The number of threads that work on a graph; 0: WEBNN_NUM_THREADS, else all cores."});
  f(ContextOption<&O::backends>{"backends",
                                "Backends in the order in which they are asked; none: "
                                "WEBNN_BACKENDS, else all that were built in."});
  f(ContextOption<&O::rules>{"rules",
                             "The rules of the specification, or those of the W3C's tests of 2025 "
                             "where they differ."});
  f(ContextOption<&O::threadPool, OptionOf::native>{
      "threadPool", "Threads of the caller in place of those of the library."});
  f(ContextOption<&O::runs>{"runs",
                            "The largest number of calls of one graph that run at the same time; "
                            "0: as many as threads."});
  f(ContextOption<&O::memoryLimit>{
      "memoryLimit",
      "The number of bytes that the graphs of the context may hold together; 0: any number."});
  f(ContextOption<&O::keepConstants>{"keepConstants",
                                     "Whether graphs keep all their constants, which writing them "
                                     "to a file may need."});
  f(ContextOption<&O::tuning>{"tuning",
                              "Whether building a graph measures which kernels are the fastest."});
  f(ContextOption<&O::tuningFile>{"tuningFile",
                                  "A file of webnn tune, which says which kernels are the "
                                  "fastest; empty: WEBNN_TUNING, if anything."});
  f(ContextOption<&O::accuracyLevel>{"accuracyLevel",
                                     "With int8, products with small constant weights may quantize "
                                     "the rows of their activations; with bfloat16, products of "
                                     "floats may round their operands to bfloat16."});
  f(ContextOption<&O::uncaughtException, OptionOf::native>{
      "uncaughtException", "A function that gets what callbacks of the caller throw."});
  f(ContextOption<&O::operators, OptionOf::native>{"operators",
                                                   "Custom operators that files may name."});
  f(ContextOption<&O::allocator, OptionOf::native>{"allocator",
                                                   "The source of large blocks of memory."});
  f(ContextOption<&O::log, OptionOf::native>{"log",
                                             "A function that gets the messages of the library."});
  f(ContextOption<&O::trace, OptionOf::native>{
      "trace", "A function that gets each step when it has ended."});
}

namespace detail {
/// The number of rows; 0 when two have one name.
consteval std::size_t context_option_count() {
  std::array<std::string_view, 32> names{};
  std::size_t count = 0;
  bool distinct = true;
  for_each_context_option([&](const auto& row) {
    for (std::size_t i = 0; i < count; ++i) distinct = distinct && names[i] != row.name;
    names[count++] = row.name;
  });
  return distinct ? count : 0;
}
}  // namespace detail
static_assert(ops::has_members<MLContextOptions, detail::context_option_count()> &&
                  !ops::has_members<MLContextOptions, detail::context_option_count() + 1>,
              "each member of MLContextOptions has one row");

}  // namespace webnn::inline v0_1
