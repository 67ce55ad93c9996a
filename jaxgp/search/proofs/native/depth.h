// Depth-first search of problems, in each thread one root after the other, as the lanes of jaxgp/search/proofs/depth.py
// do it: the same moves in the same order, the same claims and the same number of nodes. `P`, the rules of a problem and
// what moves are sorted by, is written by generate.py:
//
//   kState, kLook, kKey, kMoves  bytes of a state and of a look, words of a key, the most moves of a state
//   kArrays, Context             arrays that moves are sorted by, and those of one root: ContextOf<kArrays>
//   functions(stack)             of the set that programs are written in
//   own_side(state), left(state) whether the solver is to move; own moves that it may still make
//   look(state, to)              writes what is read off a state
//   facts(look)                  what searches read of it
//   move(look, action), reply(look, action)
//                                the action after this one, in the order of the solver and of the other side
//   play(state, action, after, look)
//                                plays a move; writes the state after it, and what is read off that
//   key(state, words)            writes the code of a position
//   code(before, action, after, look, context)
//                                what moves are sorted by, the lowest first

#ifndef JAXGP_SEARCH_PROOFS_NATIVE_DEPTH_H_
#define JAXGP_SEARCH_PROOFS_NATIVE_DEPTH_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "jaxgp/native/hash.h"
#include "jaxgp/native/share.h"
#include "jaxgp/search/native/contexts.h"
#include "xla/ffi/api/ffi.h"

namespace jaxgp {

// What searches read of a look.
struct Facts {
  int32_t count, forcing;  // legal moves, and forcing ones, which come first
  bool won;                // the side that has just moved has won
};

// What is claimed of a root; see `Claims`.
struct Claim {
  int32_t chosen = -1, nodes = 0, deepest = 0;
  bool solved = false, refuted = false, truncated = false;
};

// Steps of the ladder of methods; see jaxgp/search/proofs/depth.py.
struct Method {
  bool told, last, staged, sorts;
  int64_t entries;  // of the table; 0: there is none
};

// What is known of positions within some own moves. Each key has one slot, and the last key written there owns it.
template <typename P>
class Proved {
 public:
  explicit Proved(int64_t entries) : rows_(entries) {}

  // Forgets all positions.
  void clear() { ++search_; }

  // Whether a position is known to be won, or not, within `left` own moves.
  std::pair<bool, bool> known(const uint8_t* state, bool forcing, int32_t left) {
    if (rows_.empty()) return {false, false};
    const Row* row = find(state, forcing);
    return holds(*row) ? std::pair{left >= row->fewest, left <= row->most} : std::pair{false, false};
  }

  void store(const uint8_t* state, bool forcing, int32_t left, bool won) {
    if (rows_.empty()) return;
    Row* row = find(state, forcing);
    if (!holds(*row)) *row = {search_, kNever, 0, words_};
    if (won)
      row->fewest = std::min(row->fewest, left);
    else
      row->most = std::max(row->most, left);
  }

 private:
  static constexpr int32_t kNever = 255;
  using Words = std::array<uint32_t, P::kKey + 1>;
  struct Row {
    int64_t search = -1;
    int32_t fewest, most;
    Words words;
  };

  // The row of a position, whose key is written to `words_`.
  Row* find(const uint8_t* state, bool forcing) {
    P::key(state, words_.data());
    words_[P::kKey] = forcing;
    return &rows_[mixed<P::kKey + 1>(words_.data()) & (rows_.size() - 1)];
  }
  bool holds(const Row& row) const { return row.search == search_ && row.words == words_; }

  std::vector<Row> rows_;
  int64_t search_ = 0;
  Words words_{};
};

template <typename P>
class DepthFirst {
 public:
  using Context = typename P::Context;

  DepthFirst(int32_t most, Method method)
      : most_(most), method_(method), nodes_(2 * most + 3), sorted_(method.sorts ? most : 0), proved_(method.entries) {}

  Claim search(const uint8_t* root, int32_t limit, const Context& context) {
    context_ = &context;
    limit_ = limit;
    claim_ = {};
    proved_.clear();
    first_ = -1;
    base_ = P::own_side(root) ? 0 : 1;
    std::memcpy(nodes_[base_].state, root, P::kState);
    P::look(root, nodes_[base_].look);
    const Facts facts = P::facts(nodes_[base_].look);
    if (facts.count == 0) {
      claim_.solved = facts.won && base_ == 1;
      claim_.refuted = !claim_.solved;
      return claim_;
    }
    const int32_t told = std::clamp(P::left(root), 0, most_) + base_;
    for (depth_ = method_.told ? told : std::min(1 + base_, told); depth_ <= told; ++depth_) {
      if (method_.staged && ends(true)) return claim_;
      if (ends(false)) return claim_;
    }
    claim_.refuted = true;
    if (base_ == 1) claim_.chosen = first_;
    return claim_;
  }

 private:
  struct Node {
    alignas(8) uint8_t state[P::kState];
    alignas(8) uint8_t look[P::kLook];
  };

  // The moves of a position that have been made to be sorted, and the boards after them.
  struct Sorted {
    int32_t codes[P::kMoves], actions[P::kMoves];
    Node after[P::kMoves];
  };

  // Searches for a round, of forcing moves alone or of all; returns whether that ends the search.
  bool ends(bool forcing) {
    forcing_ = forcing;
    const bool won = base_ == 0 ? own(0) : others(1);
    if (won) {
      claim_.solved = true;
      if (base_ == 0) claim_.chosen = first_;
    }
    return won || claim_.truncated;
  }

  // Makes a move at a level, and returns what is read off the board after it; nothing is made beyond the limit.
  bool make(int32_t level, int32_t action, Node& after) {
    if (claim_.nodes >= limit_) return !(claim_.truncated = true);
    ++claim_.nodes;
    claim_.deepest = std::max(claim_.deepest, level - base_ + 1);
    if (level == base_) first_ = action;
    P::play(nodes_[level].state, action, after.state, after.look);
    return true;
  }

  // Whether the solver, who is to move at a level, has a move that wins; false where the search is cut.
  bool own(int32_t level) {
    const int32_t left = depth_ - level / 2;
    const Facts facts = P::facts(nodes_[level].look);
    const bool few = forcing_ || (method_.last && left == 1);
    const int32_t most = left < 1 ? 0 : few ? facts.forcing : facts.count;
    const bool won = method_.sorts && left > 1 ? in_order(level, most) : one_by_one(level, left, most);
    if (!claim_.truncated) proved_.store(nodes_[level].state, forcing_, left, won);
    return won;
  }

  bool one_by_one(int32_t level, int32_t left, int32_t most) {
    Node& after = nodes_[level + 1];
    for (int32_t place = 0, action = -1; place < most; ++place) {
      action = P::move(nodes_[level].look, action);
      if (!make(level, action, after)) return false;
      const Facts seen = P::facts(after.look);
      if (seen.won || (left > 1 && seen.count > 0 && others(level + 1))) return true;
      if (claim_.truncated) return false;
    }
    return false;
  }

  // Makes all moves, and looks into them in the order of their codes.
  bool in_order(int32_t level, int32_t most) {
    Sorted& sorted = sorted_[level / 2];
    int32_t fitting = 0;
    for (int32_t place = 0, action = -1; place < most; ++place) {
      action = P::move(nodes_[level].look, action);
      Node& after = sorted.after[place];
      if (!make(level, action, after)) return false;
      const Facts seen = P::facts(after.look);
      if (seen.won) return true;
      if (seen.count == 0) continue;
      sorted.actions[place] = action;
      const int32_t code = P::code(nodes_[level].state, action, after.state, after.look, *context_);
      sorted.codes[fitting++] = code * kPlaces + place;
    }
    std::sort(sorted.codes, sorted.codes + fitting);
    for (int32_t k = 0; k < fitting; ++k) {
      const int32_t place = sorted.codes[k] & (kPlaces - 1);
      if (level == base_) first_ = sorted.actions[place];
      nodes_[level + 1] = sorted.after[place];
      if (others(level + 1)) return true;
      if (claim_.truncated) return false;
    }
    return false;
  }

  // Whether the solver answers all replies of the other side, which is to move at a level; false where it is cut.
  bool others(int32_t level) {
    Node& after = nodes_[level + 1];
    const int32_t count = P::facts(nodes_[level].look).count, left = depth_ - (level + 1) / 2;
    for (int32_t place = 0, action = -1; place < count; ++place) {
      action = P::reply(nodes_[level].look, action);
      if (!make(level, action, after)) return false;
      const auto [proved, refuted] = proved_.known(after.state, forcing_, left);
      if (refuted || P::facts(after.look).count == 0) return false;
      if (!proved && !own(level + 1)) return false;
    }
    return true;
  }

  static constexpr int32_t kPlaces = 256;

  const int32_t most_;
  const Method method_;
  std::vector<Node> nodes_;      // the positions on the path, by level: at even ones the solver is to move
  std::vector<Sorted> sorted_;   // by own moves made
  Proved<P> proved_;
  const Context* context_ = nullptr;
  int32_t limit_ = 0, base_ = 0, depth_ = 0, first_ = -1;
  bool forcing_ = false;
  Claim claim_;
};

// Searches the first `count` roots, each for the context `whose`. Each thread has a copy of the search.
template <typename P>
ffi::Error run_depth_first(ffi::ThreadPool threads, Bytes roots, Ints limits, Ints count, Ints whose,
                           ffi::RemainingArgs arrays, ffi::Result<Ints> chosen, ffi::Result<Truths> solved,
                           ffi::Result<Truths> refuted, ffi::Result<Ints> nodes, ffi::Result<Truths> truncated,
                           ffi::Result<Ints> deepest, int64_t stack, int64_t most, int64_t entries, bool told, bool last,
                           bool staged, bool sorts) {
  const int64_t queue = limits.element_count();
  const int64_t searched = std::clamp<int64_t>(count.typed_data()[0], 0, queue);
  const auto tell = [&](int64_t k, const Claim& claim) {
    chosen->typed_data()[k] = claim.chosen;
    solved->typed_data()[k] = claim.solved;
    refuted->typed_data()[k] = claim.refuted;
    nodes->typed_data()[k] = claim.nodes;
    truncated->typed_data()[k] = claim.truncated;
    deepest->typed_data()[k] = claim.deepest;
  };
  share(threads, searched, 1, [&] {
    auto contexts = std::make_unique<Contexts<P>>(arrays, stack);
    DepthFirst<P> search(static_cast<int32_t>(most), Method{told, last, staged, sorts, entries});
    return [&, contexts = std::move(contexts), search = std::move(search)](int64_t k, int64_t end) mutable {
      for (; k < end; ++k)
        tell(k, search.search(roots.typed_data() + k * P::kState, limits.typed_data()[k],
                              contexts->at(whose.typed_data()[k])));
    };
  });
  for (int64_t k = searched; k < queue; ++k) tell(k, Claim{});
  return ffi::Error::Success();
}

}  // namespace jaxgp

// Defines the handler of a problem under a name.
#define JAXGP_DEPTH_FIRST(P, NAME)                                                                            \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(NAME, jaxgp::run_depth_first<P>,                                              \
                                ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Bytes>().Arg<Ints>().Arg<Ints>()  \
                                    .Arg<Ints>().RemainingArgs()                                              \
                                    .Ret<Ints>().Ret<Truths>().Ret<Truths>().Ret<Ints>().Ret<Truths>()        \
                                    .Ret<Ints>().Attr<int64_t>("stack").Attr<int64_t>("most")                 \
                                    .Attr<int64_t>("entries").Attr<bool>("told").Attr<bool>("last")           \
                                    .Attr<bool>("staged").Attr<bool>("sorts"));

#endif  // JAXGP_SEARCH_PROOFS_NATIVE_DEPTH_H_
