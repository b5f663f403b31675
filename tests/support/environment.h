// Variables of the environment.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace webnn::inline v0_1::test {

/// A variable for one scope.
class Env {
 public:
  Env(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  Env(const Env&) = delete;
  ~Env() {
    if (old_) setenv(name_, old_->c_str(), 1);
    else unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> old_{};
};

}  // namespace webnn::inline v0_1::test
