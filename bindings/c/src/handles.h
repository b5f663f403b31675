// What the handles of the C interface are.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "webnn/c/webnn.h"
#include "webnn/custom.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::c {

/// Counts the references to a handle, which begins with one.
struct Counted {
  std::atomic<std::size_t> references{1};
};
/// A counted object of the C++ interface.
template <class T> struct Handle : Counted {
  explicit Handle(std::remove_const_t<T> v) : value(std::move(v)) {}
  T value;
};

template <class T> T* retain(T* handle) {
  if (handle) handle->references.fetch_add(1, std::memory_order_relaxed);
  return handle;
}
template <class T> void release(T* handle) {
  if (handle && handle->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete handle;
}

inline std::string_view view(webnn_string s) {
  return s.data ? std::string_view(s.data, s.length) : std::string_view();
}
inline webnn_string to_c(std::string_view s) { return {s.data(), s.size()}; }
inline webnn_dims to_c(const Dims& dims) {
  static const std::uint32_t none = 0;  // the empty list has a pointer that is not null
  return {dims.empty() ? &none : dims.data(), dims.size()};
}
inline webnn_descriptor to_c(MLOperandDataType type, const Dims& shape) {
  return {static_cast<webnn_data_type>(type), to_c(shape)};
}

}  // namespace webnn::inline v0_1::c

struct webnn_error : webnn::c::Counted {
  webnn_status status = WEBNN_UNKNOWN_ERROR;
  std::string message{}, op{}, label{}, reason{};
};
struct webnn_text : webnn::c::Counted {
  explicit webnn_text(std::string s) : text(std::move(s)) {}
  const std::string text;
};
struct webnn_stop : webnn::c::Counted {
  std::stop_source source{};
};
struct webnn_context : webnn::c::Handle<webnn::MLContext> {
  using Handle::Handle;
};
struct webnn_builder : webnn::c::Handle<webnn::MLGraphBuilder> {
  using Handle::Handle;
};
struct webnn_operand : webnn::c::Handle<const webnn::MLOperand> {
  using Handle::Handle;
};
struct webnn_graph : webnn::c::Handle<webnn::MLGraph> {
  using Handle::Handle;
};
struct webnn_shapes : webnn::c::Handle<const webnn::NamedDescriptors> {
  using Handle::Handle;
};
struct webnn_tensor : webnn::c::Handle<webnn::MLTensor> {
  using Handle::Handle;
};
struct webnn_backend : webnn::c::Handle<const webnn::BackendChoice> {
  using Handle::Handle;
};
struct webnn_custom_operator
    : webnn::c::Handle<const std::shared_ptr<const webnn::CustomOperator>> {
  using Handle::Handle;
};
