// Complete searches that genomes guide, as jaxgp.search.proofs.guided has them: included by mate.cpp. Their tables are
// exact, where those of lanes replace entries, and so need a few more nodes.

constexpr float MATE = 1000;  // the most that a tree says

// What orders the solver's moves: values of a tree alone, or with the number of replies, or that number and weights.
enum class Sorting { LIST, REPLIES, LESS, WEIGHTS };

struct Guide {
    std::vector<Node> trees;   // for moves of the solver, for replies, and for first numbers
    std::vector<int> weights;  // of what is seen, in parts

    float says(int tree, Place& at, int near) const {
        Program reader{trees[tree], 0};
        reader.near = near;
        return std::clamp(reader.value(trees[tree], at, 0), -MATE, MATE);
    }

    int weighed(const Place& at, int near) const {
        static const Node NOTHING;
        Program reader{NOTHING, 0};
        reader.near = near;
        int sum = 0;
        for (size_t n = 0; n < weights.size(); ++n)
            if (weights[n]) sum += weights[n] * int(reader.terminal(Name(ISCHECK + n), at));
        return sum;
    }
};

// What a guided search has come to.
struct Claim : Counted {
    bool won = false;
    long distinct = -1;  // boards; -1: not counted
    int chosen = -1, deepest = 0;

    bool pay(const Place& from) {
        if (make()) deepest = std::max(deepest, from.ply + 1);
        return !stopped;
    }
};

// The moves that are tried on a board: with `forcing`, and on the last move of the solver, those that give check.
size_t tried(const Place& at, bool forcing) {
    const auto& moves = at.moves();
    if (!at.mine || (!forcing && at.left > 1)) return moves.size();
    return std::find_if(moves.begin(), moves.end(), [](const Move& m) { return !::forcing(m); }) - moves.begin();
}

// The search `few` of mate.cpp, ordered by trees, or by weights.
struct GuidedFew : Claim {
    static constexpr int FINE = 1000, COARSE = 4, MOST = 255, PARTS = 32, FARTHEST = 1 << 19;
    const Guide& guide;
    Sorting sorting;
    int near;
    std::unordered_map<Key, std::pair<int, int>, Hash> known;  // most own moves refuted, fewest proved

    struct Kept {
        int code;
        Move move;
        std::unique_ptr<Place> after;
    };

    GuidedFew(const Guide& guide, Sorting sorting, int near) : guide(guide), sorting(sorting), near(near) {}

    // Whether moves are made to be sorted, but for the solver's last one.
    bool sorts(bool mine) const {
        if (mine && sorting != Sorting::LIST) return true;
        return sorting != Sorting::WEIGHTS && guide.trees[!mine].reads;
    }

    // What moves are sorted by, the lowest first; `at` is after one of the solver if that is `mine`.
    int code(Place& at, bool mine) const {
        const int replies = mine ? at.moves().size() : 0;
        if (sorting == Sorting::WEIGHTS)
            return std::clamp(PARTS * replies - guide.weighed(at, near), -FARTHEST, FARTHEST);
        const float below = MATE - guide.says(!mine, at, near);
        const int few = std::min(replies, MOST);
        if (sorting == Sorting::LIST) return std::nearbyint(below * FINE);
        if (sorting == Sorting::LESS) return std::nearbyint((below + few) * COARSE);
        return int(std::nearbyint(below * COARSE)) * (MOST + 1) + few;
    }

    static void sort(std::vector<Kept>& kept) {
        std::stable_sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& c) { return a.code < c.code; });
    }

    // Whether the solver mates within the moves that are left.
    bool solve(Place& at, bool forcing) {
        const auto& moves = at.moves();
        const bool last = at.left == 1, sorted = !last && sorts(true);
        std::vector<Kept> kept;
        const Move* found = nullptr;
        for (size_t n = 0, most = tried(at, forcing); n < most && !found; ++n) {
            if (!pay(at)) return false;
            auto after = std::make_unique<Place>(at.after(moves[n]));
            if (last ? mate(after->board) : after->mated()) {
                found = &moves[n];
            } else if (!last && !after->moves().empty()) {
                if (sorted) {
                    const int by = code(*after, true);
                    kept.push_back({by, moves[n], std::move(after)});
                } else if (answered(*after, forcing)) {
                    found = &moves[n];
                }
                if (stopped) return false;
            }
        }
        if (!found) sort(kept);
        for (size_t n = 0; n < kept.size() && !found; ++n) {
            if (answered(*kept[n].after, forcing)) found = &kept[n].move;
            if (stopped) return false;
        }
        auto& entry = known.try_emplace(key(at.board, forcing), std::make_pair(0, INT_MAX)).first->second;
        if (found) entry.second = std::min(entry.second, at.left);
        else entry.first = std::max(entry.first, at.left);
        if (found && !at.ply) chosen = found->code;
        return found;
    }

    // Whether the solver is known to mate, 1, or not to do so, -1; 0: neither is known.
    int settled(const Place& at, bool forcing) const {
        if (at.moves().empty()) return -1;
        const auto entry = known.find(key(at.board, forcing));
        if (entry == known.end()) return 0;
        return at.left >= entry->second.second ? 1 : at.left <= entry->second.first ? -1 : 0;
    }

    // Whether every reply leads to mate.
    bool answered(Place& at, bool forcing) {
        const bool sorted = sorts(false);
        std::vector<Kept> kept;
        for (const Move& m : at.moves()) {
            if (!pay(at)) return false;
            auto after = std::make_unique<Place>(at.after(m));
            const int is = settled(*after, forcing);
            if (is < 0) return false;
            if (is == 0 && sorted) {
                const int by = code(*after, false);
                kept.push_back({by, m, std::move(after)});
            } else if (is == 0 && !solve(*after, forcing)) {
                return false;
            }
        }
        sort(kept);
        for (const Kept& each : kept) {
            const int is = settled(*each.after, forcing);
            if (is < 0 || (is == 0 && !solve(*each.after, forcing))) return false;
        }
        return true;
    }

    void search(const Board& b, int n, bool told) {
        for (int left = told ? n : 1; left <= n && !won && !stopped; ++left)
            for (bool forcing : {true, false}) {
                Place root(b, true, left, 0, nullptr);
                won = won || (!stopped && solve(root, forcing));
            }
    }
};

// The search `dfpn_replies` of mate.cpp, guided by three trees.
struct GuidedProof : Claim {
    static constexpr int FINE = 1000, LARGE = 1 << 22, INFINITE = 1 << 29;
    const Guide& guide;
    int near;
    long entries, drawn = 0;  // of the table; edges in it
    struct Edge {
        Move move;
        int child, code;
    };
    struct Entry {
        int pn, dn;
        bool expanded = false;
        std::vector<Edge> edges;
    };
    std::vector<Entry> all;
    std::unordered_map<Key, int, Hash> known;

    GuidedProof(const Guide& guide, int near, long entries) : guide(guide), near(near), entries(entries) { distinct = 0; }

    // The place of a board that was just made.
    int meet(Place& at) {
        const auto [found, fresh] = known.try_emplace(key(at.board, at.left * 2 + at.mine), int(all.size()));
        if (!fresh) return found->second;
        distinct += at.ply > 0;
        const int replies = at.mine ? 1 : int(at.moves().size());
        Entry e{1, 1, false, {}};
        if (!at.left || !replies) {
            const bool won = at.mated();
            e.pn = won ? 0 : INFINITE, e.dn = won ? INFINITE : 0;
        } else if (at.ply) {
            const float says = guide.says(2, at, near);
            e.pn = std::clamp(replies + int(std::nearbyint(std::max(says, 0.f))), 1, LARGE);
            e.dn = std::clamp(1 + int(std::nearbyint(std::max(-says, 0.f))), 1, LARGE);
        }
        all.push_back(std::move(e));
        return all.size() - 1;
    }

    // Makes the moves of a board that is met for the first time, up to one that decides it.
    bool expand(Place& at, int place) {
        std::vector<Edge> edges;
        const auto& moves = at.moves();
        bool decided = false;
        for (size_t n = 0, most = tried(at, false); n < most && !decided; ++n) {
            if (std::max<long>(drawn, all.size()) >= entries) stopped = true;
            if (stopped || !pay(at)) return false;
            Place after = at.after(moves[n]);
            const int child = meet(after);
            const int code = std::nearbyint((MATE - guide.says(!at.mine, after, near)) * FINE);
            edges.push_back({moves[n], child, code});
            ++drawn;
            decided = !(at.mine ? all[child].pn : all[child].dn);
        }
        all[place].edges = std::move(edges);
        return all[place].expanded = true;
    }

    void visit(Place& at, int place, int limit_pn, int limit_dn) {
        if (!all[place].expanded && !expand(at, place)) return;
        for (;;) {
            Entry& here = all[place];
            const Edge* best = nullptr;
            int least = INFINITE + 1, second = INFINITE + 1;
            long sum = 0;
            for (const Edge& edge : here.edges) {
                const Entry& c = all[edge.child];
                const int one = at.mine ? c.pn : c.dn, other = at.mine ? c.dn : c.pn;
                sum += other >= INFINITE ? INFINITE : std::min(other, LARGE);
                const bool better = one < least || (one == least && edge.code < best->code);
                second = std::min(second, better ? least : one);
                if (better) least = one, best = &edge;
            }
            const int total = int(std::min<long>(sum, INFINITE)), low = std::min(least, INFINITE);
            here.pn = at.mine ? low : total, here.dn = at.mine ? total : low;
            if (!here.pn) here.dn = INFINITE;
            if (!here.dn) here.pn = INFINITE;
            if (best && !at.ply) chosen = best->move.code;
            if (here.pn >= limit_pn || here.dn >= limit_dn || !best || !pay(at)) return;
            const Entry& c = all[best->child];
            const int below = std::min(at.mine ? limit_pn : limit_dn, second + 1);
            const int room = at.mine ? limit_dn - here.dn + c.dn : limit_pn - here.pn + c.pn;
            Place after = at.after(best->move);
            visit(after, best->child, at.mine ? below : room, at.mine ? room : below);
            if (stopped) return;
        }
    }

    void search(const Board& b, int n, bool told) {
        for (int left = told ? n : 1; left <= n && !won && !stopped; ++left) {
            Place root(b, true, left, 0, nullptr);
            if (long(all.size()) >= entries) stopped = true;
            else visit(root, meet(root), INFINITE, INFINITE);
            won = !stopped && !all[known.at(key(b, left * 2 + 1))].pn;
        }
        if (!won) chosen = -1;
    }
};

// Read lines: `guide TEXT`, S-expressions or weights in parts with commas between them; `problem FEN`; and
// `pair GUIDE PROBLEM N LIMIT`, by their numbers. A pair is answered by a line: the code of the first move that mates or
// -1, whether there is one, nodes, distinct boards or -1, whether it was truncated, plies of the longest line. Options are
// words: what guides, list, replies, less, weights or proof; `deepening` where n is not told; near=N; entries=N of proof.
void guides(const std::vector<std::string>& options) {
    auto has = [&](const char* word) { return std::find(options.begin(), options.end(), word) != options.end(); };
    auto number = [&](const std::string& name, long usual) {
        for (const std::string& word : options)
            if (word.rfind(name + "=", 0) == 0) return std::stol(word.substr(name.size() + 1));
        return usual;
    };
    const Sorting sorting = has("replies") ? Sorting::REPLIES : has("less") ? Sorting::LESS : has("weights") ? Sorting::WEIGHTS : Sorting::LIST;
    const int near = number("near", 2);
    std::vector<Guide> all;
    auto search = [&](auto&& one, const Board& root, int n, long limit) {
        one.limit = limit;
        one.search(root, n, !has("deepening"));
        std::printf("%d %d %ld %ld %d %d\n", one.chosen, int(one.won), one.nodes, one.distinct, int(one.stopped), one.deepest);
    };
    pairs("guide", [&](const std::string& text) {
        Guide one;
        if (has("weights"))
            for (const char* at = text.c_str(); *at; at += *at == ',') one.weights.push_back(std::strtol(at, const_cast<char**>(&at), 10));
        else one.trees = program(text).args;
        all.push_back(std::move(one));
    }, [&](size_t which, const Board& root, std::istream& words) {
        int n;
        long limit;
        words >> n >> limit;
        if (has("proof")) search(GuidedProof(all.at(which), near, number("entries", LONG_MAX)), root, n, limit);
        else search(GuidedFew(all.at(which), sorting, near), root, n, limit);
    });
}
