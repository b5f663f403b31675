// The shapes of blocks of registers follow from the number of registers.
#include "src/kernels/simd/vector/register_rows.h"

#include "src/kernels/simd/vector/float32/panels.h"
#include "src/kernels/simd/vector/instruction_set.h"
#include "tests/kernels/simd/support.h"

namespace webnn::inline v0_1::test {
namespace {

using namespace simd;

TEST_CASE("blocks of sums fit into the vector registers and leave less than a row of them unused") {
  for (int registers : {16, 32})
    for (int columns : {2, 3, 4}) {
      CAPTURE(registers, columns);
      const int floats = float_block_rows(registers, columns);
      CHECK(floats * columns + columns + 1 <= registers);
      CHECK((floats + 1) * columns + columns + 1 > registers);
      const int bytes = int8_block_rows(registers, columns);
      CHECK(bytes * columns + columns + 4 <= registers);
      CHECK(int8_row_step % bytes == 0);
    }
  CHECK(float_block_rows(16, 2) == 6);
  CHECK(float_block_rows(16, 3) == 4);
  CHECK(float_block_rows(32, 2) == 14);
  CHECK(float_block_rows(32, 3) == 9);
  CHECK(float_block_rows(32, 1) == float_block_rows(32, 2));
  CHECK(int8_block_rows(16, 4) == 2);
  CHECK(int8_block_rows(16, 2) == 4);
  CHECK(int8_block_rows(32, 4) == 6);
  CHECK(int8_block_rows(32, 3) == 8);
  CHECK(int8_block_rows(32, 1) == 12);
}

TEST_CASE("each instruction set uses the registers that it has") {
  for_targets([] {
    const std::string name = target();
    CAPTURE(name);
    const bool many = name.starts_with("AVX3") || name.starts_with("NEON");
    CHECK(rows_at_once() == float_block_rows(many ? 32 : 16, 2));
    CHECK(panel_rows() == float_block_rows(many ? 32 : 16, 3));
  });
}

}  // namespace
}  // namespace webnn::inline v0_1::test
