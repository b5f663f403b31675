#include "listeners.h"

#include "instance.h"
#include "webnn/tracing.h"

namespace webnn::inline v0_1::node {
namespace {

using Arguments = std::function<std::vector<napi_value>(Napi::Env)>;

/// A function that is called, and freed, on JavaScript's thread.
class Listener {
 public:
  Listener(std::shared_ptr<ScriptCalls> calls, const Napi::Function& f)
      : calls_(std::move(calls)), function_(new Napi::FunctionReference(Napi::Persistent(f))) {}
  Listener(const Listener&) = delete;
  ~Listener() {
    calls_->post([f = function_] { delete f; });
  }

  void post(Arguments arguments) const {
    calls_->post([f = function_, arguments = std::move(arguments)] {
      const Napi::Env env = f->Env();
      try {
        f->Call(arguments(env));
      } catch (const Napi::Error& e) { napi_fatal_exception(env, e.Value()); }
    });
  }

 private:
  std::shared_ptr<ScriptCalls> calls_;
  Napi::FunctionReference* function_;
};

std::shared_ptr<const Listener> listener_of(const Napi::Value& value, const Where& where) {
  if (!value.IsFunction()) where.reject("is not a function");
  Instance& i = instance(value.Env());
  if (!i.calls) i.calls = std::make_shared<ScriptCalls>(value.Env());
  return std::make_shared<Listener>(i.calls, value.As<Napi::Function>());
}

}  // namespace

void convert(const Napi::Value& value, std::function<void(LogLevel, std::string_view)>& out,
             const Where& where) {
  out = [listener = listener_of(value, where)](LogLevel level, std::string_view message) {
    listener->post([level = std::string(name_of(level)),
                    message = std::string(message)](Napi::Env env) -> std::vector<napi_value> {
      return {Napi::String::New(env, level), Napi::String::New(env, message)};
    });
  };
}

void convert(const Napi::Value& value, std::function<void(const TraceEvent&)>& out,
             const Where& where) {
  out = [listener = listener_of(value, where)](const TraceEvent& e) {
    listener->post([e, kernel = std::string(e.kernel), operators = std::string(e.operators),
                    label = std::string(e.label)](Napi::Env env) -> std::vector<napi_value> {
      Napi::Object event = Napi::Object::New(env);
      const auto set = [&](const char* name, auto number) {
        event.Set(name, Napi::Number::New(env, static_cast<double>(number)));
      };
      event.Set("kernel", kernel);
      event.Set("operators", operators);
      event.Set("label", label);
      set("step", e.step);
      set("worker", e.worker);
      set("tiles", e.tiles);
      set("tilesOfStep", e.tiles_of_step);
      set("start", e.start);
      set("duration", e.duration);
      set("bytes", e.bytes);
      return {event};
    });
  };
}

}  // namespace webnn::inline v0_1::node
