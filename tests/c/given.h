// Values of the library's types as the C interface takes them; for the generated calls.
#pragma once

#include <deque>
#include <map>

#include "webnn/c/webnn.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::test {

/// What a call of a function of an operator returned.
struct Called {
  webnn_status status = WEBNN_OK;
  std::size_t length = 1;
  webnn_operand* outputs[64] = {};
  webnn_error* error = nullptr;
};

/// Converts values, which live as long as it.
struct Given {
  webnn_builder* builder = nullptr;
  std::map<const OperandRecord*, webnn_operand*> operands{};

  webnn_operand* operator()(const MLOperand& x) { return operands.at(&x.record()); }
  webnn_operand* operator()(const std::optional<MLOperand>& x) { return x ? (*this)(*x) : nullptr; }
  webnn_operand* const* list(const std::vector<MLOperand>& all) {
    auto& list = lists_.emplace_back();
    for (const MLOperand& x : all) list.push_back((*this)(x));
    return list.data();
  }
  webnn_string operator()(const std::string& s) { return {s.data(), s.size()}; }
  std::int32_t operator()(bool v) { return v; }
  std::uint32_t operator()(std::uint32_t v) { return v; }
  std::int32_t operator()(std::int32_t v) { return v; }
  double operator()(double v) { return v; }
  webnn_number operator()(const MLNumber& v) {
    webnn_number n{WEBNN_NUMBER_UINT64, {}};
    if (!v.is_integer()) n = {WEBNN_NUMBER_FLOAT64, {v.as_double()}};
    else if (v.is_negative_integer()) {
      n.kind = WEBNN_NUMBER_INT64;
      n.value.int64 = static_cast<std::int64_t>(v.as_uint64());
    } else n.value.uint64 = v.as_uint64();
    return n;
  }
  webnn_number operator()(const std::optional<MLNumber>& v) {
    return v ? (*this)(*v) : webnn_number{};
  }
  webnn_dims operator()(const Dims& v) {
    static const std::uint32_t none = 0;
    return {v.empty() ? &none : v.data(), v.size()};
  }
  webnn_dims operator()(const OptionalList<std::uint32_t>& v) {
    return v ? (*this)(*v) : webnn_dims{};
  }
  webnn_floats operator()(const std::vector<float>& v) { return {v.data(), v.size()}; }
  webnn_splits operator()(const MLSplits& v) {
    if (const auto* sizes = std::get_if<Dims>(&v)) return {0, (*this)(*sizes)};
    return {std::get<std::uint32_t>(v), {}};
  }
  template <NamedEnum E> std::int32_t operator()(E e) { return static_cast<std::int32_t>(e); }
  template <NamedEnum E> webnn_enums operator()(const OptionalList<E>& v) {
    if (!v) return {};
    auto& all = enums_.emplace_back();
    for (const E e : *v) all.push_back(static_cast<std::int32_t>(e));
    return {all.data(), all.size()};
  }

 private:
  std::deque<std::vector<webnn_operand*>> lists_{};
  std::deque<std::vector<std::int32_t>> enums_{};
};

/// The function of the operator; generated.
template <class Op> Called call(Given& given, const Op& op);

}  // namespace webnn::inline v0_1::test
