#include "src/runtime/shared_pages.h"

#include <algorithm>
#include <cstdint>

#include "tests/support/catch.h"

#ifdef __linux__
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace webnn;

namespace {

constexpr std::size_t page = 4096;

bool is_all(const SharedPages& p, std::size_t begin, std::size_t end, std::byte value) {
  return std::all_of(p.get() + begin, p.get() + end, [&](std::byte b) { return b == value; });
}

}  // namespace

TEST_CASE("shared pages: memory of any size is zero, aligned, and can be written") {
  for (const std::size_t size : {std::size_t{1}, 5 * page + 3, 64 * page, std::size_t{5} << 20}) {
    SharedPages p(size);
    CHECK(p.size() == size);
    CHECK(reinterpret_cast<std::uintptr_t>(p.get()) % page == 0);
    CHECK(is_all(p, 0, size, std::byte{0}));
    std::fill_n(p.get(), size, std::byte{7});
  }
}

TEST_CASE("shared pages: the whole pages of a range") {
  const auto is = [](PageRange given, std::size_t begin, std::size_t end) {
    const PageRange r = SharedPages::whole_pages(given);
    return r.begin == begin && r.end == end;
  };
  CHECK(is({0, page}, 0, page));
  CHECK(is({1, 3 * page}, page, 3 * page));
  CHECK(is({page, 3 * page - 1}, page, 2 * page));
  CHECK(is({10, page}, page, page));  // none
  CHECK(is({10, 20}, page, page));
}

TEST_CASE("shared pages: what one memory changes stays its own") {
  constexpr std::size_t size = 100 * page;
  SharedPages a(size), b(size);
  const auto file = PageFile::make();
  if (!file || !a.can_map()) return;
  std::fill_n(a.get(), size, std::byte{1});
  const std::size_t other = file->reserve(page + 1), at = file->reserve(size);
  CHECK(other == 0);
  CHECK(at == 2 * page);
  REQUIRE(file->write(at, {a.get(), 50 * page}));
  REQUIRE(a.map({0, 50 * page}, *file, at));
  REQUIRE(b.map({page / 2, 10 * page + 1}, *file, at));
  CHECK(is_all(a, 0, size, std::byte{1}));
  CHECK(is_all(b, 0, page, std::byte{0}));
  CHECK(is_all(b, page, 10 * page, std::byte{1}));
  CHECK(is_all(b, 10 * page, size, std::byte{0}));
  a.get()[2 * page] = std::byte{2};
  b.get()[3 * page] = std::byte{3};
  CHECK(is_all(b, page, 3 * page, std::byte{1}));
  CHECK(a.get()[3 * page] == std::byte{1});
  SharedPages c(size);
  REQUIRE(c.map({0, 50 * page}, *file, at));
  CHECK(is_all(c, 0, 50 * page, std::byte{1}));
}

TEST_CASE("shared pages: another process does not write to the file") {
#ifdef __linux__
  const auto file = PageFile::make();
  if (!file) return;
  const std::byte x{5};
  const pid_t child = fork();
  if (child == 0) _exit(file->write(0, {&x, 1}) ? 1 : 0);
  int status = 1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(file->write(0, {&x, 1}));
#endif
}
