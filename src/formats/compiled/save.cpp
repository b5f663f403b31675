#include <map>

#include "src/formats/common/write_file.h"
#include "src/formats/compiled/graph.h"
#include "src/formats/compiled/key.h"
#include "src/formats/compiled/nodes.h"
#include "src/formats/compiled/open.h"
#include "src/graph/text.h"
#include "src/kernels/common/checksum.h"
#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::compiled {
namespace {

/// The arrays of the file, equal ones in one place.
class Arrays {
 public:
  Place add(std::span<const std::byte> bytes) {
    const bool is_large = bytes.size() >= large_array;
    Area& to = is_large ? large_ : small_;
    const auto [found, added] = to.places.try_emplace({bytes.data(), bytes.size()}, to.size);
    if (added) {
      found->second = to.size = round_up(to.size, is_large ? page : array_alignment);
      to.size += bytes.size();
      to.parts.push_back(bytes);
    }
    return {is_large ? Part::large : Part::small, found->second, bytes.size()};
  }

  std::size_t size(Part part) const { return area(part).size; }
  /// The bytes of a section, in pieces.
  template <class F> void for_bytes(Part part, F f) const {
    static constexpr std::byte zeros[page]{};
    const std::size_t unit = part == Part::large ? page : array_alignment;
    std::size_t at = 0;
    for (const auto bytes : area(part).parts) {
      f(std::span(zeros).first(round_up(at, unit) - at));
      f(bytes);
      at = round_up(at, unit) + bytes.size();
    }
  }

 private:
  struct Area {
    std::map<std::pair<const std::byte*, std::size_t>, std::uint64_t> places{};
    std::vector<std::span<const std::byte>> parts{};
    std::size_t size = 0;
  };
  const Area& area(Part part) const { return part == Part::large ? large_ : small_; }

  Area small_{}, large_{};
};

class Saver {
 public:
  explicit Saver(const GraphState& g) : g_(g) {}

  /// Finds out which constants are needed, and where everything lies.
  void place(const Metadata& metadata) {
    Writer to;
    to.put(static_cast<std::uint8_t>(g_.open != nullptr));
    if (g_.open) place_open(to, metadata);
    else place_known(to, metadata);
    graph_ = to.bytes();
  }

 private:
  void place_open(Writer& to, const Metadata& metadata) {
    const OpenGraph& open = g_.open->open();
    write_metadata(to, metadata);
    weights_ = g_.open->weights();
    write_open(
        to, {open.graph, open.updates, open.max_bytes, g_.open->sizes(), weights_},
        [&](const MLOperand& x) -> std::optional<Place> {
          if (x.constant()->released())
            refuse(fail("a constant that other sizes need is gone; build the graph in a "
                        "context with the option keepConstants"),
                   ErrorName::NotSupportedError);
          return arrays_.add(x.constant()->bytes());
        },
        [&](const PackedBlock& block) { return arrays_.add(block.bytes); });
  }

  void place_known(Writer& to, const Metadata& metadata) {
    stored_ = constants_read(g_.plan, g_.optimized.operand_count());
    for (std::size_t i = 0; i < stored_.size(); ++i)
      if (const Constant* c = g_.optimized.operand(i).constant(); c && !is_large(*c))
        stored_[i] = true;
    for (const Step& step : g_.plan.steps) store_packed_elsewhere(step.choice);
    write_graph(to, g_.optimized, [&](const MLOperand& x) -> std::optional<Place> {
      if (!stored_[x.record().id]) return std::nullopt;
      return arrays_.add(x.constant()->bytes());
    });
    write_plan(
        to, g_, [&](const PackedBlock& block) { return arrays_.add(block.bytes); }, metadata);
  }

 public:
  template <class Put> void write(const Put& put) const {
    Header h{.key = to_text(key_of(g_.backends, g_.pass_names))};
    std::uint64_t at = page;
    for (std::size_t i = 0; i < part_count; ++i) {
      Section& s = h.sections[i];
      Checksum sum;
      for_bytes(static_cast<Part>(i), [&](std::span<const std::byte> bytes) {
        sum.add(bytes);
        s.size += bytes.size();
      });
      s.offset = at;
      s.checksum = sum.value();
      at = round_up(at + s.size, page);
    }
    h.file_size = at;
    const auto header = to_bytes(h);
    if (!header) raise(header.failure(), "save");
    put(*header);
    std::vector<std::byte> zeros(page);
    for (std::size_t i = 0; i < part_count; ++i) {
      for_bytes(static_cast<Part>(i), put);
      const std::size_t size = h.sections[i].size;
      put(std::span<const std::byte>(zeros).first(round_up(size, page) - size));
    }
  }

 private:
  template <class F> void for_bytes(Part part, F f) const {
    if (part == Part::graph) f(std::span<const std::byte>(graph_));
    else arrays_.for_bytes(part, f);
  }

  /// The constants of weights that a kernel holds in memory of its own, which it packs again when
  /// it is loaded.
  void store_packed_elsewhere(const Choice& c) {
    const std::vector<MLOperand> inputs = inputs_of(c.chain);
    for (const WeightBlock& block : c.kernel->weights) {
      if (!block.layout.empty()) continue;
      for (const int i : block.inputs) {
        const MLOperand& x = inputs[static_cast<std::size_t>(i)];
        if (x.constant()->released())
          refuse(fail("the kernel {} of {} is made from its constants again, and build() has "
                      "dropped them; build the graph in a context with the option keepConstants",
                      c.backend + ": " + c.kernel->name, name_and_label(c.chain.front())),
                 ErrorName::NotSupportedError);
        stored_[x.record().id] = true;
      }
    }
  }
  [[noreturn]] static void refuse(Failure f, ErrorName name) {
    f.name = name;
    raise(f, "save");
  }

  const GraphState& g_;
  std::vector<bool> stored_{};  // by operand: whether the constant is in the file
  StoredWeights weights_{};     // of an open graph; they live as long as this
  Arrays arrays_{};
  std::vector<std::byte> graph_{};
};

/// f(saver) for a graph that can be saved.
template <class F> void with_saver(const MLGraph& graph, const SaveOptions& options, F f) {
  const auto refuse = [](std::string why) {
    raise({std::move(why), ErrorName::InvalidStateError}, "save");
  };
  if (!graph) refuse("the graph is empty");
  const Use<GraphState> use(detail::state_of(graph));
  if (!use) refuse("the graph is destroyed");
  try {
    Saver saver(*use);
    saver.place(options.metadata);
    f(saver);
  } catch (const std::bad_alloc&) { raise({"out of memory", ErrorName::OperationError}, "save"); }
}

}  // namespace

void save(const MLGraph& graph, const Path& path, const SaveOptions& options) {
  with_saver(graph, options, [&](const Saver& saver) {
    if (auto bad = formats::write_file(path, [&](const formats::Put& put) { saver.write(put); }))
      raise(*bad, "save", path);
  });
}

std::vector<std::byte> bytes_of(const MLGraph& graph, const SaveOptions& options) {
  std::vector<std::byte> all;
  with_saver(graph, options, [&](const Saver& saver) {
    saver.write([&](std::span<const std::byte> bytes) {
      all.insert(all.end(), bytes.begin(), bytes.end());
    });
  });
  return all;
}

}  // namespace webnn::inline v0_1::compiled
