#include "webnn/context.h"

#include <cstring>
#include <new>

#include "src/builder/validate.h"
#include "src/graph/failure.h"
#include "src/kernels/backends.h"
#include "src/runtime/context_state.h"
#include "src/runtime/custom.h"
#include "src/runtime/graph_state.h"
#include "src/runtime/growing_states.h"
#include "src/runtime/team.h"
#include "src/runtime/tensor.h"
#include "src/runtime/trace.h"
#include "webnn/version.h"

namespace webnn::inline v0_1 {
namespace {

std::shared_ptr<TensorState> new_tensor(const MLContext& context, MLOperandDescriptor d,
                                        std::string_view method) {
  if (context.lost()) raise({"the context is lost", ErrorName::InvalidStateError}, method);
  if (auto bad = check_dimensions("the tensor", d.dataType, shape::sizes(d.shape)))
    raise(*bad, method);
  auto t = std::make_shared<TensorState>();
  t->descriptor = std::move(d);
  t->context = detail::state_of(context);
  return t;
}

MLTensor registered(const MLContext& context, std::shared_ptr<TensorState> t,
                    std::string_view method) {
  const std::lock_guard lock(detail::state_of(context)->registry);
  if (context.lost()) raise({"the context is lost", ErrorName::InvalidStateError}, method);
  remember(detail::state_of(context)->tensors, t);
  return detail::make<MLTensor>(std::move(t));
}

template <class V>
void check_view(const V& view, const MLOperandDescriptor& d, std::string_view method) {
  if (!view.views(d.dataType))
    raise(fail("the elements are not of the data type ({}) of the tensor", d.dataType), method);
  if (view.size() != byte_length(d))
    raise(fail("the byte length ({}) is not that of {} {} ({})", view.size(), d.dataType, d.shape,
               byte_length(d)),
          method);
}

/// Of what the options ask for, that which there is not.
void say_what_is_missing(const ContextState& s) {
  if (const int threads = s.pool->threads(); threads < s.threads_asked)
    say(s.options, LogLevel::warning,
        format("{} threads work on graphs in place of {}: the system starts no more",
               {Arg(threads), Arg(s.threads_asked)}));
  if (s.options.backends.empty() && !std::getenv("WEBNN_BACKENDS"))
    for (const std::string_view name : backend_names())
      if (std::ranges::none_of(s.backends, [&](const auto& b) { return b->name() == name; }))
        say(s.options, LogLevel::info,
            format("the backend {} does not run on this machine", {Arg(name)}));
  if (!knows_level(s.options.backends, s.options.accuracyLevel))
    say(s.options, LogLevel::info,
        format("the accuracy level {} changes nothing on this machine",
               {Arg(name_of(s.options.accuracyLevel))}));
}

/// What `log` throws must not end what it is told about.
std::function<void(LogLevel, std::string_view)> without_exceptions(
    std::function<void(LogLevel, std::string_view)> log) {
  return [log = std::move(log)](LogLevel level, std::string_view message) {
    try {
      log(level, message);
    } catch (...) {}
  };
}

Constant copy_of(std::span<const std::byte> values, const MemorySource& source) {
  if (!source.allocator) return Constant::copy_of(values);
  AlignedBytes memory = aligned_bytes(values.size(), source);
  std::memcpy(memory.get(), values.data(), values.size());
  const std::byte* const at = memory.get();
  return Constant(std::shared_ptr<const std::byte[]>(std::move(memory)), {at, values.size()});
}

}  // namespace

const char* version() {
#define WEBNN_TEXT2(x) #x
#define WEBNN_TEXT(x) WEBNN_TEXT2(x)
  return WEBNN_TEXT(WEBNN_VERSION_MAJOR) "." WEBNN_TEXT(WEBNN_VERSION_MINOR) "." WEBNN_TEXT(
      WEBNN_VERSION_PATCH);
}

MLContext::MLContext(MLContextOptions options) {
  if (options.log) options.log = without_exceptions(std::move(options.log));
  state_ = std::make_shared<ContextState>(options);
  state_->self = state_;
  ContextState& s = *state_;
  Trace::start_from_environment();
  s.backends = backends_for(options.backends, options.accuracyLevel);
  s.pool = options.threadPool;
  if (s.pool && (s.pool->threads() < 1 || s.pool->threads() > max_threads))
    raise(fail("the threads of the pool ({}) are not between 1 and {}", s.pool->threads(),
               max_threads),
          "MLContext");
  check_operators(options.operators);
  if (options.runs < 0 || options.runs > max_threads)
    raise(fail("runs ({}) is not between 0 and {}", options.runs, max_threads), "MLContext");
  s.threads_asked = s.pool ? s.pool->threads() : thread_count(options.threads);
  if (!s.pool) s.pool = std::make_shared<Team>(s.threads_asked);
  if (options.deviceType) options.accelerated = *options.deviceType != MLDeviceType::cpu;
  s.options = std::move(options);
  s.tuning.start(s.options, s.pool->threads());
  if (s.options.log) say_what_is_missing(s);
}

bool MLContext::accelerated() const { return state_->options.accelerated; }
int MLContext::threads() const { return state_->pool->threads(); }
Rules MLContext::rules() const { return state_->options.rules; }
std::vector<std::string> MLContext::backends() const {
  std::vector<std::string> names;
  for (const auto& b : state_->backends) names.emplace_back(b->name());
  return names;
}
MLOpSupportLimits MLContext::opSupportLimits() const {
  std::array<DataTypes, ops::AllOps::size> supported{};
  for (std::size_t kind = 0; kind < supported.size(); ++kind)
    for (const auto& b : state_->backends)
      supported[kind] = supported[kind] | b->supported_types(kind);
  return support_limits(supported, rules());
}
std::string MLContext::tuning_table() const { return state_->tuning.text(); }
bool MLContext::lost() const { return state_->lost; }

void MLContext::destroy() {
  if (state_->lost.exchange(true)) return;
  std::vector<std::weak_ptr<GraphState>> graphs;
  std::vector<std::weak_ptr<TensorState>> tensors;
  {
    const std::lock_guard lock(state_->registry);
    graphs.swap(state_->graphs);
    tensors.swap(state_->tensors);
  }
  for (const auto& w : graphs)
    if (const auto g = w.lock()) {
      g->stopping = true;
      g->destroy();
    }
  for (const auto& w : tensors)
    if (const auto t = w.lock()) t->destroy();
  state_->timeline.trim();
}

MLTensor MLContext::createTensor(MLTensorDescriptor d) {
  auto t = new_tensor(*this, {d.dataType, std::move(d.shape)}, "createTensor");
  t->readable = d.readable;
  t->writable = d.writable;
  try {
    t->memory = std::make_shared<TensorMemory>(byte_length(t->descriptor),
                                               memory_of(*state_, MemoryPurpose::tensors));
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::UnknownError}, "createTensor");
  }
  return registered(*this, std::move(t), "createTensor");
}

MLTensor MLContext::createConstantTensor(MLOperandDescriptor d, InputView values) {
  auto t = new_tensor(*this, std::move(d), "createConstantTensor");
  check_view(values, t->descriptor, "createConstantTensor");
  t->constant = true;
  try {
    t->value = copy_of(values.bytes(), memory_of(*state_, MemoryPurpose::tensors));
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::UnknownError}, "createConstantTensor");
  }
  return registered(*this, std::move(t), "createConstantTensor");
}

void MLContext::writeTensor(const MLTensor& tensor, InputView values) {
  Use<TensorState> use = usable(tensor, *state_, "writeTensor");
  TensorState& t = *use;
  if (!t.writable) raise(fail("the tensor is not writable"), "writeTensor");
  const auto lock = lock_of(t, *state_);
  check_view(values, t.descriptor, "writeTensor");
  if (t.growth) return write_growing(state_, std::move(use), values.bytes());
  bool wrote = false;
  const auto write = [&] {
    if (t.memory->snapshots != 0) return;  // other memory is needed
    std::memcpy(t.memory->bytes.get(), values.data(), values.size());
    t.failure = nullptr;
    wrote = true;
  };
  if (state_->timeline.run_if_idle(write) && wrote) return;
  auto job = state_->timeline.take();
  job->kind = Job::Kind::write;
  try {
    if (!job->staged || job->staged->size != values.size() || job->staged->snapshots != 0)
      job->staged =
          std::make_shared<TensorMemory>(values.size(), memory_of(*state_, MemoryPurpose::tensors));
    std::memcpy(job->staged->bytes.get(), values.data(), values.size());
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::UnknownError}, "writeTensor");
  }
  job->outputs.push_back(std::move(use));
  push(state_, std::move(job));
}

namespace {

/// A use of a tensor whose values may be read to that memory.
Use<TensorState> readable(const MLTensor& tensor, const ContextState& context, OutputView values) {
  Use<TensorState> t = usable(tensor, context, "readTensor");
  if (!t->readable) raise(fail("the tensor is not readable"), "readTensor");
  const auto needed = static_cast<std::size_t>(byte_length(t->descriptor));
  if (context.options.rules == Rules::tests2025 && values.views(t->descriptor.dataType) &&
      values.size() > needed)
    values = OutputView(values.bytes().first(needed));
  check_view(values, t->descriptor, "readTensor");
  return t;
}

}  // namespace

void MLContext::check_read(const MLTensor& tensor, OutputView values) const {
  const auto lock = tensor ? lock_of(*detail::state_of(tensor), *state_)
                           : std::unique_lock<std::recursive_mutex>();
  readable(tensor, *state_, values);
}

void MLContext::readTensor(const MLTensor& tensor, OutputView values) {
  const std::shared_ptr<ContextState> keep = state_;  // a callback that runs here may drop it
  const std::shared_ptr<TensorState> state = detail::state_of(tensor);
  auto lock = state ? lock_of(*state, *keep) : std::unique_lock<std::recursive_mutex>();
  Use<TensorState> use = readable(tensor, *keep, values);
  if (state->growth) return read_growing(keep, std::move(use), values.bytes(), std::move(lock));
  auto job = keep->timeline.take();
  job->kind = Job::Kind::read;
  job->inputs.push_back(std::move(use));
  job->target = values.data();
  std::exception_ptr failure;
  job->failure = &failure;
  keep->timeline.wait(keep->timeline.push(std::move(job), true));
  if (failure) std::rethrow_exception(failure);
  if (state->destroyed()) std::rethrow_exception(keep->failures.destroyed);
}

std::vector<std::byte> MLContext::readTensor(const MLTensor& tensor) {
  std::vector<std::byte> bytes(byte_length(usable(tensor, *state_, "readTensor")->descriptor));
  readTensor(tensor, bytes);
  return bytes;
}

void MLContext::readTensor_async(
    const MLTensor& tensor, std::function<void(std::exception_ptr, std::optional<Constant>)> done) {
  struct Read {
    Use<TensorState> tensor{};
    std::shared_ptr<Snapshot> snapshot = std::make_shared<Snapshot>();
    std::exception_ptr failure{}, destroyed{};
    std::optional<Constant> values{};
    std::uint32_t rows = 0;  // of a tensor that grows
  };
  const auto read = std::make_shared<Read>();
  read->tensor = usable(tensor, *state_, "readTensor");
  const auto lock = lock_of(*read->tensor, *state_);
  if (const auto& growth = read->tensor->growth)
    read->rows = read->tensor->descriptor.shape[growth->axis];
  read->destroyed = state_->failures.destroyed;
  if (!read->tensor->readable) raise(fail("the tensor is not readable"), "readTensor");
  auto job = state_->timeline.take();
  job->kind = Job::Kind::call;
  job->call = [read] {  // allocates nothing, except for a tensor that grows
    const Use<TensorState> t = std::move(read->tensor);
    read->failure = t->destroyed() ? read->destroyed : t->failure;
    if (read->failure) return;
    if (!t->growth) {
      read->values = t->take(std::move(read->snapshot));
      return;
    }
    try {
      read->values = gathered(*t, read->rows);
    } catch (...) { read->failure = std::current_exception(); }
  };
  job->light = true;
  job->after = [read, done = std::move(done)](std::exception_ptr) {
    done(read->failure, std::move(read->values));
  };
  const std::shared_ptr<ContextState> keep = state_;  // a callback that runs here may drop it
  keep->timeline.run_if_light(keep->timeline.push(std::move(job)));
}

std::future<Constant> MLContext::readTensor_async(const MLTensor& tensor) {
  const auto promise = std::make_shared<std::promise<Constant>>();
  readTensor_async(tensor, [promise](std::exception_ptr failure, std::optional<Constant> values) {
    if (failure) promise->set_exception(failure);
    else promise->set_value(std::move(*values));
  });
  return promise->get_future();
}

}  // namespace webnn::inline v0_1
