#include "webnn/quantize.h"

#include <atomic>
#include <utility>

#include "webnn/passes.h"

#include "convert.h"
#include "file_work.h"
#include "object.h"
#include "quantize.h"

namespace webnn::inline v0_1::node {
namespace {

constexpr std::string_view call = "quantize";

/// The values of one input, which are copied: scripts may change them.
struct Values {
  std::string name{};
  std::vector<std::byte> bytes{};
  Dims shape{};
};

/// A view or a buffer, or { data, shape } where the input has open dimensions.
Values values_of(std::string name, const Napi::Value& given, const NamedDescriptors& inputs) {
  const Where where{call, name};
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const NamedDescriptor& d) { return d.name == name; });
  if (found == inputs.end())
    Where{call, "samples"}.reject("has \"" + name + "\", which the graph does not have");
  Values to{.name = name};
  Napi::Value data = given;
  if (given.IsObject() && given.As<Napi::Object>().Has("data")) {
    const auto both = given.As<Napi::Object>();
    member(both, "shape", to.shape, call);
    data = both.Get("data");
  }
  const InputView view = to_input(data, where);
  const MLOperandDataType type = found->descriptor.dataType;
  if (!view.views(type)) where.reject("does not have elements of " + std::string(name_of(type)));
  to.bytes.assign(view.bytes().begin(), view.bytes().end());
  return to;
}

using Samples = std::vector<std::vector<Values>>;

Samples samples_of(const Napi::Value& given, const MLGraph& graph) {
  Samples all;
  if (given.IsUndefined()) return all;
  const NamedDescriptors& inputs = graph.inputs();
  for_each_item(given, {call, "samples"}, [&](Napi::Value sample, std::int64_t i) {
    auto& values = all.emplace_back();
    for_each_entry(sample, Where{call, "samples"}.at(i), [&](std::string name, Napi::Value v) {
      values.push_back(values_of(std::move(name), v, inputs));
    });
  });
  return all;
}

CalibrationSample views_of(const std::vector<Values>& sample) {
  CalibrationSample views;
  for (const Values& v : sample) {
    if (v.shape.empty()) views.push_back({v.name, InputView(v.bytes)});
    else views.push_back({v.name, InputView(v.bytes, ListView<std::uint32_t>(v.shape))});
  }
  return views;
}

/// A function of JavaScript that is told how far the work is. What it throws ends the work.
class Progress {
 public:
  explicit Progress(const Napi::Function& f)
      : function_(Napi::ThreadSafeFunction::New(f.Env(), f, "webnn.quantize", 0, 1)) {}

  std::stop_token token() const { return state_->stop.get_token(); }
  void report(const QuantizationProgress& p) const {
    function_.NonBlockingCall([state = state_, stage = std::string(p.stage), done = p.done,
                               total = p.total](Napi::Env env, Napi::Function f) {
      if (state->thrown) return;
      const auto number = [&](std::size_t n) {
        return Napi::Number::New(env, static_cast<double>(n));
      };
      try {
        f.Call({Napi::String::New(env, stage), number(done), number(total)});
      } catch (const Napi::Error& e) {
        state->error = e;
        state->thrown = true;
        state->stop.request_stop();
      }
    });
  }
  void release() { function_.Release(); }
  /// If the function has thrown, the promise is rejected with that.
  bool fail(Pending& pending) const {
    if (!state_->thrown) return false;
    pending.result = [state = state_](Napi::Env) -> Napi::Value {
      throw std::exchange(state->error, Napi::Error());  // the state may be freed on any thread
    };
    return true;
  }

 private:
  struct State {
    std::stop_source stop{};
    std::atomic<bool> thrown = false;
    Napi::Error error{};  // on JavaScript's thread
  };
  Napi::ThreadSafeFunction function_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

struct Given {
  QuantizationOptions options{};
  std::shared_ptr<Progress> progress{};
};

Given options_of(const Napi::Value& value) {
  Given given;
  const auto dictionary = to_dictionary(value, {call, "options"});
  if (!dictionary) return given;
  QuantizationOptions& o = given.options;
  const auto take = [&](std::string_view name, auto& out) { member(*dictionary, name, out, call); };
  take("dynamic", o.dynamic);
  take("perChannel", o.per_channel);
  take("activations", o.activations);
  take("weights", o.weights);
  take("symmetric", o.symmetric);
  take("reduceRange", o.reduce_range);
  take("calibration", o.calibration);
  take("percentile", o.percentile);
  take("operators", o.operators);
  take("keepFloat", o.keep_float);
  take("minSnr", o.min_snr);
  std::uint32_t worst = 0;
  take("worstInFloat", worst);
  o.worst_in_float = worst;
  const Napi::Value progress = dictionary->Get("progress");
  if (progress.IsUndefined()) return given;
  if (!progress.IsFunction()) Where{call, "progress"}.reject("is not a function");
  given.progress = std::make_shared<Progress>(progress.As<Napi::Function>());
  o.stop = given.progress->token();
  o.progress = [p = given.progress.get()](const QuantizationProgress& now) { p->report(now); };
  return given;
}

Napi::Value to_js(Napi::Env env, const QuantizedGraph& q, const MLGraph& graph) {
  const auto list = [&](const auto& rows, auto fill) {
    Napi::Array all = Napi::Array::New(env, rows.size());
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const Napi::HandleScope scope(env);
      Napi::Object row = Napi::Object::New(env);
      row.Set("name", rows[i].name);
      fill(row, rows[i]);
      all.Set(i, row);
    }
    return all;
  };
  Napi::Object to = Napi::Object::New(env);
  to.Set("graph", make_graph(env, graph));
  to.Set("operators", list(q.operators, [](Napi::Object& row, const QuantizedOperator& from) {
           row.Set("kind", std::string(from.kind));
           row.Set("quantized", from.quantized);
           row.Set("ownSnr", from.own_snr);
           row.Set("networkSnr", from.network_snr);
           row.Set("weightsSnr", from.weights_snr);
         }));
  to.Set("outputs", list(q.outputs, [](Napi::Object& row, const QuantizedOutput& from) {
           row.Set("snr", from.snr);
           row.Set("maxError", from.max_error);
         }));
  to.Set("samples", static_cast<double>(q.samples));
  return to;
}

}  // namespace

Napi::Value quantize(const Napi::CallbackInfo& info) {
  const MLContext context = self<MLContext>(info).value;
  require_arguments(info, call, 1);
  const auto* object = native<MLGraph>(info[0]);
  if (!object) Where{call, "graph"}.reject("is not an MLGraph");
  const MLGraph graph = object->value;
  const auto samples = std::make_shared<const Samples>(samples_of(info[1], graph));
  const Given given = options_of(info[2]);
  return FileWork::start(info.Env(), [=](Pending& pending) {
    const auto next = [&](std::size_t i) -> std::optional<CalibrationSample> {
      if (i >= samples->size()) return std::nullopt;
      return views_of((*samples)[i]);
    };
    try {
      auto q = std::make_shared<const QuantizedGraph>(
          webnn::quantize(context, graph.graph(), next, given.options));
      const MLGraph made = build_graph(context, q->graph);
      pending.result = [context, q, made](Napi::Env env) -> Napi::Value {
        if (context.lost()) throw InvalidStateError("quantize", "", "the context is lost");
        return to_js(env, *q, made);
      };
    } catch (...) {
      if (!given.progress || !given.progress->fail(pending))
        pending.failure = std::current_exception();
    }
    if (given.progress) given.progress->release();
  });
}

}  // namespace webnn::inline v0_1::node
