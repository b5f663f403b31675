// From a handle of the public headers to the state it stands for, and back. Private.
#pragma once

#include <memory>
#include <utility>

namespace webnn::inline v0_1::detail {

/// A friend of every handle.
struct Access {
  template <class Handle> static const auto& state_of(const Handle& handle) {
    return handle.state_;
  }
  template <class Handle, class State> static Handle make(std::shared_ptr<State> state) {
    return Handle(std::move(state));
  }
  /// Whether no other handle refers to the bytes.
  template <class Constant> static bool is_last(const Constant& constant) {
    return constant.data_.use_count() == 1;
  }
  template <class Constant> static const auto& facts_of(const Constant& constant) {
    return constant.facts_;
  }
  template <class Constant> static void release(Constant& constant) { constant.data_.reset(); }
  template <class Constant> static const auto& bytes_of(const Constant& constant) {
    return constant.data_;
  }
  /// Of a released constant: its bytes again.
  template <class Constant, class Bytes> static void set_bytes(Constant& constant, Bytes bytes) {
    constant.data_ = std::move(bytes);
  }
  /// The constant is the one that has these facts, which has the same bytes.
  template <class Constant, class Facts> static void set_facts(Constant& constant, Facts facts) {
    constant.facts_ = std::move(facts);
  }
};

/// The shared state of an MLContext, MLGraph, MLGraphBuilder, MLOperand, MLTensor or Graph; null
/// for an empty handle.
template <class Handle> const auto& state_of(const Handle& handle) {
  return Access::state_of(handle);
}
/// A handle to that state.
template <class Handle, class State> Handle make(std::shared_ptr<State> state) {
  return Access::make<Handle>(std::move(state));
}

}  // namespace webnn::inline v0_1::detail
