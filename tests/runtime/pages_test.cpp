#include "src/runtime/pages.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

#include "tests/support/catch.h"

using namespace webnn;

TEST_CASE("pages: there are more of them, each can be written, and the first one is aligned") {
  Pages pages;
  CHECK(pages.get() == nullptr);
  for (const std::size_t bytes : {1u, 5000u, 1u << 20, 9u << 20}) {
    pages.grow(bytes);
    CHECK(pages.size() >= bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(pages.get()) % 4096 == 0);
    std::fill(pages.get(), pages.get() + pages.size(), std::byte{7});
  }
  const std::byte* const before = pages.get();
  const std::size_t size = pages.size();
  pages.grow(100);
  CHECK(pages.get() == before);
  CHECK(pages.size() == size);
}

TEST_CASE("pages: they have one owner") {
  Pages a, b;
  a.grow(5000);
  b.grow(100);
  std::byte* const memory = a.get();
  b = std::move(a);
  CHECK(b.get() == memory);
  Pages c(std::move(b));
  CHECK(c.get() == memory);
  CHECK(c.size() >= 5000);
  c.reset();
  CHECK(c.get() == nullptr);
  CHECK(c.size() == 0);
}

TEST_CASE("pages: where there are no more of them, std::bad_alloc says so, and they are usable") {
  Pages pages;
  pages.grow(5000);
  for (const std::size_t bytes : {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 60})
    CHECK_THROWS_AS(pages.grow(bytes), std::bad_alloc);
  CHECK(pages.size() == 0);
  pages.grow(5000);
  std::fill(pages.get(), pages.get() + 5000, std::byte{7});
}
