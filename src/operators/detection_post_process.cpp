// webnn.DetectionPostProcess: boxes decoded from anchors, of which those that overlap are left out,
// as TensorFlow Lite's TFLite_Detection_PostProcess.
#include <cmath>
#include <numeric>

#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

struct Box {
  float top, left, bottom, right;

  float area() const { return bottom > top && right > left ? (bottom - top) * (right - left) : 0; }
};

struct Form {
  std::size_t boxes, row, columns, classes, most, classes_of_box, most_of_class;
  bool regular;
  float least, iou;
  double y, x, h, w;

  std::size_t background() const { return columns - classes; }
  std::size_t results() const { return most * classes_of_box; }
};

std::size_t count_of(const CustomCall& call, std::string_view name) {
  constexpr std::int64_t limit = 1 << 20;
  const auto n = call.attribute<std::int64_t>(name);
  if (n < 1 || n > limit) refuse(fail("{} ({}) is not from 1 to {}", name, n, limit));
  return static_cast<std::size_t>(n);
}

Form form_of(const CustomCall& call) {
  require_operands(call, 3, 3);
  const Dims& boxes = operand(call, 0, "boxes", {float32}, 3).shape;
  const Dims& scores = operand(call, 1, "scores", {float32}, 3).shape;
  const Dims& anchors = operand(call, 2, "anchors", {float32}, 2).shape;
  if (boxes[0] != 1 || boxes[2] < 4)
    refuse(fail("its boxes of shape {} are not [1, boxes, 4 or more]", boxes));
  if (scores[0] != 1 || scores[1] != boxes[1])
    refuse(fail("its scores of shape {} are not [1, {}, classes]", scores, boxes[1]));
  if (anchors[0] != boxes[1] || anchors[1] != 4)
    refuse(fail("its anchors of shape {} are not [{}, 4]", anchors, boxes[1]));
  const std::size_t classes = count_of(call, "classes");
  if (classes != scores[2] && classes + 1 != scores[2])
    refuse(fail("it has scores of {} classes, but classes is {}", scores[2], classes));
  const auto scales = call.attribute<std::vector<double>>("scales");
  if (scales.size() != 4) refuse(fail("scales has {} numbers, not 4", scales.size()));
  for (const double v : scales)
    if (!std::isfinite(v) || v == 0) refuse(fail("scales has {}", v));
  const auto iou = call.attribute<float>("iouThreshold");
  if (!(iou > 0 && iou <= 1)) refuse(fail("iouThreshold ({}) is not above 0 and at most 1", iou));
  const bool regular = call.attribute<bool>("regular");
  const std::size_t most = count_of(call, "maxDetections"),
                    each = count_of(call, "maxClassesPerDetection");
  if (most * each > 0x7fffffff / 4) refuse(fail("it has {} detections", most * each));
  return {boxes[1],
          boxes[2],
          scores[2],
          classes,
          most,
          each,
          count_of(call, "detectionsPerClass"),
          regular,
          call.attribute<float>("scoreThreshold"),
          iou,
          scales[0],
          scales[1],
          scales[2],
          scales[3]};
}

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  const auto n = static_cast<std::uint32_t>(form_of(call).results());
  return {{float32, {1, n, 4}}, {float32, {1, n}}, {float32, {1, n}}, {float32, {1}}};
}

Box decoded(const Form& f, const float* at, const float* anchor) {
  const double height = anchor[2], width = anchor[3];
  const auto center = [](double v, double scale, double size, double from) {
    return static_cast<float>(v / scale * size + from);
  };
  const auto half = [](double v, double scale, double size) {
    return static_cast<float>(0.5 * std::exp(v / scale) * size);
  };
  const float y = center(at[0], f.y, height, anchor[0]), x = center(at[1], f.x, width, anchor[1]);
  const float h = half(at[2], f.h, height), w = half(at[3], f.w, width);
  return {y - h, x - w, y + h, x + w};
}

float overlap(const Box& a, const Box& b) {
  if (!(a.area() > 0) || !(b.area() > 0)) return 0;
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top),
              width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float shared = std::max(height, 0.0f) * std::max(width, 0.0f);
  return shared / (a.area() + b.area() - shared);
}

/// The boxes with the highest scores, of which none overlaps one before it; scores(i) is that of
/// box i.
template <class F>
std::vector<std::size_t> selected(const Form& f, const std::vector<Box>& boxes, F score,
                                  std::size_t most) {
  std::vector<std::size_t> order, chosen;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (score(i) >= f.least) order.push_back(i);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return score(a) > score(b); });
  for (const std::size_t i : order) {
    if (chosen.size() >= most) break;
    const auto hides = [&](std::size_t k) { return overlap(boxes[k], boxes[i]) > f.iou; };
    if (std::ranges::none_of(chosen, hides)) chosen.push_back(i);
  }
  return chosen;
}

struct Results {
  const Form& f;
  const Buffers& b;
  const std::vector<Box>& boxes;

  float score(std::size_t box, std::size_t c) const {
    return b.in<float>(1)[box * f.columns + f.background() + c];
  }
  void put(std::size_t at, std::size_t box, std::size_t c) const {
    const Box& v = boxes[box];
    float* to = b.out<float>(0) + at * 4;
    to[0] = v.top, to[1] = v.left, to[2] = v.bottom, to[3] = v.right;
    b.out<float>(1)[at] = static_cast<float>(c);
    b.out<float>(2)[at] = score(box, c);
  }
};

/// Boxes are selected for each class by itself.
std::size_t regular(const Results& r) {
  struct Found {
    std::size_t box, c;
  };
  std::vector<Found> all;
  for (std::size_t c = 0; c < r.f.classes; ++c)
    for (const std::size_t i : selected(
             r.f, r.boxes, [&](std::size_t k) { return r.score(k, c); }, r.f.most_of_class))
      all.push_back({i, c});
  std::ranges::stable_sort(all, [&](const Found& v, const Found& w) {
    return r.score(v.box, v.c) > r.score(w.box, w.c);
  });
  all.resize(std::min(all.size(), r.f.most));
  for (std::size_t i = 0; i < all.size(); ++i) r.put(i, all[i].box, all[i].c);
  return all.size();
}

/// Boxes are selected by the score of their best class, and have several.
std::size_t fast(const Results& r) {
  const Form& f = r.f;
  const auto best = [&](std::size_t i) {
    float most = r.score(i, 0);
    for (std::size_t c = 1; c < f.classes; ++c) most = std::max(most, r.score(i, c));
    return most;
  };
  std::vector<float> scores(f.boxes);
  for (std::size_t i = 0; i < f.boxes; ++i) scores[i] = best(i);
  const auto chosen = selected(
      f, r.boxes, [&](std::size_t i) { return scores[i]; }, f.most);
  std::vector<std::size_t> order(f.classes);
  const std::size_t each = std::min(f.classes_of_box, f.classes);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t v, std::size_t w) {
      return r.score(chosen[i], v) > r.score(chosen[i], w);
    });
    for (std::size_t k = 0; k < each; ++k) r.put(i * f.classes_of_box + k, chosen[i], order[k]);
  }
  return chosen.size();
}

void run(const Form& f, const Buffers& b) {
  std::vector<Box> boxes(f.boxes);
  for (std::size_t i = 0; i < f.boxes; ++i)
    boxes[i] = decoded(f, b.in<float>(0) + i * f.row, b.in<float>(2) + i * 4);
  std::fill_n(b.out<float>(0), f.results() * 4, 0.0f);
  std::fill_n(b.out<float>(1), f.results(), 0.0f);
  std::fill_n(b.out<float>(2), f.results(), 0.0f);
  const Results r{f, b, boxes};
  *b.out<float>(3) = static_cast<float>(f.regular ? regular(r) : fast(r));
}

Lowering lower(const CustomCall& call) {
  return Candidate{.name = "detection_post_process",
                   .run = [f = form_of(call)](Range, const Buffers& b, std::byte*) { run(f, b); }};
}

}  // namespace

const Definition& detection_post_process() {
  static const Definition one = custom_operator({.name = "webnn.DetectionPostProcess",
                                                 .attributes = {{"maxDetections", {}},
                                                                {"maxClassesPerDetection", 1},
                                                                {"detectionsPerClass", 100},
                                                                {"classes", {}},
                                                                {"regular", false},
                                                                {"scoreThreshold", 0.0},
                                                                {"iouThreshold", 0.5},
                                                                {"scales", {10.0, 10.0, 5.0, 5.0}}},
                                                 .infer = &infer,
                                                 .compute = computed_by(&lower),
                                                 .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
