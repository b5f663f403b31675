// The messages of mistakes. Each mistake is an exception that names the operator, its label, the
// value and the limit; the builder stays as it was.
#include <webnn/webnn.h>

#include <array>
#include <cstdio>

using namespace webnn;

namespace {

template <class F> void attempt(F mistake) {
  const char* name = nullptr;
  std::string message;
  try {
    mistake();
  } catch (const TypeError& e) {
    name = "TypeError", message = e.what();
  } catch (const InvalidStateError& e) {
    name = "InvalidStateError", message = e.what();
  } catch (const NotSupportedError& e) {
    name = "NotSupportedError", message = e.what();
  } catch (const Error& e) {  // OperationError, UnknownError, DataError
    name = "Error", message = e.what();
  }
  std::printf("%s: %s\n", name ? name : "no mistake", message.c_str());
}

}  // namespace

int main() {
  MLContext context;
  MLGraphBuilder b(context), other(context);
  const MLOperand x = b.input("x", {.dataType = float32, .shape = {1, 3, 8, 8}});
  const MLOperand foreign = other.input("x", {.dataType = float32, .shape = {1, 3, 8, 8}});
  const std::vector<float> values(16 * 4 * 9);
  const MLOperand filter = b.constant({float32, {16, 4, 3, 3}}, values);

  // While a graph is described
  attempt([&] { b.conv2d(x, filter, {.label = "stem"}); });
  attempt([&] { b.softmax(x, 7, {.label = "probabilities"}); });
  attempt([&] { b.add(x, b.cast(x, int32)); });
  attempt([&] { b.add(x, foreign); });
  attempt([&] { b.reshape(x, {2, 100}); });
  attempt([&] { b.input("x", {.dataType = float32, .shape = {1}}); });
  attempt([&] { b.input("big", {.dataType = float32, .shape = {65536, 65536}}); });
  attempt([&] { b.constant({float32, {100}}, values); });

  // When it is built
  attempt([&] { b.build({}); });
  const MLGraph graph = b.build({{"y", b.relu(x)}});
  attempt([&] { b.relu(x); });

  // When it runs
  std::array<float, 192> in{}, out;
  attempt([&] { context.compute(graph, {{"x", in}}, {{"z", out}}); });
  attempt([&] { context.compute(graph, {}, {{"y", out}}); });
  attempt([&] { context.compute(graph, {{"x", in}}, {{"y", in}}); });
  attempt([&] { context.compute(graph, {{"x", std::span(in).first(100)}}, {{"y", out}}); });
  attempt([&] { MLContext({.threads = -1}); });

  context.compute(graph, {{"x", in}}, {{"y", out}});  // all of it is still there
  std::printf("and without mistakes: %g\n", out[0]);
}
