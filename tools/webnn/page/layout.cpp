#include "tools/webnn/page/layout.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace webnn::inline v0_1::tool {
namespace {

constexpr double gap_x = 26, gap_y = 42, bend_width = 8;
/// Lines that cross layers bend around what is there, unless there are too many bends.
constexpr std::size_t max_bends = 200000;
constexpr int order_sweeps = 8, place_sweeps = 16;

/// A box or a bend of a line.
struct Vertex {
  std::size_t layer = 0;
  double width = 0, height = 0, x = 0;  // x is that of its center
  std::vector<std::size_t> above{}, below{};
};

class Layout {
 public:
  Layout(std::vector<Box> boxes, std::vector<Line> lines)
      : drawing_{std::move(boxes), std::move(lines)} {}

  Drawing run() {
    if (drawing_.boxes.empty()) return std::move(drawing_);
    assign_layers();
    add_bends();
    fill_layers();
    for (int i = 0; i < order_sweeps; ++i) order(i % 2 == 0);
    for (const auto& layer : layers_) pack(layer);
    for (int i = 0; i < place_sweeps; ++i) place(i % 2 == 0);
    close_gaps();
    finish();
    return std::move(drawing_);
  }

 private:
  void assign_layers() {
    for (const Box& b : drawing_.boxes) vertices_.push_back({0, b.width, b.height});
    std::vector<std::size_t> highest(vertices_.size(), std::numeric_limits<std::size_t>::max());
    std::vector<bool> has_source(vertices_.size());
    std::vector<std::vector<std::size_t>> targets(vertices_.size());
    for (const Line& l : drawing_.lines) {
      targets[l.from].push_back(l.to);
      has_source[l.to] = true;
    }
    for (std::size_t i = 0; i < vertices_.size(); ++i)
      for (std::size_t to : targets[i])
        vertices_[to].layer = std::max(vertices_[to].layer, vertices_[i].layer + 1);
    // What nothing leads to stands right above its first reader.
    for (const Line& l : drawing_.lines)
      highest[l.from] = std::min(highest[l.from], vertices_[l.to].layer);
    for (std::size_t i = 0; i < vertices_.size(); ++i)
      if (!has_source[i] && !targets[i].empty()) vertices_[i].layer = highest[i] - 1;
  }

  void add_bends() {
    bends_.resize(drawing_.lines.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < drawing_.lines.size(); ++i) {
      const auto [from, to, points] = drawing_.lines[i];
      const std::size_t first = vertices_[from].layer + 1, last = vertices_[to].layer;
      std::size_t before = from;
      if (last > first && count + (last - first) <= max_bends)
        for (std::size_t layer = first; layer < last; ++layer, ++count) {
          bends_[i].push_back(vertices_.size());
          vertices_.push_back({layer, bend_width, 0});
          join(before, vertices_.size() - 1);
          before = vertices_.size() - 1;
        }
      if (vertices_[before].layer + 1 == last) join(before, to);
    }
  }
  void join(std::size_t above, std::size_t below) {
    vertices_[above].below.push_back(below);
    vertices_[below].above.push_back(above);
  }

  /// At first in the order in which a walk from the top meets them: branches stay together.
  void fill_layers() {
    for (const Vertex& v : vertices_) layers_.resize(std::max(layers_.size(), v.layer + 1));
    std::vector<bool> seen(vertices_.size());
    std::vector<std::size_t> stack;
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      if (!vertices_[i].above.empty()) continue;
      stack.push_back(i);
      while (!stack.empty()) {
        const std::size_t v = stack.back();
        stack.pop_back();
        if (seen[v]) continue;
        seen[v] = true;
        layers_[vertices_[v].layer].push_back(v);
        for (auto b = vertices_[v].below.rbegin(); b != vertices_[v].below.rend(); ++b)
          stack.push_back(*b);
      }
    }
    for (const auto& layer : layers_)
      for (std::size_t k = 0; k < layer.size(); ++k) vertices_[layer[k]].x = static_cast<double>(k);
  }

  const std::vector<std::size_t>& neighbors(std::size_t v, bool down) const {
    return down ? vertices_[v].above : vertices_[v].below;
  }
  double mean_of(const std::vector<std::size_t>& all, double otherwise) const {
    if (all.empty()) return otherwise;
    double sum = 0;
    for (std::size_t v : all) sum += vertices_[v].x;
    return sum / static_cast<double>(all.size());
  }
  template <class F> void each_layer(bool down, F f) {
    if (down)
      for (auto& layer : layers_) f(layer);
    else
      for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) f(*layer);
  }

  void order(bool down) {
    each_layer(down, [&](std::vector<std::size_t>& layer) {
      std::vector<std::pair<double, std::size_t>> keyed;
      for (std::size_t v : layer)
        keyed.emplace_back(mean_of(neighbors(v, down), vertices_[v].x), v);
      std::stable_sort(keyed.begin(), keyed.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t k = 0; k < layer.size(); ++k) {
        layer[k] = keyed[k].second;
        vertices_[layer[k]].x = static_cast<double>(k);
      }
    });
  }

  double distance(std::size_t left, std::size_t right) const {
    return (vertices_[left].width + vertices_[right].width) / 2 + gap_x;
  }
  void pack(const std::vector<std::size_t>& layer) {
    double x = 0;
    for (std::size_t k = 0; k < layer.size(); ++k) {
      if (k) x += distance(layer[k - 1], layer[k]);
      vertices_[layer[k]].x = x;
    }
  }

  /// Each as near to the middle of its neighbors as the others in its layer allow: least squares
  /// under x[k+1] - x[k] >= distance, by pooling adjacent violators.
  void place(bool down) {
    struct Pool {
      double sum, weight;
      std::size_t count;
      double value() const { return sum / weight; }
    };
    each_layer(down, [&](std::vector<std::size_t>& layer) {
      std::vector<Pool> pools;
      std::vector<double> offsets;
      double offset = 0;
      for (std::size_t k = 0; k < layer.size(); ++k) {
        if (k) offset += distance(layer[k - 1], layer[k]);
        offsets.push_back(offset);
        const auto& near = neighbors(layer[k], down);
        // Where a graph begins or ends gives way to what goes through, or each weight that is
        // computed on the way would push a network aside.
        const Vertex& v = vertices_[layer[k]];
        const double weight = v.above.empty() || v.below.empty() ? 0.01 : 1;
        pools.push_back({weight * (mean_of(near, vertices_[layer[k]].x) - offset), weight, 1});
        while (pools.size() > 1 && pools[pools.size() - 2].value() > pools.back().value()) {
          const Pool last = pools.back();
          pools.pop_back();
          pools.back().sum += last.sum;
          pools.back().weight += last.weight;
          pools.back().count += last.count;
        }
      }
      std::size_t k = 0;
      for (const Pool& p : pools)
        for (std::size_t i = 0; i < p.count; ++i, ++k)
          vertices_[layer[k]].x = p.value() + offsets[k];
    });
  }

  /// Parts that no line joins may have moved far apart: where there is nothing from top to bottom,
  /// the rest comes nearer.
  void close_gaps() {
    std::vector<std::size_t> order(vertices_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto left_of = [&](std::size_t v) { return vertices_[v].x - vertices_[v].width / 2; };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return left_of(a) < left_of(b); });
    double right = left_of(order.front()), shift = 0;  // what was passed, where it is now
    for (std::size_t v : order) {
      shift = std::max(shift, left_of(v) - right - 2 * gap_x);
      vertices_[v].x -= shift;
      right = std::max(right, vertices_[v].x + vertices_[v].width / 2);
    }
  }

  void finish() {
    double left = std::numeric_limits<double>::max(), right = -left, y = 0;
    std::vector<double> tops, heights;
    for (const auto& layer : layers_) {
      double height = 0;
      for (std::size_t v : layer) {
        height = std::max(height, vertices_[v].height);
        left = std::min(left, vertices_[v].x - vertices_[v].width / 2);
        right = std::max(right, vertices_[v].x + vertices_[v].width / 2);
      }
      tops.push_back(y);
      heights.push_back(height);
      y += height + gap_y;
    }
    drawing_.width = right - left;
    drawing_.height = y - gap_y;
    for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) {
      Box& b = drawing_.boxes[i];
      const std::size_t layer = vertices_[i].layer;
      b.x = vertices_[i].x - left - b.width / 2;
      b.y = tops[layer] + (heights[layer] - b.height) / 2;
    }
    for (std::size_t i = 0; i < drawing_.lines.size(); ++i) {
      Line& l = drawing_.lines[i];
      const Box &from = drawing_.boxes[l.from], &to = drawing_.boxes[l.to];
      l.points.push_back({from.x + from.width / 2, from.y + from.height});
      for (std::size_t bend : bends_[i]) {
        const Vertex& v = vertices_[bend];
        l.points.push_back({v.x - left, tops[v.layer]});
        if (heights[v.layer] > 0)
          l.points.push_back({v.x - left, tops[v.layer] + heights[v.layer]});
      }
      l.points.push_back({to.x + to.width / 2, to.y});
    }
  }

  Drawing drawing_;
  std::vector<Vertex> vertices_;
  std::vector<std::vector<std::size_t>> layers_, bends_;
};

}  // namespace

Drawing layout(std::vector<Box> boxes, std::vector<Line> lines) {
  return Layout(std::move(boxes), std::move(lines)).run();
}

}  // namespace webnn::inline v0_1::tool
