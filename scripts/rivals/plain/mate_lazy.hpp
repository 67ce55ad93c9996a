// The search of jaxgp.search.proofs.lazy, and what its weights stand before: included by mate.cpp.
//
// `lazy` is by proof numbers; moves are made one by one, and the boards after them are kept. First numbers are powers of two, whose
// exponents are weighted sums, in parts. `flights` also passes over checks that surely are no mate on the last move. `Lazy::hand` has the weights of the search by hand; further ones are added to
// these, in the order of `Lazy::hand` and then of `weigh`.

#include <cmath>

// Squares to which the king of the other side could go at once: a check that leaves one of them is no mate.
struct Flights {
    const Board& b;
    std::vector<int> squares;
    explicit Flights(const Board& board) : b(board) {
        const int place = king(b, -1);
        Board away = b;
        away.cell[place] = 0;
        for (int t = 0; t < 64; ++t)
            if (View::far(t, place) == 1 && b.cell[t] >= 0 && !attacked(away, t, 1)) squares.push_back(t);
    }
    // Whether a slider of the side to move stands behind a man of its own, as a square sees it.
    bool opens(int from, int t) const {
        const int dx = (t & 7) - (from & 7), dy = (t >> 3) - (from >> 3);
        if (dx && dy && std::abs(dx) != std::abs(dy)) return false;
        const int ux = (dx > 0) - (dx < 0), uy = (dy > 0) - (dy < 0);
        for (int x = (from & 7) - ux, y = (from >> 3) - uy; inside(x, y); x -= ux, y -= uy) {
            const int man = b.cell[8 * y + x];
            if (man) return man == QUEEN || man == (ux && uy ? BISHOP : ROOK);
        }
        return false;
    }
    // Whether a move surely leaves a flight: neither its man, whatever stands between, nor a line that it opens covers
    // it. Moves of the king, promotions and captures in passing are not looked at.
    bool left_by(const Move& m) const {
        const int man = b.cell[m.from];
        if (man == KING || m.kind || (man == PAWN && m.to == b.passing)) return false;
        const Word reached = View(Board(), true).reach(m.to, man);
        return std::any_of(squares.begin(), squares.end(), [&](int t) {
            return t != m.to && !(reached >> t & 1) && !opens(m.from, t);
        });
    }
};

struct Lazy : Counted {
    static constexpr int PARTS = 32, FINE = 8, ONE = 6, HIGHEST = 21, INFINITE = 1 << 29, TERMINALS = 9;
    static constexpr double hand[22] = {0, 0, 0, 1, 1, 4, 7, -1, 0, 0.5, 1, 0, 0, 3, 6, 0, -4, 2, 0, 0, 8, 2};
    enum { AND_PN = 0, AND_DN = 4, OR_PN = 8, OR_DN = 12, MOVE = 16, REPLY = 19, AND_SEEN = 22, OR_SEEN = 40, ALL = 44 };
    struct Edge {
        Move move;
        int child;
    };
    struct Entry {
        Board b;
        std::int8_t left;
        bool mine;
        int pn, dn, prior = 0, forcing = 0, tried = 0;
        std::vector<Edge> edges;
        std::vector<Move> moves;
    };
    bool flights = false;  // whether moves that surely leave a flight are passed over on the last move
    std::vector<int> parts;
    std::vector<Entry> all;
    std::unordered_map<Key, int, Hash> known;
    int powers[FINE * HIGHEST + 1], logarithms[256] = {};

    explicit Lazy(const std::vector<int>& more) : parts(ALL) {
        for (int n = 0; n < 22; ++n) parts[n] = std::lround(PARTS * hand[n]);
        for (size_t n = 0; n < more.size() && n < ALL; ++n) parts[n] += more[n];
        for (int n = 0; n <= FINE * HIGHEST; ++n) powers[n] = std::lround(std::exp2(double(n) / FINE));
        for (int n = 1; n < 256; ++n) logarithms[n] = std::lround(PARTS * std::log2(double(n)));
    }
    int power(int exponent) const {
        return powers[std::clamp((exponent + ONE * PARTS) * FINE >> 5, 0, FINE * HIGHEST)];
    }
    // `begin`: of three weights by moves left, and one of a count.
    int exponent(int begin, int left, int count) const {
        return parts[begin + std::clamp(left, 1, 3) - 1] + (parts[begin + 3] * logarithms[count] >> 5);
    }
    // The sum of what is seen on a board of the opponent's turn, or of the solver's, with the weights from `begin` on.
    std::array<int, 2> weigh(const Board& b, bool mine, const Board* before, int count) const {
        const int begin = mine ? OR_SEEN : AND_SEEN, size = mine ? 2 : TERMINALS;
        const View now(b, mine);
        std::array<int, 2> sum{0, 0};
        auto add = [&](int n, int usual, auto value) {
            const int pn = parts[begin + n], dn = parts[begin + size + n];
            if (!pn && !dn) return;
            const int shown = value() - usual;
            sum[0] += pn * shown, sum[1] += dn * shown;
        };
        auto men = [](const Board& board) { return std::count(board.cell.begin(), board.cell.end(), 0); };
        const auto number = View::count;
        add(0, 6, [&] { return 8 - number(now.steps()); });
        add(1, 0, [&] { return before && men(*before) != men(b); });
        if (mine) return sum;
        add(2, 0, [&] { return in_check(b); });
        add(3, 2, [&] { return 3 - View::edge(now.target); });
        add(4, 0, [&] { return count == 1; });
        add(5, 2, [&] { return number(now.can_check()); });
        add(6, 1, [&] { return number(now.men_attacked(2)); });
        add(7, 0, [&] { return now.protects(); });
        add(8, 0, [&] { return before && number(now.around()) > number(View(*before, true).around()); });
        return sum;
    }

    // The place of a board that was just made; `left` are own moves of the solver, `mine` whether it is to move.
    int meet(const Board& b, int left, bool mine, const Board* before) {
        const auto [at, fresh] = known.try_emplace(key(b, left * 2 + mine), int(all.size()));
        if (!fresh) return at->second;
        Entry e;
        e.b = b, e.left = left, e.mine = mine, e.moves = legal(b);
        for (const Move& m : e.moves) e.forcing += !(m.code >> 12);
        if (mine && left == 1) e.moves.resize(e.forcing);
        const int most = e.moves.size();
        const bool won = !mine && !most && in_check(b);
        if (won || !left || !most) {
            e.pn = won ? 0 : INFINITE, e.dn = won ? INFINITE : 0;
        } else {
            const auto sum = weigh(b, mine, before, most);
            const int count = mine ? e.forcing + 1 : most;
            e.pn = power(exponent(mine ? OR_PN : AND_PN, left, count) + sum[0]);
            e.dn = power(exponent(mine ? OR_DN : AND_DN, left, count) + (mine ? logarithms[most] : 0) + sum[1]);
            e.prior = std::max(1, (mine ? e.dn : e.pn) / most);
        }
        all.push_back(std::move(e));
        return all.size() - 1;
    }

    void visit(int place, int limit_pn, int limit_dn) {
        const bool mine = all[place].mine;
        const int left = all[place].left;
        for (;;) {
            Entry& here = all[place];
            if (!here.pn || !here.dn) return;
            const int made = here.edges.size(), rest = here.moves.size() - here.tried;
            int best = -1, least = INFINITE + 1, second = INFINITE + 1, sum = 0;
            bool lost = false;
            auto take = [&](int n, int one) {
                if (one < least) second = least, least = one, best = n;
                else if (one < second) second = one;
            };
            for (int n = 0; n < made; ++n) {
                const Entry& c = all[here.edges[n].child];
                const int other = mine ? c.dn : c.pn;
                take(n, mine ? c.pn : c.dn);
                lost |= other >= INFINITE;
                sum += std::min(other, 1 << HIGHEST);
            }
            if (rest) {
                const int begin = mine ? MOVE : REPLY, quiet = here.tried >= here.forcing;
                take(made, power(parts[begin + quiet] + parts[begin + 2] * (left - 1)));
                sum += rest * here.prior;
            }
            const int total = lost ? INFINITE : sum, low = std::min(least, INFINITE);
            here.pn = mine ? low : total, here.dn = mine ? total : low;
            if (!here.pn) here.dn = INFINITE;
            if (!here.dn) here.pn = INFINITE;
            if (!here.pn || !here.dn || here.pn >= limit_pn || here.dn >= limit_dn) return;
            if (best == made) {
                const Move m = here.moves[here.tried];
                if (flights && mine && left == 1 && Flights(here.b).left_by(m)) {
                    ++here.tried;
                    continue;
                }
                if (!make()) return;
                ++here.tried;
                const Board before = here.b;
                const int child = meet(turned(moved(before, m)), left - mine, !mine, &before);
                all[place].edges.push_back({m, child});
                continue;
            }
            const int child = here.edges[best].child;
            const int low_limit = std::min(mine ? limit_pn : limit_dn, second + (second >> 3) + 1);
            const int room = mine ? limit_dn - here.dn + all[child].dn : limit_pn - here.pn + all[child].pn;
            const int high_limit = std::min(room, INFINITE);
            visit(child, mine ? low_limit : high_limit, mine ? high_limit : low_limit);
            if (stopped) return;
        }
    }

    // `before` of the root is the root itself: nothing has changed.
    bool search(const Board& b, int d, Move* first) {
        const int place = meet(b, d, true, &b);
        visit(place, INFINITE, INFINITE);
        if (all[place].pn) return false;
        for (const auto& [m, child] : all[place].edges)
            if (!all[child].pn) {
                *first = m;
                break;
            }
        return true;
    }
};
