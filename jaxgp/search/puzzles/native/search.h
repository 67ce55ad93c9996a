// Searches of puzzles, one root after the other; see bestfirst.py and deepening.py for what they do. `P`, the puzzle and
// the order of its searches, is written by generate.py:
//
//   kState, kKey, kValued     bytes of a state, words of its key, whether an order values children
//   step(state, action, to)   plays a legal move
//   look(state, key)          returns whether a state is solved; writes its key
//   children(state, depth, context, visit)
//                             makes the children in the order of their actions, and calls for each, as long as `visit`
//                             wants more of it: solved(action, it is), key(words), value(number)

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace jaxgp {

namespace ffi = xla::ffi;

struct Found {
  bool solved = false, exhausted = false;
  int32_t nodes = 1, length = -1, expanded = 0;
};

// What the visitor of children wants next.
enum class Wants { kMore, kNext, kNothing };

inline uint32_t rotated(uint32_t word, int by) { return word << by | word >> (32 - by); }

// MurmurHash3 (A. Appleby, public domain), as `mix` in jaxgp/bits.py.
template <int N>
inline uint32_t mixed(const uint32_t* key) {
  uint32_t code = 0x9747B28Cu;
  for (int k = 0; k < N; ++k) code = rotated(code ^ rotated(key[k] * 0xCC9E2D51u, 15) * 0x1B873593u, 13) * 5u + 0xE6546B64u;
  code = (code ^ code >> 16) * 0x85EBCA6Bu;
  code = (code ^ code >> 13) * 0xC2B2AE35u;
  return code ^ code >> 16;
}

// NaN is the greatest value, and subnormal numbers are zero.
inline float orderly(float value) {
  if (value != value || value > FLT_MAX) return FLT_MAX;
  return __builtin_fabsf(value) < FLT_MIN ? 0.f : value;
}

// A whole number in the order of values, as `encode` in jaxgp/search/lookahead.py.
inline int32_t encoded(float value) {
  value = std::min(std::max(value, -3e38f), 3e38f);
  if (__builtin_fabsf(value) < FLT_MIN) value = 0.f;
  const int32_t word = same_bits<int32_t>(value);
  return word ^ (word >> 31 & 0x7FFFFFFF);
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

  // Returns whether a key is new, and adds it.
  bool add(const uint32_t* key) {
    if (2 * static_cast<size_t>(count_) >= slots_.size()) grow();
    const uint32_t code = mixed<W>(key);
    size_t at = code & (slots_.size() - 1);
    for (; slots_[at].number >= 0; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].code == code && !std::memcmp(&keys_[slots_[at].number * W], key, 4 * W)) return false;
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

template <typename P>
class BestFirst {
 public:
  static constexpr int32_t kExpanded = 0;  // what it says of a root that is not searched

  BestFirst(int64_t deepest, int64_t room, bool by_cost) : deepest_(deepest), room_(room), by_cost_(by_cost) {}

  Found search(const uint8_t* root, int32_t limit, const typename P::Context& context, int16_t* moves) {
    Found found;
    uint32_t key[std::max(P::kKey, 1)];
    const bool done = P::look(root, key);
    if (limit <= 1 || done) {
      found.solved = limit > 1;
      found.length = found.solved ? 0 : -1;
      return found;
    }
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
      states_.resize((own + 1) * P::kState);
      uint8_t* state = &states_[own * P::kState];
      positions_[at].stored = own;
      if (at)
        P::step(&states_[positions_[positions_[at].before].stored * P::kState], positions_[at].action, state);
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
  Seen<std::max(P::kKey, 1)> seen_;
  std::vector<Position> positions_;
  std::vector<uint8_t> states_;
  std::vector<uint64_t> open_;
};

template <typename P>
class Deepening {
 public:
  static constexpr int32_t kExpanded = -1;

  Deepening(float first, float grow, int64_t deepest, int64_t table, bool by_cost)
      : first_(first), grow_(grow), deepest_(deepest), size_(table), by_cost_(by_cost), table_(table * (P::kKey + 1)) {}

  Found search(const uint8_t* root, int32_t limit, const typename P::Context& context, int16_t* moves) {
    found_ = Found();
    found_.expanded = kExpanded;
    limit_ = limit;
    moves_ = moves;
    uint32_t key[std::max(P::kKey, 1)];
    const bool done = P::look(root, key);
    if (limit <= 1 || done) {
      found_.solved = limit > 1;
      found_.length = found_.solved ? 0 : -1;
      return found_;
    }
    for (bound_ = first_;;) {
      if (++round_ >> (32 - kDepthBits)) {
        std::fill(table_.begin(), table_.end(), 0u);
        round_ = 1;
      }
      cut_ = false;
      least_ = kInfinity;
      if (visit(root, context)) return found_;
      if (!cut_) {
        found_.exhausted = true;
        return found_;
      }
      bound_ += grow_;
      if (by_cost_ ? least_ == kInfinity : bound_ > deepest_) return found_;
      if (by_cost_) bound_ = std::max(bound_, least_);
      if (count(1)) return found_;
    }
  }

 private:
  static constexpr int kDepthBits = 10;

  struct Node {
    std::vector<uint8_t> state = std::vector<uint8_t>(P::kState);
    std::vector<int16_t> actions;
    std::vector<int32_t> codes, order;
    std::vector<uint32_t> keys;
    size_t visited = 0;
  };

  // The children of a node that the bound lets pass.
  struct Expanding {
    Deepening& search;
    Node& node;
    const int32_t depth;  // of the children
    const bool last;
    int32_t number = 0, dropped = 0, within = 0, solving = -1, action = 0;
    uint32_t words[std::max(P::kKey, 1)] = {};

    void begin(int32_t count) { number = count; }

    Wants solved(int32_t move, bool it_is) {
      action = move;
      if (it_is || last) {
        if (search.by_cost_ && static_cast<float>(depth) > search.bound_)
          drop(static_cast<float>(depth));
        else if (it_is) {
          solving = move;
          return Wants::kNothing;
        } else {
          ++within;
        }
        return Wants::kNext;
      }
      return Wants::kMore;
    }

    Wants key(const uint32_t* key) {
      std::copy(key, key + P::kKey, words);
      return Wants::kMore;
    }

    void value(float number) {
      number = orderly(number);
      if (search.by_cost_) {
        const float cost = static_cast<float>(depth) + std::max(number, 0.f);
        if (cost > search.bound_) return drop(cost);
      }
      ++within;
      node.order.push_back(static_cast<int32_t>(node.actions.size()));
      node.actions.push_back(static_cast<int16_t>(action));
      node.codes.push_back(encoded(number));
      node.keys.insert(node.keys.end(), words, words + P::kKey);
    }

    void drop(float cost) {
      ++dropped;
      search.least_ = std::min(search.least_, cost);
    }
  };

  // Counts nodes; returns whether that ends the search.
  bool count(int32_t nodes) {
    found_.nodes = std::min(found_.nodes + nodes, limit_);
    return found_.nodes >= limit_;
  }

  // Searches below the root; returns whether the search has ended.
  bool visit(const uint8_t* root, const typename P::Context& context) {
    level(0).state.assign(root, root + P::kState);
    size_t open = 0;
    if (expand(0, context, open)) return true;
    while (open) {
      const size_t above = open - 1;
      Node& node = levels_[above];
      if (node.visited == node.order.size()) {
        --open;
        continue;
      }
      const int32_t child = node.order[node.visited++];
      if (count(1)) return true;
      if (known(&node.keys[child * P::kKey], above + 1)) continue;
      moves_[above] = node.actions[child];
      Node& next = level(above + 1);
      P::step(levels_[above].state.data(), moves_[above], next.state.data());
      if (expand(above + 1, context, open)) return true;
    }
    return false;
  }

  Node& level(size_t depth) {
    while (levels_.size() <= depth) levels_.emplace_back();
    return levels_[depth];
  }

  // Lists the children of the node at a depth, and opens it if there are any to visit.
  bool expand(int32_t depth, const typename P::Context& context, size_t& open) {
    Node& node = levels_[depth];
    if (size_) write(node.state.data(), depth);
    node.actions.clear(), node.codes.clear(), node.order.clear(), node.keys.clear();
    node.visited = 0;
    const bool last = depth + 1 >= (by_cost_ ? static_cast<float>(deepest_) : bound_);
    Expanding children{*this, node, depth + 1, last};
    P::children(node.state.data(), depth, context, children);
    if (children.solving >= 0) {
      if (count(1)) return true;
      moves_[depth] = static_cast<int16_t>(children.solving);
      found_.solved = true;
      found_.length = depth + 1;
      return true;
    }
    cut_ |= children.dropped || (last && children.number);
    if (count(children.dropped + (last ? children.within : 0))) return true;
    if (last || node.actions.empty()) return false;
    if (P::kValued) {
      const int32_t* codes = node.codes.data();
      std::stable_sort(node.order.begin(), node.order.end(), [=](int32_t a, int32_t b) { return codes[a] < codes[b]; });
    }
    open = depth + 1;
    return false;
  }

  uint32_t stamp(int32_t depth) const { return (round_ << kDepthBits) + static_cast<uint32_t>(depth); }

  void write(const uint8_t* state, int32_t depth) {
    uint32_t key[std::max(P::kKey, 1)];
    P::look(state, key);
    uint32_t* slot = &table_[(mixed<P::kKey>(key) & (size_ - 1)) * (P::kKey + 1)];
    std::copy(key, key + P::kKey, slot);
    slot[P::kKey] = stamp(depth);
  }

  bool known(const uint32_t* key, int32_t depth) const {
    if (!size_) return false;
    const uint32_t* slot = &table_[(mixed<P::kKey>(key) & (size_ - 1)) * (P::kKey + 1)];
    return std::equal(key, key + P::kKey, slot) && slot[P::kKey] - stamp(0) <= static_cast<uint32_t>(depth);
  }

  const float first_, grow_;
  const int64_t deepest_, size_;
  const bool by_cost_;
  float bound_ = 0, least_ = kInfinity;
  uint32_t round_ = 0;
  bool cut_ = false;
  int32_t limit_ = 0;
  int16_t* moves_ = nullptr;
  Found found_;
  std::vector<Node> levels_;
  std::vector<uint32_t> table_;
};

using Bytes = ffi::Buffer<ffi::U8>;
using Ints = ffi::Buffer<ffi::S32>;
using Shorts = ffi::Buffer<ffi::S16>;
using Truths = ffi::Buffer<ffi::PRED>;

// The results of a batch of searches; see `Solutions`.
struct Results {
  ffi::Result<Truths> solved;
  ffi::Result<Ints> nodes, length;
  ffi::Result<Shorts> moves;
  ffi::Result<Truths> exhausted;
  ffi::Result<Ints> expanded;
};

// Searches the first `count` roots, each for the context `whose`.
template <typename P, typename Search, typename Contexts>
void search_all(Search& search, const Bytes& roots, const Ints& limits, const Ints& count, const Ints& whose,
                Contexts& contexts, Results to) {
  const int64_t queue = limits.element_count(), deepest = to.moves->dimensions().back();
  const int64_t searched = std::clamp<int64_t>(count.typed_data()[0], 0, queue);
  for (int64_t k = 0; k < queue; ++k) {
    int16_t* moves = to.moves->typed_data() + k * deepest;
    Found found;
    found.nodes = 0;
    found.expanded = Search::kExpanded;
    if (k < searched)
      found = search.search(roots.typed_data() + k * P::kState, limits.typed_data()[k],
                            contexts.at(whose.typed_data()[k]), moves);
    std::fill(moves + std::max(found.length, 0), moves + deepest, int16_t{-1});
    to.solved->typed_data()[k] = found.solved;
    to.nodes->typed_data()[k] = found.nodes;
    to.length->typed_data()[k] = found.length;
    to.exhausted->typed_data()[k] = found.exhausted;
    to.expanded->typed_data()[k] = found.expanded;
  }
}

}  // namespace jaxgp
