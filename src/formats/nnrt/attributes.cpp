#include "webnn/nnrt/attributes.h"

namespace webnn::inline v0_1::nnrt {

Attributes::Attributes() = default;
Attributes::Attributes(const Attributes&) = default;
Attributes::Attributes(Attributes&&) noexcept = default;
Attributes& Attributes::operator=(const Attributes&) = default;
Attributes& Attributes::operator=(Attributes&&) noexcept = default;
Attributes::~Attributes() = default;
bool Attributes::operator==(const Attributes&) const = default;

}  // namespace webnn::inline v0_1::nnrt
