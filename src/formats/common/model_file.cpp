#include "src/formats/common/model_file.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#if __has_include(<sys/mman.h>)
#include <sys/stat.h>

#include "src/formats/common/descriptor.h"
#endif

#include "src/formats/common/failures.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::formats {
namespace {

/// The names in a path, without those that stand for nothing.
std::vector<std::string> names_in(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    if (!name.empty() && name != ".") names.emplace_back(name);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return names;
}

#if __has_include(<sys/mman.h>)
constexpr std::string_view forbidden("\0", 1);
#else
constexpr std::string_view forbidden("\0\\:", 3);  // other separators, and drives
#endif

std::optional<Failure> check_name(std::string_view name) {
  const auto names = names_in(name);
  const bool leaves = std::find(names.begin(), names.end(), "..") != names.end();
  if (name.empty() || name.front() == '/' || name.back() == '/' || leaves ||
      name.find_first_of(forbidden) != std::string_view::npos)
    return data_error(fail("not the name of a file in this folder or below"));
  return std::nullopt;
}

Failure outside() {
  return data_error(fail("the file is not in the folder of the model or below"));
}

}  // namespace

#if __has_include(<sys/mman.h>)

namespace {

#if defined(O_PATH)
constexpr int folder_access = O_PATH;  // a folder need not be readable
#elif defined(O_SEARCH)
constexpr int folder_access = O_SEARCH;
#else
constexpr int folder_access = O_RDONLY;
#endif
constexpr int folder_flags = folder_access | O_DIRECTORY | O_CLOEXEC;

Descriptor open_folder(const Descriptor& at, const char* name) {
  return Descriptor(openat(at.number(), name, folder_flags));
}

/// What a file is, by whatever name it was found.
struct Identity {
  dev_t device = 0;
  ino_t file = 0;
  bool operator==(const Identity&) const = default;
};
std::optional<Identity> identity_of(const Descriptor& x) {
  struct stat status {};
  if (!x || fstat(x.number(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

/// A file that was found, with the folders in which its path ends and in which it lies.
struct Found {
  Descriptor path_folder{}, folder{}, file{};
};

/// Finds a file as the system does, one name after the other, and keeps the folder in which it was
/// opened. After a failure, errno is what the system said.
class Search {
 public:
  explicit Search(Descriptor start) : at_(std::move(start)) {}

  std::optional<Found> run(std::string_view path) {
    push(path);
    while (at_ && !names_.empty()) {
      const std::string name = std::move(names_.back());
      names_.pop_back();
      const bool last = names_.empty();
      if (last && !path_folder_) path_folder_ = open_folder(at_, ".");
      const int flags = (last ? read_flags : folder_flags) | O_NOFOLLOW;
      Descriptor next(openat(at_.number(), name.c_str(), flags));
      if (next && last) return Found{std::move(path_folder_), std::move(at_), std::move(next)};
      if (next) at_ = std::move(next);
      else if (!follow(name)) return std::nullopt;
    }
    if (at_) errno = EISDIR;
    return std::nullopt;
  }

 private:
  void push(std::string_view path) {
    if (path.starts_with('/')) at_ = Descriptor(open("/", folder_flags));
    auto names = names_in(path);
    std::move(names.rbegin(), names.rend(), std::back_inserter(names_));
  }
  /// False for what is not a link.
  bool follow(const std::string& name) {
    constexpr int max_links = 40;
    const int error = errno;  // systems say different things of a link that they are not to follow
    std::array<char, 4096> target{};
    const ssize_t size = readlinkat(at_.number(), name.c_str(), target.data(), target.size());
    const bool fits = size > 0 && static_cast<std::size_t>(size) < target.size();
    if (!fits || ++links_ > max_links) {
      errno = size < 0 ? error : fits ? ELOOP : ENAMETOOLONG;
      return false;
    }
    push({target.data(), static_cast<std::size_t>(size)});
    return true;
  }

  Descriptor at_, path_folder_{};
  std::vector<std::string> names_{};  // the next one last
  int links_ = 0;
};

/// Whether a folder is one of these or below one.
bool is_within(const Descriptor& folder, std::span<const Identity> roots) {
  constexpr int max_depth = 4096;
  Descriptor at = open_folder(folder, ".");
  auto is = identity_of(at);
  for (int i = 0; is && i < max_depth; ++i) {
    if (std::find(roots.begin(), roots.end(), *is) != roots.end()) return true;
    at = open_folder(at, "..");
    const auto above = identity_of(at);
    if (above == is) return false;
    is = above;
  }
  return false;
}

}  // namespace

class ModelFolder {
 public:
  /// Finds the folder of a model, given its path and the file that was opened by that path.
  ModelFolder(const std::filesystem::path& path, const Descriptor& model) {
    auto found = Search(Descriptor(open(".", folder_flags))).run(path.native());
    if (!found) {
      const std::string reason = std::generic_category().message(errno);
      unusable_ = data_error(fail("the folder of the model cannot be found: {}", reason));
      return;
    }
    if (identity_of(model) != identity_of(found->file)) {
      unusable_ = data_error(fail("the model was replaced while it was opened"));
      return;
    }
    path_folder_ = std::move(found->path_folder);
    folder_ = std::move(found->folder);
    for (const Descriptor* x : {&path_folder_, &folder_})
      if (const auto is = identity_of(*x)) roots_.push_back(*is);
  }

  Result<std::optional<MappedFile>> map(std::string_view name) const {
    if (auto bad = check_name(name)) return *bad;
    if (unusable_) return *unusable_;
    auto found = Search(open_folder(path_folder_, ".")).run(name);
    if (!found && errno == ENOENT) return std::optional<MappedFile>{};
    if (!found) return refused("opened");
    if (!is_within(found->folder, roots_)) return outside();
    auto file = map_open_file(found->file);
    if (!file) return file.failure();
    return std::optional<MappedFile>(std::move(*file));
  }

 private:
  Descriptor path_folder_{}, folder_{};  // open, so that what they are is not given to others
  std::vector<Identity> roots_{};
  std::optional<Failure> unusable_{};
};

Result<ModelFile> map_model(const std::filesystem::path& path) {
  const Descriptor file(open(path.c_str(), read_flags));
  if (!file) return refused("opened");
  auto contents = map_open_file(file);
  if (!contents) return contents.failure();
  return ModelFile{std::move(*contents), std::make_shared<const ModelFolder>(path, file)};
}

#else

namespace {

namespace fs = std::filesystem;

bool is_within(const fs::path& file, const fs::path& folder) {
  const fs::path from = file.lexically_relative(folder);
  return !from.empty() && *from.begin() != "..";
}

}  // namespace

class ModelFolder {
 public:
  explicit ModelFolder(const fs::path& path) {
    std::error_code error;
    folder_ = path.parent_path();
    if (folder_.empty()) folder_ = ".";
    roots_ = {fs::canonical(folder_, error), fs::canonical(path, error).parent_path()};
  }

  Result<std::optional<MappedFile>> map(std::string_view name) const {
    if (auto bad = check_name(name)) return *bad;
    std::error_code error;
    if (!fs::exists(folder_ / name, error)) return std::optional<MappedFile>{};
    const fs::path real = fs::canonical(folder_ / name, error);
    if (error) return data_error(fail("the file cannot be opened: {}", error.message()));
    if (!is_within(real, roots_[0]) && !is_within(real, roots_[1])) return outside();
    auto file = map_file(real);
    if (!file) return file.failure();
    return std::optional<MappedFile>(std::move(*file));
  }

 private:
  fs::path folder_{};
  std::array<fs::path, 2> roots_{};
};

Result<ModelFile> map_model(const fs::path& path) {
  auto contents = map_file(path);
  if (!contents) return contents.failure();
  return ModelFile{std::move(*contents), std::make_shared<const ModelFolder>(path)};
}

#endif

Result<std::optional<MappedFile>> map_if_beside(const ModelFolder& folder, std::string_view name) {
  return folder.map(name);
}

Result<MappedFile> map_beside(const ModelFolder& folder, std::string_view name) {
  auto file = folder.map(name);
  if (!file) return file.failure();
  if (*file) return std::move(**file);
  const auto reason = std::make_error_code(std::errc::no_such_file_or_directory).message();
  return data_error(fail("the file cannot be opened: {}", reason));
}

}  // namespace webnn::inline v0_1::formats
