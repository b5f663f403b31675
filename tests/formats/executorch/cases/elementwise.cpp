#include "tests/formats/executorch/cases/cases_common.h"

namespace webnn::inline v0_1::executorch::test {
namespace {

struct Unary {
  Kind kind;
  double (*f)(double);
  double low = -2, high = 2;
};
const Unary unaries[] = {
    {Kind::Abs, [](double v) { return std::abs(v); }},
    {Kind::Ceiling, [](double v) { return std::ceil(v); }},
    {Kind::Floor, [](double v) { return std::floor(v); }},
    {Kind::Cos, [](double v) { return std::cos(v); }},
    {Kind::Sin, [](double v) { return std::sin(v); }},
    {Kind::Exp, [](double v) { return std::exp(v); }},
    {Kind::Log, [](double v) { return std::log(v); }, 0.5, 3},
    {Kind::Gelu, [](double v) { return v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))); }},
    {Kind::ApproxGelu,
     [](double v) {
       return v * 0.5 *
              (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (v + 0.044715 * v * v * v)));
     }},
    {Kind::Hardswish, [](double v) { return v * clamp(v + 3, 0, 6) / 6; }, -5, 5},
    {Kind::Negate, [](double v) { return -v; }},
    {Kind::ReciprocalSquareRoot, [](double v) { return 1 / std::sqrt(v); }, 0.5, 3},
    {Kind::SquareRoot, [](double v) { return std::sqrt(v); }, 0, 3},
    {Kind::Square, [](double v) { return v * v; }},
    {Kind::Sigmoid, [](double v) { return 1 / (1 + std::exp(-v)); }},
    {Kind::Tanh, [](double v) { return std::tanh(v); }},
    {Kind::Copy, [](double v) { return v; }},
};

void add_unaries(std::vector<Case>& all, Place place) {
  for (const Unary& u : unaries) {
    Case c{.name = std::string(name_of_kind(u.kind))};
    c.graph.place = place;
    c.inputs = {sample({2, 3, 5}, u.low, u.high)};
    const auto x = c.graph.input({2, 3, 5}), y = c.graph.output({2, 3, 5});
    c.graph.unary(u.kind, x, y);
    c.expected = [f = u.f](const Tensors& in) {
      Tensor y = in[0];
      for (std::size_t i = 0; i < y.size(); ++i) y.set(i, f(in[0][i]));
      return Tensors{y};
    };
    all.push_back(std::move(c));
  }
}

struct Binary {
  Kind kind;
  double (*f)(double, double);
};
const Binary binaries[] = {
    {Kind::Add, [](double a, double b) { return a + b; }},
    {Kind::Subtract, [](double a, double b) { return a - b; }},
    {Kind::Multiply, [](double a, double b) { return a * b; }},
    {Kind::Div, [](double a, double b) { return a / b; }},
    {Kind::Minimum, [](double a, double b) { return std::min(a, b); }},
    {Kind::Maximum, [](double a, double b) { return std::max(a, b); }},
    {Kind::PReLU, [](double a, double b) { return a < 0 ? a * b : a; }},
};

/// With a constant that broadcasts, and limits where the runtime has them.
void add_binaries(std::vector<Case>& all, Place place) {
  for (const Binary& u : binaries) {
    Case c{.name = std::string(name_of_kind(u.kind))};
    c.graph.place = place;
    const Tensor other = sample({5}, 0.25, 2, 7);
    c.inputs = {sample({2, 3, 5})};
    const auto x = c.graph.input({2, 3, 5}), k = c.graph.floats({5}, floats_of(other)),
               y = c.graph.output({2, 3, 5});
    c.graph.binary(u.kind, x, k, y);
    const bool limited = u.kind == Kind::Add || u.kind == Kind::Subtract ||
                         u.kind == Kind::Multiply || u.kind == Kind::Div;
    if (limited) c.graph.limits(-1, 1.5);
    c.expected = [f = u.f, other, limited](const Tensors& in) {
      Tensor y = in[0];
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double v = f(in[0][i], other[i % 5]);
        y.set(i, limited ? clamp(v, -1, 1.5) : v);
      }
      return Tensors{y};
    };
    all.push_back(std::move(c));
  }
}

void add_activations(std::vector<Case>& all, Place place) {
  const auto mapped = [](auto f) {
    return [f](const Tensors& in) {
      Tensor y = in[0];
      for (std::size_t i = 0; i < y.size(); ++i) y.set(i, f(in[0][i]));
      return Tensors{y};
    };
  };
  {
    Case c{.name = "Clamp"};
    c.inputs = {sample({4, 4})};
    const auto x = c.graph.input({4, 4}), y = c.graph.output({4, 4});
    c.graph.unary(Kind::Clamp, x, y);
    c.graph.limits(-0.5, 1);
    c.expected = mapped([](double v) { return clamp(v, -0.5, 1); });
    all.push_back(std::move(c));
  }
  {
    Case c{.name = "Clamp_below"};
    c.inputs = {sample({4, 4})};
    const auto x = c.graph.input({4, 4}), y = c.graph.output({4, 4});
    c.graph.unary(Kind::Clamp, x, y);
    c.graph.limits(0, INFINITY);
    c.expected = mapped([](double v) { return std::max(v, 0.0); });
    all.push_back(std::move(c));
  }
  {
    Case c{.name = "LeakyReLU"};
    c.inputs = {sample({4, 4})};
    xnn::NodeLeakyReLUT t;
    t.negative_slope = 0.25f;
    t.input_id = c.graph.input({4, 4});
    t.output_id = c.graph.output({4, 4});
    c.graph.node(Kind::LeakyReLU, t);
    c.expected = mapped([](double v) { return v < 0 ? 0.25 * v : v; });
    all.push_back(std::move(c));
  }
  {
    Case c{.name = "ELU"};
    c.inputs = {sample({4, 4})};
    xnn::NodeELUT t;
    t.alpha = 0.5f;
    t.input_id = c.graph.input({4, 4});
    t.output_id = c.graph.output({4, 4});
    c.graph.node(Kind::ELU, t);
    c.expected = mapped([](double v) { return v < 0 ? 0.5 * std::expm1(v) : v; });
    all.push_back(std::move(c));
  }
  {
    Case c{.name = "Softmax"};
    c.inputs = {sample({3, 4})};
    const auto x = c.graph.input({3, 4}), y = c.graph.output({3, 4});
    c.graph.unary(Kind::Softmax, x, y);
    c.expected = [](const Tensors& in) {
      Tensor y = in[0];
      for (std::size_t r = 0; r < 3; ++r) {
        double sum = 0;
        for (std::size_t k = 0; k < 4; ++k) sum += std::exp(in[0][r * 4 + k]);
        for (std::size_t k = 0; k < 4; ++k) y.set(r * 4 + k, std::exp(in[0][r * 4 + k]) / sum);
      }
      return Tensors{y};
    };
    all.push_back(std::move(c));
  }
  for (auto it = all.end() - 5; it != all.end(); ++it) it->graph.place = place;
}

}  // namespace

void add_elementwise_cases(std::vector<Case>& all, Place place) {
  add_unaries(all, place);
  add_binaries(all, place);
  add_activations(all, place);
}

}  // namespace webnn::inline v0_1::executorch::test
