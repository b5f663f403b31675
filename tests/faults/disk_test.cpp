// Disks that are full, files that are links, and processes that are killed while they write.
#ifdef WEBNN_TEST_SAFETENSORS
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "webnn/safetensors.h"
#include "webnn/webnn.h"

using namespace webnn;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("webnn_faults_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
  auto files() const { return std::distance(fs::directory_iterator(path), {}); }
};

void write(const std::string& path, float value, std::uint32_t count = 1000) {
  const std::vector<float> values(count, value);
  safetensors::write(path, {{"v", {float32, {count}}, values}});
}
float first_of(const std::string& path) {
  const auto file = safetensors::File::open(path);
  const auto bytes = file.bytes("v");
  const auto* values = reinterpret_cast<const float*>(bytes.data());
  REQUIRE(std::count(values, values + bytes.size() / sizeof(float), values[0]) ==
          static_cast<std::ptrdiff_t>(bytes.size() / sizeof(float)));
  return values[0];
}
mode_t mode_of(const std::string& path) {
  struct stat s {};
  REQUIRE(::lstat(path.c_str(), &s) == 0);
  return s.st_mode;
}

}  // namespace

TEST_CASE("a full disk is named as the reason") {
  if (!fs::exists("/dev/full")) return;
  try {
    write("/dev/full", 1);
    FAIL("it was written");
  } catch (const OperationError& e) {
    CHECK(e.reason() == "the file cannot be written: No space left on device");
  }
}

TEST_CASE("a folder that is not there is named as the reason") {
  const Folder folder;
  try {
    write(folder / "no/such", 1);
    FAIL("it was written");
  } catch (const OperationError& e) {
    CHECK(e.reason() == "the file cannot be written: No such file or directory");
  }
}

TEST_CASE("writing over a link follows it, and permissions stay") {
  const Folder folder;
  write(folder / "file", 1);
  ::chmod((folder / "file").c_str(), 0600);
  fs::create_symlink("file", folder / "link");
  fs::create_symlink(folder / "link", folder / "second");
  write(folder / "second", 2);
  CHECK(S_ISLNK(mode_of(folder / "link")));
  CHECK(S_ISLNK(mode_of(folder / "second")));
  CHECK((mode_of(folder / "file") & 07777) == 0600);
  CHECK(first_of(folder / "file") == 2);
  fs::create_symlink("new", folder / "dangling");
  write(folder / "dangling", 3);
  CHECK(first_of(folder / "new") == 3);
  CHECK(folder.files() == 5);
}

TEST_CASE("a process that is killed while it writes leaves the old file or the new one") {
  const Folder folder;
  const std::string path = folder / "file";
  constexpr std::uint32_t count = 1 << 20;
  write(path, 1, count);
  for (int round = 0; round < 25; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      for (float v = 2;; ++v) write(path, v, count);
    }
    ::usleep(static_cast<useconds_t>(1000 + 700 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    REQUIRE(first_of(path) >= 1);
    REQUIRE(safetensors::File::open(path).info("v").shape[0] == count);
  }
}
#endif
