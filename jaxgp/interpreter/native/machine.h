// Runs planned programs on a CPU. See jaxgp/interpreter/plan.py for the fields of a plan, and translate.py for how a
// primitive set becomes operations.
//
// A program runs on a block of positions at a time. Each of its values is a row of numbers, one a position, so that an
// instruction is decoded once for the block. Values are those of plain XLA to the bit; see jaxgp/native/numbers.h.

#ifndef JAXGP_INTERPRETER_NATIVE_MACHINE_H_
#define JAXGP_INTERPRETER_NATIVE_MACHINE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "jaxgp/native/numbers.h"
#include "xla/ffi/api/ffi.h"

namespace jaxgp {

namespace ffi = xla::ffi;

constexpr int64_t kBlock = 256;  // positions at a time: the rows of a program stay in the cache closest to the core

// In the order of OPERATIONS in translate.py. Truth values are 0 and 1.
enum Op : int32_t {
  kCopy, kLook, kLookAt, kSelect, kNeg, kAbs, kNot,
  kAdd, kSub, kMul, kDiv, kMax, kMin, kLt, kLe, kGt, kGe, kEq, kNe, kAnd, kOr, kXor,
};

// Operations on one or two numbers.
#define JAXGP_ENTRIES(DO)                                                                                      \
  DO(kCopy) DO(kNeg) DO(kAbs) DO(kNot) DO(kAdd) DO(kSub) DO(kMul) DO(kDiv) DO(kMax) DO(kMin) DO(kLt) DO(kLe) \
  DO(kGt) DO(kGe) DO(kEq) DO(kNe) DO(kAnd) DO(kOr) DO(kXor)

template <Op op>
inline float entry(float a, float b) {
  if constexpr (op == kCopy) return a;
  if constexpr (op == kNeg) return -a;
  if constexpr (op == kAbs) return __builtin_fabsf(a);
  if constexpr (op == kNot) return 1.f - a;
  if constexpr (op == kAdd) return a + b;
  if constexpr (op == kSub) return a - b;
  if constexpr (op == kMul) return a * b;
  if constexpr (op == kDiv) return a / b;
  if constexpr (op == kMax) return extreme<true>(a, b);
  if constexpr (op == kMin) return extreme<false>(a, b);
  if constexpr (op == kLt) return a < b ? 1.f : 0.f;
  if constexpr (op == kLe) return a <= b ? 1.f : 0.f;
  if constexpr (op == kGt) return a > b ? 1.f : 0.f;
  if constexpr (op == kGe) return a >= b ? 1.f : 0.f;
  if constexpr (op == kEq) return a == b ? 1.f : 0.f;
  if constexpr (op == kNe || op == kXor) return a != b ? 1.f : 0.f;  // kXor of truth values, as the next two
  if constexpr (op == kAnd) return a < b ? a : b;
  if constexpr (op == kOr) return a > b ? a : b;
}

inline float chosen_by(float test, float no, float yes) {
  return number(either(test != 0.f, bits(yes), bits(no)));
}

// The feature of a number, of `count` in rows of `stride`; 0 where there is none.
inline float looked_up(float place, const float* numbers, int32_t count, int64_t stride) {
  if (!(place >= 0.f && place < static_cast<float>(count))) return 0.f;
  const int32_t feature = static_cast<int32_t>(place);
  return static_cast<float>(feature) == place ? numbers[feature * stride] : 0.f;
}

// One operation on rows. Its operands and its result are registers: the arguments of a function come first, literals
// after them, then rows for what lies between; register -1 is the result of the function. Operands that an operation
// does not have are register 0. kLook reads feature `c`; kLookAt the one that register `a` names, below `c`.
struct Micro {
  int32_t op, to, a, b, c;
};

// A set of functions, in the order of `instructions` in calls.py. If it multiplies, rows and features that a function
// reads are multiplied by the number of the operand.
struct Functions {
  ffi::Span<const int32_t> starts;   // where the operations of each function begin; the end of the last one
  ffi::Span<const int32_t> arities;  // arguments of each function
  ffi::Span<const int32_t> micros;   // five numbers for each operation
  ffi::Span<const float> literals;
  int64_t arguments, stack, between;  // the most arguments; rows of the stack; the most rows between
  bool multiplies;
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
      case kLook: {
        const Row row{seen.numbers + one.c * seen.stride};
        return each<N>(n, to, [=](int64_t i) { return row[i]; });
      }
      case kLookAt: {
        const Features shown = seen;
        const int32_t count = one.c;
        return each<N>(n, to, [=](int64_t i) { return looked_up(a[i], shown.numbers + i, count, shown.stride); });
      }
      case kSelect: {
        const Row c = filled<N>(one.c, n);
        return each<N>(n, to, [=](int64_t i) { return chosen_by(a[i], b[i], c[i]); });
      }
#define JAXGP_CASE(OP) \
  case OP: return each<N>(n, to, [=](int64_t i) { return entry<OP>(a[i], b[i]); });
        JAXGP_ENTRIES(JAXGP_CASE)
#undef JAXGP_CASE
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

  // What an operand stands for: a constant, or a row times its factor. Register `k` has space for it.
  template <int N>
  Register read(int32_t place, float number, const Features& seen, int64_t n, int32_t k) {
    const Register found = look<N>(place, number, seen, n, k);
    if (!set_.multiplies || place < 0) return found;
    const float* row = found.row;
    each<N>(n, own(k), [=](int64_t i) { return row[i] * number; });
    return {own(k), 0};
  }

  // A constant, a row of the stack or a feature. Like XLA, this takes the last feature for one that is not there; there
  // is one at least.
  template <int N>
  Register look(int32_t place, float number, const Features& seen, int64_t n, int32_t k) {
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

}  // namespace jaxgp

#endif  // JAXGP_INTERPRETER_NATIVE_MACHINE_H_
