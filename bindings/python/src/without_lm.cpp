// In builds without language models, webnn/lm.py says so.
#include "bindings/python/src/module.h"

namespace webnn::inline v0_1::python {

void define_lm(py::module_&) {}

}  // namespace webnn::inline v0_1::python
