// Runs the C++ blocks of all pages of the guide, in a folder with the files that they name.
#include <cstdio>
#include <exception>

#include "guide_pages.h"  // generated
#include "tests/docs/files.h"

int main() {
  const webnn::test::Folder folder;
  webnn::test::write_guide_files(folder);
  std::filesystem::current_path(folder.path(""));
  int failed = 0;
  for (const auto& [name, run] : pages) {
    try {
      std::printf("== %s\n", name);
      std::fflush(stdout);
      run();
    } catch (const std::exception& e) {
      std::printf("%s: %s\n", name, e.what());
      ++failed;
    }
  }
  std::filesystem::current_path("/");
  return failed ? 1 : 0;
}
