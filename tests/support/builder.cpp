#include "tests/support/builder.h"

#include "src/builder/builder_state.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

namespace webnn::inline v0_1::test {

MLContext plain_context() {
  static const MLContext context({.threads = 1, .backends = {"reference"}});
  return context;
}

MLOperand Builder::x(Dims shape, MLOperandDataType type) {
  return input("x" + std::to_string(inputs_++), {type, std::move(shape)});
}

void Builder::refuses(const std::string& message, const std::function<void()>& call) {
  const GraphData& data = detail::state_of<MLGraphBuilder>(*this)->data;
  const auto results = [&] {
    return std::count_if(data.operands.begin(), data.operands.end(),
                         [](const auto& r) { return r.kind == OperandKind::result; });
  };
  const auto nodes = data.nodes.size();
  const auto made = results();
  CHECK(thrown(call) == "TypeError " + message);
  CHECK(data.nodes.size() == nodes);
  CHECK(results() == made);
  CHECK(text(identity(x({2}))) == "float32 [2]");
}

std::string text(const MLOperand& x) {
  return std::string(name_of(x.dataType())) + " " + webnn::detail::Arg(std::span(x.shape())).text;
}
std::string text(const std::vector<MLOperand>& all) {
  std::string s;
  for (const MLOperand& x : all) s += (s.empty() ? "" : "; ") + text(x);
  return s;
}

}  // namespace webnn::inline v0_1::test
