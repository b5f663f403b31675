// Graphs of the delegate, and programs around them, against plain loops.
#include <set>

#include "tests/formats/executorch/cases.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::executorch::test;

namespace {

void check_case(const Case& c, const std::vector<Tensor>& got) {
  const auto expected = c.expected(c.inputs);
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    REQUIRE(got[k].type == expected[k].type);
    REQUIRE(got[k].shape == expected[k].shape);
    for (std::size_t i = 0; i < got[k].size(); ++i)
      if (!(std::abs(got[k][i] - expected[k][i]) <= c.tolerance))
        FAIL(c.name << ": output " << k << " element " << i << " is " << got[k][i] << ", not "
                    << expected[k][i]);
  }
}

}  // namespace

TEST_CASE("executorch: every kind of node and of value, with constants behind the header",
          "[executorch]") {
  std::set<Kind> kinds;
  for (const Case& c : all_cases()) {
    INFO(c.name);
    for (const auto& n : c.graph.graph.xnodes) kinds.insert(n->node.type);
    check_case(c, run(c.graph.file(), c.inputs));
  }
  for (int k = 1; k <= 50; ++k) {
    INFO(k);
    CHECK(kinds.contains(static_cast<Kind>(k)));
  }
}

TEST_CASE("executorch: constants inside of the flatbuffer, XN00", "[executorch]") {
  for (Case& c : all_cases(Place::in_flatbuffer)) {
    INFO(c.name);
    c.graph.identifier = "XN00";
    check_case(c, run(c.graph.file(), c.inputs));
  }
}

TEST_CASE("executorch: constants under keys of the program", "[executorch]") {
  for (const Case& c : all_cases(Place::under_keys)) {
    INFO(c.name);
    check_case(c, run(program_of(c.graph), c.inputs));
  }
}
