// Operations on numbers with the values of XLA, for C++ that jaxgp/native/writer.py writes and for the interpreter.
//
// The compiler must neither contract a product and a sum (-ffp-contract=off) nor reorder (no -ffast-math); whole
// numbers wrap around (-fwrapv). XLA runs handlers with denormal numbers flushed to zero, as it does its own code.

#ifndef JAXGP_NATIVE_NUMBERS_H_
#define JAXGP_NATIVE_NUMBERS_H_

#include <cfloat>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace jaxgp {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <typename To, typename From>
inline To same_bits(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To found;
  std::memcpy(&found, &x, sizeof found);
  return found;
}

inline uint32_t bits(float x) { return same_bits<uint32_t>(x); }
inline float number(uint32_t word) { return same_bits<float>(word); }

// One of two words, without a branch, which a CPU would have to guess.
inline uint32_t either(bool first, uint32_t a, uint32_t b) {
  const uint32_t mask = -static_cast<uint32_t>(first);
  return (a & mask) | (b & ~mask);
}

// The maximum and minimum of IEEE 754-2019, which XLA takes: NaN if either is, -0 below 0, denormals flushed.
template <bool Greatest>
inline float extreme(float a, float b) {
  const float x = (Greatest ? a > b : a < b) ? a : b, y = (Greatest ? b > a : b < a) ? b : a;
  const uint32_t ordered = Greatest ? bits(x) & bits(y) : bits(x) | bits(y);  // they differ in signs of 0 at most
  const uint32_t flushed = either(__builtin_fabsf(x) < FLT_MIN, ordered & 0x80000000u, ordered);
  return number(either(a != a || b != b, bits(a + b), flushed));
}

template <typename T>
inline T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return extreme<true>(a, b);
  return a > b ? a : b;
}

template <typename T>
inline T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return extreme<false>(a, b);
  return a < b ? a : b;
}

// One of two numbers that are both computed. If a compiler had to read an entry of an array only where it is chosen, it
// could not take many entries at once.
template <typename T>
inline T chosen(bool first, T a, T b) {
  return first ? a : b;
}

template <typename T>
inline T clamped(T low, T x, T high) {
  return minimum<T>(maximum<T>(x, low), high);
}

// A quotient by 0 has all bits set; the least number divided by -1 stays as it is.
template <typename T>
inline T divided(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a / b;
  if (b == 0) return static_cast<T>(-1);
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(-a);
  return static_cast<T>(a / b);
}

template <typename T>
inline T remainder_of(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}

template <typename T>
inline T absolute(T a) {
  if constexpr (std::is_floating_point_v<T>) return __builtin_fabsf(a);
  return static_cast<T>(a < 0 ? -a : a);
}

template <typename T>
inline T sign_of(T a) {
  if constexpr (std::is_floating_point_v<T>) {
    return a > 0 ? 1.f : a < 0 ? -1.f : a != a ? a : number(bits(a) & 0x80000000u);
  }
  return static_cast<T>((a > 0) - (a < 0));
}

template <typename T>
inline T squared(T a) {
  return static_cast<T>(a * a);
}

template <typename T>
inline T cubed(T a) {
  return static_cast<T>(static_cast<T>(a * a) * a);
}

template <typename T>
inline T clz(T a) {
  constexpr int kBits = 8 * sizeof(T);
  const uint32_t word = static_cast<std::make_unsigned_t<T>>(a);
  return static_cast<T>(word ? __builtin_clz(word) - (32 - kBits) : kBits);
}

template <typename T>
inline T population_count(T a) {
  return static_cast<T>(__builtin_popcount(static_cast<std::make_unsigned_t<T>>(a)));
}

// Shifts by as many bits as there are, or more, shift all of them out.
template <typename T>
inline T shift_left(T a, T by) {
  using U = std::make_unsigned_t<T>;
  const U n = static_cast<U>(by);
  return n < 8 * sizeof(T) ? static_cast<T>(static_cast<U>(static_cast<U>(a) << n)) : T{0};
}

template <typename T>
inline T shift_right_logical(T a, T by) {
  using U = std::make_unsigned_t<T>;
  const U n = static_cast<U>(by);
  return n < 8 * sizeof(T) ? static_cast<T>(static_cast<U>(static_cast<U>(a) >> n)) : T{0};
}

// Copies of the first bit move in, even where it is no sign.
template <typename T>
inline T shift_right_arithmetic(T a, T by) {
  using U = std::make_unsigned_t<T>;
  const U n = static_cast<U>(by);
  return static_cast<T>(static_cast<std::make_signed_t<T>>(a) >> (n < 8 * sizeof(T) ? n : 8 * sizeof(T) - 1));
}

template <typename T>
inline T floor(T a) {
  return __builtin_floorf(a);
}

template <typename T>
inline T ceil(T a) {
  return __builtin_ceilf(a);
}

// The nearest whole number, the even one of two.
inline float rounded(float a) { return __builtin_rintf(a); }

// Beyond the ends the nearest whole number; 0 for NaN.
template <typename T>
inline T truncated(float a) {
  constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double high = static_cast<double>(std::numeric_limits<T>::max());
  if (a != a) return 0;
  const double x = a;
  return x <= low ? std::numeric_limits<T>::min() : x >= high ? std::numeric_limits<T>::max() : static_cast<T>(x);
}

// Where a part of an array may begin, so that it ends within it.
template <typename T>
inline int bounded(T place, int last) {
  if (std::is_signed_v<T> && place < 0) return 0;
  return static_cast<uint32_t>(place) > static_cast<uint32_t>(last) ? last : static_cast<int>(place);
}

template <typename T>
inline bool within(T place, int last) {
  return !(std::is_signed_v<T> && place < 0) && static_cast<uint32_t>(place) <= static_cast<uint32_t>(last);
}

}  // namespace jaxgp

#endif  // JAXGP_NATIVE_NUMBERS_H_
