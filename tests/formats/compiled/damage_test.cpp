// Damaged files are refused, or are graphs that run; never more than that.
#include <algorithm>
#include <cstring>

#include "src/formats/compiled/file.h"
#include "src/runtime/graph_state.h"
#include "tests/formats/compiled/networks.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Bytes = std::vector<std::byte>;

const MLContext& context() {
  static const MLContext one({.threads = 1, .memoryLimit = 1 << 28});
  return one;
}
const Bytes& compiled_bytes() {
  static const Bytes bytes = compiled::bytes_of(built(context(), {"products", &products}));
  return bytes;
}
std::string load_error(const Bytes& bytes, compiled::Verify verify = compiled::Verify::small) {
  return thrown([&] { loaded(context(), bytes, {.verify = verify}); });
}
const std::string damaged = "DataError load [net.webnnc]: it is damaged: ";

/// Within a section, not in the bytes that fill its last page.
std::size_t place_in(const Bytes& bytes, compiled::Part part, std::size_t n) {
  const auto s = compiled::header_of(bytes)->sections[static_cast<std::size_t>(part)];
  return static_cast<std::size_t>(s.offset + n % s.size);
}

}  // namespace

TEST_CASE("damage: a file that is cut is refused, wherever that is") {
  const Bytes& whole = compiled_bytes();
  for (std::size_t size = 0; size < whole.size(); size += size < 3 * compiled::page ? 97 : 524309) {
    CAPTURE(size);
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK(load_error(cut).starts_with("DataError load [net.webnnc]: it is "));
  }
  Bytes longer = whole;
  longer.resize(longer.size() + 1);
  CHECK(load_error(longer) == damaged + "it has " + std::to_string(longer.size()) + " bytes, not " +
                                  std::to_string(whole.size()) + ".");
}

TEST_CASE("damage: every bit of the header that means something, and of the graph") {
  const Bytes& whole = compiled_bytes();
  Random random(1);
  for (std::size_t i = 0; i < 400; ++i) {
    const auto n = static_cast<std::size_t>(random.next() >> 8);
    const auto bit = static_cast<std::byte>(1u << random.next() % 8);
    Bytes bytes = whole;
    const std::size_t at = i % 2 ? n % compiled::page : place_in(whole, compiled::Part::graph, n);
    bytes[at] ^= bit;
    CAPTURE(at);
    CHECK(load_error(bytes).starts_with("DataError load [net.webnnc]: it "));
  }
}

TEST_CASE("damage: weights, of which the large ones are only verified when asked") {
  const Bytes& whole = compiled_bytes();
  for (std::size_t n : {0, 1000, 123456789}) {
    Bytes bytes = whole;
    bytes[place_in(whole, compiled::Part::small, n)] ^= std::byte{64};
    CHECK(load_error(bytes) == damaged + "the checksum of its small weights is wrong.");
    bytes = whole;
    bytes[place_in(whole, compiled::Part::large, n)] ^= std::byte{64};
    CHECK(load_error(bytes) == "nothing");
    CHECK(load_error(bytes, compiled::Verify::full) ==
          damaged + "the checksum of its large weights is wrong.");
  }
}

TEST_CASE("damage: graphs with the right checksums are refused or run") {
  Random random(7);
  std::size_t refused = 0, ran = 0;
  for (const Network& network : networks()) {
    const MLContext keeps({.threads = 1, .keepConstants = true});
    const Bytes whole = compiled::bytes_of(built(keeps, network));
    for (std::size_t i = 0; i < 150; ++i) {
      Bytes bytes = whole;
      for (std::size_t changes = 1 + random.next() % 3; changes > 0; --changes) {
        const auto n = static_cast<std::size_t>(random.next() >> 8);
        const std::size_t at = place_in(whole, compiled::Part::graph, n);
        bytes[at] = random.next() % 2 ? bytes[at] ^ static_cast<std::byte>(1u << random.next() % 8)
                                      : static_cast<std::byte>(random.next() % 256);
      }
      compiled::repair_checksums(bytes);
      CAPTURE(network.name, i);
      try {
        const MLGraph graph = loaded(context(), bytes);
        results(context(), graph);
        ++ran;
      } catch (const DataError&) { ++refused; } catch (const OperationError&) {
        ++refused;  // beyond the limit of memory
      }
    }
  }
  CHECK(refused > 300);
  CHECK(ran > 20);  // a label, the name of an input
}

TEST_CASE("damage: small arrays with the right checksums are refused or run") {
  Random random(9);
  std::size_t refused = 0, ran = 0;
  for (const Network& network : networks()) {
    const MLContext keeps({.threads = 1, .keepConstants = true});
    const Bytes whole = compiled::bytes_of(built(keeps, network));
    for (std::size_t i = 0; i < 40; ++i) {
      Bytes bytes = whole;
      for (std::size_t changes = 1 + random.next() % 64; changes > 0; --changes) {
        const auto n = static_cast<std::size_t>(random.next() >> 8);
        bytes[place_in(whole, compiled::Part::small, n)] =
            static_cast<std::byte>(random.next() % 256);
      }
      compiled::repair_checksums(bytes);
      CAPTURE(network.name, i);
      try {
        results(context(), loaded(context(), bytes));
        ++ran;
      } catch (const DataError&) { ++refused; }
    }
  }
  CHECK(refused > 0);  // scales that no kernel has
  CHECK(ran > 0);
}

TEST_CASE("damage: factors of quantized columns may be any") {
  MLContextOptions options{.threads = 1};
  options.backends = {"simd", "reference"};
  try {
    MLContext{options};
  } catch (const NotSupportedError&) { return; }
  const MLContext simd(options);
  const MLGraph graph = built(simd, {"large quantized", &large_quantized});
  const Bytes whole = compiled::bytes_of(graph);
  Random random(4);
  for (const Step& step : detail::state_of(graph)->plan.steps) {
    CAPTURE(step.choice.kernel->name);
    // Each column has the sum, the zero point, the multiplier and the exponent.
    const auto columns = step.choice.blocks.front()->bytes;
    const auto found = std::search(whole.begin(), whole.end(), columns.begin(), columns.end());
    REQUIRE(found != whole.end());
    for (int i = 0; i < 4; ++i) {
      Bytes bytes = whole;
      for (std::size_t at = 0; at < columns.size(); ++at)
        bytes[static_cast<std::size_t>(found - whole.begin()) + at] =
            static_cast<std::byte>(random.next() % 256);
      compiled::repair_checksums(bytes);
      CHECK(thrown([&] { results(simd, loaded(simd, bytes)); }) == "nothing");
    }
  }
}

TEST_CASE("damage: packed weights of any values") {
  Bytes bytes = compiled_bytes();
  const auto s = compiled::header_of(bytes)->sections[2];
  for (std::size_t i = 0; i < s.size; ++i)
    bytes[s.offset + i] = static_cast<std::byte>(i * 37 + 255);
  const MLGraph graph = loaded(context(), bytes);
  CHECK(results(context(), graph) != results(context(), loaded(context(), compiled_bytes())));
}
