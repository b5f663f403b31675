// webnn.NonMaxSuppression. In the first round each class of each batch selects its boxes, in the
// second one the rows of all of them are put together.
// https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html
#include <cmath>
#include <limits>

#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

std::size_t max_per_class(const CustomCall& call) {
  const auto most = call.attribute<std::int64_t>("maxPerClass");
  const std::size_t boxes = call.inputs[0].shape[1];
  return most == 0 ? boxes : std::min(boxes, static_cast<std::size_t>(most));
}

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  require_operands(call, 2, 5);
  const auto& [type, boxes] = operand(call, 0, "boxes", types::floats, 3);
  const auto& [score_type, scores] = operand(call, 1, "scores", types::floats, 3);
  if (boxes[2] != 4) refuse(fail("its boxes of shape {} are not [batch, boxes, 4]", boxes));
  if (scores[0] != boxes[0] || scores[2] != boxes[1])
    refuse(fail("its scores of shape {} are not [{}, classes, {}]", scores, boxes[0], boxes[1]));
  if (score_type != type)
    refuse(fail("the data type of its scores is {}, not {}", score_type, type));
  constexpr std::string_view names[] = {"iouThreshold", "scoreThreshold", "limit"};
  for (std::size_t i = 2; i < call.inputs.size(); ++i) {
    const auto& [t, shape] = call.inputs[i];
    const bool right = i < 4 ? t == float32 : t == int32 || t == int64;
    if (!right) refuse(fail("the data type of its {} is {}", names[i - 2], t));
    if (element_count(shape) != 1)
      refuse(fail("its {} has {} elements, not 1", names[i - 2], element_count(shape)));
  }
  if (const auto most = call.attribute<std::int64_t>("maxPerClass"); most < 0)
    refuse(fail("maxPerClass ({}) is negative", most));
  const std::uint64_t rows = std::uint64_t{scores[0]} * scores[1] * max_per_class(call);
  if (rows > 0x7fffffff / 24)  // in bytes too
    refuse(fail("the selected boxes can be {}", rows));
  return {{int64, {static_cast<std::uint32_t>(rows), 3}}, {int64, {}}};
}

struct Box {
  float left, top, right, bottom;

  float area() const { return (right - left) * (bottom - top); }
};
template <class T> Box box_at(const T* at, bool center) {
  const auto v = [&](int i) { return static_cast<float>(at[i]); };
  if (center) {
    const float w = v(2) / 2, h = v(3) / 2;
    return {v(0) - w, v(1) - h, v(0) + w, v(1) + h};
  }
  return {std::min(v(1), v(3)), std::min(v(0), v(2)), std::max(v(1), v(3)), std::max(v(0), v(2))};
}

/// Whether the part that two boxes share is larger than the threshold. NaN is not.
bool overlap(const Box& a, const Box& b, float threshold) {
  const float w = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float h = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (!(w > 0) || !(h > 0)) return false;
  const float shared = w * h, all = a.area() + b.area() - shared;
  return all > 0 && shared / all > threshold;
}

struct Form {
  std::size_t batches, classes, boxes, most, inputs;
  bool center, wide;  // limit of 64 bits

  std::size_t pairs() const { return batches * classes; }
  /// In the memory of a run: how many each class selected, and then which.
  std::size_t shared() const { return pairs() * (1 + most) * sizeof(std::int32_t); }
  std::int32_t* counts(const Buffers& b) const { return reinterpret_cast<std::int32_t*>(b.shared); }
  std::int32_t* selected(const Buffers& b, std::size_t pair) const {
    return counts(b) + pairs() + pair * most;
  }
  std::size_t limit(const Buffers& b) const {
    if (inputs < 5) return most;
    const std::int64_t given = wide ? *b.in<std::int64_t>(4) : *b.in<std::int32_t>(4);
    return std::min(most, static_cast<std::size_t>(std::max<std::int64_t>(given, 0)));
  }
};

/// The places of the scores above the threshold, the highest first.
template <class T>
std::size_t candidates(const T* scores, std::size_t n, float threshold, std::int32_t* places,
                       float* values) {
  // Minus infinity lets all pass.
  const bool all = threshold == -std::numeric_limits<float>::infinity();
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(scores[i]);
    if (!std::isnan(values[i]) && (all || values[i] > threshold))
      places[count++] = static_cast<std::int32_t>(i);
  }
  std::sort(places, places + count, [&](std::int32_t a, std::int32_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  return count;
}

template <class T>
void select(const Form& f, std::size_t pair, const Buffers& b, std::byte* scratch) {
  auto* values = reinterpret_cast<float*>(scratch);
  auto* places = reinterpret_cast<std::int32_t*>(values + f.boxes);
  auto* chosen = reinterpret_cast<Box*>(places + f.boxes);
  const float iou = f.inputs > 2 ? *b.in<float>(2) : 0;
  const float least = f.inputs > 3 ? *b.in<float>(3) : -std::numeric_limits<float>::infinity();
  const T* boxes = b.in<T>(0) + pair / f.classes * f.boxes * 4;
  const std::size_t n = candidates(b.in<T>(1) + pair * f.boxes, f.boxes, least, places, values);
  const std::size_t limit = f.limit(b);
  std::int32_t* selected = f.selected(b, pair);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n && count < limit; ++i) {
    const Box box = box_at(boxes + static_cast<std::size_t>(places[i]) * 4, f.center);
    const auto hides = [&](const Box& other) { return overlap(box, other, iou); };
    if (std::any_of(chosen, chosen + count, hides)) continue;
    chosen[count] = box;
    selected[count++] = places[i];
  }
  f.counts(b)[pair] = static_cast<std::int32_t>(count);
}

/// The rows of a class, behind those of the classes before it. The last one fills what is left.
void write(const Form& f, std::size_t pair, const Buffers& b) {
  const std::int32_t* counts = f.counts(b);
  std::size_t row = 0;
  for (std::size_t i = 0; i < pair; ++i) row += static_cast<std::size_t>(counts[i]);
  const std::int32_t* selected = f.selected(b, pair);
  for (std::int32_t i = 0; i < counts[pair]; ++i, ++row) {
    std::int64_t* to = b.out<std::int64_t>(0) + row * 3;
    to[0] = static_cast<std::int64_t>(pair / f.classes);
    to[1] = static_cast<std::int64_t>(pair % f.classes);
    to[2] = selected[i];
  }
  if (pair + 1 < f.pairs()) return;
  *b.out<std::int64_t>(1) = static_cast<std::int64_t>(row);
  std::fill(b.out<std::int64_t>(0) + row * 3, b.out<std::int64_t>(0) + f.pairs() * f.most * 3, -1);
}

Lowering lower(const CustomCall& call) {
  const Dims& scores = call.inputs[1].shape;
  const Form f{scores[0],
               scores[1],
               scores[2],
               max_per_class(call),
               call.inputs.size(),
               call.attribute<bool>("center"),
               call.inputs.size() > 4 && call.inputs[4].dataType == int64};
  return with_float(call.inputs[0].dataType, [&]<class T>(std::type_identity<T>) -> Lowering {
    return Candidate{
        .name = "non_max_suppression",
        .tiles = static_cast<int>(f.pairs()),
        .rounds = 2,
        .scratch = f.boxes * (sizeof(float) + sizeof(std::int32_t)) + f.most * sizeof(Box),
        .shared = f.shared(),
        .run = [=](Range r, const Buffers& b, std::byte* scratch) {
          for (int i = r.begin; i < r.end; ++i) {
            const auto pair = static_cast<std::size_t>(i);
            if (r.round == 0) select<T>(f, pair, b, scratch);
            else write(f, pair, b);
          }
        }};
  });
}

}  // namespace

const Definition& non_max_suppression() {
  static const Definition one =
      custom_operator({.name = "webnn.NonMaxSuppression",
                       .attributes = {{"maxPerClass", 0}, {"center", false}},
                       .infer = &infer,
                       .compute = computed_by(&lower),
                       .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
