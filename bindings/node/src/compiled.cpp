#include "compiled.h"

#include "webnn/compiled.h"

#include "convert.h"
#include "object.h"
#include "settler.h"

namespace webnn::inline v0_1::node {
namespace {

using compiled::Verify;

[[noreturn]] void refuse(std::string_view method, const std::string& path) {
  throw NotSupportedError(method, path,
                          "the addon was built without compiled graphs (WEBNN_COMPILED)");
}
MLGraph load(const MLContext& context, const std::string& path, Verify verify) {
  if constexpr (WEBNN_WITH_COMPILED) return compiled::load(context, path, {.verify = verify});
  else refuse("load", path);
}
void save(const MLGraph& graph, const std::string& path) {
  if constexpr (WEBNN_WITH_COMPILED) compiled::save(graph, path);
  else refuse("save", path);
}

/// Reads or writes a file on a thread of Node's pool: not in the order of the context's work.
class FileWork final : public Napi::AsyncWorker {
 public:
  using Function = std::function<void(Pending&)>;

  /// The promise that the work settles.
  static Napi::Promise start(Napi::Env env, Function work) {
    Work promise(env);
    auto worker = std::make_unique<FileWork>(env, promise.pending(), std::move(work));
    worker->Queue();
    worker.release();  // deletes itself
    return promise.started();
  }
  FileWork(Napi::Env env, std::shared_ptr<Pending> pending, Function work)
      : AsyncWorker(env),
        pending_(std::move(pending)),
        settler_(instance(env).settler),
        work_(std::move(work)) {}

 private:
  void Execute() override {
    try {
      work_(*pending_);
    } catch (...) { pending_->failure = std::current_exception(); }
    settler_->finish(std::move(pending_));
  }
  void OnOK() override {}

  std::shared_ptr<Pending> pending_;
  std::shared_ptr<Settler> settler_;
  Function work_;
};

}  // namespace

Napi::Value load_graph(const Napi::CallbackInfo& info) {
  const MLContext context = self<MLContext>(info).value;
  constexpr std::string_view name = "loadGraph";
  require_arguments(info, name, 1);
  const std::string path = to_path(info[0], {name, "path"});
  Verify verify{};
  if (const auto options = to_dictionary(info[1], {name, "options"}))
    member(*options, "verify", verify, name);
  return FileWork::start(info.Env(), [context, path, verify](Pending& pending) {
    const MLGraph graph = load(context, path, verify);
    pending.result = [context, graph](Napi::Env env) -> Napi::Value {
      if (context.lost()) throw InvalidStateError("loadGraph", "", "the context is lost");
      return make_graph(env, graph);
    };
  });
}

Napi::Value save_graph(const Napi::CallbackInfo& info) {
  const MLGraph graph = self<MLGraph>(info).value;
  require_arguments(info, "save", 1);
  const std::string path = to_path(info[0], {"save", "path"});
  return FileWork::start(info.Env(), [graph, path](Pending& pending) {
    save(graph, path);
    pending.result = [](Napi::Env env) { return env.Undefined(); };
  });
}

}  // namespace webnn::inline v0_1::node
