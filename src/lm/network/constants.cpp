#include "src/lm/network/constants.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include "src/graph/constant_facts.h"
#include "src/graph/failure.h"
#include "src/graph/mapped_memory.h"
#include "src/graph/text.h"
#include "webnn/float16.h"

namespace webnn::inline v0_1::lm {
namespace {

using gguf::TensorType;

[[noreturn]] void refuse(const Tensor& t, const std::string& message, std::string_view label,
                         ErrorName name = ErrorName::DataError) {
  raise({"tensor " + in_quotes(t.stored_name) + ": " + message, name}, "lm", label);
}
std::string shape_text(const Tensor& t) {
  return '[' + joined(t.shape, ", ", [](std::uint64_t d) { return std::to_string(d); }) + ']';
}

/// The float16 of the same values, if all have one.
std::optional<std::vector<std::uint16_t>> as_float16(std::span<const float> values) {
  std::vector<std::uint16_t> all(values.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = float16_bits(values[i]);
    if (float16_value(all[i]) != values[i]) return std::nullopt;
  }
  return all;
}

/// [columns, rows] of [rows, columns].
template <class T>
std::vector<T> transposed(std::span<const std::byte> x, std::size_t rows, std::size_t columns) {
  std::vector<T> y(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      std::memcpy(&y[j * rows + i], x.data() + (i * columns + j) * sizeof(T), sizeof(T));
  return y;
}

/// The type of an operand with the same elements.
std::optional<MLOperandDataType> type_of_floats(TensorType type) {
  switch (type) {
    case TensorType::F32: return float32;
    case TensorType::F16: return float16;
    case TensorType::BF16: return bfloat16;
    default: return std::nullopt;
  }
}

Constant shared_bytes(const Tensor& t) {
  if (t.constant) return t.constant();
  const bool aligned = reinterpret_cast<std::uintptr_t>(t.bytes.data()) % sizeof(float) == 0;
  return aligned ? Constant::transferred(t.owner, t.bytes) : Constant::copy_of(t.bytes);
}

}  // namespace

template <class List> MLOperand Constants::transferred(MLOperandDescriptor d, List values) {
  const auto owner = std::make_shared<List>(std::move(values));
  const std::span all(owner->data(), owner->size());
  return b_.constant(std::move(d), Constant::transferred(owner, std::as_bytes(all)));
}

void Constants::note(const Tensor& t, std::string kept, std::uint64_t bytes) {
  uses_.push_back({std::string(gguf::name_of(t.type)), std::move(kept), t.bytes.size(), bytes});
}

const Tensor& Constants::checked(const std::string& name, std::uint32_t width) {
  const Tensor& t = weights_.take(name);
  if (t.shape.size() != 2 || t.shape[t.transposed ? 0 : 1] != width)
    refuse(t,
           "the shape " + shape_text(t) + " is not a matrix of " + std::to_string(width) + " terms",
           weights_.label());
  for (const std::uint64_t d : t.shape)
    if (d == 0 || d > 0x7fffffff)
      refuse(t, "the shape " + shape_text(t) + " is not possible", weights_.label());
  return t;
}

std::uint32_t Constants::rows_of(const std::string& name, std::uint32_t width) {
  const Tensor& t = checked(name, width);
  return static_cast<std::uint32_t>(t.shape[t.transposed ? 1 : 0]);
}

std::vector<std::byte> Constants::unrotated(std::span<const std::byte> rows,
                                            std::size_t count) const {
  const std::size_t bytes = rows.size() / count, half = rotated_ / 2;
  std::vector<std::byte> to(rows.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t head = i / head_ * head_, at = i % head_;
    const std::size_t pair = at < half ? 2 * at : 2 * (at - half) + 1;
    const std::size_t from = head + (at < rotated_ ? pair : at);
    std::memcpy(to.data() + i * bytes, rows.data() + from * bytes, bytes);
  }
  return to;
}

MLOperand Constants::zeros(MLOperandDescriptor d) {
  constexpr std::size_t least = 4 << 20;  // memory whose pages are taken when they are written
  const std::size_t bytes = byte_length(d);
  if (bytes > zero_bytes_) {
    zero_bytes_ = std::max(bytes, least);
    zeros_.reset(std::calloc(zero_bytes_, 1), &std::free);
    if (!zeros_) throw std::bad_alloc();
  }
  return b_.constant(std::move(d),
                     Constant::transferred(zeros_, {static_cast<std::byte*>(zeros_.get()), bytes}));
}

MLOperand Constants::scaled(MLOperandDataType type, const Dims& shape, Buffer<std::byte> integers,
                            Buffer<float> scales, std::uint32_t block, std::vector<float> factors) {
  const Dims blocks{shape[0], shape[1] / block};
  const MLOperand zero = zeros({type, blocks});
  const MLOperand scale = transferred({float32, blocks}, std::move(scales));
  if (!factors.empty()) {
    const std::size_t each = element_count(blocks) / factors.size();
    ConstantFacts& facts = *facts_of(*scale.constant());
    const std::lock_guard lock(facts.mutex);
    facts.factors = std::make_shared<ScaleFactors>(each, std::move(factors));
  }
  return b_.dequantizeLinear(transferred({type, shape}, std::move(integers)), scale, zero);
}

void Constants::set_integers(Matrix& m, const Tensor& t, std::span<const std::byte> blocks) {
  Integers q = integers_of(t.type, blocks, threads_);
  std::uint64_t bytes =
      q.integers.size() + 4 * q.scales.size() + q.minima.size() + 4 * q.minimum_scales.size();
  m.block = q.block;
  const Dims shape{m.rows, m.columns}, per_block{m.rows, m.columns / q.block};
  const bool has_minima = !q.minima.empty();
  m.values = scaled(q.type, shape, std::move(q.integers), std::move(q.scales), q.block,
                    std::move(q.factors));
  if (has_minima)
    m.minima = scaled(q.minimum_type, per_block, std::move(q.minima), std::move(q.minimum_scales),
                      q.minimum_block);
  note(t,
       std::string(name_of(q.type)) + (has_minima ? ", scales and minima" : ", scales") +
           " for blocks of " + std::to_string(q.block),
       bytes);
}

void Constants::set_floats(Matrix& m, const Tensor& t, std::vector<float> values) {
  if (t.transposed) values = transposed<float>(std::as_bytes(std::span(values)), m.columns, m.rows);
  const Dims shape{m.rows, m.columns};
  if (const auto rounded = t.type == TensorType::F32 ? std::nullopt : as_float16(values)) {
    m.values = b_.cast(transferred({float16, shape}, std::move(*rounded)), float32);
    note(t, "float16", 2 * values.size());
  } else {
    note(t, "float32", 4 * values.size());
    m.values = transferred({float32, shape}, std::move(values));
  }
}

Constants::Matrix Constants::make(const Tensor& t, bool rotates) {
  Matrix m{static_cast<std::uint32_t>(t.shape[t.transposed ? 1 : 0]),
           static_cast<std::uint32_t>(t.shape[t.transposed ? 0 : 1])};
  const bool reorders = rotates && interleaved_;
  if (reorders && m.rows % head_ != 0)
    refuse(t, "its " + std::to_string(m.rows) + " rows are not a multiple of the head size",
           weights_.label());
  std::vector<std::byte> reordered;
  if (reorders) reordered = unrotated(t.bytes, m.rows);
  Tensor ordered = t;
  if (reorders) ordered.bytes = reordered;
  if (integer_form(t.type)) {
    set_integers(m, t, ordered.bytes);
    give_pages_back(std::static_pointer_cast<const std::byte>(t.owner), t.bytes);
  } else if (const auto type = type_of_floats(t.type); type && !(reorders && t.transposed)) {
    const MLOperandDescriptor d{*type, {m.rows, m.columns}};
    const MLOperand stored =
        reorders           ? transferred(d, std::move(reordered))
        : !t.transposed    ? b_.constant(d, shared_bytes(t))
        : *type == float32 ? transferred(d, transposed<float>(t.bytes, m.columns, m.rows))
                           : transferred(d, transposed<std::uint16_t>(t.bytes, m.columns, m.rows));
    m.values = *type == float32 ? stored : b_.cast(stored, float32);
    note(t, std::string(name_of(*type)), t.bytes.size());
  } else {
    set_floats(m, t, floats_of(ordered, weights_.label()));
  }
  return m;
}

const Constants::Matrix& Constants::matrix(const std::string& name, std::uint32_t width,
                                           bool rotates) {
  const auto found = matrices_.find(name);
  if (found != matrices_.end()) return found->second;
  return matrices_.emplace(name, make(checked(name, width), rotates)).first->second;
}

MLOperand Constants::product(const MLOperand& x, const std::string& name, std::uint32_t terms,
                             bool rotates) {
  const Matrix& m = matrix(name, terms, rotates);
  const auto times = [&](const MLOperand& a, const MLOperand& b) {
    return b_.gemm(a, b, {.bTranspose = true, .label = name});
  };
  const MLOperand y = times(x, m.values);
  if (!m.minima) return y;
  // The minimum of a block counts once for each of its terms: times their sum.
  if (!summed_ || !summed_.is(x)) {
    summed_ = x;
    sums_.clear();
  }
  MLOperand& sums = sums_[m.block];
  if (!sums) {
    const MLOperand count = b_.slice(b_.shape(x), {0}, {1});
    const MLOperand blocks = b_.constant<std::uint32_t>({uint32, {2}}, {terms / m.block, m.block});
    sums = b_.reduceSum(b_.reshapeDynamic(x, b_.concat({count, blocks}, 0)), {.axes = {{2}}});
  }
  return b_.sub(y, times(sums, m.minima));
}

MLOperand Constants::gathered(const std::string& name, const MLOperand& indices,
                              std::uint32_t width) {
  const Matrix& m = matrix(name, width, false);
  const MLOperand rows = b_.gather(m.values, indices, {.axis = 0, .label = name});
  if (!m.minima) return rows;
  const MLOperand count = b_.shape(indices);
  const MLOperand blocks = b_.constant<std::uint32_t>({uint32, {2}}, {width / m.block, m.block});
  const MLOperand whole = b_.constant<std::uint32_t>({uint32, {1}}, {width});
  const MLOperand minima = b_.unsqueeze(b_.gather(m.minima, indices), {2});
  return b_.reshapeDynamic(b_.sub(b_.reshapeDynamic(rows, b_.concat({count, blocks}, 0)), minima),
                           b_.concat({count, whole}, 0));
}

MLOperand Constants::list(const std::string& name, std::uint32_t size, bool rotates,
                          double offset) {
  const Tensor& t = weights_.take(name);
  std::uint64_t count = 1;
  for (const std::uint64_t d : t.shape) count *= d;
  if (t.shape.size() > 2 || count != size)
    refuse(t, "the shape " + shape_text(t) + " is not a list of " + std::to_string(size),
           weights_.label());
  std::vector<float> values = floats_of(t, weights_.label());
  if (rotates && interleaved_) {
    if (size % head_ != 0)
      refuse(t, "its " + std::to_string(size) + " elements are not a multiple of the head size",
             weights_.label());
    const auto ordered = unrotated(std::as_bytes(std::span(values)), size);
    std::memcpy(values.data(), ordered.data(), ordered.size());
  }
  if (offset != 0)
    for (float& v : values) v = static_cast<float>(v + offset);
  note(t, "float32", 4 * values.size());
  return transferred({float32, {size}}, std::move(values));
}

}  // namespace webnn::inline v0_1::lm
