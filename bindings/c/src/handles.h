// What the handles of the C interface are.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "webnn/c/webnn.h"
#include "webnn/graph_builder.h"

namespace webnn::c {

/// Counts the references to a handle, which begins with one.
struct Counted {
  std::atomic<std::size_t> references{1};
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

}  // namespace webnn::c

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
struct webnn_context : webnn::c::Counted {
  explicit webnn_context(webnn::MLContext c) : value(std::move(c)) {}
  webnn::MLContext value;
};
struct webnn_builder : webnn::c::Counted {
  explicit webnn_builder(webnn::MLGraphBuilder b) : value(std::move(b)) {}
  webnn::MLGraphBuilder value;
};
struct webnn_operand : webnn::c::Counted {
  explicit webnn_operand(webnn::MLOperand x) : value(std::move(x)) {}
  const webnn::MLOperand value;
};
struct webnn_graph : webnn::c::Counted {
  explicit webnn_graph(webnn::MLGraph g) : value(std::move(g)) {}
  webnn::MLGraph value;
};
struct webnn_tensor : webnn::c::Counted {
  explicit webnn_tensor(webnn::MLTensor t) : value(std::move(t)) {}
  webnn::MLTensor value;
};
struct webnn_backend : webnn::c::Counted {
  explicit webnn_backend(webnn::BackendChoice c) : value(std::move(c)) {}
  const webnn::BackendChoice value;
};
