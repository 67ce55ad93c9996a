// Codes: whole numbers in the order of the floats they stand for, as in jaxgp/search/lookahead.py.

#ifndef JAXGP_SEARCH_NATIVE_CODES_H_
#define JAXGP_SEARCH_NATIVE_CODES_H_

#include <algorithm>
#include <cfloat>
#include <cstdint>

#include "jaxgp/native/numbers.h"

namespace jaxgp {

// Codes of floats lie strictly between these two, and each is the complement of the other.
constexpr int32_t kLowest = -INT32_MAX, kHighest = INT32_MAX - 1;
// The code of a move that is illegal or already searched.
constexpr int32_t kNever = INT32_MIN;

// As `encode`.
inline int32_t encoded(float value) {
  value = std::min(std::max(value, -3e38f), 3e38f);
  if (__builtin_fabsf(value) < FLT_MIN) value = 0.f;
  const int32_t word = same_bits<int32_t>(value);
  return word ^ (word >> 31 & 0x7FFFFFFF);
}

}  // namespace jaxgp

#endif  // JAXGP_SEARCH_NATIVE_CODES_H_
