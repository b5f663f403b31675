// The operands of a graph or a builder, by id.
#pragma once

#include <deque>
#include <iterator>
#include <vector>

#include "webnn/operand.h"

namespace webnn::inline v0_1 {

struct GraphData;

/// What every operand refers to: its record, and the builder or graph that it belongs to.
struct OwnedRecord : OperandRecord {
  GraphData* owner = nullptr;
};

/// Records keep their addresses, also when they get another order.
class OperandRecords {
 public:
  template <class T> class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = OwnedRecord;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;

    Iterator() = default;
    explicit Iterator(OwnedRecord* const* at) : at_(at) {}
    T& operator*() const { return **at_; }
    T* operator->() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    OwnedRecord* const* at_ = nullptr;
  };

  std::size_t size() const { return by_id_.size(); }
  OwnedRecord& operator[](std::size_t id) { return *by_id_[id]; }
  const OwnedRecord& operator[](std::size_t id) const { return *by_id_[id]; }
  const OwnedRecord& at(std::size_t id) const { return *by_id_.at(id); }
  auto begin() { return Iterator<OwnedRecord>(by_id_.data()); }
  auto end() { return Iterator<OwnedRecord>(by_id_.data() + size()); }
  auto begin() const { return Iterator<const OwnedRecord>(by_id_.data()); }
  auto end() const { return Iterator<const OwnedRecord>(by_id_.data() + size()); }

  OwnedRecord& push_back(OwnedRecord record) {
    OwnedRecord& added = memory_.emplace_back(std::move(record));
    by_id_.push_back(&added);
    return added;
  }
  /// Not after arrange().
  void pop_back() {
    by_id_.pop_back();
    memory_.pop_back();
  }
  /// From now on these records, in this order, are all that there are. `drop` is called for each
  /// of the others, whose memory stays.
  template <class Drop> void arrange(std::vector<OwnedRecord*> order, Drop drop) {
    std::vector<bool> stays(by_id_.size());
    for (OwnedRecord* r : order) stays[r->id] = true;
    for (OwnedRecord* r : by_id_)
      if (!stays[r->id]) drop(*r);
    by_id_ = std::move(order);
    for (std::size_t i = 0; i < by_id_.size(); ++i) by_id_[i]->id = static_cast<std::uint32_t>(i);
  }

 private:
  std::deque<OwnedRecord> memory_{};
  std::vector<OwnedRecord*> by_id_{};
};

}  // namespace webnn::inline v0_1
