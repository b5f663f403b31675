// Instance normalization in three rounds: sums over the pixels of each tile; the mean and the scale
// of each channel; the normalized pixels.
#include <cmath>

#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/float32/moments.h"
#include "src/kernels/simd/vector/instruction_set.h"

namespace webnn::inline v0_1::simd {
namespace {

struct Instances {
  std::size_t images, pixels, channels;
  double epsilon;
  int scale, bias;  // their inputs, -1 when absent
  Epilogue epilogue;

  float scale_of(const Buffers& b, std::size_t c) const {
    return scale < 0 ? 1 : b.in<float>(static_cast<std::size_t>(scale))[c];
  }
  float bias_of(const Buffers& b, std::size_t c) const {
    return bias < 0 ? 0 : b.in<float>(static_cast<std::size_t>(bias))[c];
  }
  const float* residual(const Buffers& b) const {
    const int r = epilogue.residual;
    return r < 0 ? nullptr : b.in<float>(static_cast<std::size_t>(r));
  }
  /// From the sums over all pixels of a channel.
  struct Parameters {
    float mean, mean_rest, factor, bias;
  };
  Parameters parameters(const Buffers& b, std::size_t c, double origin, double sum,
                        double square) const {
    const auto n = static_cast<double>(pixels);
    const double shift = sum / n, mean = origin + shift, variance = square / n - shift * shift;
    const auto high = static_cast<float>(mean);
    const double deviation = std::sqrt((variance < 0 ? 0 : variance) + epsilon);
    return {high, static_cast<float>(mean - high), static_cast<float>(scale_of(b, c) / deviation),
            bias_of(b, c)};
  }
};

/// nhwc: all channels of a piece of an image's pixels.
struct Pixels : Instances {
  Partition c;  // of the pixels of an image

  std::size_t pieces() const { return static_cast<std::size_t>(c.tiles()); }
  std::size_t tiles() const { return images * pieces(); }
  std::size_t sums() const { return 2 * channels * sizeof(double); }  // bytes of a tile
  std::size_t shared() const {
    return round_up(tiles() * sums(), 64) + images * 4 * channels * sizeof(float);
  }
  Moments moments(const Buffers& b, std::size_t tile) const {
    auto* at = reinterpret_cast<double*>(b.shared + tile * sums());
    return {at, at + channels};
  }
  float* parameters_of(const Buffers& b, std::size_t image) const {
    return reinterpret_cast<float*>(b.shared + round_up(tiles() * sums(), 64)) +
           image * 4 * channels;
  }
  struct Piece {
    std::size_t image, first, count;  // first: floats from the beginning of all
  };
  Piece piece(std::size_t tile) const {
    const std::size_t image = tile / pieces(), begin = tile % pieces() * c.each;
    return {image, (image * pixels + begin) * channels, std::min(c.each, pixels - begin)};
  }

  void sum(std::size_t tile, const Buffers& b) const {
    const Piece p = piece(tile);
    add_up(b.in<float>() + p.first, p.count, channels, b.in<float>() + p.image * pixels * channels,
           moments(b, tile));
  }
  /// Each tile computes the parameters of some of the channels of all images.
  void combine(std::size_t tile, const Buffers& b) const {
    const std::size_t all = images * channels;
    for (std::size_t i = tile * all / tiles(); i < (tile + 1) * all / tiles(); ++i) {
      const std::size_t image = i / channels, channel = i % channels;
      double total = 0, square = 0;
      for (std::size_t k = image * pieces(); k < (image + 1) * pieces(); ++k) {
        total += moments(b, k).sums[channel];
        square += moments(b, k).squares[channel];
      }
      const double origin = b.in<float>()[image * pixels * channels + channel];
      const Parameters p = parameters(b, channel, origin, total, square);
      float* to = parameters_of(b, image) + channel;
      to[0] = p.mean;
      to[channels] = p.mean_rest;
      to[2 * channels] = p.factor;
      to[3 * channels] = p.bias;
    }
  }
  void normalize(std::size_t tile, const Buffers& b) const {
    const Piece p = piece(tile);
    const float* from = parameters_of(b, p.image);
    const float* added = residual(b);
    standardize(
        {from, from + channels, from + 2 * channels, from + 3 * channels, channels, epilogue},
        b.in<float>() + p.first, p.count, added ? added + p.first : nullptr,
        b.out<float>() + p.first);
  }
};

/// nchw: a plane is some pixels of as many channels as a vector has, all with the same parameters,
/// and a rest.
struct Planes : Instances {
  Partition c;  // of the planes

  void run(std::size_t plane, const Buffers& b) const {
    const auto n = static_cast<std::size_t>(lanes());
    const std::size_t whole = pixels / n, rest = pixels % n, channel = plane % channels;
    const float* x = b.in<float>() + plane * pixels;
    float origin[max_lanes], values[4][max_lanes];
    double sums[2][2][max_lanes] = {};
    std::fill_n(origin, n, x[0]);
    add_up(x, whole, n, origin, {sums[0][0], sums[0][1]});
    if (rest) add_up(x + whole * n, 1, rest, origin, {sums[1][0], sums[1][1]});
    double total[2] = {};
    for (int which : {0, 1})
      for (std::size_t i = 0; i < n; ++i) total[which] += sums[0][which][i] + sums[1][which][i];
    const Parameters p = parameters(b, channel, x[0], total[0], total[1]);
    std::fill_n(values[0], n, p.mean);
    std::fill_n(values[1], n, p.mean_rest);
    std::fill_n(values[2], n, p.factor);
    std::fill_n(values[3], n, p.bias);
    Standardization s{values[0], values[1], values[2], values[3], n, epilogue};
    const float* added = residual(b) ? residual(b) + plane * pixels : nullptr;
    float* y = b.out<float>() + plane * pixels;
    standardize(s, x, whole, added, y);
    if (!rest) return;
    s.channels = rest;
    const std::size_t at = whole * n;
    standardize(s, x + at, 1, added ? added + at : nullptr, y + at);
  }
};

Candidate by_pixels(const Instances& all) {
  Pixels p{all, {}};
  p.c = partition(p.pixels, static_cast<double>(p.channels) / 4);
  return {.name = "normalize images" + p.epilogue.text(),
          .tiles = static_cast<int>(p.tiles()),
          .rounds = 3,
          .shared = p.shared(),
          .run = [p](Range r, const Buffers& b, std::byte*) {
            for (int i = r.begin; i < r.end; ++i) {
              const auto tile = static_cast<std::size_t>(i);
              if (r.round == 0) p.sum(tile, b);
              else if (r.round == 1) p.combine(tile, b);
              else p.normalize(tile, b);
            }
          }};
}

Candidate by_planes(const Instances& all) {
  Planes p{all, {}};
  p.c = partition(p.images * p.channels, static_cast<double>(p.pixels) / 2 + 64);
  return {.name = "normalize planes" + p.epilogue.text(),
          .tiles = p.c.tiles(),
          .run = [p](Range r, const Buffers& b, std::byte*) {
            for (std::size_t i = p.c.begin(r); i < p.c.end(r); ++i) p.run(i, b);
          }};
}

}  // namespace

Lowering lower(const ops::instanceNormalization& op, Chain chain) {
  const auto stages = stages_of(chain);
  if (!stages || stages->size() > 1)
    return Refusal{"only a sum and an activation can follow a normalization"};
  const auto& o = op.options;
  const shape::Image image = shape::image(op.input.shape(), o.layout);
  const Instances all{.images = image.batch,
                      .pixels = image.height * image.width,
                      .channels = image.channels,
                      .epsilon = MLNumber(o.epsilon).to(float32).as_double(),
                      .scale = slot<&MLInstanceNormalizationOptions::scale>(op),
                      .bias = slot<&MLInstanceNormalizationOptions::bias>(op),
                      .epilogue = stages->front().epilogue};
  Candidate k = o.layout == MLInputOperandLayout::nhwc ? by_pixels(all) : by_planes(all);
  k.in_place = {0};
  if (all.epilogue.residual >= 0) k.in_place.push_back(all.epilogue.residual);
  return k;
}

}  // namespace webnn::inline v0_1::simd
