// Functions of the program that the library calls while others wait for it. Private.
#pragma once

namespace webnn::inline v0_1 {

/// As long as it lives, its thread calls such a function, which must not come back to what calls
/// it: that would wait for itself.
class CallbackScope {
 public:
  /// `owner`: whose function it is. `name`: what messages call it.
  CallbackScope(const void* owner, const char* name)
      : owner_(owner), name_(name), outer_(innermost_) {
    innermost_ = this;
  }
  CallbackScope(const CallbackScope&) = delete;
  ~CallbackScope() { innermost_ = outer_; }

  /// The name of a function of that owner which this thread is calling, or null.
  static const char* name_of(const void* owner) {
    for (const CallbackScope* s = innermost_; s; s = s->outer_)
      if (s->owner_ == owner) return s->name_;
    return nullptr;
  }

 private:
  static inline thread_local const CallbackScope* innermost_ = nullptr;
  const void* owner_;
  const char* name_;
  const CallbackScope* outer_;
};

}  // namespace webnn::inline v0_1
