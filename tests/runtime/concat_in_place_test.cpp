// Operands of concats that are computed where they lie in the result.
#include "src/runtime/graph_state.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Floats = std::vector<float>;

/// neg, whose rows along the last dimension may lie apart.
Lowering lower_neg(Chain chain) {
  if (chain.size() > 1 || !chain.front().as<ops::neg>()) return Refusal{"not a neg"};
  const Dims& shape = chain.front().output().shape();
  const std::size_t row = shape.back(), count = element_count(shape);
  return Candidate{.name = "rows",
                   .tiles = static_cast<int>(count),
                   .row = row,
                   .run = [row](Range r, const Buffers& b, std::byte*) {
                     for (auto i = static_cast<std::size_t>(r.begin);
                          i < static_cast<std::size_t>(r.end); ++i)
                       b.out<float>()[i / row * b.pitch_of(row) + i % row] = -b.in<float>()[i];
                   }};
}

struct Case {
  MLContext context{{.threads = 2, .backends = {own_backend(lower_neg), "reference"}}};
  MLGraphBuilder b{context};
  MLOperand x = b.input("x", {float32, {2, 3}}), z = b.input("z", {float32, {2, 2}});
  MLOperand n = b.neg(x), m = b.neg(z);

  /// Computes y for an x of 0 to 5 and a z of 6 to 9; z is read again.
  Floats run(const MLOperand& y) {
    const MLGraph g = b.build({{"y", y}, {"z'", b.relu(z)}});
    kernels.clear();
    for (const Step& s : detail::state_of(g)->plan.steps)
      if (!s.choice.chain.back().as<ops::relu>()) kernels += s.choice.kernel->name + ", ";
    const Floats in_x{0, 1, 2, 3, 4, 5}, in_z{6, 7, 8, 9};
    Floats out(element_count(y.shape())), other(4);
    std::vector<NamedInput> inputs;
    for (const auto& [name, d] : g.inputs()) inputs.push_back({name, name == "x" ? in_x : in_z});
    context.compute(g, inputs, std::vector<NamedOutput>{{"y", out}, {"z'", other}});
    return out;
  }
  std::string kernels{};
};

}  // namespace

TEST_CASE_METHOD(Case, "operands of a concat are computed in its result") {
  SECTION("one behind the other") {
    CHECK(run(b.concat({b.reshape(n, {6}), b.reshape(m, {4})}, 0)) ==
          Floats{0, -1, -2, -3, -4, -5, -6, -7, -8, -9});
    CHECK(kernels == "rows, rows, ");
  }
  SECTION("in rows") {
    CHECK(run(b.neg(b.concat({n, m}, 1))) == Floats{0, 1, 2, 6, 7, 3, 4, 5, 8, 9});
    CHECK(kernels == "rows, rows, rows, ");
  }
  SECTION("in rows of an output") {
    CHECK(run(b.concat({n, m}, 1)) == Floats{0, -1, -2, -6, -7, -3, -4, -5, -8, -9});
    CHECK(kernels == "rows, rows, ");
  }
  SECTION("beside an input, which is copied") {
    CHECK(run(b.concat({z, n}, 1)) == Floats{6, 7, 0, -1, -2, 8, 9, -3, -4, -5});
    CHECK(kernels == "rows, copy rows, ");
  }
  SECTION("twice, of which one is copied") {
    CHECK(run(b.concat({n, n}, 0)) == Floats{0, -1, -2, -3, -4, -5, 0, -1, -2, -3, -4, -5});
    CHECK(kernels == "rows, copy rows, ");
  }
  SECTION("twice in rows, of which none is") {
    CHECK(run(b.concat({n, n}, 1)) == Floats{0, -1, -2, 0, -1, -2, -3, -4, -5, -3, -4, -5});
    CHECK(kernels == "rows, copy rows, ");
  }
  SECTION("not in rows that another operator reads") {
    CHECK(run(b.concat({b.concat({n, m}, 1), n}, 1)) ==
          Floats{0, -1, -2, -6, -7, 0, -1, -2, -3, -4, -5, -8, -9, -3, -4, -5});
    CHECK(kernels == "rows, rows, copy rows, copy rows, ");
  }
  SECTION("not when the rows are not those of the kernel") {
    const Dims columns{2, 3, 1};
    CHECK(run(b.concat({b.reshape(n, columns), b.reshape(x, columns)}, 2)) ==
          Floats{0, 0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5});
    CHECK(kernels == "rows, copy rows, ");
  }
  SECTION("read by others too, behind and before the concat") {
    const MLOperand both = b.concat({n, b.neg(b.relu(x))}, 0);
    CHECK(run(b.concat({both, b.sub(n, x), b.slice(both, {1, 0}, {2, 3})}, 0)) ==
          Floats{0, -1, -2, -3, -4, -5,  0,  -1, -2, -3, -4, -5,
                 0, -2, -4, -6, -8, -10, -3, -4, -5, 0,  -1, -2});
  }
  SECTION("a concat in a concat") {
    const MLOperand inner = b.concat({n, b.neg(b.relu(x))}, 0);
    CHECK(run(b.concat({b.relu(x), inner}, 0)) ==
          Floats{0, 1, 2, 3, 4, 5, 0, -1, -2, -3, -4, -5, 0, -1, -2, -3, -4, -5});
    CHECK(kernels.find("copy") == std::string::npos);
  }
}
