// What searches of puzzles share. `P`, the puzzle and the order of its searches, is written by generate.py:
//
//   kState, kKey, kValued     bytes of a state, words of its key, whether an order values children
//   kArrays, Context          arrays that an order is given, and those of one root: ContextOf<kArrays>
//   functions(stack)          of the set that programs are written in, if an order evaluates any
//   step(state, action, to)   plays a legal move
//   look(state, key)          returns whether a state is solved; writes its key
//   children(state, depth, context, visit)
//                             makes the children in the order of their actions, and calls for each, as long as `visit`
//                             wants more of it: solved(action, it is), key(words), value(number)

#ifndef JAXGP_SEARCH_PUZZLES_NATIVE_SEARCH_H_
#define JAXGP_SEARCH_PUZZLES_NATIVE_SEARCH_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "jaxgp/native/hash.h"
#include "jaxgp/search/native/codes.h"

namespace jaxgp {

struct Found {
  bool solved = false, exhausted = false;
  int32_t nodes = 1, length = -1, expanded = 0;
};

// Counts a root, whose key is written; returns whether that ends its search.
template <typename P>
inline bool ends_at_root(const uint8_t* root, int32_t limit, uint32_t* key, Found& found) {
  const bool done = P::look(root, key);
  if (limit > 1 && !done) return false;
  found.solved = limit > 1;
  found.length = found.solved ? 0 : -1;
  return true;
}

// What the visitor of children wants next.
enum class Wants { kMore, kNext, kNothing };

// NaN is the greatest value, and subnormal numbers are zero.
inline float orderly(float value) {
  if (value != value || value > FLT_MAX) return FLT_MAX;
  return __builtin_fabsf(value) < FLT_MIN ? 0.f : value;
}

// Keys of the positions of one search, by their numbers, and a table that finds them. It grows with them.
template <int W>
class Seen {
 public:
  void clear() {
    if (slots_.size() > kSmall) slots_.resize(kSmall);
    slots_.assign(kSmall, {0, -1});
    keys_.clear();
    count_ = 0;
  }

  int32_t count() const { return count_; }

  bool has(const uint32_t* key) const { return slots_[find(key, mixed<W>(key))].number >= 0; }

  // Returns whether a key is new, and adds it.
  bool add(const uint32_t* key) {
    if (2 * static_cast<size_t>(count_) >= slots_.size()) grow();
    const uint32_t code = mixed<W>(key);
    const size_t at = find(key, code);
    if (slots_[at].number >= 0) return false;
    slots_[at] = {code, count_++};
    keys_.insert(keys_.end(), key, key + W);
    return true;
  }

 private:
  struct Slot {
    uint32_t code;
    int32_t number;
  };
  static constexpr size_t kSmall = 1024;

  // The slot of a key, or the free one where it would stand.
  size_t find(const uint32_t* key, uint32_t code) const {
    size_t at = code & (slots_.size() - 1);
    while (slots_[at].number >= 0 &&
           (slots_[at].code != code || std::memcmp(&keys_[slots_[at].number * W], key, 4 * W)))
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size(), Slot{0, -1});
    old.swap(slots_);
    for (const Slot& one : old) {
      if (one.number < 0) continue;
      size_t at = one.code & (slots_.size() - 1);
      while (slots_[at].number >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = one;
    }
  }

  std::vector<Slot> slots_;
  std::vector<uint32_t> keys_;
  int32_t count_ = 0;
};

}  // namespace jaxgp

#endif  // JAXGP_SEARCH_PUZZLES_NATIVE_SEARCH_H_
