// Small models, each with one operator or a few, whose outputs the reference runtime gave: those
// are in golden_outputs.txt, and record.cpp writes it.
#pragma once

#include "tests/formats/tflite/writer.h"
#include "tests/support/tensor.h"

namespace webnn::inline v0_1::tflite::test {

struct Case {
  std::string name;
  Writer writer;
  double low = -2, high = 2;  ///< for float inputs; quantized ones take all their values
};

/// Makes a case in a few lines: f(writer) adds operators, and its result is the output.
template <class F> Case make_case(std::string name, F f, double low = -2, double high = 2) {
  Case c{std::move(name), {}, low, high};
  const int y = f(c.writer);
  if (y >= 0) c.writer.output(y);
  return c;
}

using Cases = std::vector<Case>;
void add_convolutions(Cases& all);
void add_products(Cases& all);
void add_pools(Cases& all);
void add_elementwise(Cases& all);
void add_activations(Cases& all);
void add_comparisons(Cases& all);
void add_reductions(Cases& all);
void add_shapes(Cases& all);
void add_slices(Cases& all);
void add_gathers(Cases& all);
void add_images(Cases& all);
void add_generators(Cases& all);
void add_recurrents(Cases& all);
Cases all_cases();
/// Throws std::out_of_range when there is none.
Case case_named(const std::string& name);

/// Values for the inputs of a case, the same in every run. INT16 is held as int32.
std::vector<webnn::test::Tensor> inputs_of(Case& c);

}  // namespace webnn::inline v0_1::tflite::test
