// Hashes words as jaxgp/bits.py does.

#ifndef JAXGP_NATIVE_HASH_H_
#define JAXGP_NATIVE_HASH_H_

#include <cstdint>

namespace jaxgp {

inline uint32_t rotated(uint32_t word, int by) { return word << by | word >> (32 - by); }

// MurmurHash3 (A. Appleby, public domain), as `mix` there.
template <int N>
inline uint32_t mixed(const uint32_t* key) {
  uint32_t code = 0x9747B28Cu;
  for (int k = 0; k < N; ++k) {
    const uint32_t stirred = rotated(key[k] * 0xCC9E2D51u, 15) * 0x1B873593u;
    code = rotated(code ^ stirred, 13) * 5u + 0xE6546B64u;
  }
  code = (code ^ code >> 16) * 0x85EBCA6Bu;
  code = (code ^ code >> 13) * 0xC2B2AE35u;
  return code ^ code >> 16;
}

}  // namespace jaxgp

#endif  // JAXGP_NATIVE_HASH_H_
