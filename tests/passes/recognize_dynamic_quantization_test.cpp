#include "src/graph/fused/expand.h"
#include "tests/passes/small_graphs.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const std::string fused_name = "dynamicQuantizeLinear";

struct Form {
  bool guarded = true;            // a scale of 1 where the range is 0
  bool exact = false;             // quantizeLinear
  bool reshaped = false;          // scale and zero point, before they are read
  bool zero_first = false;        // in max, min and equal
  bool zero_point_first = false;  // in the sum
  bool transposed = false;        // behind the reshape, as convert_to_nhwc does
};

struct Parts {
  MLOperand y, scale, zero, low;
};

struct WrittenOut : Net {
  MLOperand x = b.input("x", {float32, {2, 3}});

  MLOperand number(double v) { return b.constant(float32, v); }
  Parts quantization(const MLOperand& of, const Form& f) {
    const MLOperand least = b.reduceMin(of), most = b.reduceMax(of);
    const MLOperand high = f.zero_first ? b.max(number(0), most) : b.max(most, number(0));
    const MLOperand low = f.zero_first ? b.min(number(0), least) : b.min(least, number(0));
    const MLOperand range = b.sub(high, low);
    MLOperand scale = b.div(range, number(255));
    if (f.guarded) {
      const MLOperand empty = f.zero_first ? b.equal(number(0), range) : b.equal(range, number(0));
      scale = b.where(empty, number(1), scale);
    }
    const MLOperand place = b.roundEven(b.neg(b.div(low, scale)));
    const MLOperand zero = b.cast(b.clamp(place, {.minValue = 0, .maxValue = 255}), uint8);
    const auto shaped = [&](const MLOperand& v) {
      const MLOperand y = f.reshaped ? b.reshape(v, {1, 1}) : v;
      return f.transposed ? b.transpose(y) : y;
    };
    if (f.exact)
      return {b.quantizeLinear(of, b.reshape(scale, {1, 1}), b.reshape(zero, {1, 1})), scale, zero,
              low};
    const MLOperand q = b.roundEven(b.div(of, shaped(scale)));
    const MLOperand z = b.cast(shaped(zero), float32);
    const MLOperand sum = f.zero_point_first ? b.add(z, q) : b.add(q, z);
    return {b.cast(b.clamp(sum, {.minValue = 0, .maxValue = 255}), uint8, {.label = "q"}), scale,
            zero, low};
  }
};

const Form forms[] = {{},
                      {.guarded = false},
                      {.exact = true},
                      {.reshaped = true},
                      {.reshaped = true, .transposed = true},
                      {.zero_first = true},
                      {.zero_point_first = true},
                      {.guarded = false, .exact = true, .zero_first = true}};

}  // namespace

TEST_CASE("recognize_dynamic_quantization: every form") {
  for (const Form& f : forms) {
    CAPTURE(f.guarded, f.exact, f.reshaped, f.zero_first, f.zero_point_first, f.transposed);
    WrittenOut w;
    const Graph before = graph_of({{"y", w.quantization(w.x, f).y}});
    const Graph fused = recognize_dynamic_quantization(before);
    CHECK(names(fused) == Names{fused_name});
    CHECK(!check_replacement(before, fused));
    CHECK(fused.node(0).label() == (f.exact ? "" : "q"));
    // The composition is what was recognized, but for reshapes and transposes.
    const Graph again = expand(fused).graph;
    CHECK(!check_replacement(before, again));
    CHECK(again.size() == before.size() - (f.reshaped ? 2 : 0) - (f.transposed ? 2 : 0));
    CHECK(recognize_dynamic_quantization(again) == fused);
    CHECK(has_fused(fused));
    CHECK(!has_fused(again));
  }
}

TEST_CASE("recognize_dynamic_quantization: the scale and the zero point are read by others") {
  for (const Form& f : forms) {
    WrittenOut w;
    const Parts p = w.quantization(w.b.neg(w.x), f);
    const MLOperand product = w.b.mul(w.b.cast(p.y, float32), w.b.reshape(p.scale, {1, 1}));
    const Graph before = graph_of({{"product", product}, {"zero", p.zero}, {"scale", p.scale}});
    const Graph fused = recognize_dynamic_quantization(before);
    CHECK(!check_replacement(before, fused));
    const Names all = names(fused);
    CHECK(std::ranges::count(all, fused_name) == 1);
    CHECK(std::ranges::count(all, "reduceMin") == 0);
    CHECK(std::ranges::count(all, "quantizeLinear") == 0);
    CHECK(!check_replacement(before, expand(fused).graph));
  }
}

TEST_CASE("recognize_dynamic_quantization: two tensors, one of which is made from the other") {
  WrittenOut w;
  const Parts first = w.quantization(w.x, {});
  const Parts second = w.quantization(w.b.mul(w.x, first.scale), {.exact = true});
  const Graph before = graph_of({{"y", first.y}, {"z", second.y}});
  const Graph fused = recognize_dynamic_quantization(before);
  CHECK(!check_replacement(before, fused));
  CHECK(names(fused) == Names{fused_name, "mul", fused_name});
}

TEST_CASE("recognize_dynamic_quantization leaves what is only similar") {
  WrittenOut w;
  const Parts p = w.quantization(w.x, {});
  const Parts other = w.quantization(w.b.mul(w.x, w.x), {.exact = true});
  const auto ones = [&](const MLOperand& v) { return w.b.reshape(v, {1, 1}); };
  const MLOperand two = w.b.constant(float32, 2);
  for (const NamedOperands& outputs : {
           NamedOperands{{"y", p.y}, {"low", p.low}},         // the bound is an output
           NamedOperands{{"y", p.y}, {"z", w.b.neg(p.low)}},  // it is read again
           NamedOperands{{"y", w.b.quantizeLinear(w.x, ones(other.scale), ones(other.zero))}},
           NamedOperands{{"y", w.b.quantizeLinear(w.x, ones(w.b.mul(p.scale, two)),
                                                  ones(p.zero))}},  // another scale
           NamedOperands{{"s", p.scale}, {"z", p.zero}},            // no integers
       }) {
    const Graph before = graph_of(outputs);
    CHECK(recognize_dynamic_quantization(before) == before);
  }
}
