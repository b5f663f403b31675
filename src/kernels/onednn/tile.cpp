#include "src/kernels/onednn/tile.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/kernels/common/convolution.h"
#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::onednn {
namespace {

bool set(const memory& m, const void* data) {
  return dnnl_memory_set_data_handle(m.get(), const_cast<void*>(data)) == dnnl_success;
}

}  // namespace

std::vector<dnnl_exec_arg_t> Arguments::list() const {
  std::vector<dnnl_exec_arg_t> all;
  const auto add = [&](int name, const memory& m) {
    if (m) all.push_back({name, m.get()});
  };
  add(DNNL_ARG_SRC, x);
  add(DNNL_ARG_WEIGHTS, w);
  add(DNNL_ARG_BIAS, bias);
  add(DNNL_ARG_DST, y);
  add(DNNL_ARG_SCRATCHPAD, scratchpad);
  return all;
}

ArgumentPool::~ArgumentPool() {
  for (auto& slot : free_) delete slot.load();
}
ArgumentPool::Entry* ArgumentPool::take() {
  for (auto& slot : free_)
    if (Entry* entry = slot.exchange(nullptr, std::memory_order_acquire)) return entry;
  return nullptr;
}
void ArgumentPool::give(Entry* entry) {
  for (auto& slot : free_) {
    Entry* none = nullptr;
    if (slot.compare_exchange_strong(none, entry, std::memory_order_release)) return;
  }
  delete entry;
}

/// Other memory objects for the same layouts.
ArgumentPool::Entry* Tile::made() const {
  const auto like = [](const memory& m) {
    return m ? memory(m.get_desc(), cpu(), nullptr) : memory();
  };
  Arguments a{like(arguments.x), like(arguments.w), like(arguments.bias), like(arguments.y),
              like(arguments.scratchpad)};
  auto list = a.list();
  return new ArgumentPool::Entry{std::move(a), std::move(list)};
}

void Tile::finish() {
  pool_ = std::make_unique<ArgumentPool>();
  pool_->give(made());  // so that one run at a time allocates nothing
}

std::size_t Tile::staging_bytes() const {
  return staged ? round_up(output.rows * output.columns * sizeof(float), 64) : 0;
}
std::size_t Tile::scratch_bytes() const {
  return staging_bytes() +
         (arguments.scratchpad ? round_up(arguments.scratchpad.get_desc().get_size(), 64) : 0);
}

void Tile::fill(const Buffers& buffers, const CallOffsets& call, float* to,
                std::size_t to_step) const {
  const auto [rows, columns, step] = output;
  if (prefill.residual >= 0) {
    const float* from = buffers.in<float>(to_size(prefill.residual)) + call.y;
    for (std::size_t r = 0; r < rows && (from != to || prefill.residual_scale != 1); ++r)
      if (prefill.residual_scale == 1)
        std::memcpy(to + r * to_step, from + r * step, columns * sizeof(float));
      else
        for (std::size_t i = 0; i < columns; ++i)
          to[r * to_step + i] = prefill.residual_scale * from[r * step + i];
  }
  if (prefill.addend < 0) return;
  const float* c = buffers.in<float>(to_size(prefill.addend)) + prefill.addend_at;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < columns; ++i) {
      const float v = prefill.scale * c[r * prefill.row_step + i * prefill.column_step];
      to[r * to_step + i] = prefill.residual >= 0 ? to[r * to_step + i] + v : v;
    }
}

void Tile::run(const Buffers& buffers, std::byte* scratch) const {
  struct Taken {
    ArgumentPool& pool;
    ArgumentPool::Entry* entry;
    ~Taken() { pool.give(entry); }
  };
  ArgumentPool::Entry* free = pool_->take();
  const Taken taken{*pool_, free ? free : made()};
  run(buffers, scratch, *taken.entry);
}

void Tile::run(const Buffers& buffers, std::byte* scratch, ArgumentPool::Entry& with) const {
  const Arguments& m = with.arguments;
  bool good = !m.scratchpad || set(m.scratchpad, scratch + staging_bytes());
  if (bias_slot >= 0) good &= set(m.bias, buffers.in<float>(to_size(bias_slot)) + bias_at);
  else if (!bias.empty()) good &= set(m.bias, bias.in(buffers) + bias_at);
  if (!this->weights.empty()) good &= set(m.w, this->weights.in(buffers));
  const float* from = buffers.in<float>(0);
  const float* weights = w_slot >= 0 ? buffers.in<float>(to_size(w_slot)) : nullptr;
  const bool clamps = std::isfinite(lo) || std::isfinite(hi);
  const std::size_t to_step = staged ? output.columns : output.step;
  for (const CallOffsets& call : calls) {
    float* out = buffers.out<float>() + call.y;
    float* to = staged ? reinterpret_cast<float*>(scratch) : out;
    if (prefill) fill(buffers, call, to, to_step);
    good = good && set(m.x, from + call.a) && set(m.y, to) &&
           (!weights || set(m.w, weights + call.b)) &&
           dnnl_primitive_execute(primitive.get(), stream(), static_cast<int>(with.list.size()),
                                  with.list.data()) == dnnl_success;
    if (!good) output.fill_nan(to, to_step);
    if (clamps) output.clamp(to, to_step, lo, hi);
    if (staged) output.copy(to, to_step, out);
  }
}

Lowering kernel_of(std::shared_ptr<Tiles> tiles, std::string_view kind, const Epilogue& epilogue) {
  Candidate k{.name = std::string(kind) + ' ' + tiles->implementation + epilogue.text(),
              .tiles = static_cast<int>(tiles->tiles.size()),
              .weights = std::exchange(tiles->weights, {})};
  for (Tile& t : tiles->tiles) {
    if (epilogue.activation == Activation::clamp) t.lo = epilogue.lo, t.hi = epilogue.hi;
    if (epilogue.activation == Activation::hard_sigmoid) t.lo = 0, t.hi = 1;
    t.finish();
    k.scratch = std::max(k.scratch, t.scratch_bytes());
  }
  if (k.scratch > max_scratch) return Refusal{"needs too much scratch"};
  if (epilogue.residual >= 0) k.in_place = {epilogue.residual};
  if (is_reference(tiles->implementation))
    k.fallback_reason = "oneDNN has only its reference implementation for it";
  k.run = [tiles = std::move(tiles)](Range r, const Buffers& b, std::byte* scratch) {
    const SingleThreadScope single_thread;
    for (int i = r.begin; i < r.end; ++i) tiles->tiles[to_size(i)].run(b, scratch);
  };
  return k;
}

PackedArray<std::byte> pack(std::vector<WeightBlock>& weights, const PlainWeights& from,
                            const memory::desc& to) {
  const auto reorder = [from, to](std::byte* bytes) {
    const SingleThreadScope single_thread;
    const float* values = floats_of(from.constant).data() + from.first;
    memory packed(to, cpu(), bytes);
    memory plain(from.layout, cpu(), const_cast<float*>(values));
    dnnl::stream stream(cpu());
    dnnl::reorder(plain, packed).execute(stream, plain, packed);
    stream.wait();
    if (from.scale == 1) return;
    auto* const all = reinterpret_cast<float*>(bytes);
    for (std::size_t i = 0; i < to.get_size() / sizeof(float); ++i) all[i] *= from.scale;
  };
  return add_packed<std::byte>(
      weights, to.get_size(),
      layout_text("onednn/1", layout_hash(from.layout), layout_hash(to), from.first, from.scale),
      {from.slot}, reorder);
}

}  // namespace webnn::inline v0_1::onednn
