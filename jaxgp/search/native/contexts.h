// What the functions of a search are given beside states; `P` is written by Python.

#ifndef JAXGP_SEARCH_NATIVE_CONTEXTS_H_
#define JAXGP_SEARCH_NATIVE_CONTEXTS_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "jaxgp/interpreter/native/prepared.h"
#include "xla/ffi/api/ffi.h"

namespace jaxgp {

using Bytes = ffi::Buffer<ffi::U8>;
using Ints = ffi::Buffer<ffi::S32>;
using Truths = ffi::Buffer<ffi::PRED>;

// The arrays of the context of one root, and its program, if it has one.
template <int N>
struct ContextOf {
  const uint8_t* leaves[N + 1];
  Prepared* program;
};

// The arrays [C, ...] of all contexts. `P` has, beside what a search needs,
//
//   kArrays, kTruths, kNumbers  how many arrays there are; truth values and numbers that programs see
//   kPrograms                   whether there are any
//   functions(stack)            of the set that programs are written in
//   program(context)            that of a context
template <typename P>
class Contexts {
 public:
  Contexts(ffi::RemainingArgs arrays, int64_t stack)
      : functions_(P::functions(stack)), program_(functions_, P::kTruths, P::kNumbers) {
    context_.program = &program_;
    for (int k = 0; k < P::kArrays; ++k) {
      const auto array = arrays.get<ffi::AnyBuffer>(k).value();
      first_[k] = static_cast<const uint8_t*>(array.untyped_data());
      count_[k] = array.dimensions().front();
      bytes_[k] = array.size_bytes() / std::max<int64_t>(count_[k], 1);
    }
  }

  // Like XLA, this takes the last context for one that is not there.
  const typename P::Context& at(int64_t whose) {
    if (P::kArrays && whose != whose_) {
      whose_ = whose;
      for (int k = 0; k < P::kArrays; ++k)
        context_.leaves[k] = first_[k] + bytes_[k] * std::clamp<int64_t>(whose, 0, count_[k] - 1);
      if (P::kPrograms) program_.take(P::program(context_));
    }
    return context_;
  }

 private:
  const Functions functions_;
  Prepared program_;
  typename P::Context context_{};
  int64_t whose_ = std::numeric_limits<int64_t>::min();
  const uint8_t* first_[P::kArrays + 1];
  int64_t count_[P::kArrays + 1], bytes_[P::kArrays + 1];
};

}  // namespace jaxgp

#endif  // JAXGP_SEARCH_NATIVE_CONTEXTS_H_
