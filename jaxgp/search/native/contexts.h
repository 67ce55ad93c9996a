// What the functions of a search are given beside states; `P` is written by Python.

#ifndef JAXGP_SEARCH_NATIVE_CONTEXTS_H_
#define JAXGP_SEARCH_NATIVE_CONTEXTS_H_

#include <algorithm>
#include <cstdint>

#include "jaxgp/interpreter/native/machine.h"
#include "xla/ffi/api/ffi.h"

namespace jaxgp {

using Bytes = ffi::Buffer<ffi::U8>;
using Ints = ffi::Buffer<ffi::S32>;

// The arrays of the context of one root, and what runs programs.
template <int N>
struct ContextOf {
  const uint8_t* leaves[N + 1];
  Machine* machine;
};

// The arrays [C, ...] of all contexts.
template <typename P>
class Contexts {
 public:
  Contexts(ffi::RemainingArgs arrays, int64_t stack) : functions_(P::functions(stack)), machine_(functions_, 1) {
    context_.machine = &machine_;
    for (int k = 0; k < P::kArrays; ++k) {
      const auto array = arrays.get<ffi::AnyBuffer>(k).value();
      first_[k] = static_cast<const uint8_t*>(array.untyped_data());
      count_[k] = array.dimensions().front();
      bytes_[k] = array.size_bytes() / std::max<int64_t>(count_[k], 1);
    }
  }

  // Like XLA, this takes the last context for one that is not there.
  const typename P::Context& at(int64_t whose) {
    for (int k = 0; k < P::kArrays; ++k)
      context_.leaves[k] = first_[k] + bytes_[k] * std::clamp<int64_t>(whose, 0, count_[k] - 1);
    return context_;
  }

 private:
  const Functions functions_;
  Machine machine_;
  typename P::Context context_{};
  const uint8_t* first_[P::kArrays + 1];
  int64_t count_[P::kArrays + 1], bytes_[P::kArrays + 1];
};

}  // namespace jaxgp

#endif  // JAXGP_SEARCH_NATIVE_CONTEXTS_H_
