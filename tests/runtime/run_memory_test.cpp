#include "src/runtime/run_memory.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace webnn;

namespace {

constexpr std::size_t megabyte = 1 << 20;

}  // namespace

TEST_CASE("run memory: a block serves one run after the other") {
  RunMemory memory;
  std::byte* a = memory.take({4096, 64}, nullptr);
  REQUIRE(a);
  memory.give(a);
  CHECK(memory.take({100, 0}, nullptr) == a);
  memory.give(a);
  CHECK(memory.held().blocks == 1);
  CHECK(memory.held().bytes.total() == 4160);
}

TEST_CASE("run memory: runs at the same time have blocks of their own") {
  RunMemory memory;
  std::byte *a = memory.take({100, 0}, nullptr), *b = memory.take({100, 0}, nullptr);
  CHECK(a != b);
  CHECK(memory.held().blocks == 2);
  memory.give(a);
  memory.give(b);
  CHECK(memory.take({100, 0}, b) == b);
  CHECK(memory.take({100, 0}, b) == a);
}

TEST_CASE("run memory: a block that is too small makes way for a larger one") {
  RunMemory memory;
  memory.reserve({megabyte, 0});
  CHECK(memory.held().bytes.total() == megabyte);
  memory.reserve({megabyte - 5, 4});
  CHECK(memory.held().bytes.total() == megabyte);
  memory.reserve({megabyte + 1, 0});  // and so much more that few others follow
  CHECK(memory.held().blocks == 1);
  CHECK(memory.held().bytes.total() == megabyte + megabyte / 8);
  std::byte* block = memory.take({megabyte + 100, 0}, nullptr);
  std::fill(block, block + megabyte + 100, std::byte{7});  // all of it is there
  std::byte* other = memory.take({8, 0}, nullptr);
  CHECK(other != block);
  memory.give(other);
  memory.give(block);
  CHECK(memory.held().blocks == 2);
}

TEST_CASE("run memory: what is larger than needed is freed, unless a run has it") {
  RunMemory memory;
  std::byte *a = memory.take({megabyte, 0}, nullptr), *b = memory.take({megabyte, 0}, nullptr);
  memory.give(b);
  memory.trim(megabyte);
  CHECK(memory.held().blocks == 2);
  memory.trim(1000);
  CHECK(memory.held().blocks == 1);
  memory.give(a);
  memory.trim(1000);
  CHECK(memory.held().blocks == 0);
  CHECK(memory.take({0, 0}, nullptr) != nullptr);
}
