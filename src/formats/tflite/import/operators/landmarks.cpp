// MediaPipe's operators on landmarks, the points of a face or a hand: parts of images around them.
// Their second versions; the first ones have tensors of other ranks.
#include "src/formats/tflite/import/custom_options.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

constexpr std::int64_t max_size = 1 << 14;

std::int64_t size_option(const Call& c, const CustomOptionsOf& o, std::string_view name) {
  const std::int64_t n = o.integer(name);
  if (n < 1 || n > max_size) c.refuse(fail("its option {} is {}", name, n));
  return n;
}

/// A matrix of 4 x 4 without what moves along z: the factors of x, y and 1 for both coordinates,
/// as columns.
MLOperand factors(const Call& c, std::size_t i) {
  const MLOperand matrix = c.reshaped(c.value(i), SizeList{4, 4});
  const MLOperand rows = c.b.slice(matrix, {0, 0}, {2, 4});
  const MLOperand all =
      c.b.concat({c.b.slice(rows, {0, 0}, {2, 2}), c.b.slice(rows, {0, 3}, {2, 1})}, 1);
  return c.permuted(all, {1, 0});
}

/// The image at the places to which a matrix moves those of the result; 0 outside of it.
void transform_tensor(Call& c) {
  const MLOperand x = c.value(0);
  c.require_rank(x, 4, 4);
  const CustomOptionsOf o(c);
  const std::int64_t height = size_option(c, o, "output_height"),
                     width = size_option(c, o, "output_width");
  const auto rows = static_cast<std::uint32_t>(height), columns = static_cast<std::uint32_t>(width);
  const auto in_height = static_cast<double>(Size::dimension(x, 1).number()),
             in_width = static_cast<double>(Size::dimension(x, 2).number());
  if (!Size::dimension(x, 0).is(1)) c.unsupported("its batch is not 1");
  c.spend(static_cast<std::uint64_t>(height * width) * 12);
  std::vector<float> centers;
  for (std::uint32_t i = 0; i < rows; ++i)
    for (std::uint32_t j = 0; j < columns; ++j)
      centers.insert(centers.end(),
                     {static_cast<float>(j) + 0.5f, static_cast<float>(i) + 0.5f, 1.0f});
  const auto k = [&](double v) { return c.scalar(float32, v); };
  const MLOperand places =
      c.b.sub(c.b.matmul(c.floats({rows * columns, 3}, centers), factors(c, 1)), k(0.5));
  const MLOperand last =
      c.floats({1, 2}, {static_cast<float>(in_width - 1), static_cast<float>(in_height - 1)});
  const auto step = [](double size) { return static_cast<float>(size > 1 ? 2 / (size - 1) : 0); };
  const MLOperand grid =
      c.b.sub(c.b.mul(places, c.floats({1, 2}, {step(in_width), step(in_height)})), k(1));
  const MLOperand within = c.b.reduceMin(
      c.b.cast(c.b.logicalAnd(c.b.greaterOrEqual(places, k(0)), c.b.lesserOrEqual(places, last)),
               float32),
      {.axes = {1}});
  const MLOperand y =
      c.b.custom(operators::grid_sample(),
                 {c.permuted(x, {0, 3, 1, 2}), c.reshaped(grid, SizeList{1, height, width, 2})},
                 {.attributes = {{"alignCorners", true}}, .label = c.label()})[0];
  const MLOperand mask = c.b.greater(c.reshaped(within, SizeList{1, height, width, 1}), k(0));
  c.put(c.b.where(mask, c.permuted(y, {0, 2, 3, 1}), k(0)));
}

/// The matrix that moves a picture of a given size to the box around landmarks, turned so that the
/// line between two of them has a given angle.
void landmarks_to_matrix(Call& c) {
  const MLOperand given = c.value(0);
  c.require_rank(given, 3, 3);
  if (!Size::dimension(given, 0).is(1) || !Size::dimension(given, 2).is(3))
    c.unsupported("its landmarks are not [1, landmarks, 3]");
  const std::int64_t n = Size::dimension(given, 1).number();
  const CustomOptionsOf o(c);
  const auto place = [&](std::int64_t i) {
    if (i < 0 || i >= n) c.refuse(fail("the index {} is not within {} landmarks", i, n));
    return static_cast<std::int32_t>(i);
  };
  const auto width = static_cast<double>(size_option(c, o, "output_width")),
             height = static_cast<double>(size_option(c, o, "output_height"));
  const double target = o.real("target_rotation_radians", 0);
  std::vector<std::int32_t> subset;
  for (const std::int64_t i : o.integers("subset_idxs")) subset.push_back(place(i));
  if (subset.empty()) c.refuse(fail("subset_idxs is empty"));
  const auto k = [&](double v) { return c.scalar(float32, v); };
  const auto times = [&](const MLOperand& a, const MLOperand& b) { return c.b.mul(a, b); };
  const MLOperand points =
      c.b.slice(c.reshaped(given, SizeList{n, 3}), {0, 0}, {static_cast<std::uint32_t>(n), 2});
  // Parts of [n, 2]: x, or y, of points in a row.
  const auto part = [&](const MLOperand& of, std::uint32_t first, std::uint32_t count,
                        std::uint32_t d) {
    return c.reshaped(c.b.slice(of, {first, d}, {count, 1}), SizeList{count});
  };
  const auto left = static_cast<std::uint32_t>(place(o.integer("left_rotation_idx"))),
             right = static_cast<std::uint32_t>(place(o.integer("right_rotation_idx")));
  const MLOperand dx = c.b.sub(part(points, right, 1, 0), part(points, left, 1, 0)),
                  dy = c.b.sub(part(points, right, 1, 1), part(points, left, 1, 1));
  const MLOperand length = c.b.sqrt(c.b.add(times(dx, dx), times(dy, dy)));
  const MLOperand none = c.b.equal(length, k(0));
  const MLOperand along = c.b.where(none, k(1), c.b.div(dx, c.b.where(none, k(1), length))),
                  across = c.b.where(none, k(0), c.b.div(dy, c.b.where(none, k(1), length)));
  // The cosine and the sine of the angle between that line and the target.
  const MLOperand cosine = c.b.add(times(along, k(std::cos(target))),
                                   times(across, k(std::sin(target)))),
                  sine = c.b.sub(times(along, k(std::sin(target))),
                                 times(across, k(std::cos(target))));
  const auto count = static_cast<std::uint32_t>(subset.size());
  const MLOperand chosen = c.b.gather(points, c.int32s({count}, subset));
  const MLOperand x = part(chosen, 0, count, 0), y = part(chosen, 0, count, 1);
  const MLOperand turned_x = c.b.sub(times(x, cosine), times(y, sine)),
                  turned_y = c.b.add(times(x, sine), times(y, cosine));
  const auto most = [&](const MLOperand& v) { return c.b.reduceMax(v, {.keepDimensions = true}); };
  const auto least = [&](const MLOperand& v) { return c.b.reduceMin(v, {.keepDimensions = true}); };
  const auto extent = [&](const MLOperand& v, double factor) {
    return times(c.b.sub(most(v), least(v)), k(factor));
  };
  const auto middle = [&](const MLOperand& v) { return times(c.b.add(most(v), least(v)), k(0.5)); };
  const MLOperand scale_x = extent(turned_x, o.real("scale_x") / width),
                  scale_y = extent(turned_y, o.real("scale_y") / height);
  const MLOperand xx = times(cosine, scale_x), xy = times(sine, scale_y),
                  yx = c.b.neg(times(sine, scale_x)), yy = times(cosine, scale_y);
  const auto shift = [&](const MLOperand& center, const MLOperand& of_x, const MLOperand& of_y) {
    return c.b.sub(center, c.b.add(times(of_x, k(width / 2)), times(of_y, k(height / 2))));
  };
  const MLOperand mx = middle(turned_x), my = middle(turned_y);
  const MLOperand center_x = c.b.add(times(mx, cosine), times(my, sine)),
                  center_y = c.b.sub(times(my, cosine), times(mx, sine));
  const MLOperand zero = c.floats({1}, {0});
  const MLOperand all = c.b.concat({xx, xy, zero, shift(center_x, xx, xy),  //
                                    yx, yy, zero, shift(center_y, yx, yy),  //
                                    c.floats({8}, {0, 0, 1, 0, 0, 0, 0, 1})},
                                   0, {.label = c.label()});
  c.put(c.reshaped(all, SizeList{1, 4, 4}));
}

/// x and y of landmarks moved by a matrix. Without options, the shape says the dimensions.
void transform_landmarks(Call& c) {
  const MLOperand x = c.value(0);
  c.require_rank(x, 3, 3);
  const std::int64_t dimensions = c.custom_options().empty()
                                      ? Size::dimension(x, 2).number()
                                      : CustomOptionsOf(c).integer("dimensions", 3);
  if (dimensions != 2 && dimensions != 3) c.refuse(fail("its dimensions are {}", dimensions));
  if (!Size::dimension(x, 0).is(1) || !Size::dimension(x, 2).is(dimensions))
    c.unsupported(fail("its landmarks are not [1, landmarks, {}]", dimensions));
  const auto n = static_cast<std::uint32_t>(Size::dimension(x, 1).number());
  const MLOperand rows = c.reshaped(x, SizeList{n, dimensions});
  const MLOperand all = factors(c, 1);
  const MLOperand moved =
      c.b.add(c.b.matmul(c.b.slice(rows, {0, 0}, {n, 2}), c.b.slice(all, {0, 0}, {2, 2})),
              c.b.slice(all, {2, 0}, {1, 2}), {.label = c.label()});
  const MLOperand y =
      dimensions == 2 ? moved : c.b.concat({moved, c.b.slice(rows, {0, 2}, {n, 1})}, 1);
  c.put(c.reshaped(y, SizeList{1, n, dimensions}));
}

constexpr Handler handlers[] = {
    {Code::CUSTOM, transform_tensor, 2, 2, 1, 1, "TransformTensorBilinear"},
    {Code::CUSTOM, landmarks_to_matrix, 1, 1, 1, 1, "Landmarks2TransformMatrix"},
    {Code::CUSTOM, transform_landmarks, 2, 2, 1, 1, "TransformLandmarks"},
};

}  // namespace

std::span<const Handler> landmark_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
