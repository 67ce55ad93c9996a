// Problems drawn at random, like composed ones: few first moves win, and none that gives check: included by mate.cpp.

struct Drawn {
    std::mt19937 random;
    Board b;
    int below(int count) { return random() % count; }
    int place(int man) {
        for (int turn = 0; turn < 20; ++turn) {
            const int s = below(64);
            if (b.cell[s] || (std::abs(man) == PAWN && (s < 8 || s >= 56))) continue;
            b.cell[s] = man;
            return s;
        }
        return -1;
    }
    // Kings and some men at random; the side to move has more of the heavy ones.
    void men() {
        b = Board();
        auto some = [&](int man, int count) {
            for (int n = 0; n < count; ++n) place(man);
        };
        auto side = [&](int sign, int queen, int rooks, int bishops, int knights, int pawns) {
            some(sign * QUEEN, queen), some(sign * ROOK, rooks), some(sign * BISHOP, bishops);
            some(sign * KNIGHT, knights), some(sign * PAWN, pawns);
        };
        place(KING), place(-KING);
        const bool queen = below(10) < 6;
        if (queen) place(QUEEN);
        const int rooks = below(3), bishops = below(3), knights = below(3), pawns = below(6);
        side(1, 0, rooks, bishops, knights, pawns);
        const bool other = below(10) < 2;
        if (other) place(-QUEEN);
        const int its_rooks = below(3), its_bishops = below(3), its_knights = below(3), its_pawns = below(7);
        side(-1, 0, its_rooks, its_bishops, its_knights, its_pawns);
    }
};

// Print those of `tries` boards in which the shortest mate has n moves, checks alone do not force it, and at most two
// first moves do. Searches of `few` are cut, so hard ones are not among them.
void draw(int n, int tries, unsigned seed) {
    constexpr long SHORTER = 20'000, FORCED = 150'000, KEY = 60'000;
    Drawn drawn{std::mt19937(seed)};
    for (int turn = 0; turn < tries; ++turn) {
        drawn.men();
        const Board& b = drawn.b;
        if (attacked(b, king(b, -1), 1) || in_check(b) || !replies(b)) continue;
        Depth few;
        few.last = few.table = few.staged = few.few = true;
        few.limit = SHORTER;
        Move first;
        bool found = false;
        for (int d = 1; d < n && !few.stopped && !found; ++d) found = few.search(b, d, &first);
        if (found || few.stopped) continue;
        few.limit = few.nodes + FORCED;
        if (few.solve(b, n, true, &first) || few.stopped || !few.solve(b, n, false, &first)) continue;
        int keys = 0;
        for (const Move& m : legal(b)) {
            few.limit = few.nodes + KEY;
            keys += few.answered(turned(moved(b, m)), n, false);
            if (keys > 2 || few.stopped) break;
        }
        if (keys <= 2 && !few.stopped) std::printf("%s;%d\n", written(b).c_str(), n);
    }
}
