#include "tools/webnn/page/page.h"

#include "tools/webnn/page/file_page.h"
#include "tools/webnn/page/overview.h"
#include "tools/webnn/page/view.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {

std::string html_page(const Model& m, const PageContents& c) {
  const GraphReport report = m.compiled.report();
  Constants constants;
  const Sources runs{constants, c.tensors, c.tensors.optimized},
      built{constants, c.tensors, c.tensors.built};
  Json views =
      Json::array({view_of_steps(m.compiled, report, c.microseconds, "steps, as they run", runs),
                   view_of_operators(m.compiled.optimized(), "operators, as they run", runs, report,
                                     c.microseconds),
                   view_of_operators(m.graph(), "operators, as built", built)});
  if (c.file)
    for (Json& view : views_of_file(*c.file)) views.push_back(std::move(view));
  const Json data{{"model", escaped(m.path)},
                  {"description", escaped(m.description)},
                  {"overview", overview_json(m, c.memory, c.microseconds, c.tensors)},
                  {"views", std::move(views)},
                  {"constants", constants.json()},
                  {"tensors", c.tensors.list}};
  return html_page_of(data);
}

std::string html_page_of(const Json& data) {
  std::string json = text_of(data, -1), page = page_template;
  // Nothing in the data ends the element that holds it.
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos;)
    json.replace(at, 1, "\\u003c");
  const std::string_view place = "@DATA@";
  return page.replace(page.find(place), place.size(), json);
}

}  // namespace webnn::inline v0_1::tool
