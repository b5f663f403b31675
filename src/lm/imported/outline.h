// What is asked of an .onnx file before it is imported. Private.
#pragma once

#include <filesystem>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "src/formats/onnx/model.h"
#include "webnn/lm/model.h"

namespace webnn::inline v0_1::lm {

/// Inputs and outputs, what a part of the graph computes, and the weights.
class Outline {
 public:
  /// Throws DataError for a file that is none.
  explicit Outline(const std::filesystem::path& path);

  struct Input {
    std::string name{};
    onnx::ElementType type{};
    /// Sizes, with 0 for those that the file leaves open; nothing without a shape.
    std::optional<std::vector<std::uint64_t>> shape{};
  };
  /// Those that are not tensors of the file too.
  const std::vector<Input>& inputs() const { return inputs_; }
  /// Null where there is none.
  const Input* input(std::string_view name) const;
  bool has_output(std::string_view name) const;

  /// A value from which `output` follows row by row: row i of the last dimension but one of the
  /// value alone decides row i of the output. The one before the last product of matrices; empty
  /// where there is none.
  std::string rows_before(std::string_view output) const;

  /// The local_window_size of the node GroupQueryAttention that writes a value, 0 where it has
  /// none; nothing where no such node writes it.
  std::optional<std::uint32_t> window_of(std::string_view value) const;

  /// The greatest local_window_size of the nodes GroupQueryAttention; nothing where one has none.
  std::optional<std::int64_t> window() const { return window_; }

  std::uint64_t parameters() const { return parameters_; }
  const std::vector<WeightReport>& weights() const { return weights_; }

 private:
  const onnx::Node* writer(std::string_view value) const;
  bool is_weight(std::string_view value) const;
  std::optional<std::string_view> row_of(const onnx::Node& node) const;
  void read_graph();
  void count_weights();
  void find_window();
  void add_weights(const std::string& stored, const std::string& kept, std::uint64_t bytes,
                   std::uint64_t kept_bytes);

  std::shared_ptr<const void> owner_;
  onnx::ModelProto model_{};
  std::vector<Input> inputs_{};
  std::unordered_map<std::string_view, const onnx::Node*> writers_{};
  std::unordered_map<std::string_view, const onnx::Tensor*> tensors_{};
  std::optional<std::int64_t> window_{};
  std::uint64_t parameters_ = 0;
  std::vector<WeightReport> weights_{};
};

}  // namespace webnn::inline v0_1::lm
