#include "compiled.h"

#include "src/formats/registry/format.h"

#include "convert.h"
#include "file_work.h"

namespace webnn::inline v0_1::node {

Napi::Value save_graph(const Napi::CallbackInfo& info) {
  const MLGraph graph = self<MLGraph>(info).value;
  require_arguments(info, "save", 1);
  const std::string path = to_path(info[0], {"save", "path"});
  return FileWork::start(info.Env(), [graph, path](Pending& pending) {
    registry::compiled_format("save", path).save({.graph = graph}, path);
    pending.result = [](Napi::Env env) { return env.Undefined(); };
  });
}

}  // namespace webnn::inline v0_1::node
