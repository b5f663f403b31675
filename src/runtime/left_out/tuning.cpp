// What a build without kernels chosen by measurement (WEBNN_KERNEL_TUNING=OFF) has in place of the
// files that cmake/parts_left_out.cmake lists: a context that asks for them is refused.
#include "src/runtime/tuning.h"

#include <cstdlib>

#include "src/graph/failure.h"

namespace webnn::inline v0_1 {

void TuningState::start(const MLContextOptions& options, int) {
  const char* const file = std::getenv("WEBNN_TUNING");
  if (options.tuning != Tuning::off || !options.tuningFile.empty() || (file && *file))
    raise({"kernels chosen by measurement were left out of this build (WEBNN_KERNEL_TUNING)",
           ErrorName::NotSupportedError},
          "MLContext");
}
bool TuningState::active() const { return false; }
std::optional<KernelTimes> TuningState::find(const std::string&) const { return std::nullopt; }
void TuningState::put(const std::string&, KernelTimes) {}
std::string TuningState::text() const { return TuningTable().text(); }
void TuningState::clear() {}

void tune(std::vector<Choice>&, const Graph&, ContextState&, PackedWeights&, const std::stop_token&,
          const std::function<void(std::size_t done)>&) {}

}  // namespace webnn::inline v0_1
