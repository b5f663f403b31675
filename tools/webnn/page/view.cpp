#include "tools/webnn/page/view.h"

#include <algorithm>
#include <cmath>

#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

/// Sizes of the first line of a box and of the others; page.css has those of the text.
constexpr double title_character = 7.6, character = 6.5, title_height = 30, line_height = 14;
constexpr double padding = 20, least_width = 90;

double round(double v) { return std::round(v * 10) / 10; }

}  // namespace

Json& View::add(const char* kind, const std::string& title, const std::string& subtitle,
                const std::string& shape, const std::string& label) {
  Json node{{"kind", kind}, {"name", title}, {"lines", Json::array()}};
  double width = least_width, height = title_height - line_height;
  for (const std::string* text : {&title, &subtitle, &shape, &label}) {
    if (text->empty() && text != &title) continue;
    const std::string shown = shortened(*text);
    const double one = text == &title ? title_character : character;
    width = std::max(width, static_cast<double>(shown.size()) * one + padding);
    height += line_height;
    node["lines"].push_back(shown);
  }
  boxes_.push_back({width, height});
  nodes_.push_back(std::move(node));
  return nodes_.back();
}

void View::add_port(const char* kind, const NamedOperand& port,
                    const std::map<std::string, std::size_t>& tensors) {
  const std::string type = type_text(port.operand.descriptor());
  Json result{{"type", type}};
  if (const auto at = tensors.find(port.name); at != tensors.end()) result["tensor"] = at->second;
  add(kind, escaped(port.name), kind, type)["results"] = Json::array({std::move(result)});
}

void View::join(std::size_t box, std::string type) {
  lines_.push_back({box, boxes_.size()});
  line_types_.push_back(std::move(type));
}

Json View::json() {
  Drawing p = layout(std::move(boxes_), std::move(lines_));
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Box& b = p.boxes[i];
    nodes_[i].update(
        Json{{"x", round(b.x)}, {"y", round(b.y)}, {"w", round(b.width)}, {"h", b.height}});
  }
  json_["nodes"] = std::move(nodes_);
  json_["edges"] = Json::array();
  for (std::size_t i = 0; i < p.lines.size(); ++i) {
    Json points = Json::array();
    for (const Point& at : p.lines[i].points) points.push_back({round(at.x), round(at.y)});
    json_["edges"].push_back({{"from", p.lines[i].from},
                              {"to", p.lines[i].to},
                              {"type", line_types_[i]},
                              {"points", std::move(points)}});
  }
  json_["width"] = round(p.width);
  json_["height"] = round(p.height);
  return std::move(json_);
}

}  // namespace webnn::inline v0_1::tool
