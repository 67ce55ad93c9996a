// Entry points of the searches of a puzzle for XLA.

#ifndef JAXGP_SEARCH_PUZZLES_NATIVE_HANDLERS_H_
#define JAXGP_SEARCH_PUZZLES_NATIVE_HANDLERS_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include "jaxgp/native/share.h"
#include "jaxgp/search/native/contexts.h"
#include "jaxgp/search/puzzles/native/bestfirst.h"
#include "jaxgp/search/puzzles/native/breadth.h"
#include "jaxgp/search/puzzles/native/deepening.h"
#include "xla/ffi/api/ffi.h"

namespace jaxgp {

using Shorts = ffi::Buffer<ffi::S16>;

// What a handler is given, and what it writes; see `Solutions`.
struct Batch {
  ffi::ThreadPool threads;
  Bytes roots;
  Ints limits, count, whose;
  ffi::RemainingArgs arrays;
  ffi::Result<Truths> solved;
  ffi::Result<Ints> nodes, length;
  ffi::Result<Shorts> moves;
  ffi::Result<Truths> exhausted;
  ffi::Result<Ints> expanded;
};

// Searches the first `count` roots, each for the context `whose`. Each thread has a copy of the search.
template <typename P, typename Search>
ffi::Error search_all(const Search& first, int64_t stack, Batch batch) {
  const int64_t queue = batch.limits.element_count(), deepest = batch.moves->dimensions().back();
  const int64_t searched = std::clamp<int64_t>(batch.count.typed_data()[0], 0, queue);
  const auto tell = [&](int64_t k, const Found& found) {
    int16_t* moves = batch.moves->typed_data() + k * deepest;
    std::fill(moves + std::max(found.length, 0), moves + deepest, int16_t{-1});
    batch.solved->typed_data()[k] = found.solved;
    batch.nodes->typed_data()[k] = found.nodes;
    batch.length->typed_data()[k] = found.length;
    batch.exhausted->typed_data()[k] = found.exhausted;
    batch.expanded->typed_data()[k] = found.expanded;
  };
  share(batch.threads, searched, 1, [&] {
    auto contexts = std::make_unique<Contexts<P>>(batch.arrays, stack);
    return [&, contexts = std::move(contexts), search = first](int64_t k, int64_t end) mutable {
      for (; k < end; ++k)
        tell(k, search.search(batch.roots.typed_data() + k * P::kState, batch.limits.typed_data()[k],
                              contexts->at(batch.whose.typed_data()[k]), batch.moves->typed_data() + k * deepest));
    };
  });
  Found none;
  none.nodes = 0;
  none.expanded = Search::kExpanded;
  for (int64_t k = searched; k < queue; ++k) tell(k, none);
  return ffi::Error::Success();
}

#define JAXGP_BATCH                                                                                              \
  ffi::ThreadPool threads, Bytes roots, Ints limits, Ints count, Ints whose, ffi::RemainingArgs arrays,          \
      ffi::Result<Truths> solved, ffi::Result<Ints> nodes, ffi::Result<Ints> length, ffi::Result<Shorts> moves, \
      ffi::Result<Truths> exhausted, ffi::Result<Ints> expanded, int64_t stack, int64_t deepest
#define JAXGP_GIVEN {threads, roots, limits, count, whose, arrays, solved, nodes, length, moves, exhausted, expanded}
#define JAXGP_BIND                                                                                      \
  ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<Bytes>().Arg<Ints>().Arg<Ints>().Arg<Ints>()              \
      .RemainingArgs().Ret<Truths>()                                                                    \
      .Ret<Ints>().Ret<Ints>().Ret<Shorts>().Ret<Truths>().Ret<Ints>().Attr<int64_t>("stack")           \
      .Attr<int64_t>("deepest")

// Explores from one root; numbers are distance, states, goals, expanded and complete.
template <typename P>
ffi::Error run_breadth(Bytes root, ffi::Result<Ints> numbers, ffi::Result<Shorts> moves, int64_t most,
                       bool nearest) {
  const int64_t room = moves->element_count();
  int16_t* to = moves->typed_data();
  std::fill(to, to + room, int16_t{-1});
  const Explored found = Breadth<P>(most, nearest).explore(root.typed_data(), typename P::Context(), room, to);
  const int32_t told[] = {found.distance, found.states, found.goals, found.expanded, found.complete};
  std::copy(std::begin(told), std::end(told), numbers->typed_data());
  return ffi::Error::Success();
}

template <typename P>
ffi::Error run_best_first(JAXGP_BATCH, int64_t room, bool by_cost) {
  return search_all<P>(BestFirst<P>(deepest, room, by_cost), stack, JAXGP_GIVEN);
}

template <typename P>
ffi::Error run_deepening(JAXGP_BATCH, int64_t first, int64_t grow, int64_t table, bool by_cost) {
  return search_all<P>(Deepening<P>(first, grow, deepest, table, by_cost), stack, JAXGP_GIVEN);
}

}  // namespace jaxgp

// Defines the handlers of a puzzle under three names.
#define JAXGP_SEARCHES(P, BEST_FIRST, DEEPENING, BREADTH)                                                           \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(BEST_FIRST, jaxgp::run_best_first<P>,                                              \
                                JAXGP_BIND.Attr<int64_t>("room").Attr<bool>("by_cost"));                           \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(DEEPENING, jaxgp::run_deepening<P>,                                                \
                                JAXGP_BIND.Attr<int64_t>("first").Attr<int64_t>("grow").Attr<int64_t>("table")     \
                                    .Attr<bool>("by_cost"));                                                      \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(BREADTH, jaxgp::run_breadth<P>,                                                    \
                                ffi::Ffi::Bind().Arg<Bytes>().Ret<Ints>().Ret<Shorts>().Attr<int64_t>("most")        \
                                    .Attr<bool>("nearest"));

#endif  // JAXGP_SEARCH_PUZZLES_NATIVE_HANDLERS_H_
