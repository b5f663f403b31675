// The C interface from C++ that is compiled without exceptions and RTTI: what the library throws
// arrives as a status.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "webnn/c/webnn.h"

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "this test is about programs without exceptions and RTTI"
#endif

namespace {

webnn_error* error = nullptr;

void check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "not true: %s\n", what);
  const webnn_string message = error ? webnn_error_message(error) : webnn_string{};
  std::fprintf(stderr, "%.*s\n", static_cast<int>(message.length), message.data);
  std::exit(1);
}
#define CHECK(condition) check(condition, #condition)

/// A handle that gives back its reference.
template <class T, void (*release)(T*)> struct Handle {
  T* get = nullptr;

  Handle() = default;
  Handle(const Handle&) = delete;
  ~Handle() { release(get); }
  T** to() { return &get; }
};
using Context = Handle<webnn_context, webnn_context_release>;
using Builder = Handle<webnn_builder, webnn_builder_release>;
using Operand = Handle<webnn_operand, webnn_operand_release>;
using Graph = Handle<webnn_graph, webnn_graph_release>;

webnn_string text(std::string_view s) { return webnn_string_of(s); }

template <std::uint32_t... sizes> webnn_descriptor floats() {
  static const std::uint32_t shape[] = {sizes...};
  return {WEBNN_FLOAT32, {shape, sizeof...(sizes)}};
}

/// A call that has to fail with a TypeError of the operator that names `words`.
void fails(webnn_status status, std::string_view op, std::string_view words) {
  CHECK(status == WEBNN_TYPE_ERROR && error);
  const webnn_string name = webnn_error_operator(error), message = webnn_error_message(error);
  CHECK(std::string_view(name.data, name.length) == op);
  CHECK(std::string_view(message.data, message.length).find(words) != std::string_view::npos);
  webnn_error_release(error);
  error = nullptr;
}

/// What webnn_string_of() and webnn_dims_of() make.
void check_views() {
  const webnn_string literal = webnn_string_of("four");
  CHECK(literal.length == 4 && literal.data[3] == 'r');
  const std::array<std::uint32_t, 2> sizes{3, 5};
  const webnn_dims dims = webnn_dims_of(sizes);
  CHECK(dims.length == 2 && dims.data == sizes.data());
  const std::vector<std::uint32_t> none;
  CHECK(webnn_dims_of(none).length == 0 && webnn_dims_of(none).data != nullptr);
}

}  // namespace

int main() {
  check_views();
  Context context;
  CHECK(webnn_context_create(nullptr, context.to(), &error) == WEBNN_OK);
  Builder b;
  CHECK(webnn_builder_create(context.get, b.to(), &error) == WEBNN_OK);

  // y = relu(x w + c)
  const float w[] = {1, -2, 3, 4, -5, 6}, c[] = {0.5f, -0.25f};
  const webnn_descriptor rows = floats<2, 3>(), weights = floats<3, 2>(), row = floats<2>();
  Operand x, constant, bias, product, y;
  CHECK(webnn_builder_input(b.get, text("x"), &rows, x.to(), &error) == WEBNN_OK);
  CHECK(webnn_builder_constant(b.get, &weights, w, sizeof w, constant.to(), &error) == WEBNN_OK);
  CHECK(webnn_builder_constant(b.get, &row, c, sizeof c, bias.to(), &error) == WEBNN_OK);
  webnn_gemm_options gemm = WEBNN_GEMM_OPTIONS_INIT;
  gemm.c = bias.get;
  gemm.label = text("product");
  CHECK(webnn_builder_gemm(b.get, x.get, constant.get, &gemm, product.to(), &error) == WEBNN_OK);
  CHECK(webnn_builder_relu(b.get, product.get, nullptr, y.to(), &error) == WEBNN_OK);

  Operand none;
  fails(webnn_builder_gemm(b.get, x.get, x.get, &gemm, none.to(), &error), "gemm", "[product]");
  fails(webnn_builder_constant(b.get, &row, w, sizeof w, none.to(), &error), "constant",
        "constant [#3]: the byte length (24)");

  const webnn_named_operand output{text("y"), y.get};
  Graph graph;
  CHECK(webnn_builder_build(b.get, &output, 1, nullptr, graph.to(), &error) == WEBNN_OK);
  const float in[] = {1, 2, 3, -1, 0, 2};
  float out[4] = {};
  const webnn_input_view from{text("x"), in, sizeof in};
  const webnn_output_view to{text("y"), out, sizeof out}, wrong{text("z"), out, sizeof out};
  fails(webnn_context_compute(context.get, graph.get, &from, 1, &wrong, 1, nullptr, &error),
        "compute", "no output named \"z\"");
  CHECK(webnn_context_compute(context.get, graph.get, &from, 1, &to, 1, nullptr, &error) ==
        WEBNN_OK);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      double sum = c[j];
      for (int k = 0; k < 3; ++k) sum += static_cast<double>(in[3 * i + k]) * w[2 * k + j];
      CHECK(out[2 * i + j] == (sum > 0 ? sum : 0));  // exact: small multiples of 1/2
    }
}
