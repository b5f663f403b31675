// The command as a process, in a folder of its own.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace webnn::inline v0_1::test {

using Json = nlohmann::json;

struct Outcome {
  int code = -1;  ///< the exit code; 128 and the signal's number where a signal ended it
  std::string out, err;
  Json json() const;  ///< what `out` has, which is nothing else
};

/// Runs `webnn` with these arguments.
Outcome webnn_command(const std::vector<std::string>& arguments);
/// Any program, found as the shell finds it.
Outcome run_program(const std::vector<std::string>& words);
/// The same with the standard output and error on a terminal of 80 columns, whose lines `out` has.
Outcome run_on_terminal(const std::vector<std::string>& words);
/// Runs the command with the standard output on a device that is full.
Outcome run_without_space(const std::vector<std::string>& words);

/// A folder that is empty at first and goes away with this.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  ~Folder();
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, std::span<const std::byte> bytes) const;
  std::string write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace webnn::inline v0_1::test
