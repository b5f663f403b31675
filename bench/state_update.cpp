// A new row in a cache of keys, 32 heads x 2048 rows x 128: in place, and from one tensor to
// another.
//   state_update [threads...]      1 and 2 threads by default
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/timing.h"
#include "webnn/state.h"
#include "webnn/webnn.h"

using namespace webnn;
using bench::median, bench::now_us;

namespace {

constexpr std::uint32_t heads = 32, rows = 2048, head = 128;

class Cache {
 public:
  explicit Cache(int threads) : context_({.threads = threads}) {
    MLGraphBuilder b(context_);
    const MLOperand past = b.input("past", {float32, {heads, rows, head}});
    const MLOperand position = b.input("position", {int32, {1, 1, 1}});
    const MLOperand row = b.input("row", {float32, {heads, 1, head}});
    const MLOperand present =
        b.scatterElements(past, b.expand(position, {heads, 1, head}), row, {.axis = 1});
    update(b, past, present);
    graph_ = b.build({{"present", present}});
    for (MLTensor& t : states_)
      t = context_.createTensor(
          {.dataType = float32, .shape = {heads, rows, head}, .readable = true});
    position_ = context_.createTensor({.dataType = int32, .shape = {1, 1, 1}, .writable = true});
    row_ = context_.createTensor(
        {.dataType = float32, .shape = {heads, 1, head}, .readable = true, .writable = true});
  }
  double run_us(bool in_place) {
    const double t = now_us();
    context_.dispatch(graph_, {{"past", states_[0]}, {"row", row_}, {"position", position_}},
                      {{"present", states_[in_place ? 0 : 1]}});
    context_.readTensor(row_, values_);  // waits
    return now_us() - t;
  }

 private:
  MLContext context_;
  MLGraph graph_;
  MLTensor states_[2], position_, row_;
  std::vector<float> values_ = std::vector<float>(std::size_t{heads} * head);
};

}  // namespace

int main(int argc, char** argv) try {
  std::vector<int> threads;
  for (int i = 1; i < argc; ++i) threads.push_back(std::atoi(argv[i]));
  if (threads.empty()) threads = {1, 2};
  for (int n : threads) {
    Cache cache(n);
    std::vector<double> same, other;
    for (int i = 0; i < 60; ++i) {
      same.push_back(cache.run_us(true));
      other.push_back(cache.run_us(false));
    }
    std::printf("new row in 32 x 2048 x 128   %d threads   in place %9.1f us   copied %9.1f us\n",
                n, median(same), median(other));
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "state_update: %s\n", e.what());
  return 1;
}
