// docs/operators.md lists the backends with a kernel for each operator: each backend lowers a node
// of each operator, in float32 and between dequantizeLinear and quantizeLinear.
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "src/builder/builder_state.h"
#include "src/graph/access.h"
#include "src/kernels/backends.h"
#include "src/kernels/common/dispatch_type.h"
#include "src/passes/passes.h"
#include "tests/support/catch.h"
#include "tests/support/source_dir.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::test {
namespace {

/// A builder of operands: float32, or the results of dequantizeLinear from int8.
class Operands : public MLGraphBuilder {
 public:
  explicit Operands(bool quantized)
      : MLGraphBuilder(MLContext({.threads = 1})), quantized(quantized) {}
  const bool quantized;

  MLOperand integers(Dims shape = image, MLOperandDataType type = int8) {
    return input("x" + std::to_string(inputs_++), {type, std::move(shape)});
  }
  MLOperand x(Dims shape = image) {
    if (quantized) return real(integers(std::move(shape)));
    return integers(std::move(shape), float32);
  }
  MLOperand ones(Dims shape, MLOperandDataType type = float32) {
    if (!quantized || type != float32) return filled(std::move(shape), type);
    return real(filled(std::move(shape), int8));
  }
  MLOperand filled(Dims shape, MLOperandDataType type) {
    const std::vector<std::byte> bytes(element_count(shape) * bits_of(type) / 8, std::byte{1});
    if (type != float32) return constant({type, std::move(shape)}, InputView(bytes));
    const std::vector<float> values(element_count(shape), 1);
    return constant({type, std::move(shape)}, InputView(std::span<const float>(values)));
  }
  MLOperand real(const MLOperand& x) {
    const Dims one(x.rank(), 1);
    return dequantizeLinear(x, filled(one, float32), filled(one, int8));
  }

  inline static const Dims image{1, 8, 8, 16};

 private:
  int inputs_ = 0;
};

/// One operator, with the operands and attributes for which kernels are made.
struct Sample {
  Operands& b;

  template <class Op> Op of(std::type_identity<Op>) const {
    Op op{};
    const bool floats = input_types<Op>.contains(float32);
    const MLOperand x = floats                            ? b.x()
                        : input_types<Op>.contains(uint8) ? b.integers(Operands::image, uint8)
                                                          : b.integers(Operands::image, int32);
    if constexpr (requires { op.a; }) op.a = x;
    else op.input = x;
    if constexpr (requires { op.b; }) op.b = b.quantized ? b.filled({}, x.dataType()) : x;
    if constexpr (requires { op.slope; }) op.slope = b.filled({b.quantized ? 1u : 16u}, float32);
    if constexpr (requires { op.repetitions; }) op.repetitions = {1, 1, 1, 2};
    if constexpr (requires { op.newShape; }) op.newShape = Operands::image;
    if constexpr (requires { op.beginningPadding; })
      op.beginningPadding = op.endingPadding = {0, 1, 1, 0};
    if constexpr (requires { op.starts; }) op.starts = {0, 1, 0, 0}, op.sizes = {1, 2, 8, 16};
    if constexpr (requires { op.splits; }) op.splits = 1;
    if constexpr (requires { op.axis; }) op.axis = 3;
    if constexpr (requires { op.options.windowDimensions; }) {
      op.options.windowDimensions = Dims{2, 2};
      op.options.layout = MLInputOperandLayout::nhwc;
    } else if constexpr (requires { op.options.axes = Dims{}; }) {
      op.options.axes = Dims{3};
    }
    return op;
  }
  ops::pow of(std::type_identity<ops::pow>) const { return {b.x(), b.constant(float32, 2)}; }
  ops::cast of(std::type_identity<ops::cast>) const { return {b.x(), float32}; }
  ops::concat of(std::type_identity<ops::concat>) const { return {{b.x(), b.x()}, 3}; }
  template <class Op> Op convolution() const {
    Op op{b.x(), b.ones({16, 3, 3, 16})};
    op.options.inputLayout = MLInputOperandLayout::nhwc;
    return op;
  }
  ops::conv2d of(std::type_identity<ops::conv2d>) const {
    auto op = convolution<ops::conv2d>();
    op.options.filterLayout = MLConv2dFilterOperandLayout::ohwi;
    return op;
  }
  ops::convTranspose2d of(std::type_identity<ops::convTranspose2d>) const {
    auto op = convolution<ops::convTranspose2d>();
    op.options.filterLayout = MLConvTranspose2dFilterOperandLayout::ohwi;
    return op;
  }
  ops::resample2d of(std::type_identity<ops::resample2d>) const {
    return {b.x(), {.mode = MLInterpolationMode::linear, .axes = {1, 2}}};
  }
  ops::gemm of(std::type_identity<ops::gemm>) const { return {b.x({8, 16}), b.ones({16, 8})}; }
  ops::matmul of(std::type_identity<ops::matmul>) const { return {b.x({8, 16}), b.ones({16, 8})}; }
  ops::where of(std::type_identity<ops::where>) const {
    return {b.integers(Operands::image, uint8), b.x(), b.x()};
  }
  ops::batchNormalization of(std::type_identity<ops::batchNormalization>) const {
    return {b.x(), b.filled({16}, float32), b.filled({16}, float32), {.axis = 3}};
  }
  ops::dequantizeLinear of(std::type_identity<ops::dequantizeLinear>) const {
    return {b.integers(), b.filled({1, 1, 1, 1}, float32), b.filled({1, 1, 1, 1}, int8)};
  }
  ops::quantizeLinear of(std::type_identity<ops::quantizeLinear>) const {
    return {b.integers(Operands::image, float32), b.filled({1, 1, 1, 1}, float32),
            b.filled({1, 1, 1, 1}, int8)};
  }
  ops::gather of(std::type_identity<ops::gather>) const { return {b.x(), b.filled({1}, int32)}; }
  ops::gatherElements of(std::type_identity<ops::gatherElements>) const {
    return {b.x({4}), b.integers({4}, int32)};
  }
  ops::gatherND of(std::type_identity<ops::gatherND>) const {
    return {b.x({4}), b.integers({4, 1}, int32)};
  }
  ops::scatterElements of(std::type_identity<ops::scatterElements>) const {
    return {b.x({4}), b.integers({4}, int32), b.x({4})};
  }
  ops::scatterND of(std::type_identity<ops::scatterND>) const {
    return {b.x({4}), b.integers({4, 1}, int32), b.x({4})};
  }
  ops::triangular of(std::type_identity<ops::triangular>) const { return {b.x()}; }
  ops::gru of(std::type_identity<ops::gru>) const {
    return {b.x({2, 1, 32}), b.ones({1, 96, 32}), b.ones({1, 96, 32}), 2, 32};
  }
  ops::gruCell of(std::type_identity<ops::gruCell>) const {
    return {b.x({1, 32}), b.ones({96, 32}), b.ones({96, 32}), b.x({1, 32}), 32};
  }
  ops::lstm of(std::type_identity<ops::lstm>) const {
    return {b.x({2, 1, 32}), b.ones({1, 128, 32}), b.ones({1, 128, 32}), 2, 32};
  }
  ops::lstmCell of(std::type_identity<ops::lstmCell>) const {
    return {b.x({1, 32}), b.ones({128, 32}), b.ones({128, 32}), b.x({1, 32}), b.x({1, 32}), 32};
  }
};

/// The names of the backends that lower a chain of all nodes of the graph with these results.
std::set<std::string> lowering(const MLGraphBuilder& b, const std::vector<MLOperand>& results) {
  NamedOperands outputs;
  for (const MLOperand& y : results) outputs.push_back({"y" + std::to_string(outputs.size()), y});
  const Graph graph =
      recognize_quantized_operators(graph_of(copy(detail::state_of(b)->data, outputs)));
  std::vector<Node> chain;
  for (std::size_t i = 0; i < graph.size(); ++i) chain.push_back(graph.node(i));
  std::set<std::string> names;
  for (const std::string_view name : backend_names()) {
    const BackendChoice choice[] = {std::string(name)};
    const Lowering lowering = backends_for(choice).front()->lower(chain);
    const auto* refusal = std::get_if<Refusal>(&lowering);
    // A kernel for which the library of this machine is too old is listed as well.
    if (!refusal || refusal->reason.starts_with("this version")) names.emplace(name);
  }
  return names;
}

template <class Op> std::vector<MLOperand> sample(Operands& b) {
  const Op op = Sample{b}.of(std::type_identity<Op>{});
  if constexpr (ops::returns_list<Op>()) return b.append(op);
  else return {b.append(op)};
}

template <class Op>
constexpr bool converts =
    std::is_same_v<Op, ops::dequantizeLinear> || std::is_same_v<Op, ops::quantizeLinear>;

template <class Op> std::set<std::string> float32_backends() {
  if constexpr (converts<Op>) return {"reference"};  // to or from 8 bits: below
  Operands b(false);
  return lowering(b, sample<Op>(b));
}

template <class Op> std::set<std::string> quantized_backends() {
  std::set<std::string> names;
  if constexpr (converts<Op>) {
    Operands b(false);
    names = lowering(b, sample<Op>(b));
  } else if constexpr (!ops::returns_list<Op>()) {
    Operands b(true);
    const MLOperand y = sample<Op>(b).front();
    if (y.dataType() != float32) return {};
    const Dims one(y.rank(), 1);
    names = lowering(b, {b.quantizeLinear(y, b.filled(one, float32), b.filled(one, int8))});
    if constexpr (std::is_same_v<Op, ops::maxPool2d>) {
      Operands integers(false);
      auto pool = Sample{integers}.of(std::type_identity<Op>{});
      pool.input = integers.integers();
      names.merge(lowering(integers, {integers.append(pool)}));
    }
  }
  names.erase("reference");  // has a kernel for every data type
  return names;
}

std::set<std::string> names_in(const std::string& list) {
  std::set<std::string> names;
  std::istringstream in(list);
  for (std::string name; in >> name;) names.insert(name.substr(0, name.find_first_of(",.")));
  std::set<std::string> built;
  for (const std::string_view name : backend_names())
    if (names.contains(std::string(name))) built.emplace(name);
  return built;
}

struct Listed {
  std::set<std::string> kernels, quantized;  // which backends of this build have one
};
/// The page: "## relu" or "### abs", then "Kernels: simd, reference. Quantized: simd."
std::map<std::string, Listed> page() {
  std::ifstream file(webnn::test::source_dir() / "docs/operators.md");
  std::map<std::string, Listed> all;
  std::string op, line;
  while (std::getline(file, line)) {
    if (line.starts_with("## ")) op = line.substr(3);
    if (line.starts_with("### ")) op = line.substr(4);
    if (!line.starts_with("Kernels: ")) continue;
    const std::string rest = line.substr(9), mark = " Quantized: ";
    const std::size_t end = rest.find(mark);
    all[op].kernels = names_in(rest.substr(0, end));
    if (end != std::string::npos) all[op].quantized = names_in(rest.substr(end + mark.size()));
  }
  return all;
}

}  // namespace

TEST_CASE("docs/operators.md lists the backends with a kernel for each operator") {
  const auto all = page();
  const auto check = [&]<class Op>(std::type_identity<Op>) {
    const std::string name(Op::declaration.name);
    INFO(name);
    REQUIRE(all.contains(name));
    CHECK(all.at(name).kernels == float32_backends<Op>());
    CHECK(all.at(name).quantized == quantized_backends<Op>());
  };
  [&]<class... Op>(ops::OpList<Op...>) { (check(std::type_identity<Op>{}), ...); }(ops::AllOps{});
}

}  // namespace webnn::inline v0_1::test
