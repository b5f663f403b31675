// The data of the addon for one JavaScript environment: that of the process, or of a worker.
#pragma once

#include <napi.h>

#include <array>
#include <cstdint>
#include <memory>

#include "collector.h"
#include "errors.h"
#include "script_calls.h"
#include "settler.h"

namespace webnn::inline v0_1::node {

/// Indices into Instance::classes.
enum class ClassId : std::uint8_t {
  ml,
  context,
  tensor,
  graph,
  builder,
  operand,
  activation,
  custom_operator,
  lm_model,
  lm_tokenizer,
  lm_token_stream,
  lm_chat_template,
  lm_sampler,
  lm_cache,
  lm_chat,
  lm_generation,
  lm_batch,
  count
};

struct Instance {
  explicit Instance(Napi::Env env);

  // Read when the module is loaded: scripts that replace them later have no effect.
  Napi::FunctionReference define_property, dom_exception, promise, shared_array_buffer;
  Napi::FunctionReference structured_clone, uint8_array;
  Napi::ObjectReference weak_map;  // MLContext -> {promise, resolve} of its `lost`
  Napi::FunctionReference weak_map_get, weak_map_set;

  std::array<Napi::FunctionReference, static_cast<std::size_t>(ClassId::count)> classes;
  bool making = false;  // make() calls a constructor that scripts may not call
  std::shared_ptr<Settler> settler;
  std::shared_ptr<ScriptCalls> calls{};  // once there is a custom operator or a listener
  Collector collector{};
  Conversions* conversions = nullptr;  // of the call that is under way
};

inline Instance& instance(Napi::Env env) { return *env.GetInstanceData<Instance>(); }

}  // namespace webnn::inline v0_1::node
