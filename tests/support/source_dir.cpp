#include "tests/support/source_dir.h"

namespace webnn::inline v0_1::test {

const std::filesystem::path& source_dir() {
  static const std::filesystem::path folder = WEBNN_SOURCE_DIR;
  return folder;
}

}  // namespace webnn::inline v0_1::test
