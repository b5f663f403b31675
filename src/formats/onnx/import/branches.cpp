#include "src/formats/onnx/import/branches.h"

namespace webnn::inline v0_1::onnx {
namespace {

struct Search {
  Import& import;
  const std::function<void()>& attempt;
  int left = 100;  // attempts
  std::exception_ptr failure{};

  /// Whether the attempt succeeds with Import::branches, to which it adds what is missing.
  bool succeeds() {
    if (left-- == 0)
      unsupported(import.file,
                  {"it has too many branches whose conditions follow from open sizes"});
    std::string reason;
    try {
      attempt();
      return true;
    } catch (const NeedsBranches& e) { reason = e.reason; } catch (const Error&) {
      failure = std::current_exception();
      return false;
    }
    auto chosen = with(Branches::both);
    if (!chosen) {
      chosen = with(Branches::else_branch);
      auto other = with(Branches::then_branch);
      if (chosen && other) unsupported(import.file, {reason});
      if (!chosen) chosen = std::move(other);
    }
    if (chosen) import.branches = std::move(*chosen);
    return chosen.has_value();
  }

  std::optional<std::vector<Branches>> with(Branches next) {
    const std::vector<Branches> before = import.branches;
    import.branches.push_back(next);
    std::optional<std::vector<Branches>> found;
    if (succeeds()) found = import.branches;
    import.branches = before;
    return found;
  }
};

}  // namespace

void choose_branches(Import& import, const std::function<void()>& attempt) {
  Search search{import, attempt};
  if (!search.succeeds()) std::rethrow_exception(search.failure);
}

}  // namespace webnn::inline v0_1::onnx
