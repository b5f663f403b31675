// Work on files, on a thread of Node's pool: not in the order of the context's work.
#pragma once

#include <napi.h>

#include <utility>

#include "object.h"
#include "settler.h"

namespace webnn::inline v0_1::node {

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
      // What the work holds, such as a cache, is given back before the promise is settled.
      std::exchange(work_, nullptr)(*pending_);
    } catch (...) { pending_->failure = std::current_exception(); }
    settler_->finish(std::move(pending_));
  }
  void OnOK() override {}

  std::shared_ptr<Pending> pending_;
  std::shared_ptr<Settler> settler_;
  Function work_;
};

}  // namespace webnn::inline v0_1::node
