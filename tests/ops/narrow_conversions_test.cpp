// Conversions from and to float16, bfloat16 and float8e4m3: all of their values, and random ones of
// the other types. WEBNN_CONVERSIONS=10000000 takes as many of each.
#include <bit>
#include <cstdlib>
#include <cstring>

#include "src/graph/element_bits.h"
#include "tests/ops/rounding_oracle.h"
#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

constexpr MLOperandDataType narrow_types[] = {float16, bfloat16, float8e4m3};

std::size_t count_of_random() {
  const char* text = std::getenv("WEBNN_CONVERSIONS");
  return text ? std::strtoull(text, nullptr, 10) : 200'000;
}

std::uint32_t bits_at(const Tensor& t, std::size_t i) {
  return bits_of(t.type) == 8 ? t.as<std::uint8_t>()[i] : t.as<std::uint16_t>()[i];
}
std::uint32_t converted(MLOperandDataType type, float v) {
  return type == float16    ? float16_bits(v)
         : type == bfloat16 ? bfloat16_bits(v)
                            : float8e4m3_bits(v);
}
double value_of(MLOperandDataType type, std::uint32_t bits) {
  const auto half = static_cast<std::uint16_t>(bits);
  return static_cast<double>(type == float16 ? float16_value(half)
                             : type == bfloat16
                                 ? bfloat16_value(half)
                                 : float8e4m3_value(static_cast<std::uint8_t>(bits)));
}
bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

/// How many of the numbers are converted to other bits than they should be; NaN stays NaN.
class Count {
 public:
  explicit Count(MLOperandDataType type) : type_(type), oracle_(type) {}
  void add(std::uint32_t bits, double v) {
    if (std::isnan(v) ? !std::isnan(oracle_.decoded(bits)) : bits != oracle_.rounded(v))
      note(v, bits);
  }
  void add(std::uint32_t bits, std::uint64_t magnitude, bool negative) {
    if (bits != oracle_.rounded(magnitude, negative))
      note(negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude), bits);
  }
  void expect_none() {
    INFO(name_of(type_) << ": " << first_);
    CHECK(wrong_ == 0);
  }
  const RoundingOracle& oracle() const { return oracle_; }

 private:
  void note(double v, std::uint32_t bits) {
    if (wrong_++ == 0) first_ = std::to_string(v) + " became " + std::to_string(bits);
  }

  MLOperandDataType type_;
  RoundingOracle oracle_;
  std::size_t wrong_ = 0;
  std::string first_{};
};

/// All bits of a float are random, or its exponent is one of the narrow type.
float random_float(Random& random, const RoundingOracle& oracle) {
  const std::uint64_t r = random.next();
  if (r % 2) return std::bit_cast<float>(static_cast<std::uint32_t>(r >> 32));
  const double low = std::log2(oracle.middles().front()) - 2, high = std::log2(oracle.max()) + 1;
  return static_cast<float>(
      std::copysign(std::exp2(random.uniform(low, std::min(high, 127.9))), r % 4 ? 1.0 : -1.0));
}
double random_double(Random& random, const RoundingOracle& oracle) {
  const std::uint64_t r = random.next();
  if (r % 2) return std::bit_cast<double>(random.next());
  return double{random_float(random, oracle)} * (1 + random.uniform(-0x1p-25, 0x1p-25));
}
/// Of any number of bits.
std::uint64_t random_magnitude(Random& random) { return random.next() >> random.integer(0, 63); }

/// A tensor of random bits of any width of integers, and of numbers about the middles of a type.
template <class T>
Tensor random_integers(Random& random, MLOperandDataType type, std::size_t n,
                       const RoundingOracle& oracle) {
  Tensor t{type, {static_cast<std::uint32_t>(n)}, std::vector<std::byte>(n * sizeof(T))};
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t v = random_magnitude(random);
    if (i % 4 == 0) {
      const double middle = oracle.middles()[random.next() % oracle.middles().size()];
      if (middle < 0x1p62) v = static_cast<std::uint64_t>(middle) + random.next() % 3 - 1;
    }
    t.as<T>()[i] = static_cast<T>(random.next() % 2 ? v : 0 - v);
  }
  return t;
}

Tensor casted(const Tensor& x, MLOperandDataType to, std::vector<BackendChoice> order) {
  return run([to](auto& b, auto in) { return b.cast(in[0], to); }, std::span(&x, 1),
             std::move(order))[0];
}

template <class F> void on_each_order(F f) {
  for (const auto& order : backend_orders()) f(order);
}

}  // namespace

TEST_CASE("narrow floats: all bits as float32, and back", "[cast]") {
  for (const MLOperandDataType type : narrow_types) {
    const RoundingOracle oracle(type);
    Tensor all = filled(type, {oracle.codes()}, 0);
    std::size_t wrong = 0;
    for (std::uint32_t bits = 0; bits < oracle.codes(); ++bits) {
      const double v = value_of(type, bits);
      wrong += !same(v, oracle.decoded(bits));
      const std::uint32_t back = converted(type, static_cast<float>(v));
      wrong += std::isnan(v) ? !std::isnan(oracle.decoded(back)) : back != bits;
      for (std::size_t k = 0; k < all.bytes.size() / oracle.codes(); ++k)
        all.bytes[bits * all.bytes.size() / oracle.codes() + k] =
            static_cast<std::byte>(bits >> 8 * k);
    }
    INFO(name_of(type));
    CHECK(wrong == 0);
    on_each_order([&](const std::vector<BackendChoice>& order) {
      const Tensor wide = casted(all, float32, order);
      std::size_t different = 0;
      for (std::uint32_t i = 0; i < oracle.codes(); ++i)
        different += !same(double{wide.as<float>()[i]}, oracle.decoded(i));
      CHECK(different == 0);
    });
  }
}

TEST_CASE("narrow floats: all bits cast to each other type", "[cast]") {
  for (const MLOperandDataType from : narrow_types) {
    const RoundingOracle oracle(from);
    Tensor all = filled(from, {oracle.codes()}, 0);
    for (std::uint32_t bits = 0; bits < oracle.codes(); ++bits)
      if (bits_of(from) == 8) all.as<std::uint8_t>()[bits] = static_cast<std::uint8_t>(bits);
      else all.as<std::uint16_t>()[bits] = static_cast<std::uint16_t>(bits);
    on_each_order([&](const std::vector<BackendChoice>& order) {
      for (const MLOperandDataType to : narrow_types) {
        if (to == from) continue;
        const Tensor y = casted(all, to, order);
        Count count(to);
        for (std::uint32_t i = 0; i < oracle.codes(); ++i)
          count.add(bits_at(y, i), oracle.decoded(i));
        count.expect_none();
      }
      for (const MLOperandDataType to : {int8, uint8, int32, uint32, int64, uint64}) {
        const Tensor y = casted(all, to, order);
        std::size_t wrong = 0;
        for (std::uint32_t i = 0; i < oracle.codes(); ++i) {
          const double v = oracle.decoded(i), whole = std::isnan(v) ? 0 : std::trunc(v);
          // The limits of 64 bits as doubles are one too far, and what is beyond them saturates.
          wrong += y[i] != std::min(std::max(whole, lowest_of(to)), highest_of(to));
        }
        INFO(name_of(from) << " to " << name_of(to));
        CHECK(wrong == 0);
      }
    });
  }
}

TEST_CASE("narrow floats: halfway between neighbors, and beside it", "[cast]") {
  for (const MLOperandDataType type : narrow_types) {
    Count count(type);
    for (const double middle : count.oracle().middles())
      for (const double v : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, HUGE_VAL)})
        for (const double sign : {1.0, -1.0}) {
          const double x = sign * v;
          count.add(static_cast<std::uint32_t>(element_bits(type, x)), x);
          const auto near = static_cast<float>(x);
          for (const float f : {near, std::nextafterf(near, 0.0f), std::nextafterf(near, HUGE_VALF),
                                std::nextafterf(near, -HUGE_VALF)})
            count.add(converted(type, f), double{f});
        }
    count.expect_none();
  }
}

TEST_CASE("narrow floats: from random float32 and doubles", "[cast]") {
  const std::size_t n = count_of_random();
  Random random(71);
  for (const MLOperandDataType type : narrow_types) {
    Count direct(type), numbers(type);
    Tensor x{float32, {static_cast<std::uint32_t>(n)}, std::vector<std::byte>(n * sizeof(float))};
    for (std::size_t i = 0; i < n; ++i) {
      const float v = random_float(random, direct.oracle());
      x.as<float>()[i] = v;
      direct.add(converted(type, v), double{v});
      const double wide = random_double(random, direct.oracle());
      numbers.add(static_cast<std::uint32_t>(element_bits(type, wide)), wide);
    }
    direct.expect_none();
    numbers.expect_none();
    on_each_order([&](const std::vector<BackendChoice>& order) {
      const Tensor y = casted(x, type, order);
      Count kernel(type);
      for (std::size_t i = 0; i < n; ++i) kernel.add(bits_at(y, i), double{x.as<float>()[i]});
      kernel.expect_none();
    });
  }
}

TEST_CASE("narrow floats: from random integers", "[cast]") {
  const std::size_t n = count_of_random();
  Random random(72);
  for (const MLOperandDataType type : narrow_types) {
    const auto check_integers = [&]<class T>(MLOperandDataType from, T) {
      Count numbers(type);
      const Tensor x = random_integers<T>(random, from, n, numbers.oracle());
      const auto parts = [&](std::size_t i) {
        const T v = x.as<T>()[i];
        const bool negative = std::is_signed_v<T> && v < T{};
        const auto wide = static_cast<std::uint64_t>(v);
        return std::pair(negative ? 0 - wide : wide, negative);
      };
      for (std::size_t i = 0; i < n; ++i) {
        const auto [magnitude, negative] = parts(i);
        numbers.add(static_cast<std::uint32_t>(element_bits(type, x.as<T>()[i])), magnitude,
                    negative);
      }
      numbers.expect_none();
      on_each_order([&](const std::vector<BackendChoice>& order) {
        const Tensor y = casted(x, type, order);
        Count kernel(type);
        for (std::size_t i = 0; i < n; ++i) {
          const auto [magnitude, negative] = parts(i);
          kernel.add(bits_at(y, i), magnitude, negative);
        }
        INFO(name_of(from));
        kernel.expect_none();
      });
    };
    check_integers(int32, std::int32_t{});
    check_integers(uint32, std::uint32_t{});
    check_integers(int64, std::int64_t{});
    check_integers(uint64, std::uint64_t{});
    check_integers(int8, std::int8_t{});
    check_integers(uint8, std::uint8_t{});
  }
}

TEST_CASE("narrow floats: known numbers", "[cast]") {
  CHECK(float8e4m3_bits(448) == 0x7e);
  CHECK(float8e4m3_bits(1e9f) == 0x7e);
  CHECK(float8e4m3_bits(-INFINITY) == 0xfe);
  CHECK(float8e4m3_bits(0x1p-9f) == 0x01);
  CHECK(float8e4m3_bits(0x1p-10f) == 0x00);
  CHECK(float8e4m3_bits(-0x1.8p-10f) == 0x81);
  CHECK(float8e4m3_bits(1) == 0x38);
  CHECK((float8e4m3_bits(NAN) & 0x7f) == 0x7f);
  CHECK(float8e4m3_value(0x08) == 0x1p-6f);
  CHECK(bfloat16_bits(1) == 0x3f80);
  CHECK(bfloat16_bits(3.3895314e38f) == 0x7f7f);
  CHECK(bfloat16_bits(3.4e38f) == 0x7f80);
  CHECK(bfloat16_bits(std::bit_cast<float>(0x7f800001u)) == 0x7fc0);
  // 257 * 2^54 is halfway between two numbers of bfloat16, and one more is not.
  const std::uint64_t middle = 257ull << 54;
  CHECK(element_bits(bfloat16, middle) == bfloat16_bits(0x1p62f));
  CHECK(element_bits(bfloat16, middle + 1) == bfloat16_bits(0x1.02p62f));
}
