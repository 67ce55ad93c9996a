// What is seen of a board of chess by programs and searches for mates, tables 6.3 and 6.4 of M. Sipper, "Evolved to
// Win" (2011): included by mate.cpp. docs/mate_programs.md says what each terminal means.

// How a board looks to the solver, whose men are positive and go up, whoever is to move.
struct View {
    std::array<std::int8_t, 64> cell{};
    int target = 0;  // the other king
    Word mine = 0, theirs = 0;

    View(const Board& board, bool solver) : cell(solver ? board.cell : turned(board).cell) {  // whether it is to move
        for (int s = 0; s < 64; ++s) {
            if (cell[s] > 0) mine |= Word(1) << s;
            if (cell[s] < 0) theirs |= Word(1) << s;
            if (cell[s] == -KING) target = s;
        }
    }

    // The squares that a man of a kind attacks from a square; pawns are the solver's.
    Word reach(int square, int kind) const {
        if (kind < BISHOP || kind == KING) return leaps(kind)[square];
        Word found = 0;
        for (int d = kind == BISHOP ? 4 : 0; d < (kind == ROOK ? 4 : 8); ++d)
            for (int a = (square & 7) + STEPS[d][0], c = (square >> 3) + STEPS[d][1]; inside(a, c); a += STEPS[d][0], c += STEPS[d][1]) {
                found |= Word(1) << (8 * c + a);
                if (cell[8 * c + a]) break;
            }
        return found;
    }

    // The squares from which a man of a kind of the solver would attack the king.
    Word attackers(int kind) const {
        return kind == PAWN ? below(target) : reach(target, kind);
    }

    template <class F>
    static void each(Word set, F f) {
        for (; set; set &= set - 1) f(__builtin_ctzll(set));
    }

    // The solver's men that fit.
    template <class F>
    Word men(F fits) const {
        Word found = 0;
        each(mine, [&](int s) { found |= Word(fits(s)) << s; });
        return found;
    }

    static int count(Word set) { return __builtin_popcountll(set); }
    static int edge(int s) { return std::min({s & 7, s >> 3, 7 - (s & 7), 7 - (s >> 3)}); }
    static int far(int s, int t) { return std::max(std::abs((s & 7) - (t & 7)), std::abs((s >> 3) - (t >> 3))); }
    Word close(int steps) const {
        Word found = 0;
        for (int s = 0; s < 64; ++s) found |= Word(far(s, target) <= steps) << s;
        return found;
    }
    Word beside() const { return reach(target, KING); }
    Word attacked() const {
        Word found = 0;
        each(mine, [&](int s) { found |= reach(s, cell[s]); });
        return found;
    }
    Word steps() const {
        View without = *this;
        without.cell[target] = 0;
        return beside() & ~theirs & ~without.attacked();
    }
    Word pinned() const {
        Word found = 0;
        for (int d = 0; d < 8; ++d) {
            int first = -1;
            for (int a = (target & 7) + STEPS[d][0], c = (target >> 3) + STEPS[d][1]; inside(a, c); a += STEPS[d][0], c += STEPS[d][1]) {
                const int s = 8 * c + a;
                if (!cell[s]) continue;
                if (first >= 0) {
                    if (cell[s] == QUEEN || cell[s] == (d < 4 ? ROOK : BISHOP)) found |= Word(1) << first;
                    break;
                }
                if (cell[s] > 0) break;
                first = s;
            }
        }
        return found;
    }
    Word checkers() const {
        return men([&](int s) { return reach(s, cell[s]) >> target & 1; });
    }
    Word around() const {
        const Word area = beside();
        return men([&](int s) { return (reach(s, cell[s]) & area) != 0; });
    }
    // Men that can go where they attack the king, pins, promotions and castling apart.
    Word can_check() const {
        constexpr Word ENDS = 0xFF000000000000FFull;
        return men([&](int s) {
            const int kind = cell[s];
            if (kind == KING) return false;
            Word goals = reach(s, kind) & ~mine;
            if (kind == PAWN) {
                goals &= theirs;
                if (!cell[s + 8]) {
                    goals |= Word(1) << (s + 8);
                    if (s < 16 && !cell[s + 16]) goals |= Word(1) << (s + 16);
                }
                goals &= ~ENDS | Word(1) << target;
            }
            return (goals & (attackers(kind) | Word(1) << target)) != 0;
        });
    }
    Word men_attacked(int near) const { return theirs & ~(Word(1) << target) & close(near) & attacked(); }
    bool protects() const { return (beside() & theirs) != 0; }
    int material() const {
        constexpr int WORTH[7] = {0, 1, 3, 3, 5, 9, 0};
        int sum = 0;
        for (int man : cell) sum += man > 0 ? WORTH[man] : -WORTH[-man];
        return sum;
    }
};

// Squares to which the king of the other side could go at once: a check that leaves one of them is no mate.
struct Flights {
    const Board& b;
    const Word squares;
    explicit Flights(const Board& board) : b(board), squares(View(board, true).steps()) {}
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
        static const View EMPTY(Board(), true);
        bool found = false;
        View::each(squares & ~(Word(1) << m.to) & ~EMPTY.reach(m.to, man), [&](int t) { found = found || !opens(m.from, t); });
        return found;
    }
};

// Take away the moves that surely leave a flight.
void pass_over(std::vector<Move>& moves, const Board& b) {
    const Flights flights(b);
    moves.erase(std::remove_if(moves.begin(), moves.end(), [&](const Move& m) { return flights.left_by(m); }), moves.end());
}
