#include "src/kernels/backends.h"

#include <algorithm>
#include <cstdlib>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {
namespace {

std::shared_ptr<const Backend> backend_named(std::string_view name) {
  for (const BuiltInBackend& b : built_in_backends) {
    if (b.name == name) {
      if (auto backend = b.make()) return backend;
      raise({format("the backend \"{}\" does not run on this machine", {Arg(name)}),
             ErrorName::NotSupportedError},
            "MLContext");
    }
  }
  raise({format("there is no backend \"{}\"; this build has {}",
                {Arg(escaped(name)), Arg(joined(backend_names()))}),
         ErrorName::NotSupportedError},
        "MLContext");
}

std::vector<std::shared_ptr<const Backend>> chosen(std::span<const BackendChoice> choice) {
  std::vector<std::shared_ptr<const Backend>> all;
  for (const BackendChoice& c : choice) {
    if (const auto* name = std::get_if<std::string>(&c)) {
      all.push_back(backend_named(*name));
    } else {
      all.push_back(std::get<std::shared_ptr<const Backend>>(c));
      if (!all.back()) raise(fail("backends[{}] is null", all.size() - 1), "MLContext");
    }
  }
  if (!all.empty()) return all;
  if (const char* text = std::getenv("WEBNN_BACKENDS"))
    for (std::string_view name : split(text))
      if (!name.empty()) all.push_back(backend_named(name));
  if (!all.empty()) return all;
  for (const BuiltInBackend& b : built_in_backends)
    if (auto backend = b.make()) all.push_back(std::move(backend));
  return all;
}

}  // namespace

std::vector<std::string_view> backend_names() {
  std::vector<std::string_view> names;
  for (const BuiltInBackend& b : built_in_backends) names.push_back(b.name);
  return names;
}

std::vector<std::shared_ptr<const Backend>> backends_for(std::span<const BackendChoice> choice,
                                                         AccuracyLevel level) {
  std::vector<std::shared_ptr<const Backend>> all = chosen(choice);
  if (level == AccuracyLevel::float32) return all;
  for (auto& backend : all)
    if (const auto* versioned = dynamic_cast<const VersionedBackend*>(backend.get()))
      if (auto other = versioned->with(level)) backend = std::move(other);
  return all;
}

bool knows_level(std::span<const BackendChoice> choice, AccuracyLevel level) {
  if (level == AccuracyLevel::float32) return true;
  return std::ranges::any_of(chosen(choice), [&](const auto& backend) {
    const auto* versioned = dynamic_cast<const VersionedBackend*>(backend.get());
    return versioned && versioned->with(level);
  });
}

}  // namespace webnn::inline v0_1
