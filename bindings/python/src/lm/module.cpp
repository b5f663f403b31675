// The submodule _webnn._lm, on which webnn/lm.py stands.
#include "bindings/python/src/lm/values.h"

namespace webnn::inline v0_1::python {

void define_lm(py::module_& module) {
  py::module_ lm = module.def_submodule("_lm");
  define_lm_text(lm);
  define_lm_model(lm);
  define_lm_batch(lm);
}

}  // namespace webnn::inline v0_1::python
