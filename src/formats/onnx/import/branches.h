// Which branches of the Ifs on open sizes are imported. Private.
#pragma once

#include <functional>

#include "src/formats/onnx/import/importer.h"

namespace webnn::inline v0_1::onnx {

/// Finds the choices with which an attempt to import the model succeeds: both branches of an If in
/// one graph where that is possible, else the only one that is. `attempt` leaves nothing behind; it
/// raises NeedsBranches where Import::branches is too short. Raises when there are no such choices,
/// or when either branch of an If is possible.
void choose_branches(Import& import, const std::function<void()>& attempt);

}  // namespace webnn::inline v0_1::onnx
