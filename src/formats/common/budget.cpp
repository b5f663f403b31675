#include "src/formats/common/budget.h"

#include "src/formats/common/failures.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::formats {

std::optional<Failure> Budget::spend(std::uint64_t bytes, std::string_view what) {
  if (bytes > max_bytes - spent)
    return data_error(fail("memory for {} would exceed max_bytes ({}) by {} bytes", what, max_bytes,
                           bytes - (max_bytes - spent)));
  spent += bytes;
  return std::nullopt;
}

std::optional<Failure> Budget::count(std::uint64_t entries) {
  read += entries;
  if (read <= file_bytes + 65536) return std::nullopt;
  return data_error(
      fail("its lists have more entries ({}) than the file has bytes ({})", read, file_bytes));
}

}  // namespace webnn::inline v0_1::formats
