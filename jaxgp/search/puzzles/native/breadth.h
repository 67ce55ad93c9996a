// Breadth-first search of one root that meets each state once; see breadth.py for what it does.

#ifndef JAXGP_SEARCH_PUZZLES_NATIVE_BREADTH_H_
#define JAXGP_SEARCH_PUZZLES_NATIVE_BREADTH_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "jaxgp/search/puzzles/native/search.h"

namespace jaxgp {

struct Explored {
  int32_t distance = -1, states = 0, goals = 0, expanded = 0;
  bool complete = true;
};

template <typename P>
class Breadth {
 public:
  Breadth(int64_t most, bool nearest) : most_(most), nearest_(nearest) {}

  // Searches from a root. The moves of a shortest solution are written if there are no more than `room` of them.
  Explored explore(const uint8_t* root, const typename P::Context& context, int64_t room, int16_t* moves) {
    uint32_t key[P::kKey];
    const bool done = P::look(root, key);
    seen_.clear();
    meet(key, -1, -1, done);
    ended_ |= done;
    level_.assign(root, root + P::kState);
    numbers_.assign(1, 0);
    for (; !ended_ && !numbers_.empty(); level_.swap(next_), numbers_.swap(following_)) {
      next_.clear(), following_.clear();
      for (size_t k = 0; k < numbers_.size() && !ended_; ++k) {
        const uint8_t* state = &level_[k * P::kState];
        Meeting meeting{*this, state, numbers_[k]};
        ++found_.expanded;
        P::children(state, 0, context, meeting);
      }
    }
    found_.states = seen_.count();
    if (first_ >= 0) {
      found_.distance = 0;
      for (int32_t at = first_; before_[at] >= 0; at = before_[at]) ++found_.distance;
      int16_t* to = moves + found_.distance;
      if (found_.distance <= room)
        for (int32_t at = first_; before_[at] >= 0; at = before_[at]) *--to = actions_[at];
    }
    return found_;
  }

 private:
  struct Meeting {
    Breadth& search;
    const uint8_t* state;
    const int32_t parent;
    int32_t action = 0;
    bool goal = false;

    void begin(int32_t) {}

    Wants solved(int32_t move, bool it_is) {
      action = move, goal = it_is;
      return Wants::kMore;
    }

    Wants key(const uint32_t* words) {
      if (search.meet(words, parent, action, goal) && !goal) {
        search.next_.resize(search.next_.size() + P::kState);
        P::step(state, action, &search.next_[search.next_.size() - P::kState]);
        search.following_.push_back(search.seen_.count() - 1);
      }
      return search.ended_ ? Wants::kNothing : Wants::kNext;
    }

    void value(float) {}
  };

  // Notes a state that has not been met; returns whether it is one.
  bool meet(const uint32_t* key, int32_t parent, int32_t action, bool goal) {
    if (seen_.count() >= most_) {
      if (seen_.has(key)) return false;
      found_.complete = false;
      ended_ = true;
      return false;
    }
    if (!seen_.add(key)) return false;
    before_.push_back(parent);
    actions_.push_back(static_cast<int16_t>(action));
    if (goal) {
      if (!found_.goals++) first_ = seen_.count() - 1;
      ended_ |= nearest_;
    }
    return true;
  }

  const int64_t most_;
  const bool nearest_;
  bool ended_ = false;
  int32_t first_ = -1;  // the number of the first goal
  Explored found_;
  Seen<P::kKey> seen_;
  std::vector<int32_t> before_, numbers_, following_;
  std::vector<int16_t> actions_;
  std::vector<uint8_t> level_, next_;
};

}  // namespace jaxgp

#endif  // JAXGP_SEARCH_PUZZLES_NATIVE_BREADTH_H_
