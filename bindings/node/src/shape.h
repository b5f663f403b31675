// FrozenArray<unsigned long> shape
#pragma once

#include "object.h"

namespace webnn::inline v0_1::node {

/// One array, the same at each call.
template <class T> Napi::Value frozen_shape(Napi::Env env, Native<T>& n) {
  if (!n.shape.IsEmpty()) return n.shape.Value();
  const Dims& shape = n.value.shape();
  Napi::Array array = Napi::Array::New(env, shape.size());
  for (std::uint32_t i = 0; i < shape.size(); ++i) array.Set(i, shape[i]);
  array.Freeze();
  n.shape = Napi::Reference<Napi::Value>::New(array, 1);
  return array;
}

}  // namespace webnn::inline v0_1::node
