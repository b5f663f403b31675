// What passes and backends look for: several operators together, as networks have them.
#include "tests/random/images.h"

namespace webnn::inline v0_1::test {
namespace {

MLOperand activation(Generator& g, const MLOperand& x) {
  switch (g.between(0, 11)) {
    case 0:
    case 1: return g.append(ops::relu{x});
    case 2: return g.append(ops::clamp{x, {.minValue = 0, .maxValue = 6}});
    case 3: return g.append(ops::sigmoid{x}, 0);
    case 4: return g.append(ops::hardSwish{x});
    case 5: return g.append(ops::leakyRelu{x, {.alpha = 0.1}});
    case 6: return g.append(ops::tanh{x}, 0);
    case 7: return g.append(ops::elu{x, {.alpha = 0.7}});
    case 8: return g.append(ops::gelu{x});
    case 9: return g.append(ops::hardSigmoid{x}, 0);
    case 10: return g.append(ops::mul{x, g.append(ops::sigmoid{x}, 0)});  // silu
    default: return g.append(ops::linear{x, {.alpha = -1.5, .beta = 0.25}}, g.magnitude(x) + 1);
  }
}

/// A constant for each channel, or one for all, that broadcasts to the image.
MLOperand by_channel(Generator& g, const Image& i, Interval values = {-1, 1}) {
  const std::uint32_t c = i.channels();
  const Dims shape = g.one_of(std::vector<Dims>{
      {}, {1}, i.nhwc ? Dims{c} : Dims{c, 1, 1}, i.nhwc ? Dims{1, 1, 1, c} : Dims{1, c, 1, 1}});
  return g.weight(i.x.dataType(), shape, values);
}

Image normalized(Generator& g, const Image& i) {
  const auto type = i.x.dataType();
  const Dims shape{i.channels()};
  ops::batchNormalization op{i.x, g.constant(g.tensor(type, shape, {-1, 1})),
                             g.constant(g.tensor(type, shape, {0.3, 2}))};
  op.options.axis = i.axis();
  if (g.chance(0.6)) op.options.scale = g.constant(g.tensor(type, shape, {-1, 1}));
  if (g.chance(0.6)) op.options.bias = g.constant(g.tensor(type, shape, {-1, 1}));
  return {g.append(op, g.magnitude(i.x) + 2), i.nhwc};
}

Image other_layout(Generator& g, const Image& i) {
  const OptionalList<std::uint32_t> order =
      i.nhwc ? OptionalList<std::uint32_t>{0, 3, 1, 2} : OptionalList<std::uint32_t>{0, 2, 3, 1};
  return {g.append(ops::transpose{i.x, {.permutation = order}}), !i.nhwc};
}

Image padded(Generator& g, const Image& i) {
  ops::pad op{i.x, Dims(4, 0), Dims(4, 0)};
  for (std::uint32_t d : {i.nhwc ? 1u : 2u, i.nhwc ? 2u : 3u})
    op.beginningPadding[d] = g.between(0, 1), op.endingPadding[d] = g.between(0, 2);
  if (g.chance(0.1)) op.endingPadding[i.axis()] = 1;
  if (g.chance(0.15)) op.options.value = 0.25;
  return {g.append(op), i.nhwc};
}

/// pad, conv2d, batchNormalization or arithmetic with constants, activation: each perhaps.
void layer(Generator& g) {
  Image i = random_image(g, types::floats);
  if (g.chance(0.25)) i = padded(g, i);
  if (g.chance(0.2)) i = other_layout(g, i);
  const Image from = i;
  i = convolved(g, i, random_convolution(g, i));
  for (std::uint32_t more = g.between(0, 2); more > 0; --more) {
    switch (g.between(0, 4)) {
      case 0: i.x = g.append(ops::add{i.x, by_channel(g, i)}); break;
      case 1: i.x = g.append(ops::mul{by_channel(g, i), i.x}); break;
      case 2: i.x = g.append(ops::div{i.x, by_channel(g, i, {0.5, 2})}); break;
      case 3: i.x = g.append(ops::sub{i.x, by_channel(g, i)}); break;
      default: i = normalized(g, i);
    }
  }
  if (g.chance(0.3)) {  // residual
    const MLOperand other = from.x.shape() == i.x.shape() && g.chance(0.7)
                                ? from.x
                                : g.like(i.x.dataType(), i.x.shape());
    i.x = g.chance(0.5) ? g.append(ops::add{i.x, other}) : g.append(ops::add{other, i.x});
  }
  if (g.chance(0.7)) i.x = activation(g, i.x);
  if (g.chance(0.2)) i = other_layout(g, i);
}

/// A mean over each channel, a function of it, and the image times that.
void squeeze_and_excitation(Generator& g) {
  const Image i = random_image(g, types::floats);
  const auto axes = i.nhwc ? OptionalList<std::uint32_t>{1, 2} : OptionalList<std::uint32_t>{2, 3};
  MLOperand mean = g.append(ops::reduceMean{i.x, {.axes = axes, .keepDimensions = true}});
  if (g.chance(0.4)) mean = g.append(ops::averagePool2d{i.x, {.layout = i.layout()}});
  const Image gate = convolved(g, {mean, i.nhwc}, {.outputs = i.channels()});
  const MLOperand factor = g.append(ops::sigmoid{gate.x}, 0);
  g.append(ops::mul{i.x, factor});
}

/// softmax(q k' / sqrt(d) + mask) v
void attention(Generator& g) {
  const MLOperand x = g.limited(types::floats, 3, {3, 3});
  const auto type = x.dataType();
  const std::uint32_t depth = x.shape()[2], inner = g.between(1, 6);
  const auto projected = [&] {
    MLOperand y = g.append(ops::matmul{x, g.weight(type, {depth, inner})}, 6);
    if (g.chance(0.5)) y = g.append(ops::add{y, g.weight(type, {inner})});
    return y;
  };
  const MLOperand q = projected(), k = projected(), v = g.chance(0.8) ? projected() : k;
  MLOperand scores =
      g.append(ops::matmul{q, g.append(ops::transpose{k, {.permutation = {0, 2, 1}}})}, 8);
  const MLOperand scale = g.constant(filled(type, {}, 0.375));
  scores = g.chance(0.5) ? g.append(ops::mul{scores, scale}) : g.append(ops::div{scores, scale});
  if (g.chance(0.4)) scores = g.append(ops::add{scores, g.like(type, {x.shape()[1]})});
  const MLOperand weights = g.append(ops::softmax{g.tamed(scores, 6), 2}, 0);
  g.append(ops::matmul{weights, v}, 6);
}

/// A product, perhaps of a flattened or transposed image, a row added, an activation.
void dense(Generator& g) {
  MLOperand x = g.limited(types::floats, 5, {2, 4});
  const auto type = x.dataType();
  const std::uint32_t columns = g.between(1, 6);
  MLOperand y;
  if (x.rank() == 4 && g.chance(0.6)) {
    const Image i{x, g.chance(0.5)};
    const MLOperand image = g.chance(0.6) ? other_layout(g, i).x : x;
    const std::uint32_t rows = image.shape()[0];
    const auto depth = static_cast<std::uint32_t>(element_count(image.shape())) / rows;
    const bool turned = g.chance(0.5);
    y = g.append(ops::gemm{g.append(ops::reshape{image, {rows, depth}}),
                           g.weight(type, turned ? Dims{columns, depth} : Dims{depth, columns}),
                           {.bTranspose = turned}},
                 10);
  } else {
    Dims shape{x.shape().back(), columns};
    if (g.chance(0.3)) shape.insert(shape.begin(), 1);
    y = g.append(ops::matmul{x, g.weight(type, shape)}, 9);
  }
  if (g.chance(0.3)) {
    const auto count = static_cast<std::uint32_t>(element_count(y.shape()));
    y = g.append(ops::reshape{y, {count / columns, 1, columns}});
  }
  if (g.chance(0.6)) {
    const MLOperand row = g.weight(type, g.one_of(std::vector<Dims>{{}, {columns}, {1, columns}}));
    y = g.chance(0.5) ? g.append(ops::add{y, row}) : g.append(ops::add{row, y});
  }
  if (g.chance(0.5)) activation(g, y);
}

/// Makes the same operators twice, for the elimination of common subexpressions.
void repeated(Generator& g) {
  const MLOperand x = g.any(types::floats, {1, 4});
  const auto chain = [&] {
    const MLOperand y = g.append(ops::reverse{g.append(ops::sigmoid{x}, 0)});
    return g.append(ops::softmax{y, x.rank() - 1}, 0);
  };
  const MLOperand a = chain(), b = chain();
  g.append(ops::add{a, b});
}

/// A transposition, operators on elements, and the transposition back.
void transposed_elements(Generator& g) {
  const MLOperand x = g.any(types::floats, {2, 4});
  const Dims order = g.permutation(x.rank());
  Dims back(order.size());
  for (std::uint32_t d = 0; d < order.size(); ++d) back[order[d]] = d;
  MLOperand y = g.append(ops::transpose{x, {.permutation = OptionalList<std::uint32_t>(order)}});
  for (std::uint32_t more = g.between(0, 3); more > 0; --more)
    y = g.chance(0.5) ? activation(g, y) : g.append(ops::add{y, g.beside(y)});
  if (y.rank() == back.size())
    g.append(ops::transpose{y, {.permutation = OptionalList<std::uint32_t>(back)}});
}

/// An expression of constants alone.
void constants(Generator& g) {
  const auto type = g.type_in(types::floats);
  const Dims shape = g.shape({0, 4});
  const MLOperand a = g.constant(g.tensor(type, shape)), b = g.constant(g.tensor(type, {}));
  const MLOperand c = g.append(ops::mul{g.append(ops::tanh{a}, 0), b});
  g.append(ops::add{c, g.like(type, shape)});
}

}  // namespace

void generate_pattern(Generator& g) {
  switch (g.between(0, 11)) {
    case 0:
    case 1:
    case 2:
    case 3: return layer(g);
    case 4: return squeeze_and_excitation(g);
    case 5: return attention(g);
    case 6:
    case 7: return dense(g);
    case 8: return generate_written_out(g);
    case 9: return repeated(g);
    case 10: return transposed_elements(g);
    default: return constants(g);
  }
}

}  // namespace webnn::inline v0_1::test
