// A builder for tests of what builders refuse.
#pragma once

#include <cmath>
#include <functional>

#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

/// A context with one thread and the reference backend alone: one for all tests.
MLContext plain_context();

class Builder : public MLGraphBuilder {
 public:
  Builder() : MLGraphBuilder(plain_context()) {}

  /// An input, with a name of its own.
  MLOperand x(Dims shape, MLOperandDataType type = float32);

  /// The call throws a TypeError with that message, adds no operator, and the builder goes on.
  void refuses(const std::string& message, const std::function<void()>& call);

 private:
  int inputs_ = 0;
};

/// "float32 [2, 3]"; of several operands with "; " between them.
std::string text(const MLOperand& x);
std::string text(const std::vector<MLOperand>& all);

}  // namespace webnn::inline v0_1::test
