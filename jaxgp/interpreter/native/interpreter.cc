// Entry points of the native interpreter: programs of a batch, each on its positions.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "jaxgp/interpreter/native/machine.h"
#include "jaxgp/native/share.h"
#include "xla/ffi/api/ffi.h"

namespace {

using namespace jaxgp;

using Place = std::vector<int64_t>;

// An array with axes of a batch before its own. Along an axis of size 1 it is the same for the whole batch.
template <typename T>
class Batched {
 public:
  template <typename Buffer>
  Batched(const Buffer& buffer, size_t axes) : data_(buffer.typed_data()) {
    const auto sizes = buffer.dimensions();
    steps_.resize(sizes.size() - axes);
    int64_t size = 1;
    for (size_t k = sizes.size(); k-- > 0; size *= sizes[k])
      if (k < steps_.size()) steps_[k] = sizes[k] == 1 ? 0 : size;
  }

  const T* at(const Place& place) const {
    const T* found = data_;
    for (size_t k = 0; k < steps_.size(); ++k) found += place[k] * steps_[k];
    return found;
  }

 private:
  const T* data_;
  Place steps_;
};

// The place of item k of a batch; the last axis runs fastest.
Place place_of(int64_t k, ffi::Span<const int64_t> sizes) {
  Place place(sizes.size() - 1);
  for (size_t axis = place.size(); axis-- > 0; k /= sizes[axis]) place[axis] = k % sizes[axis];
  return place;
}

// Goes to the next place of a batch.
void advance(Place& place, ffi::Span<const int64_t> sizes) {
  for (size_t k = place.size(); k-- > 0; place[k] = 0)
    if (++place[k] < sizes[k]) return;
}

using Ints = ffi::Buffer<ffi::S32>;
using Numbers = ffi::Buffer<ffi::F32>;
using Words = ffi::Buffer<ffi::U32>;

// Programs of a batch. `own` is how many axes plans have beside those of the batch: 1 where several programs stand at
// each place of it.
class Plans {
 public:
  Plans(const Ints& kind, const Ints& operand, const Numbers& constant, const Ints& slot, const Ints& steps,
        const Ints& root, const Numbers& root_constant, size_t own)
      : kind_(kind, own + 1), operand_(operand, own + 2), constant_(constant, own + 2), slot_(slot, own + 1),
        steps_(steps, own), root_(root, own), root_constant_(root_constant, own),
        length_(kind.dimensions().back()), arguments_(operand.dimensions().back()),
        last_(own ? steps.dimensions().back() - 1 : 0) {}

  // Like XLA, this takes the last program for one that is not there.
  Program at(const Place& place, int64_t which = 0) const {
    which = std::clamp<int64_t>(which, 0, last_);
    const int64_t line = which * length_, table = line * arguments_;
    return {kind_.at(place) + line, operand_.at(place) + table, constant_.at(place) + table, slot_.at(place) + line,
            steps_.at(place)[which], root_.at(place)[which], root_constant_.at(place)[which]};
  }

  int64_t arguments() const { return arguments_; }

 private:
  Batched<int32_t> kind_, operand_;
  Batched<float> constant_;
  Batched<int32_t> slot_, steps_, root_;
  Batched<float> root_constant_;
  int64_t length_, arguments_, last_;
};

// Features of a batch: float32[..., F, B], and the words of truth values, uint32[..., W, B].
class Seen {
 public:
  Seen(const Numbers& numbers, const Words& words)
      : numbers_(numbers, 2), words_(words, 2), count_(numbers.dimensions()[numbers.dimensions().size() - 2]),
        truths_(32 * words.dimensions()[words.dimensions().size() - 2]), positions_(numbers.dimensions().back()) {}

  Features at(const Place& place) const {
    return {numbers_.at(place), words_.at(place), truths_, count_, positions_};
  }

 private:
  Batched<float> numbers_;
  Batched<uint32_t> words_;
  int64_t count_, truths_, positions_;
};

// Evaluations that a thread does at a time. With 512 programs of 63 nodes on two positions, 64 are 1.5 times as fast as
// 256 on two cores, and with 256 positions all are alike.
constexpr int64_t kPart = 64;

// Runs each program on all of its positions: float32[..., B]. Of a part, blocks are the outer loop, since programs may
// share their features.
ffi::Error RunEach(ffi::ThreadPool threads, Ints kind, Ints operand, Numbers constant, Ints slot, Ints steps, Ints root,
                   Numbers root_constant, Numbers numbers, Words words, ffi::Result<Numbers> out,
                   ffi::Span<const int32_t> starts, ffi::Span<const int32_t> arities, ffi::Span<const int32_t> micros,
                   ffi::Span<const float> literals, int64_t stack, int64_t between, bool multiplies) {
  const Plans plans(kind, operand, constant, slot, steps, root, root_constant, 0);
  const Seen seen(numbers, words);
  const auto sizes = out->dimensions();
  const int64_t positions = sizes.back(), programs = positions ? out->element_count() / positions : 0;
  const Functions set{starts, arities, micros, literals, plans.arguments(), stack, between, multiplies};
  const auto make = [&] {
    return [&, machine = Machine(set, positions)](int64_t begin, int64_t end) mutable {
      for (int64_t first = 0; first < positions; first += kBlock) {
        Place place = place_of(begin, sizes);
        float* to = out->typed_data() + begin * positions + first;
        for (int64_t k = begin; k < end; ++k, to += positions, advance(place, sizes))
          machine.run(plans.at(place), seen.at(place), first, std::min(kBlock, positions - first), to);
      }
    };
  };
  share(threads, programs, std::max<int64_t>(1, kPart / std::max<int64_t>(positions, 1)), make);
  return ffi::Error::Success();
}

// Runs on each of the first `needed` positions the program that owns it: float32[..., B], 0 beyond them.
ffi::Error RunOwned(ffi::ThreadPool threads, Ints kind, Ints operand, Numbers constant, Ints slot, Ints steps, Ints root,
                    Numbers root_constant, Numbers numbers, Words words, Ints owner, Ints needed,
                    ffi::Result<Numbers> out, ffi::Span<const int32_t> starts, ffi::Span<const int32_t> arities,
                    ffi::Span<const int32_t> micros, ffi::Span<const float> literals, int64_t stack, int64_t between,
                    bool multiplies) {
  const Plans plans(kind, operand, constant, slot, steps, root, root_constant, 1);
  const Seen seen(numbers, words);
  const Batched<int32_t> owners(owner, 1), counts(needed, 0);
  const auto sizes = out->dimensions();
  const int64_t positions = sizes.back(), searches = positions ? out->element_count() / positions : 0;
  const Functions set{starts, arities, micros, literals, plans.arguments(), stack, between, multiplies};
  Place place(sizes.size() - 1);
  float* to = out->typed_data();
  for (int64_t k = 0; k < searches; ++k, to += positions, advance(place, sizes)) {
    const int32_t* own = owners.at(place);
    const int64_t count = std::clamp<int64_t>(*counts.at(place), 0, positions);
    const auto make = [&] {
      return [&, machine = Machine(set, positions)](int64_t begin, int64_t behind) mutable {
        for (int64_t first = begin, end; first < behind; first = end) {
          for (end = first + 1; end < behind && end - first < kBlock && own[end] == own[first];) ++end;
          machine.run(plans.at(place, own[first]), seen.at(place), first, end - first, to + first);
        }
      };
    };
    share(threads, count, kPart, make);
    std::fill(to + count, to + positions, 0.f);
  }
  return ffi::Error::Success();
}

// What both handlers are given first, and the set of functions.
#define PLANS_AND_FEATURES                                                                                      \
  ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Ints>().Arg<Ints>().Arg<Numbers>().Arg<Ints>().Arg<Ints>()        \
      .Arg<Ints>().Arg<Numbers>().Arg<Numbers>().Arg<Words>()
#define FUNCTIONS                                                                                               \
  Attr<ffi::Span<const int32_t>>("starts").Attr<ffi::Span<const int32_t>>("arities")                            \
      .Attr<ffi::Span<const int32_t>>("micros").Attr<ffi::Span<const float>>("literals")                        \
      .Attr<int64_t>("stack").Attr<int64_t>("between").Attr<bool>("multiplies")

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(JaxgpRunEach, RunEach, PLANS_AND_FEATURES.Ret<Numbers>().FUNCTIONS);
XLA_FFI_DEFINE_HANDLER_SYMBOL(JaxgpRunOwned, RunOwned,
                              PLANS_AND_FEATURES.Arg<Ints>().Arg<Ints>().Ret<Numbers>().FUNCTIONS);
