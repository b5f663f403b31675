// What the addon keeps for each JavaScript environment: a process has one, and each worker.
#pragma once

#include <napi.h>

#include <array>
#include <cstdint>
#include <memory>

#include "settler.h"

namespace webnn::node {

/// The places of the classes in Instance::classes.
enum class ClassId : std::uint8_t {
  ml,
  context,
  tensor,
  graph,
  builder,
  operand,
  activation,
  count
};

struct Instance {
  explicit Instance(Napi::Env env);

  // Taken at load, so that scripts that replace them later change nothing.
  Napi::FunctionReference define_property, dom_exception, promise, shared_array_buffer;
  Napi::FunctionReference structured_clone, uint8_array;
  Napi::ObjectReference weak_map;  // MLContext -> {promise, resolve} of its `lost`
  Napi::FunctionReference weak_map_get, weak_map_set;

  std::array<Napi::FunctionReference, static_cast<std::size_t>(ClassId::count)> classes;
  void* making = nullptr;  // what the constructor being called shall wrap
  std::shared_ptr<Settler> settler;
};

inline Instance& instance(Napi::Env env) { return *env.GetInstanceData<Instance>(); }

}  // namespace webnn::node
