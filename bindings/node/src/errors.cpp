#include "errors.h"

#include <cctype>
#include <new>
#include <utility>

#include "instance.h"

namespace webnn::inline v0_1::node {
namespace {

Napi::Value dom_exception(Napi::Env env, const char* name, const std::string& message) {
  return instance(env).dom_exception.New(
      {Napi::String::New(env, message), Napi::String::New(env, name)});
}

bool is_part_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.'; }

/// Whether a message has a number, not as a part of another one.
bool mentions(std::string_view message, std::string_view number) {
  for (auto at = message.find(number); at != std::string_view::npos;
       at = message.find(number, at + 1)) {
    const std::string_view rest = message.substr(at + number.size());
    const bool ends = rest.empty() || !is_part_of_word(rest[0]) || rest == ".";
    if (ends && (at == 0 || (!is_part_of_word(message[at - 1]) && message[at - 1] != '-')))
      return true;
  }
  return false;
}

}  // namespace

Napi::Value to_js(Napi::Env env, std::exception_ptr failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const TypeError& e) {
    return Napi::TypeError::New(env, e.what()).Value();
  } catch (const Error& e) {
    return dom_exception(env, name_of(e.name()).data(), e.what());
  } catch (const std::bad_alloc&) {
    return dom_exception(env, "UnknownError", "out of memory");
  } catch (const std::exception& e) { return dom_exception(env, "UnknownError", e.what()); }
}

Conversions::Conversions(Napi::Env env)
    : env_(env), outer_(std::exchange(instance(env).conversions, this)) {}
Conversions::~Conversions() { instance(env_).conversions = outer_; }

void Conversions::add(std::string argument, std::string written, double number, bool wrapped) {
  all_.push_back({std::move(argument), std::move(written), detail::Arg(number).text, wrapped});
}

std::string Conversions::text_for(std::string_view message) const {
  std::string text;
  for (const Conversion& c : all_)
    if (c.wrapped || mentions(message, c.number))
      text += ' ' + c.argument + " is " + c.written + ", which is converted to " + c.number + '.';
  return text;
}

Napi::Value Conversions::to_js(std::exception_ptr failure) const {
  if (!all_.empty()) try {
      std::rethrow_exception(failure);
    } catch (const Unconvertible&) {
    } catch (const TypeError& e) {
      return Napi::TypeError::New(env_, e.what() + text_for(e.what())).Value();
    } catch (...) {}
  return node::to_js(env_, failure);
}

}  // namespace webnn::inline v0_1::node
