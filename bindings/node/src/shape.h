// FrozenArray<unsigned long> shape; of operands FrozenArray<MLDimension>?
#pragma once

#include "object.h"

namespace webnn::inline v0_1::node {

inline Napi::Value to_js(Napi::Env env, std::uint32_t size) { return Napi::Number::New(env, size); }
inline Napi::Value to_js(Napi::Env env, const MLDimension& d) {
  if (!d.is_open()) return to_js(env, d.size());
  return Napi::String::New(env, d.dynamic().name);
}
template <class Shape> Napi::Array shape_array(Napi::Env env, const Shape& shape) {
  Napi::Array array = Napi::Array::New(env, shape.size());
  for (std::uint32_t i = 0; i < shape.size(); ++i) array.Set(i, to_js(env, shape[i]));
  return array;
}
/// null where even the number of dimensions is open.
inline Napi::Value shape_of(Napi::Env env, const MLOperand& x) {
  const auto dimensions = x.dimensions();
  if (!dimensions) return env.Null();
  return shape_array(env, *dimensions);
}
inline Napi::Value shape_of(Napi::Env env, const MLTensor& x) {
  return shape_array(env, x.shape());
}

/// One array, the same at each call.
template <class T> Napi::Value frozen_shape(Napi::Env env, Native<T>& n) {
  if (!n.shape.IsEmpty()) return n.shape.Value();
  const Napi::Value shape = shape_of(env, n.value);
  if (shape.IsNull()) return shape;
  shape.As<Napi::Object>().Freeze();
  n.shape = Napi::Reference<Napi::Value>::New(shape, 1);
  return shape;
}

}  // namespace webnn::inline v0_1::node
