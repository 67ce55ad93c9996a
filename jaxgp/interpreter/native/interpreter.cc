// Runs planned programs on a CPU. See jaxgp/interpreter/plan.py for the fields of a plan, and translate.py for how a
// primitive set becomes operations.
//
// A program runs on a block of positions at a time. Each of its values is a row of numbers, one a position, so that an
// instruction is decoded once for the block. Values are those of plain XLA to the bit, provided that the compiler
// neither contracts a product and a sum (-ffp-contract=off) nor reorders (no -ffast-math). XLA runs handlers with
// denormal numbers flushed to zero, as it does its own code.

#include <algorithm>
#include <cfloat>
#include <cstdint>
#include <cstring>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace {

constexpr int64_t kBlock = 256;  // positions at a time: the rows of a program stay in the cache closest to the core

// In the order of OPERATIONS in translate.py. Truth values are 0 and 1.
enum Op : int32_t {
  kCopy, kLook, kLookAt, kSelect, kNeg, kAbs, kNot,
  kAdd, kSub, kMul, kDiv, kMax, kMin, kLt, kLe, kGt, kGe, kEq, kNe, kAnd, kOr, kXor,
};

// One operation on rows. Its operands and its result are registers: the arguments of a function come first, literals
// after them, then rows for what lies between; register -1 is the result of the function. Operands that an operation
// does not have are register 0. kLook reads feature `c`; kLookAt the one that register `a` names, below `c`.
struct Micro {
  int32_t op, to, a, b, c;
};

// A set of functions, in the order of `instructions` in calls.py.
struct Functions {
  ffi::Span<const int32_t> starts;   // where the operations of each function begin; the end of the last one
  ffi::Span<const int32_t> arities;  // arguments of each function
  ffi::Span<const int32_t> micros;   // five numbers for each operation
  ffi::Span<const float> literals;
  int64_t arguments, stack, between;  // the most arguments; rows of the stack; the most rows between
};

// A planned program: see `Plan`.
struct Program {
  const int32_t *kind, *operand;
  const float* constant;
  const int32_t* slot;
  int32_t steps, root;
  float root_constant;
};

// Features of a block: `truths` of them in words, 32 to each, then `count` numbers; one row every `stride` numbers.
struct Features {
  const float* numbers;
  const uint32_t* words;
  int64_t truths, count, stride;
};

// An operand: a row, or one number for all positions.
struct Row {
  const float* at;
  float operator[](int64_t i) const { return at[i]; }
};
struct Same {
  float number;
  float operator[](int64_t) const { return number; }
};

// Sets each position. For N > 0 there are N, and the loop unrolls. The row may be one of the operands, position by
// position, which keeps it free of dependences.
template <int N, typename F>
inline void each(int64_t n, float* to, F value) {
  if constexpr (N > 0) {
    float found[N];
    for (int i = 0; i < N; ++i) found[i] = value(i);
    for (int i = 0; i < N; ++i) to[i] = found[i];
  } else {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (int64_t i = 0; i < n; ++i) to[i] = value(i);
  }
}

inline uint32_t bits(float x) {
  uint32_t word;
  std::memcpy(&word, &x, sizeof word);
  return word;
}

inline float number(uint32_t word) {
  float x;
  std::memcpy(&x, &word, sizeof x);
  return x;
}

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

// Memory for the rows of one program at a time.
class Machine {
 public:
  Machine(const Functions& set, int64_t positions)
      : set_(set),
        width_(std::min(positions, kBlock)),
        registers_(set.arguments + set.literals.size() + set.between),
        memory_((set.stack + 1 + registers_.size()) * width_) {
    for (size_t k = 0; k < registers_.size(); ++k) registers_[k].row = own(k);
    for (size_t k = 0; k < set.literals.size(); ++k) {
      float* row = own(set.arguments + k);
      std::fill(row, row + width_, set.literals.begin()[k]);
    }
  }

  // Runs a program on positions `first` to `first` + n - 1, of which there are at most kBlock.
  void run(const Program& program, const Features& seen, int64_t first, int64_t n, float* out) {
    const Features here{seen.numbers + first, seen.words + first, seen.truths, seen.count, seen.stride};
    switch (n) {
      case 1: return run<1>(program, here, n, out);
      case 2: return run<2>(program, here, n, out);
      case 4: return run<4>(program, here, n, out);
      case 8: return run<8>(program, here, n, out);
      default: return run<0>(program, here, n, out);
    }
  }

 private:
  // A row, or without one a number that all positions have.
  struct Register {
    const float* row = nullptr;
    float number = 0;
  };

  template <int N>
  void run(const Program& program, const Features& seen, int64_t n, float* out) {
    const int32_t* operand = program.operand;
    const float* constant = program.constant;
    const int32_t *starts = set_.starts.begin(), *arities = set_.arities.begin();
    const Micro* micros = reinterpret_cast<const Micro*>(set_.micros.begin());
    for (int32_t step = 0; step < program.steps; ++step) {
      const int32_t kind = program.kind[step];
      for (int32_t k = 0; k < arities[kind]; ++k) registers_[k] = read<N>(operand[k], constant[k], seen, n, k);
      operand += set_.arguments, constant += set_.arguments;
      float* result = row(program.slot[step]);
      for (const Micro* one = micros + starts[kind]; one != micros + starts[kind + 1]; ++one)
        choose<N>(*one, seen, n, one->to < 0 ? result : own(one->to));
    }
    registers_[0] = read<N>(program.root, program.root_constant, seen, n, 0);
    const Row result = filled<N>(0, n);
    each<N>(n, out, [=](int64_t i) { return result[i]; });
  }

  // Runs an operation on what its first two operands are. A long row that repeats a number would cost as much as the
  // operation.
  template <int N>
  void choose(const Micro& one, const Features& seen, int64_t n, float* to) {
    if constexpr (N == 0) {
      const Register &a = registers_[one.a], &b = registers_[one.b];
      if (a.row && !b.row) return apply<N>(one, seen, n, to, Row{a.row}, Same{b.number});
      if (b.row && !a.row) return apply<N>(one, seen, n, to, Same{a.number}, Row{b.row});
    }
    apply<N>(one, seen, n, to, filled<N>(one.a, n), filled<N>(one.b, n));
  }

  template <int N, typename A, typename B>
  void apply(const Micro& one, const Features& seen, int64_t n, float* to, A a, B b) {
    switch (one.op) {
      case kCopy: return each<N>(n, to, [=](int64_t i) { return a[i]; });
      case kLook: {
        const Row row{seen.numbers + one.c * seen.stride};
        return each<N>(n, to, [=](int64_t i) { return row[i]; });
      }
      case kLookAt: {
        const Features shown = seen;
        const float count = static_cast<float>(one.c);
        return each<N>(n, to, [=](int64_t i) {
          const float place = a[i];
          if (!(place >= 0.f && place < count)) return 0.f;
          const int32_t feature = static_cast<int32_t>(place);
          return static_cast<float>(feature) == place ? shown.numbers[feature * shown.stride + i] : 0.f;
        });
      }
      case kSelect: {
        const Row c = filled<N>(one.c, n);
        return each<N>(n, to, [=](int64_t i) { return number(either(a[i] != 0.f, bits(c[i]), bits(b[i]))); });
      }
      case kNeg: return each<N>(n, to, [=](int64_t i) { return -a[i]; });
      case kAbs: return each<N>(n, to, [=](int64_t i) { return __builtin_fabsf(a[i]); });
      case kNot: return each<N>(n, to, [=](int64_t i) { return 1.f - a[i]; });
      case kAdd: return each<N>(n, to, [=](int64_t i) { return a[i] + b[i]; });
      case kSub: return each<N>(n, to, [=](int64_t i) { return a[i] - b[i]; });
      case kMul: return each<N>(n, to, [=](int64_t i) { return a[i] * b[i]; });
      case kDiv: return each<N>(n, to, [=](int64_t i) { return a[i] / b[i]; });
      case kMax: return each<N>(n, to, [=](int64_t i) { return extreme<true>(a[i], b[i]); });
      case kMin: return each<N>(n, to, [=](int64_t i) { return extreme<false>(a[i], b[i]); });
      case kLt: return each<N>(n, to, [=](int64_t i) { return a[i] < b[i] ? 1.f : 0.f; });
      case kLe: return each<N>(n, to, [=](int64_t i) { return a[i] <= b[i] ? 1.f : 0.f; });
      case kGt: return each<N>(n, to, [=](int64_t i) { return a[i] > b[i] ? 1.f : 0.f; });
      case kGe: return each<N>(n, to, [=](int64_t i) { return a[i] >= b[i] ? 1.f : 0.f; });
      case kEq: return each<N>(n, to, [=](int64_t i) { return a[i] == b[i] ? 1.f : 0.f; });
      case kXor:  // of truth values, as the next two
      case kNe: return each<N>(n, to, [=](int64_t i) { return a[i] != b[i] ? 1.f : 0.f; });
      case kAnd: return each<N>(n, to, [=](int64_t i) { return a[i] < b[i] ? a[i] : b[i]; });
      case kOr: return each<N>(n, to, [=](int64_t i) { return a[i] > b[i] ? a[i] : b[i]; });
      default: __builtin_unreachable();
    }
  }

  float* row(int64_t slot) { return memory_.data() + slot * width_; }
  float* own(int64_t k) { return row(set_.stack + 1 + k); }

  // The row of a register, which may have to be made.
  template <int N>
  Row filled(int32_t k, int64_t n) {
    const float* there = registers_[k].row;
    if (N > 0 || there) return {there};  // a few positions have rows always
    std::fill(own(k), own(k) + n, registers_[k].number);
    return {own(k)};
  }

  // What an operand stands for: a constant, a row of the stack or a feature, which register `k` has space for.
  // Like XLA, this takes the last feature for one that is not there; there is one at least.
  template <int N>
  Register read(int32_t place, float number, const Features& seen, int64_t n, int32_t k) {
    const int64_t feature = place - set_.stack - 1;
    if (seen.truths && 0 <= feature && feature < seen.truths) {
      const uint32_t* word = seen.words + (feature >> 5) * seen.stride;
      const int bit = feature & 31;
      each<N>(n, own(k), [=](int64_t i) { return static_cast<float>((word[i] >> bit) & 1u); });
      return {own(k), 0};
    }
    if constexpr (N > 0) each<N>(n, own(k), [=](int64_t) { return number; });
    // A table, since a CPU cannot guess which of the three it is.
    const float* const rows[] = {
        N > 0 ? own(k) : nullptr,
        row(place),
        seen.numbers + std::min(feature - seen.truths, seen.count - 1) * seen.stride,
    };
    return {rows[(place >= 0) + (feature >= 0)], number};
  }

  const Functions& set_;
  const int64_t width_;
  std::vector<Register> registers_;
  std::vector<float> memory_;
};

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

// Goes to the next place of a batch; the last axis runs fastest.
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

// Runs each program on all of its positions: float32[..., B]. Blocks are the outer loop, since programs may share
// their features.
ffi::Error RunEach(Ints kind, Ints operand, Numbers constant, Ints slot, Ints steps, Ints root, Numbers root_constant,
                   Numbers numbers, Words words, ffi::Result<Numbers> out, ffi::Span<const int32_t> starts,
                   ffi::Span<const int32_t> arities, ffi::Span<const int32_t> micros, ffi::Span<const float> literals,
                   int64_t stack, int64_t between) {
  const Plans plans(kind, operand, constant, slot, steps, root, root_constant, 0);
  const Seen seen(numbers, words);
  const auto sizes = out->dimensions();
  const int64_t positions = sizes.back(), programs = positions ? out->element_count() / positions : 0;
  const Functions set{starts, arities, micros, literals, plans.arguments(), stack, between};
  Machine machine(set, positions);
  for (int64_t first = 0; first < positions; first += kBlock) {
    Place place(sizes.size() - 1);
    float* to = out->typed_data() + first;
    for (int64_t k = 0; k < programs; ++k, to += positions, advance(place, sizes))
      machine.run(plans.at(place), seen.at(place), first, std::min(kBlock, positions - first), to);
  }
  return ffi::Error::Success();
}

// Runs on each of the first `needed` positions the program that owns it: float32[..., B], 0 beyond them.
ffi::Error RunOwned(Ints kind, Ints operand, Numbers constant, Ints slot, Ints steps, Ints root, Numbers root_constant,
                    Numbers numbers, Words words, Ints owner, Ints needed, ffi::Result<Numbers> out,
                    ffi::Span<const int32_t> starts, ffi::Span<const int32_t> arities,
                    ffi::Span<const int32_t> micros, ffi::Span<const float> literals, int64_t stack, int64_t between) {
  const Plans plans(kind, operand, constant, slot, steps, root, root_constant, 1);
  const Seen seen(numbers, words);
  const Batched<int32_t> owners(owner, 1), counts(needed, 0);
  const auto sizes = out->dimensions();
  const int64_t positions = sizes.back(), searches = positions ? out->element_count() / positions : 0;
  const Functions set{starts, arities, micros, literals, plans.arguments(), stack, between};
  Machine machine(set, positions);
  Place place(sizes.size() - 1);
  float* to = out->typed_data();
  for (int64_t k = 0; k < searches; ++k, to += positions, advance(place, sizes)) {
    const int32_t* own = owners.at(place);
    const int64_t count = std::clamp<int64_t>(*counts.at(place), 0, positions);
    for (int64_t first = 0, end; first < count; first = end) {
      for (end = first + 1; end < count && end - first < kBlock && own[end] == own[first];) ++end;
      machine.run(plans.at(place, own[first]), seen.at(place), first, end - first, to + first);
    }
    std::fill(to + count, to + positions, 0.f);
  }
  return ffi::Error::Success();
}

// What both handlers are given first, and the set of functions.
#define PLANS_AND_FEATURES                                                                                      \
  ffi::Ffi::Bind().Arg<Ints>().Arg<Ints>().Arg<Numbers>().Arg<Ints>().Arg<Ints>().Arg<Ints>().Arg<Numbers>()    \
      .Arg<Numbers>().Arg<Words>()
#define FUNCTIONS                                                                                               \
  Attr<ffi::Span<const int32_t>>("starts").Attr<ffi::Span<const int32_t>>("arities")                            \
      .Attr<ffi::Span<const int32_t>>("micros").Attr<ffi::Span<const float>>("literals")                        \
      .Attr<int64_t>("stack").Attr<int64_t>("between")

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(JaxgpRunEach, RunEach, PLANS_AND_FEATURES.Ret<Numbers>().FUNCTIONS);
XLA_FFI_DEFINE_HANDLER_SYMBOL(JaxgpRunOwned, RunOwned,
                              PLANS_AND_FEATURES.Arg<Ints>().Arg<Ints>().Ret<Numbers>().FUNCTIONS);
