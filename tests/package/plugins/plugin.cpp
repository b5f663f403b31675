// A shared library that embeds libwebnn, and says what a version of it has: the last data type.
#include <webnn/webnn.h>

#include <string_view>

namespace {

bool computes() {
  using namespace webnn;
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {.dataType = float32, .shape = {2}});
  const MLGraph graph = b.build({{"y", b.add(x, x)}});
  const float in[] = {1, 2};
  float out[2] = {};
  context.compute(graph, {{"x", in}}, {{"y", out}});
  return out[0] == 2 && out[1] == 4;
}

bool refuses() try {
  webnn::MLContext context;
  webnn::MLGraphBuilder b(context);
  b.input("", {.dataType = webnn::float32, .shape = {2}});
  return false;
} catch (const webnn::Error&) { return true; }

}  // namespace

// 0: all is as the headers say that this plugin was compiled with.
extern "C" __attribute__((visibility("default"))) int run() {
  using Type = webnn::MLOperandDataType;
  volatile std::size_t last = LAST_TYPE;  // so that the names are read when this runs
  if (webnn::name_of(static_cast<Type>(last)) != std::string_view(LAST_NAME)) return 1;
  if (webnn::name_of(static_cast<Type>(last + 1)) != "?") return 2;
  if (!computes()) return 3;
  return refuses() ? 0 : 4;
}
