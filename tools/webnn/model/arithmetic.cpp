#include "tools/webnn/model/arithmetic.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace webnn::inline v0_1::tool {
namespace {

// Enough independent sums to hide the latency of an addition, and few enough for 16 registers.
constexpr int sums = 10;

// The body is the same for every width, but a function has to be compiled for its instructions.
#define WEBNN_FLOAT_LOOP(name, bytes, attributes)                     \
  attributes float name(int rounds) {                                 \
    typedef float Vector __attribute__((vector_size(bytes)));         \
    Vector sum[sums], factor, term;                                   \
    factor = Vector{} + 0.999f;                                       \
    term = Vector{} + 0.001f;                                         \
    for (int k = 0; k < sums; ++k) sum[k] = Vector{} + (1.f + k);     \
    for (int i = 0; i < rounds; ++i)                                  \
      for (int k = 0; k < sums; ++k) sum[k] = sum[k] * factor + term; \
    for (int k = 1; k < sums; ++k) sum[0] += sum[k];                  \
    return sum[0][0];                                                 \
  }

// Integers: an addition of floats would wait for the one before.
#define WEBNN_READ_LOOP(name, bytes, attributes)                            \
  attributes float name(const std::byte* from, std::size_t count) {         \
    typedef int Vector __attribute__((vector_size(bytes), aligned(4)));     \
    Vector sum[4] = {};                                                     \
    for (std::size_t i = 0; i < count; i += 4 * (bytes))                    \
      for (std::size_t k = 0; k < 4; ++k)                                   \
        sum[k] |= *reinterpret_cast<const Vector*>(from + i + k * (bytes)); \
    return static_cast<float>((sum[0] | sum[1] | sum[2] | sum[3])[0]);      \
  }

WEBNN_FLOAT_LOOP(float_plain, 16, )
WEBNN_READ_LOOP(read_plain, 16, )
#if defined(__x86_64__) && defined(__GNUC__)
WEBNN_FLOAT_LOOP(float_avx2, 32, __attribute__((target("avx2,fma"))))
WEBNN_FLOAT_LOOP(float_avx512, 64, __attribute__((target("avx512f"))))

WEBNN_READ_LOOP(read_avx2, 32, __attribute__((target("avx2"))))
WEBNN_READ_LOOP(read_avx512, 64, __attribute__((target("avx512f"))))

__attribute__((target("avx512f,avx512vnni"))) float int8_vnni(int rounds) {
  __m512i sum[sums];
  const __m512i a = _mm512_set1_epi8(3), b = _mm512_set1_epi8(-2);
  for (int k = 0; k < sums; ++k) sum[k] = _mm512_set1_epi32(k);
  for (int i = 0; i < rounds; ++i)
    for (int k = 0; k < sums; ++k) sum[k] = _mm512_dpbusd_epi32(sum[k], a, b);
  for (int k = 1; k < sums; ++k) sum[0] = _mm512_add_epi32(sum[0], sum[k]);
  return static_cast<float>(_mm512_cvtsi512_si32(sum[0]));
}
// The pairs are multiplied with what does not depend on the sums, so that nothing waits but the
// last addition; the empty instruction keeps the compiler from doing it once.
__attribute__((target("avx2"))) float int8_avx2(int rounds) {
  __m256i sum[sums];
  __m256i a = _mm256_set1_epi8(3);
  const __m256i b = _mm256_set1_epi8(-2), ones = _mm256_set1_epi16(1);
  for (int k = 0; k < sums; ++k) sum[k] = _mm256_set1_epi32(k);
  for (int i = 0; i < rounds; ++i)
    for (int k = 0; k < sums; ++k) {
      asm volatile("" : "+x"(a));
      const __m256i pairs = _mm256_maddubs_epi16(a, b);
      sum[k] = _mm256_add_epi32(sum[k], _mm256_madd_epi16(pairs, ones));
    }
  for (int k = 1; k < sums; ++k) sum[0] = _mm256_add_epi32(sum[0], sum[k]);
  return static_cast<float>(_mm256_cvtsi256_si32(sum[0]));
}
#endif
#undef WEBNN_FLOAT_LOOP
#undef WEBNN_READ_LOOP

}  // namespace

Loop float_loop() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f")) return {&float_avx512, 2.0 * 16 * sums};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {&float_avx2, 2.0 * 8 * sums};
#endif
  return {&float_plain, 2.0 * 4 * sums};
}

ReadLoop read_loop() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f")) return &read_avx512;
  if (__builtin_cpu_supports("avx2")) return &read_avx2;
#endif
  return &read_plain;
}

Loop int8_loop() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512vnni")) return {&int8_vnni, 2.0 * 64 * sums};
  if (__builtin_cpu_supports("avx2")) return {&int8_avx2, 2.0 * 32 * sums};
#endif
  return {};
}

}  // namespace webnn::inline v0_1::tool
