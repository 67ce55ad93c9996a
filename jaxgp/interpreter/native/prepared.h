// Programs that run on one position at a time, many times over, as at the leaves of a search.
//
// A program is made ready once: each of its steps becomes operations that name the cells of one array. So an evaluation
// decodes nothing. Values are those of `Machine`, to the bit.

#ifndef JAXGP_INTERPRETER_NATIVE_PREPARED_H_
#define JAXGP_INTERPRETER_NATIVE_PREPARED_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "jaxgp/interpreter/native/machine.h"

namespace jaxgp {

// The features of one position: words of `truths` truth values, and `count` numbers.
struct Sight {
  const float* numbers;
  const uint32_t* words;
};

class Prepared {
 public:
  // Cells: the stack and its spare row, numbers, literals, what lies between operations, arguments; then constants.
  Prepared(const Functions& set, int64_t truths, int64_t count)
      : set_(set),
        truths_(truths),
        count_(count),
        numbers_(set.stack + 1),
        registers_(numbers_ + count),
        constants_(registers_ + set.literals.size() + set.between + set.arguments),
        cells_(constants_) {
    std::copy(set.literals.begin(), set.literals.end(), cells_.begin() + registers_);
  }

  // Makes a program ready.
  void take(const Program& program) {
    code_.clear();
    cells_.resize(constants_);
    std::vector<int32_t> arguments(set_.arguments);
    const int32_t* starts = set_.starts.begin();
    const Micro* micros = reinterpret_cast<const Micro*>(set_.micros.begin());
    for (int32_t step = 0; step < program.steps; ++step) {
      const int32_t kind = program.kind[step];
      for (int64_t k = 0; k < set_.arguments; ++k) {
        const int64_t at = step * set_.arguments + k;
        if (k < set_.arities.begin()[kind]) arguments[k] = operand(program.operand[at], program.constant[at], k);
      }
      for (const Micro* one = micros + starts[kind]; one != micros + starts[kind + 1]; ++one) {
        const auto cell = [&](int32_t k) { return k < set_.arguments ? arguments[k] : own(k); };
        const int32_t c = one->op == kSelect ? cell(one->c) : one->c;
        code_.push_back({one->op, one->to < 0 ? program.slot[step] : own(one->to), cell(one->a), cell(one->b), c});
      }
    }
    root_ = operand(program.root, program.root_constant, 0, true);
  }

  float run(const Sight& seen) {
    float* cells = cells_.data();
    float* numbers = cells + numbers_;
    std::copy(seen.numbers, seen.numbers + count_, numbers);
    for (const Micro& now : code_) {
      float& to = cells[now.to];
      const float a = cells[now.a], b = cells[now.b];
      switch (now.op) {
        case kTruth: to = static_cast<float>((seen.words[now.c >> 5] >> (now.c & 31)) & 1u); break;
        case kLook: to = numbers[now.c]; break;
        case kLookAt: to = looked_up(a, numbers, now.c, 1); break;
        case kSelect: to = chosen_by(a, b, cells[now.c]); break;
#define JAXGP_CASE(OP) \
  case OP: to = entry<OP>(a, b); break;
          JAXGP_ENTRIES(JAXGP_CASE)
#undef JAXGP_CASE
        default: __builtin_unreachable();
      }
    }
    return cells[root_];
  }

 private:
  static constexpr int32_t kTruth = -1;  // reads truth value `c`

  // The cell of a literal, or of what lies between operations.
  int32_t own(int32_t k) const { return static_cast<int32_t>(registers_ + k - set_.arguments); }

  // The cell of an operand. What has to be computed for it goes to that of argument `k`.
  int32_t operand(int32_t place, float number, int64_t k, bool last = false) {
    if (place < 0) {
      cells_.push_back(number);
      return static_cast<int32_t>(cells_.size() - 1);
    }
    const int32_t argument = static_cast<int32_t>(constants_ - set_.arguments + k);
    const int64_t feature = place - numbers_;
    int32_t cell = static_cast<int32_t>(feature < truths_ ? place : std::min(place - truths_, registers_ - 1));
    if (0 <= feature && feature < truths_) {
      code_.push_back({kTruth, argument, 0, 0, static_cast<int32_t>(feature)});
      cell = argument;
    }
    // A product with 1 changes no number, but it flushes one that is not normal: what comes last is multiplied.
    if (!set_.multiplies || (number == 1.f && !last)) return cell;
    cells_.push_back(number);
    code_.push_back({kMul, argument, cell, static_cast<int32_t>(cells_.size() - 1), 0});
    return argument;
  }

  const Functions& set_;
  const int64_t truths_, count_, numbers_, registers_, constants_;
  std::vector<float> cells_;
  std::vector<Micro> code_;
  int32_t root_ = 0;
};

}  // namespace jaxgp

#endif  // JAXGP_INTERPRETER_NATIVE_PREPARED_H_
