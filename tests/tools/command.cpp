#include "tests/tools/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace webnn::inline v0_1::test {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream s;
  s << file.rdbuf();
  return s.str();
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "webnn_test_XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
  path_ = name;
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}
std::string Folder::write(const std::string& name, std::span<const std::byte> bytes) const {
  std::ofstream(path_ / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return path(name);
}
std::string Folder::write(const std::string& name, const std::string& text) const {
  return write(name, std::as_bytes(std::span(text)));
}
std::string Folder::read(const std::string& name) const { return contents(path(name)); }

Json Outcome::json() const { return Json::parse(out); }

namespace {

/// `to`, `errors`: for the standard output and error, in place of those of the Outcome.
Outcome run(const std::vector<std::string>& words, const std::string& to,
            const std::string& errors = {}) {
  const Folder folder;
  const std::string out = to.empty() ? folder.path("out") : to;
  const std::string err = errors.empty() ? folder.path("err") : errors;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&files, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed) throw std::runtime_error("cannot run " + words.front());
  int status = 0;
  waitpid(pid, &status, 0);
  Outcome o;
  o.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (to.empty()) o.out = contents(out);
  if (errors.empty()) o.err = contents(err);
  return o;
}

}  // namespace

Outcome run_program(const std::vector<std::string>& words) { return run(words, {}); }
Outcome run_on_terminal(const std::vector<std::string>& words) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
    throw std::runtime_error("there is no terminal");
  winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  ioctl(terminal, TIOCSWINSZ, &size);
  const std::string name = ptsname(terminal);
  const int held = open(name.c_str(), O_RDWR | O_NOCTTY);  // until all is read
  std::string text;
  std::thread reader([&] {
    char bytes[4096];
    for (ssize_t n; (n = read(terminal, bytes, sizeof bytes)) > 0;)
      text.append(bytes, static_cast<std::size_t>(n));
  });
  Outcome o = run(words, name, name);
  close(held);
  reader.join();
  close(terminal);
  std::erase(text, '\r');
  o.out = std::move(text);
  return o;
}
Outcome run_without_space(const std::vector<std::string>& words) { return run(words, "/dev/full"); }

Outcome webnn_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {WEBNN_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(words);
}

}  // namespace webnn::inline v0_1::test
