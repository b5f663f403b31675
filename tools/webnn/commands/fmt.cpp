// webnn fmt: .webnn texts in the usual form.
#include "tools/webnn/commands/commands.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/files.h"
#include "tools/webnn/common/output.h"
#include "tools/webnn/model/formats.h"

namespace webnn::inline v0_1::tool {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string output;
  bool check = false, json = false;
};

/// The one format that has a usual form.
const Format& text_format() {
  for (const Format& f : formats())
    if (f.formatted) return f;
  throw CommandError("this webnn was built without the format text");
}

int format_files(const Options& o) {
  if (!o.output.empty() && o.files.size() != 1)
    throw Usage("--output: there are " + std::to_string(o.files.size()) + " files");
  if (!o.output.empty() && o.check) throw Usage("--output and --check exclude each other");
  if (o.json && o.output == "-") throw Usage("--json and the output - would be mixed");
  const Format& format = text_format();
  Json results = Json::array();
  bool differs = false;
  for (const std::string& path : o.files) {
    const std::vector<std::byte> bytes = read_file(path);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string formatted = format.formatted(text, path);
    const bool changes = formatted != text;
    differs = differs || changes;
    results.push_back({{"file", path}, {"changes", changes}});
    if (o.check) {
      if (changes && !o.json) print(shown(path) + ": it is not in the usual form\n");
    } else if (!o.output.empty() || changes) {
      write_file(o.output.empty() ? path : o.output, formatted);
    }
  }
  if (o.json) print_json(Json{{"files", results}});
  return o.check && differs ? Exit::differs : Exit::ok;
}

}  // namespace

Action add_fmt(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  app.add_option("FILE", o->files, "Texts in .webnn files, each of which is replaced")
      ->type_name("FILE")
      ->required();
  app.add_option("-o,--output", o->output, "The file to write instead; - is the standard output")
      ->type_name("FILE");
  app.add_flag("--check", o->check,
               "Write nothing; the exit code is 3 if a file is not in the usual form");
  add_json(app, o->json);
  app.footer("Examples:\n  webnn fmt net.webnn\n  webnn fmt --check models/*.webnn");
  return [o]() -> int { return format_files(*o); };
}

}  // namespace webnn::inline v0_1::tool
