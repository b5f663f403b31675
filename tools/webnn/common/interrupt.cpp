#include "tools/webnn/common/interrupt.h"

namespace webnn::inline v0_1::tool {
namespace {

volatile std::sig_atomic_t noted = 0;

}  // namespace

Interrupt::Interrupt() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { noted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, &before_);
}
Interrupt::~Interrupt() { sigaction(SIGINT, &before_, nullptr); }
bool Interrupt::came() { return noted != 0; }

}  // namespace webnn::inline v0_1::tool
