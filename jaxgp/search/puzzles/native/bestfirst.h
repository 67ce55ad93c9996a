// Best-first search, one root after the other; see bestfirst.py for what it does.

#ifndef JAXGP_SEARCH_PUZZLES_NATIVE_BESTFIRST_H_
#define JAXGP_SEARCH_PUZZLES_NATIVE_BESTFIRST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "jaxgp/search/puzzles/native/search.h"

namespace jaxgp {

template <typename P>
class BestFirst {
 public:
  static constexpr int32_t kExpanded = 0;  // what it says of a root that is not searched

  BestFirst(int64_t deepest, int64_t room, bool by_cost) : deepest_(deepest), room_(room), by_cost_(by_cost) {}

  Found search(const uint8_t* root, int32_t limit, const typename P::Context& context, int16_t* moves) {
    Found found;
    uint32_t key[P::kKey];
    if (ends_at_root<P>(root, limit, key, found)) return found;
    seen_.clear();
    seen_.add(key);
    positions_.assign(1, Position{-1, -1, -1, 0});
    states_.clear();
    open_.assign(1, 0);
    cut_ = false;
    while (!open_.empty()) {
      const int32_t at = pop();
      const int32_t depth = positions_[at].depth;
      const int32_t own = found.expanded++;
      states_.resize(place(own + 1));
      uint8_t* state = &states_[place(own)];
      positions_[at].stored = own;
      if (at)
        P::step(&states_[place(positions_[positions_[at].before].stored)], positions_[at].action, state);
      else
        std::memcpy(state, root, P::kState);
      Opening opening{*this, at, depth + 1, limit - found.nodes};
      P::children(state, depth, context, opening);
      found.nodes = std::min(found.nodes + (opening.solving >= 0 ? 1 : opening.number), limit);
      if (found.nodes >= limit) return found;
      if (opening.solving >= 0) {
        found.solved = true;
        found.length = depth + 1;
        moves[depth] = static_cast<int16_t>(opening.solving);
        for (int32_t p = at; p; p = positions_[p].before) moves[positions_[p].depth - 1] = positions_[p].action;
        return found;
      }
      if (opening.full) return found;
    }
    found.exhausted = !cut_;
    return found;
  }

 private:
  struct Position {
    int32_t before, stored;  // the number of its parent; where its state is, once it has been expanded
    int16_t action, depth;
  };

  // Where a stored state begins: all of them may be more bytes than an int32_t counts.
  static size_t place(int32_t stored) { return static_cast<size_t>(stored) * P::kState; }

  // Opens the children of a position that have not been met.
  struct Opening {
    BestFirst& search;
    const int32_t parent, depth, left;
    int32_t number = 0, solving = -1, action = 0;
    bool full = false;

    void begin(int32_t count) { number = count; }

    Wants solved(int32_t move, bool it_is) {
      action = move;
      if (it_is) {
        solving = move;
        return Wants::kNothing;
      }
      return full || number >= left ? Wants::kNext : Wants::kMore;
    }

    Wants key(const uint32_t* words) {
      if (!search.seen_.add(words)) return Wants::kNext;
      full = search.seen_.count() > search.room_;
      return full ? Wants::kNext : Wants::kMore;
    }

    void value(float number) {
      const int32_t at = static_cast<int32_t>(search.positions_.size());
      search.positions_.push_back({parent, -1, static_cast<int16_t>(action), static_cast<int16_t>(depth)});
      if (depth >= search.deepest_) {
        search.cut_ = true;
        return;
      }
      float priority = orderly(number);
      if (search.by_cost_) priority = static_cast<float>(depth) + std::max(priority, 0.f);
      search.push(encoded(priority), at);
    }
  };

  // The lowest priority first, among equals the one met first.
  void push(int32_t code, int32_t at) {
    const uint64_t order = static_cast<uint64_t>(static_cast<uint32_t>(code) ^ 0x80000000u) << 32;
    open_.push_back(order | static_cast<uint32_t>(at));
    std::push_heap(open_.begin(), open_.end(), std::greater<uint64_t>());
  }

  int32_t pop() {
    std::pop_heap(open_.begin(), open_.end(), std::greater<uint64_t>());
    const int32_t at = static_cast<int32_t>(open_.back() & 0xFFFFFFFFu);
    open_.pop_back();
    return at;
  }

  const int64_t deepest_, room_;
  const bool by_cost_;
  bool cut_ = false;
  Seen<P::kKey> seen_;
  std::vector<Position> positions_;
  std::vector<uint8_t> states_;
  std::vector<uint64_t> open_;
};

}  // namespace jaxgp

#endif  // JAXGP_SEARCH_PUZZLES_NATIVE_BESTFIRST_H_
