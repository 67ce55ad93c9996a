// Iterative deepening, one root after the other; see deepening.py for what it does.

#ifndef JAXGP_SEARCH_PUZZLES_NATIVE_DEEPENING_H_
#define JAXGP_SEARCH_PUZZLES_NATIVE_DEEPENING_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "jaxgp/search/puzzles/native/search.h"

namespace jaxgp {

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
    uint32_t key[P::kKey];
    if (ends_at_root<P>(root, limit, key, found_)) return found_;
    for (bound_ = first_;;) {
      if (++round_ >> (32 - kDepthBits)) {
        std::fill(table_.begin(), table_.end(), 0u);
        round_ = 1;
      }
      cut_ = false;
      least_ = kInfinity;
      if (visit(root, key, context)) return found_;
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
    uint32_t words[P::kKey] = {};

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
  bool visit(const uint8_t* root, const uint32_t* root_key, const typename P::Context& context) {
    level(0).state.assign(root, root + P::kState);
    size_t open = 0;
    if (expand(0, root_key, context, open)) return true;
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
      if (expand(above + 1, &levels_[above].keys[child * P::kKey], context, open)) return true;
    }
    return false;
  }

  Node& level(size_t depth) {
    while (levels_.size() <= depth) levels_.emplace_back();
    return levels_[depth];
  }

  // Lists the children of the node at a depth, and opens it if there are any to visit.
  bool expand(int32_t depth, const uint32_t* key, const typename P::Context& context, size_t& open) {
    Node& node = levels_[depth];
    if (size_) write(key, depth);
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

  void write(const uint32_t* key, int32_t depth) {
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

}  // namespace jaxgp

#endif  // JAXGP_SEARCH_PUZZLES_NATIVE_DEEPENING_H_
