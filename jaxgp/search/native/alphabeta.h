// Alpha-beta search, in each thread one root after the other, as the lanes of jaxgp/search/alphabeta.py do it: the same
// moves in the same order, the same values and the same number of nodes. `P`, the rules of a game and the evaluator of
// leaves, is written by games.py:
//
//   kState, kSlots            bytes of a state, the most moves that are listed
//   kArrays, Context          arrays of the contexts, and those of one root: ContextOf<kArrays>
//   functions(stack)          of the set that programs are written in, if the evaluator runs any
//   look(state)               what is known of a state without a move
//   value(state, context)     what it is worth to the side to move
//   leaves(state, context, visit)
//                             plays all legal moves in the order of their slots and calls for each, as long as it
//                             returns true, visit.worth(side that moves then, value)
//   children(state, context, visit)
//                             plays them, too: for each, as long as it returns true, it writes the child to
//                             visit.room() and calls visit.keep(slot, look), and visit.worth as well if Visit::kValues

#ifndef JAXGP_SEARCH_NATIVE_ALPHABETA_H_
#define JAXGP_SEARCH_NATIVE_ALPHABETA_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "jaxgp/native/share.h"
#include "jaxgp/search/native/codes.h"
#include "jaxgp/search/native/contexts.h"

namespace jaxgp {

// What is known of a state without a move: who moves, and whether the game has ended.
struct Glance {
  int32_t side;
  bool ended;
};

// The code of a value, as seat 0 sees it; NaN is as bad as can be for the side to move.
inline int32_t as_seen(int32_t side, float value) {
  const float known = value != value ? -__builtin_inff() : value;
  return encoded(side == 0 ? known : -known);
}

// Turns codes from seat 0 to a side, and back.
inline int32_t view(int32_t side) { return -side; }

// The children of a node, each with its worth to the side that moves at the node.
template <typename P>
class Family {
 public:
  static constexpr bool kValues = true;

  void begin(int32_t side) {
    side_ = side;
    count_ = 0;
  }
  uint8_t* first() { return states_; }
  uint8_t* room() { return states_ + static_cast<int64_t>(count_) * P::kState; }
  bool keep(int32_t slot, Glance glance) {
    slots_[count_] = slot;
    glances_[count_++] = glance;
    return true;
  }
  bool worth(int32_t side, float value) {
    codes_[count_ - 1] = as_seen(side, value) ^ view(side_);
    return true;
  }

  int32_t count() const { return count_; }
  const uint8_t* state(int32_t k) const { return states_ + static_cast<int64_t>(k) * P::kState; }
  Glance glance(int32_t k) const { return glances_[k]; }
  int32_t slot(int32_t k) const { return slots_[k]; }
  int32_t& code(int32_t k) { return codes_[k]; }

  // Takes the child that is worth most, the first of equal ones; -1: none is left.
  int32_t next() {
    int32_t best = -1, most = kNever;
    for (int32_t k = 0; k < count_; ++k)
      if (codes_[k] > most) most = codes_[best = k];
    if (best >= 0) codes_[best] = kNever;
    return best;
  }

 private:
  int32_t side_ = 0, count_ = 0;
  int32_t slots_[P::kSlots], codes_[P::kSlots];
  Glance glances_[P::kSlots];
  alignas(8) uint8_t states_[P::kSlots * P::kState];
};

// Keeps children without their worth.
template <typename P>
struct Unvalued {
  static constexpr bool kValues = false;
  Family<P>& family;

  uint8_t* room() { return family.room(); }
  bool keep(int32_t slot, Glance glance) { return family.keep(slot, glance); }
  bool worth(int32_t, float) { return true; }
};

// Takes the worth of the best child of a node, or that of the first one that is as good as `high`.
struct Best {
  int32_t side, high, best = kNever;

  bool worth(int32_t then, float value) {
    best = std::max(best, as_seen(then, value) ^ view(side));
    return best < high;
  }
};

template <typename P>
class AlphaBeta {
 public:
  using Context = typename P::Context;

  AlphaBeta(int32_t most, int32_t tail, bool all) : tail_(tail), all_(all), families_(most) {}

  // Searches a root `depth` plies deep. Writes codes of its moves by slot, as `RootResult` has their values: kNever for
  // a move that is no best one. Returns the number of nodes.
  int32_t search(const uint8_t* root, int32_t depth, const Context& context, int32_t* values) {
    context_ = &context;
    leaf_ = std::min(depth, static_cast<int32_t>(families_.size())) - tail_;
    nodes_ = 1;
    std::fill(values, values + P::kSlots, kNever);
    const Glance at = P::look(root);
    if (at.ended) return nodes_;
    Family<P>& family = look(root, at.side, 0);
    if (leaf_ <= 0) {
      for (int32_t k = 0; k < family.count(); ++k) values[family.slot(k)] = family.code(k);
      return nodes_;
    }
    int32_t low = kLowest, best = 0;
    for (int32_t k; (k = family.next()) >= 0;) {
      const int32_t slot = family.slot(k);
      // A move that ties with the best one counts if it has a lower slot, or if all best moves are looked for.
      const int32_t floor = all_ || slot < best ? low - 1 : low;
      const int32_t seen = child(family, k, at.side, 0, floor, kHighest);
      if (seen > floor) {
        values[slot] = seen;
        best = slot;
      }
      low = std::max(low, seen);
    }
    return nodes_;
  }

 private:
  // Makes the children of a node, each worth what the look-ahead tells.
  Family<P>& look(const uint8_t* node, int32_t side, int32_t level) {
    Family<P>& family = families_[level];
    family.begin(side);
    if (tail_ == 1) {
      P::children(node, *context_, family);
      return family;
    }
    Unvalued<P> visit{family};
    P::children(node, *context_, visit);
    for (int32_t k = 0; k < family.count(); ++k)
      family.code(k) = ply(family.state(k), family.glance(k), side, level, tail_ - 1, kLowest, kHighest);
    return family;
  }

  // Visits a child of a node at `level`; the window and the result are as the side that moves at the node sees them.
  int32_t child(const Family<P>& family, int32_t k, int32_t side, int32_t level, int32_t low, int32_t high) {
    const Glance at = family.glance(k);
    const int32_t turned = view(side) ^ view(at.side);
    return turned ^ visit(family.state(k), at, level + 1, turned ? ~high : low, turned ? ~low : high);
  }

  // Returns the worth of a node to its mover if it lies within the window, else a bound of it beyond the same end.
  int32_t visit(const uint8_t* node, Glance at, int32_t level, int32_t low, int32_t high) {
    ++nodes_;
    if (at.ended) return ended(node, at.side);
    if (level >= leaf_) return ahead(node, at.side, level, tail_, low, high);
    Family<P>& family = look(node, at.side, level);
    for (int32_t k; low < high && (k = family.next()) >= 0;)
      low = std::max(low, child(family, k, at.side, level, low, high));
    return low;
  }

  int32_t ended(const uint8_t* node, int32_t side) {
    return as_seen(side, P::value(node, *context_)) ^ view(side);
  }

  // Searches the last plies below a node in the order of slots, and returns what `visit` does.
  int32_t ahead(const uint8_t* node, int32_t side, int32_t level, int32_t plies, int32_t low, int32_t high) {
    if (plies == 1) {
      Best best{side, high};
      P::leaves(node, *context_, best);
      return best.best;
    }
    Plies visit{this, side, level, plies - 1, low, high};
    P::children(node, *context_, visit);
    return visit.best;
  }

  // Searches the children of a node as they are made, until one is as good as `high`.
  struct Plies {
    static constexpr bool kValues = false;
    AlphaBeta* search;
    int32_t side, level, plies, low, high, best = kNever;

    uint8_t* room() { return search->families_[level].first(); }
    bool keep(int32_t, Glance at) {
      best = std::max(best, search->ply(room(), at, side, level, plies, std::max(low, best), high));
      return best < high;
    }
    bool worth(int32_t, float) { return true; }
  };

  // Searches the last plies below a child, as `child` does.
  int32_t ply(const uint8_t* node, Glance at, int32_t side, int32_t level, int32_t plies, int32_t low, int32_t high) {
    const int32_t turned = view(side) ^ view(at.side);
    if (at.ended) return turned ^ ended(node, at.side);
    return turned ^ ahead(node, at.side, level + 1, plies, turned ? ~high : low, turned ? ~low : high);
  }

  const int32_t tail_;
  const bool all_;
  std::vector<Family<P>> families_;  // the children of the nodes on the path, by level
  const Context* context_ = nullptr;
  int32_t leaf_ = 0, nodes_ = 0;
};

// Roots that a thread searches at a time; neighbours often have the same context.
constexpr int64_t kRoots = 4;

// Searches the first `count` roots, each `depth` plies deep for the context `whose`.
template <typename P>
ffi::Error run_alphabeta(ffi::ThreadPool threads, Bytes roots, Ints depth, Ints count, Ints whose,
                         ffi::RemainingArgs arrays, ffi::Result<Ints> values, ffi::Result<Ints> nodes, int64_t stack,
                         int64_t most, int64_t tail, bool all) {
  const int64_t queue = depth.element_count();
  const int64_t searched = std::clamp<int64_t>(count.typed_data()[0], 0, queue);
  share(threads, searched, kRoots, [&] {
    auto contexts = std::make_unique<Contexts<P>>(arrays, stack);
    AlphaBeta<P> search(static_cast<int32_t>(most), static_cast<int32_t>(tail), all);
    return [&, contexts = std::move(contexts), search = std::move(search)](int64_t first, int64_t end) mutable {
      for (int64_t k = first; k < end; ++k)
        nodes->typed_data()[k] =
            search.search(roots.typed_data() + k * P::kState, depth.typed_data()[k],
                          contexts->at(whose.typed_data()[k]), values->typed_data() + k * P::kSlots);
    };
  });
  std::fill(values->typed_data() + searched * P::kSlots, values->typed_data() + queue * P::kSlots, kNever);
  std::fill(nodes->typed_data() + searched, nodes->typed_data() + queue, 0);
  return ffi::Error::Success();
}

}  // namespace jaxgp

// Defines the handler of a game under a name.
#define JAXGP_ALPHABETA(P, NAME)                                                                         \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(NAME, jaxgp::run_alphabeta<P>,                                           \
                                ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Bytes>().Arg<Ints>()         \
                                    .Arg<Ints>().Arg<Ints>().RemainingArgs()                             \
                                    .Ret<Ints>().Ret<Ints>().Attr<int64_t>("stack")                      \
                                    .Attr<int64_t>("most").Attr<int64_t>("tail").Attr<bool>("all"));

#endif  // JAXGP_SEARCH_NATIVE_ALPHABETA_H_
