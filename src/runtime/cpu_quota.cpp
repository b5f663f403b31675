#include "src/runtime/cpu_quota.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "src/graph/text.h"
#include "src/runtime/placement.h"

namespace webnn::inline v0_1 {
namespace {

std::optional<std::string> contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words = split(line, ' ');
  std::erase(words, std::string_view());
  return words;
}

std::vector<std::string_view> lines_of(const std::optional<std::string>& text) {
  return text ? split(*text, '\n') : std::vector<std::string_view>();
}

bool contains(const std::vector<std::string_view>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::optional<long long> number_in(std::string_view text) {
  long long n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

/// A path of mountinfo, which has blanks and backslashes as three octal digits: "\040".
std::string unescaped(std::string_view path) {
  std::string s;
  const auto digit = [&](std::size_t i) { return path[i] >= '0' && path[i] <= '7'; };
  for (std::size_t i = 0; i < path.size(); ++i)
    if (path[i] == '\\' && i + 3 < path.size() && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
      s +=
          static_cast<char>((path[i + 1] - '0') * 64 + (path[i + 2] - '0') * 8 + path[i + 3] - '0');
      i += 3;
    } else {
      s += path[i];
    }
  return s;
}

/// Where a hierarchy of control groups is mounted, and which group that folder is.
struct Mount {
  std::string group, folder;
  bool is_version_2 = false;
};

/// Those that have CPU quotas. "36 25 0:32 GROUP FOLDER rw - cgroup2 NAME rw,nsdelegate"
std::vector<Mount> mounts(const FileReader& read) {
  std::vector<Mount> all;
  const auto text = read("/proc/self/mountinfo");
  for (const std::string_view line : lines_of(text)) {
    const auto words = words_of(line);
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || words.end() - dash < 4) continue;
    const bool is_version_2 = dash[1] == "cgroup2";
    if (!is_version_2 && !(dash[1] == "cgroup" && contains(split(dash[3], ','), "cpu"))) continue;
    all.push_back({unescaped(words[3]), unescaped(words[4]), is_version_2});
  }
  return all;
}

/// The group of this process in the hierarchy of version 2, "0::/a/b", or in that of version 1 with
/// the controller "4:cpu,cpuacct:/a/b".
std::optional<std::string> group_of_process(const FileReader& read, bool is_version_2) {
  const auto text = read("/proc/self/cgroup");
  for (const std::string_view line : lines_of(text)) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (is_version_2 ? controllers.empty() && line.substr(0, first) == "0"
                     : contains(split(controllers, ','), "cpu"))
      return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

/// Its path below the folder of the mount: "/b"; empty for that folder itself, also where the group
/// is not below it, as with a container's mount of its own group.
std::string path_below(const Mount& mount, const std::string& group) {
  const std::string_view top = mount.group == "/" ? std::string_view() : mount.group;
  if (!group.starts_with(top) || group.find("/..") != std::string::npos) return "";
  std::string path = group.substr(top.size());
  if (!path.empty() && path.front() != '/') return "";  // "/ab" is not below "/a"
  while (path.ends_with('/')) path.pop_back();
  return path;
}

std::optional<double> ratio(std::optional<long long> quota, std::optional<long long> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;  // -1: none
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> quota_in(const FileReader& read, const std::string& folder,
                               bool is_version_2) {
  const auto numbers_in = [&](const char* file) {
    std::vector<std::optional<long long>> numbers;
    const auto text = read(folder + file);
    for (const std::string_view line : lines_of(text))
      for (const std::string_view word : words_of(line)) numbers.push_back(number_in(word));
    numbers.resize(2);
    return numbers;
  };
  if (is_version_2) {
    const auto numbers = numbers_in("/cpu.max");  // "max 100000" is no quota
    return ratio(numbers[0], numbers[1]);
  }
  return ratio(numbers_in("/cpu.cfs_quota_us")[0], numbers_in("/cpu.cfs_period_us")[0]);
}

}  // namespace

std::optional<double> cpu_quota(const FileReader& read) {
  std::optional<double> smallest;
  for (const Mount& mount : mounts(read)) {
    const auto group = group_of_process(read, mount.is_version_2);
    if (!group) continue;
    for (std::string path = path_below(mount, *group);; path.resize(path.rfind('/'))) {
      if (const auto quota = quota_in(read, mount.folder + path, mount.is_version_2))
        smallest = std::min(*quota, smallest.value_or(*quota));
      if (path.empty()) break;
    }
  }
  return smallest;
}

int usable_cores(int allowed, const FileReader& read) {
  const double quota = cpu_quota(read).value_or(allowed);
  return std::max(1, static_cast<int>(std::min<double>(allowed, std::ceil(quota))));
}

int usable_cores() { return usable_cores(allowed_cores(), contents_of); }

}  // namespace webnn::inline v0_1
