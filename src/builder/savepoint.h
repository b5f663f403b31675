// A place to which a builder goes back when adding a part of a graph fails half-way.
#pragma once

#include "src/builder/builder_state.h"

namespace webnn {

/// Takes back what was added since, unless keep() is called. Operands made since then must be gone
/// before it is.
class Savepoint {
 public:
  explicit Savepoint(GraphData& data)
      : data_(data),
        operands_(data.operands.size()),
        nodes_(data.nodes.size()),
        inputs_(data.inputs.size()) {}
  Savepoint(const Savepoint&) = delete;
  ~Savepoint() {
    if (kept_) return;
    while (data_.inputs.size() > inputs_) data_.inputs.pop_back();
    while (data_.nodes.size() > nodes_) data_.nodes.pop_back();
    while (data_.operands.size() > operands_) data_.operands.pop_back();
  }
  void keep() { kept_ = true; }

 private:
  GraphData& data_;
  std::size_t operands_, nodes_, inputs_;
  bool kept_ = false;
};

}  // namespace webnn
