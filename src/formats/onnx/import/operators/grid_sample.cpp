// Images at the places of a grid.
#include "src/formats/onnx/import/call.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// Before operator set 20 the modes are bilinear and bicubic.
std::string mode_of(Call& c) {
  std::string mode(c.text("mode", c.version() < 20 ? "bilinear" : "linear"));
  if (mode == "bilinear" || mode == "bicubic") mode.erase(0, 2);
  return mode;
}

void grid_sample(Call& c) {
  c.require_rank(c.x(0), 4, 5);
  c.put(c.b.custom(operators::grid_sample(), {c.x(0), c.x(1)},
                   {.attributes = {{"mode", mode_of(c)},
                                   {"padding", std::string(c.text("padding_mode", "zeros"))},
                                   {"alignCorners", c.integer("align_corners", 0) != 0}},
                    .label = c.label()})[0]);
}

constexpr Handler handlers[] = {
    {"GridSample", &grid_sample, 16, 2, 2, 1, "as webnn.GridSample; two or three dimensions"},
};

}  // namespace

std::span<const Handler> grid_sample_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
