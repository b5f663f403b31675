// Words of small integers, compared with the elements one by one.
#include "src/kernels/simd/product/integer_words.h"

#include <bit>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace webnn::inline v0_1::test {
namespace {

constexpr std::size_t rows = 64, columns = 48;

template <int Bits> class Integers {
 public:
  explicit Integers(bool is_signed) : bytes_(rows * columns * Bits / 8), is_signed_(is_signed) {
    Random random(Bits);
    for (std::byte& b : bytes_) b = static_cast<std::byte>(random.next() % 256);
  }
  simd::IntegerWords<Bits> words() const { return {bytes_.data(), is_signed_}; }

  /// Elements `step` apart, without the offset of unsigned ones.
  std::uint32_t word(std::size_t first, std::size_t step) const {
    constexpr std::size_t each = 32 / Bits;
    constexpr std::uint32_t mask = (1u << Bits) - 1, offset = 1u << (Bits - 1);
    std::uint32_t all = 0;
    for (std::size_t t = 0; t < each; ++t) {
      const std::size_t bit = (first + t * step) * Bits;
      const std::uint32_t v = static_cast<std::uint32_t>(bytes_[bit / 8]) >> bit % 8 & mask;
      all |= ((is_signed_ ? v : v - offset) & mask) << t * Bits;
    }
    return all;
  }

 private:
  std::vector<std::byte> bytes_;
  bool is_signed_;
};

template <int Bits> void check(bool is_signed) {
  using Words = simd::IntegerWords<Bits>;
  const Integers<Bits> integers(is_signed);
  std::vector<std::uint32_t> to(rows);
  for (std::size_t first = 0; first < 8; first += 8 / Bits) {
    const std::size_t count = rows / 2;
    integers.words().copy(first, count, reinterpret_cast<std::byte*>(to.data()), 8);
    for (std::size_t i = 0; i < count; ++i)
      REQUIRE(to[2 * i] == integers.word(first + i * Words::each, 1));
  }
  for (std::size_t row = 0; row < rows; row += Words::each)
    for (std::size_t c = 0; c < columns; c += Words::each) {
      integers.words().transpose(row * columns + c, columns,
                                 reinterpret_cast<std::byte*>(to.data()));
      for (std::size_t i = 0; i < Words::each; ++i)
        REQUIRE(to[i] == integers.word(row * columns + c + i, columns));
    }
}

}  // namespace

TEST_CASE("words of integers of 4 and 8 bits") {
  if constexpr (std::endian::native != std::endian::little) return;
  const bool is_signed = GENERATE(false, true);
  CAPTURE(is_signed);
  check<4>(is_signed);
  check<8>(is_signed);
}

}  // namespace webnn::inline v0_1::test
