// Operators on features: TfIdfVectorizer, and some of ai.onnx.ml.
#include <algorithm>

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// The sequences of one length in the pool of a TfIdfVectorizer.
struct Grams {
  std::size_t length = 1;
  std::vector<std::int64_t> pool{};  // one sequence after the other
  std::size_t count() const { return pool.size() / length; }
};

std::vector<Grams> grams_of(Call& c) {
  const Ints counts = c.ints("ngram_counts").value_or(Ints());
  const Ints pool = c.ints("pool_int64s").value_or(Ints());
  std::vector<Grams> all;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t end =
        i + 1 < counts.size() ? counts[i + 1] : static_cast<std::int64_t>(pool.size());
    Grams g{.length = i + 1};
    if (counts[i] < 0 || end < counts[i] || end > static_cast<std::int64_t>(pool.size()) ||
        (end - counts[i]) % static_cast<std::int64_t>(g.length) != 0)
      c.refuse(fail("its ngram_counts do not fit a pool of {}", pool.size()));
    g.pool.assign(pool.begin() + counts[i], pool.begin() + end);
    all.push_back(std::move(g));
  }
  return all;
}

/// How often x, [rows, n], has each sequence, whose elements are `distance` apart: [rows, grams].
MLOperand counted(Call& c, const MLOperand& x, const Grams& g, std::uint32_t distance) {
  const std::uint32_t rows = x.shape()[0], n = x.shape()[1];
  const auto count = static_cast<std::uint32_t>(g.count());
  const auto reach = static_cast<std::uint32_t>(g.length - 1) * distance;
  std::optional<MLOperand> all;
  for (std::size_t k = 0; k < g.length; ++k) {
    Ints values;
    for (std::size_t i = 0; i < g.count(); ++i) values.push_back(g.pool[i * g.length + k]);
    const MLOperand part =
        c.reshaped(c.sliced(x, 1, static_cast<std::int64_t>(k) * distance, std::int64_t{n - reach}),
                   SizeList{rows, n - reach, 1});
    const MLOperand same = c.b.equal(part, c.int64s({1, 1, count}, values));
    all = all ? c.b.logicalAnd(*all, same) : same;
  }
  return c.b.reduceSum(c.b.cast(*all, float32), {.axes = {1}});
}

/// https://onnx.ai/onnx/operators/onnx__TfIdfVectorizer.html
void tf_idf(Call& c) {
  if (c.has_attribute("pool_strings")) c.unsupported("texts, which WebNN does not have");
  const std::int64_t least = c.integer("min_gram_length", 1),
                     most = c.integer("max_gram_length", 1), skips = c.integer("max_skip_count", 0);
  const std::string_view mode = c.text("mode", "TF");
  const Ints places = c.ints("ngram_indexes").value_or(Ints());
  const auto weights = c.reals("weights");
  const std::vector<Grams> all = grams_of(c);
  c.require_rank(c.x(), 1, 2);
  if (c.x().is_open()) c.unsupported("an input with open dimensions");
  const bool flat = c.x().rank() == 1;
  MLOperand x = c.cast(c.x(), int64);
  if (flat) x = c.reshaped(x, SizeList{1, std::int64_t{x.shape()[0]}});
  const std::uint32_t rows = x.shape()[0], n = x.shape()[1];
  if (places.empty() || std::ranges::min(places) < 0) c.refuse(fail("its ngram_indexes are wrong"));
  const std::uint32_t size =
      c.dimension(std::ranges::max(places) + 1, "the largest of ngram_indexes");
  std::vector<MLOperand> parts;
  std::size_t grams = 0;
  for (const Grams& g : all) {
    if (g.count() == 0) continue;
    grams += g.count();
    const Dims shape{rows, static_cast<std::uint32_t>(g.count())};
    MLOperand sum = c.b.expand(c.scalar(float32, 0), shape);
    const auto length = static_cast<std::int64_t>(g.length);
    for (std::int64_t s = 0; s <= (length == 1 ? 0 : skips); ++s)
      if (length >= least && length <= most && (length - 1) * (s + 1) < std::int64_t{n})
        sum = c.b.add(sum, counted(c, x, g, static_cast<std::uint32_t>(s) + 1));
    parts.push_back(sum);
  }
  if (grams != places.size())
    c.refuse(fail("{} ngram_indexes for {} n-grams", places.size(), grams));
  MLOperand found = parts.size() == 1 ? parts[0] : c.b.concat(parts, 1);
  if (mode == "IDF") found = c.b.min(found, c.scalar(float32, 1));
  if (weights && mode != "TF") {
    if (weights->size() != grams) c.refuse(fail("it has {} weights", weights->size()));
    found = c.b.mul(found, c.floats(float32, {static_cast<std::uint32_t>(grams)}, *weights));
  } else if (mode != "TF" && mode != "IDF" && mode != "TFIDF") {
    c.refuse(fail("its mode, {}", in_quotes(mode)));
  }
  // Each count to its place: a product with a matrix of zeros and ones.
  c.spend(grams * size * 4);
  std::vector<float> to(grams * size);
  for (std::size_t i = 0; i < grams; ++i) to[i * size + static_cast<std::size_t>(places[i])] = 1;
  const MLOperand y =
      c.b.matmul(found, c.floats(float32, {static_cast<std::uint32_t>(grams), size}, to),
                 {.label = c.label()});
  c.put(flat ? c.reshaped(y, SizeList{std::int64_t{size}}) : y);
}

void binarizer(Call& c) {
  const MLOperand x = c.x();
  const MLOperand above = c.b.greater(x, c.scalar_like(x, c.real("threshold", 0)));
  c.put(c.b.cast(above, x.dataType(), {.label = c.label()}));
}

/// Elements of the last axis at these places.
void array_feature_extractor(Call& c) {
  MLOperand x = c.x(0);
  if (x.rank() == 0) c.refuse(fail("its input is a scalar"));
  const std::uint32_t axis = x.rank() - 1;
  c.check_places(1, {Size::dimension(x, axis)});
  const Size count = formats::product(formats::sizes_of(c.x(1)));
  MLOperand y =
      c.b.gather(x, c.reshaped(c.x(1), SizeList{count}), {.axis = axis, .label = c.label()});
  if (x.rank() == 1) y = c.with_one(y, 0);
  c.put(y);
}

constexpr Handler handlers[] = {
    {"TfIdfVectorizer", &tf_idf, 9, 1, 1, 1, "of integers; composed"},
    {"ArrayFeatureExtractor", &array_feature_extractor, 1, 2, 2, 1, "", "ai.onnx.ml"},
    {"Binarizer", &binarizer, 1, 1, 1, 1, "composed", "ai.onnx.ml"},
};

}  // namespace

std::span<const Handler> ml_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
