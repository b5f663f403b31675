#include "src/kernels/common/checksum.h"

#include <algorithm>
#include <cstring>

namespace webnn::inline v0_1 {
void Checksum::mix(const std::byte* from) {
  std::uint64_t v[8];
  std::memcpy(v, from, sizeof v);
  for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i] = mixed(lanes_[i], v[i]);
}

void Checksum::add(std::span<const std::byte> bytes) {
  if (const std::size_t held = size_ % block; held > 0) {
    const std::size_t n = std::min(block - held, bytes.size());
    std::copy_n(bytes.begin(), n, rest_.begin() + static_cast<std::ptrdiff_t>(held));
    size_ += n;
    bytes = bytes.subspan(n);
    if (held + n < block) return;
    mix(rest_.data());
  }
  size_ += bytes.size();
  for (; bytes.size() >= block; bytes = bytes.subspan(block)) mix(bytes.data());
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

std::uint64_t Checksum::value() const {
  std::uint64_t h = mixed(0x9e3779b97f4a7c15, size_);
  for (std::uint64_t lane : lanes_) h = mixed(h, lane);
  for (std::size_t i = 0; i < size_ % block; ++i) h = mixed(h, std::to_integer<unsigned>(rest_[i]));
  return h;
}

}  // namespace webnn::inline v0_1
