// Small models, as the exporter writes them.
#include "tests/fuzz/seeds.h"
#include "webnn/nnrt.h"
#include "webnn/webnn.h"

namespace webnn::fuzz {

void write_seeds(const std::filesystem::path& folder) {
  MLContext context({.threads = 1, .backends = {"reference"}});
  const auto write = [&](const std::string& name, auto&& build) {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {1, 3, 3, 2}});
    write_seed(folder / name, nnrt::export_model(b.build({{"y", build(b, x)}})));
  };
  write("conv2d", [](MLGraphBuilder& b, const MLOperand& x) {
    const MLOperand w = b.constant({float32, {1, 1, 2, 2}}, std::vector<float>{1, 2, 3, 4});
    return b.relu(b.conv2d(x, w,
                           {.inputLayout = MLInputOperandLayout::nhwc,
                            .filterLayout = MLConv2dFilterOperandLayout::hwio}));
  });
  write("movement", [](MLGraphBuilder& b, const MLOperand& x) {
    const MLOperand y = b.transpose(b.slice(x, {0, 0, 1, 0}, {1, 2, 2, 2}));
    return b.concat({y, b.tile(y, {1, 1, 1, 2})}, 3);
  });
  write("reductions", [](MLGraphBuilder& b, const MLOperand& x) {
    return b.softmax(b.reduceMean(b.maxPool2d(x), {.axes = {1}}), 1);
  });
  write("logic", [](MLGraphBuilder& b, const MLOperand& x) {
    return b.where(b.greater(x, b.constant(float32, 0)), x, b.neg(x));
  });
}

}  // namespace webnn::fuzz
