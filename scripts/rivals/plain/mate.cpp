// Mate in n in plain C++: the hand-written searches of jaxgp.search.proofs, one problem after another, without JAX.
//
//     g++ -O2 -std=c++17 -o mate mate.cpp
//     mate SEARCH told|deepening LIMIT [plain|weights=N,N,...] < problems
//                                                      a line for each: moves of the mate or 0, the first move, nodes
//                                                      made, distinct boards (of dfpn and dfpn_replies; else 0), whether
//                                                      the limit was reached; with `plain` replies are in plain order;
//                                                      weights are added to those of the last two, in parts
//     mate keys LIMIT < problems                       all first moves that force mate within n, and the nodes;
//                                                      "?" before a move that was not settled
//     mate smallest LIMIT < problems                   moves in the smallest proof as a tree, 0 if there is none
//     mate perft DEPTH < problems                      sequences of moves
//     mate random GAMES PLIES SEED                     positions of games of greedy and random sides, in FEN
//     mate draw N BOARDS SEED                          problems of n among so many boards with men at random
//     mate programs [worst] [once] [made] [stop] [cutoff] [remember] [near=N] [prove=LIMIT] < what
//                                                      programs that make moves: see mate_programs.hpp
//     mate guides HOW [deepening] [near=N] [entries=N] < what
//                                                      trees or weights that guide: see mate_guides.hpp
//
// SEARCH is plain, captures, checks, last, table, staged, few, dfpn, dfpn_replies, lazy or flights; few_moves or few_replies is few where
// a move that wins, or a reply that refutes, comes first, found by another search that is not counted; few_flights and dfpn_replies_flights
// have the step of flights on the last move. Standard input has FEN;N on each line.
// One node is one legal move made; a move is made again where it is visited again. What is read off a board is free:
// which moves give check, how many replies there are, mate. The last line has the seconds of the processor.
//
// A board is seen from the side to move, whose men look up it; after a move it is turned. So moves are ordered as in
// envs.chess.board: those that give check, captures by what is taken, the rest; from, to, kind of promotion.

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

using Word = std::uint64_t;
enum Kind : std::int8_t { NONE, PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING };

struct Board {
    std::array<std::int8_t, 64> cell{};  // > 0: of the side to move
    std::int8_t rights = 0;              // own short, own long, its short, its long
    std::int8_t passing = -1;            // the square where a pawn can be taken in passing
    bool black = false;
    bool operator==(const Board& other) const {
        return cell == other.cell && rights == other.rights && passing == other.passing && black == other.black;
    }
};

struct Move {
    std::int16_t code = 0;  // class << 12 | from << 6 | to or promotion
    std::int8_t from = 0, to = 0, kind = 0;
};

constexpr int PROMOTIONS[4] = {QUEEN, ROOK, BISHOP, KNIGHT};
constexpr int RANK[7] = {6, 5, 4, 3, 2, 1, 6};  // class of a capture, by kind
constexpr int STEPS[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
constexpr int LEAPS[8][2] = {{1, 2}, {2, 1}, {-1, 2}, {-2, 1}, {1, -2}, {2, -1}, {-1, -2}, {-2, -1}};

inline bool inside(int x, int y) { return x >= 0 && x < 8 && y >= 0 && y < 8; }

// Whether men of a sign attack a square. Men of sign 1 have pawns that go up.
bool attacked(const Board& b, int square, int sign) {
    const int x = square & 7, y = square >> 3;
    for (auto& leap : LEAPS)
        if (inside(x + leap[0], y + leap[1]) && b.cell[8 * (y + leap[1]) + x + leap[0]] == sign * KNIGHT) return true;
    for (int d = 0; d < 8; ++d) {
        int a = x, c = y;
        for (int far = 1;; ++far) {
            a += STEPS[d][0], c += STEPS[d][1];
            if (!inside(a, c)) break;
            const int man = b.cell[8 * c + a] * sign;
            if (!man) continue;
            if (man == QUEEN || man == (d < 4 ? ROOK : BISHOP) || (far == 1 && man == KING)) return true;
            if (far == 1 && man == PAWN && d >= 4 && STEPS[d][1] == -sign) return true;
            break;
        }
    }
    return false;
}

int king(const Board& b, int sign) {
    for (int s = 0; s < 64; ++s)
        if (b.cell[s] == sign * KING) return s;
    std::abort();
}

// The board after a move, not yet turned.
Board moved(const Board& b, const Move& m) {
    Board a = b;
    const int man = b.cell[m.from];
    a.cell[m.to] = m.kind ? m.kind : man;
    a.cell[m.from] = 0;
    a.passing = -1;
    if (man == PAWN && m.to == b.passing) a.cell[m.to - 8] = 0;
    if (man == KING && m.from == 4 && m.to == 6) a.cell[7] = 0, a.cell[5] = ROOK;
    if (man == KING && m.from == 4 && m.to == 2) a.cell[0] = 0, a.cell[3] = ROOK;
    for (int s : {int(m.from), int(m.to)}) {
        if (s == 4) a.rights &= ~3;
        if (s == 7) a.rights &= ~1;
        if (s == 0) a.rights &= ~2;
        if (s == 63) a.rights &= ~4;
        if (s == 56) a.rights &= ~8;
    }
    if (man == PAWN && m.to - m.from == 16) {
        const int x = m.to & 7;
        if ((x > 0 && a.cell[m.to - 1] == -PAWN) || (x < 7 && a.cell[m.to + 1] == -PAWN)) a.passing = m.to - 8;
    }
    return a;
}

Board turned(const Board& a) {
    Board b;
    for (int y = 0; y < 64; y += 8)
        for (int x = 0; x < 8; ++x) b.cell[56 - y + x] = -a.cell[y + x];
    b.rights = a.rights >> 2 | (a.rights & 3) << 2;
    b.passing = a.passing < 0 ? -1 : a.passing ^ 56;
    b.black = !a.black;
    return b;
}

// Move by move, legal but for what leaves the own king in check; stops where `f` says so, and returns whether it did.
template <class F>
bool some(const Board& b, F f) {
    for (int s = 0; s < 64; ++s) {
        const int man = b.cell[s], x = s & 7, y = s >> 3;
        if (man <= 0) continue;
        auto put = [&](int to, int kind = 0) {
            Move m;
            m.from = s, m.to = to, m.kind = kind;
            return f(m);
        };
        if (man == PAWN) {
            auto push = [&](int to) {
                return to < 56 ? put(to) : std::any_of(PROMOTIONS, PROMOTIONS + 4, [&](int kind) { return put(to, kind); });
            };
            if (!b.cell[s + 8]) {
                if (push(s + 8)) return true;
                if (y == 1 && !b.cell[s + 16] && put(s + 16)) return true;
            }
            for (int dx : {-1, 1})
                if (inside(x + dx, y + 1) && (b.cell[s + 8 + dx] < 0 || s + 8 + dx == b.passing) && push(s + 8 + dx)) return true;
        } else if (man == KNIGHT) {
            for (auto& leap : LEAPS) {
                const int to = s + 8 * leap[1] + leap[0];
                if (inside(x + leap[0], y + leap[1]) && b.cell[to] <= 0 && put(to)) return true;
            }
        } else {
            for (int d = man == BISHOP ? 4 : 0; d < (man == ROOK ? 4 : 8); ++d)
                for (int a = x + STEPS[d][0], c = y + STEPS[d][1]; inside(a, c); a += STEPS[d][0], c += STEPS[d][1]) {
                    const int at = b.cell[8 * c + a];
                    if (at > 0) break;
                    if (put(8 * c + a)) return true;
                    if (at || man == KING) break;
                }
        }
        if (man == KING && s == 4 && b.rights & 3 && !attacked(b, 4, -1)) {
            if (b.rights & 1 && !b.cell[5] && !b.cell[6] && !attacked(b, 5, -1) && put(6)) return true;
            if (b.rights & 2 && !b.cell[3] && !b.cell[2] && !b.cell[1] && !attacked(b, 3, -1) && put(2)) return true;
        }
    }
    return false;
}

template <class F>
void pseudo(const Board& b, F f) {
    some(b, [&](const Move& m) { return f(m), false; });
}

inline Word bit(int s) { return Word(1) << s; }

// The squares that pawns, which go up, knights and kings attack from each square: nothing stands in their way.
const std::array<Word, 64>& leaps(int kind) {
    static const auto every = [] {
        std::array<std::array<Word, 64>, 7> found{};
        for (int s = 0; s < 64; ++s) {
            const int x = s & 7, y = s >> 3;
            auto put = [&](int kind, int a, int c) {
                if (inside(a, c)) found[kind][s] |= bit(8 * c + a);
            };
            put(PAWN, x - 1, y + 1), put(PAWN, x + 1, y + 1);
            for (auto& leap : LEAPS) put(KNIGHT, x + leap[0], y + leap[1]);
            for (auto& step : STEPS) put(KING, x + step[0], y + step[1]);
        }
        return found;
    }();
    return every[kind];
}

// The squares from which pawns that go up attack a square.
inline Word below(int square) { return __builtin_bswap64(leaps(PAWN)[square ^ 56]); }

// What the men of one side look at a king along: `sign` is theirs.
struct Lines {
    Word cover = ~Word(0);  // squares to which a man may go so that no check stands: all, or the checker's and those between
    Word single = 0;        // men, of either side, that alone stand between the king and a slider of that side
    Word straight = 0, slanted = 0, knights, pawns;  // from where a man of that side, by kind, attacks the king
    bool checked = false;
    std::array<Word, 8> line{};  // from the king to the slider behind a single man

    Lines(const Board& b, int at, int sign) : knights(leaps(KNIGHT)[at]), pawns(sign > 0 ? below(at) : leaps(PAWN)[at]) {
        const int x = at & 7, y = at >> 3;
        auto check = [&](Word ends) { checked = true, cover &= ends; };
        for (int d = 0; d < 8; ++d) {
            Word seen = 0, first = 0;  // first: the man next to the king
            Word& open = d < 4 ? straight : slanted;
            for (int a = x + STEPS[d][0], c = y + STEPS[d][1]; inside(a, c); a += STEPS[d][0], c += STEPS[d][1]) {
                const int s = 8 * c + a, man = b.cell[s] * sign;
                seen |= bit(s);
                if (!first) open |= bit(s);
                if (!man) continue;
                const bool slides = man == QUEEN || man == (d < 4 ? ROOK : BISHOP);
                if (slides && first) single |= first, line[d] = seen;
                if (slides && !first) check(seen);
                if (slides || first) break;
                first = bit(s);
            }
        }
        auto look = [&](Word squares, int kind) {
            for (; squares; squares &= squares - 1)
                if (b.cell[__builtin_ctzll(squares)] == sign * kind) check(squares & -squares);
        };
        look(knights, KNIGHT), look(pawns, PAWN);
    }
    // Whether a man stays on the line on which it stands alone.
    bool stays(int from, int to) const {
        if (!(single & bit(from))) return true;
        return std::any_of(line.begin(), line.end(), [&](Word each) { return each & bit(from) && each & bit(to); });
    }
};

// Whether a move leaves the own king in check.
struct Exposed {
    const Board& b;
    const int own;
    const Lines lines;
    Board without;  // the king
    explicit Exposed(const Board& board) : b(board), own(king(board, 1)), lines(board, own, -1), without(board) { without.cell[own] = NONE; }
    bool by(const Move& m) const {
        const int man = b.cell[m.from];
        if (man == KING) return attacked(without, m.to, -1);
        if (man == PAWN && m.to == b.passing) return attacked(moved(b, m), own, -1);
        return !(lines.cover & bit(m.to)) || !lines.stays(m.from, m.to);
    }
};

// Whether a move gives check.
struct Checks {
    const Board& b;
    const int target;
    const Lines lines;
    explicit Checks(const Board& board) : b(board), target(king(board, -1)), lines(board, target, 1) {}
    bool by(const Move& m) const {
        const int man = b.cell[m.from];
        const bool castles = man == KING && std::abs(m.to - m.from) == 2;
        if (m.kind || castles || (man == PAWN && m.to == b.passing)) return attacked(moved(b, m), target, 1);
        return direct(man) & bit(m.to) || !lines.stays(m.from, m.to);
    }
    Word direct(int man) const {
        switch (man) {
            case PAWN: return lines.pawns;
            case KNIGHT: return lines.knights;
            case BISHOP: return lines.slanted;
            case ROOK: return lines.straight;
            case QUEEN: return lines.straight | lines.slanted;
            default: return 0;
        }
    }
};

enum Order { PLAIN, CAPTURES, CHECKS };

// Moves in an order; `forcing`, in the order of checks alone: only those that give check.
std::vector<Move> legal(const Board& b, Order order = CHECKS, bool forcing = false) {
    std::vector<Move> found;
    found.reserve(48);
    const Checks checks(b);
    const Exposed exposed(b);
    pseudo(b, [&](Move m) {
        const bool check = order == CHECKS && checks.by(m);
        if ((forcing && !check) || exposed.by(m)) return;
        int level = 6;
        if (order != PLAIN) level = b.cell[m.from] == PAWN && m.to == b.passing ? 5 : RANK[-b.cell[m.to]];
        if (check) level = 0;
        int code = m.to;
        if (m.kind) code = 4 * (m.to - m.from - 7) + (std::find(PROMOTIONS, PROMOTIONS + 4, m.kind) - PROMOTIONS);
        m.code = level << 12 | m.from << 6 | code;
        found.push_back(m);
    });
    std::sort(found.begin(), found.end(), [](const Move& a, const Move& c) { return a.code < c.code; });
    return found;
}

int replies(const Board& b) {
    int count = 0;
    const Exposed exposed(b);
    pseudo(b, [&](const Move& m) { count += !exposed.by(m); });
    return count;
}

bool movable(const Board& b, const Exposed& exposed) {
    return some(b, [&](const Move& m) { return !exposed.by(m); });
}
bool movable(const Board& b) { return movable(b, Exposed(b)); }

bool mate(const Board& b) {
    const Exposed exposed(b);
    return exposed.lines.checked && !movable(b, exposed);
}

bool in_check(const Board& b) { return attacked(b, king(b, 1), -1); }

Board parse(const std::string& text) {
    Board b;
    std::array<std::int8_t, 64> cell{};
    size_t at = 0;
    int x = 0, y = 7;
    const std::string letters = ".pnbrqk";
    for (; text[at] != ' '; ++at) {
        const char c = text[at];
        if (c == '/') --y, x = 0;
        else if (std::isdigit(c)) x += c - '0';
        else {
            const int kind = letters.find(char(std::tolower(c)));
            cell[8 * y + x++] = std::isupper(c) ? kind : -kind;
        }
    }
    b.cell = cell;
    const bool black = text[at + 1] == 'b';
    at += 3;
    for (; at < text.size() && text[at] != ' '; ++at) {
        const size_t place = std::string("KQkq").find(text[at]);
        if (place < 4) b.rights |= 1 << place;
    }
    if (at + 2 < text.size() && text[at + 1] != '-') b.passing = text[at + 1] - 'a' + 8 * (text[at + 2] - '1');
    if (cell[4] != KING) b.rights &= ~3;
    if (cell[7] != ROOK) b.rights &= ~1;
    if (cell[0] != ROOK) b.rights &= ~2;
    if (cell[60] != -KING) b.rights &= ~12;
    if (cell[63] != -ROOK) b.rights &= ~4;
    if (cell[56] != -ROOK) b.rights &= ~8;
    if (black) b = turned(b);
    b.black = black;
    if (b.passing >= 0) {
        const int pawn = b.passing - 8, c = pawn & 7;
        if (!((c > 0 && b.cell[pawn - 1] == PAWN) || (c < 7 && b.cell[pawn + 1] == PAWN))) b.passing = -1;
    }
    return b;
}

std::string written(const Board& given) {
    const bool black = given.black;
    Board b = black ? turned(given) : given;
    std::string text;
    for (int y = 7; y >= 0; --y) {
        int empty = 0;
        for (int x = 0; x < 8; ++x) {
            const int man = b.cell[8 * y + x];
            if (!man) {
                ++empty;
                continue;
            }
            if (empty) text += char('0' + empty);
            empty = 0;
            const char c = ".pnbrqk"[std::abs(man)];
            text += man > 0 ? char(std::toupper(c)) : c;
        }
        if (empty) text += char('0' + empty);
        if (y) text += '/';
    }
    std::string rights;
    for (int n = 0; n < 4; ++n)
        if (b.rights >> n & 1) rights += "KQkq"[n];
    text += black ? " b " : " w ";
    text += rights.empty() ? "-" : rights;
    text += ' ';
    if (b.passing < 0) text += '-';
    else text += {char('a' + (b.passing & 7)), char('1' + (b.passing >> 3))};
    return text + " 0 1";
}

std::string name(const Board& b, const Move& m) {
    const int turn = b.black ? 56 : 0, from = m.from ^ turn, to = m.to ^ turn;
    std::string text{char('a' + (from & 7)), char('1' + (from >> 3)), char('a' + (to & 7)), char('1' + (to >> 3))};
    return m.kind ? text + ".pnbrqk"[int(m.kind)] : text;
}

struct Key {
    std::array<Word, 5> words{};
    bool operator==(const Key& other) const { return words == other.words; }
};

struct Hash {
    size_t operator()(const Key& key) const {
        Word code = 0x9E3779B97F4A7C15ull;
        for (Word word : key.words) {
            code = (code ^ word) * 0xC2B2AE3D27D4EB4Full;
            code ^= code >> 29;
        }
        return code * 0xBF58476D1CE4E5B9ull >> 7;
    }
};

Key key(const Board& b, int extra) {
    Key k;
    for (int s = 0; s < 64; ++s) k.words[s >> 4] = k.words[s >> 4] << 4 | Word(b.cell[s] + 6);
    k.words[4] = Word(b.rights) | Word(b.passing + 1) << 4 | Word(b.black) << 12 | Word(extra) << 16;
    return k;
}

#include "mate_view.hpp"

// What every search counts.
struct Counted {
    long limit = LONG_MAX, nodes = 0;
    bool stopped = false;
    bool make() {
        if (nodes >= limit) stopped = true;
        else ++nodes;
        return !stopped;
    }
};

// Depth first: one order of moves, and what is added to it.
struct Depth : Counted {
    Order order = CHECKS, replies_by = CHECKS;
    bool last = false, table = false, staged = false, few = false, flights = false;
    Depth* knows_moves = nullptr;  // where set, a move that wins comes first; this search finds it, uncounted
    Depth* knows_replies = nullptr;  // the same of a reply that refutes
    std::unordered_map<Key, std::pair<int, int>, Hash> known;  // most own moves refuted, fewest proved

    template <class Fits>
    static void first_where(std::vector<Move>& moves, Fits fits) {
        const auto at = std::find_if(moves.begin(), moves.end(), fits);
        if (at != moves.end()) std::rotate(moves.begin(), at, at + 1);
    }

    // Whether the side to move mates within d of its moves; with `forcing` its moves give check.
    bool solve(const Board& b, int d, bool forcing, Move* first = nullptr) {
        Key k;
        if (table) {
            k = key(b, forcing);
            auto at = known.find(k);
            if (at != known.end() && !first) {
                if (d >= at->second.second) return true;
                if (d <= at->second.first) return false;
            }
        }
        bool found = false;
        std::vector<Move> moves = legal(b, order, forcing || (last && d == 1));
        if (flights && d == 1) pass_over(moves, b);
        if (few && d > 1) {
            std::vector<std::pair<int, Move>> by;
            for (const Move& m : moves) {
                if (!make()) return false;
                const Board c = turned(moved(b, m));
                const int count = replies(c);
                if (!count && in_check(c)) {
                    if (first) *first = m;
                    found = true;
                    break;
                }
                if (count) by.push_back({count, m});
            }
            std::stable_sort(by.begin(), by.end(), [](auto& a, auto& c) { return a.first < c.first; });
            moves.clear();
            if (!found)
                for (auto& each : by) moves.push_back(each.second);
            if (knows_moves)
                first_where(moves, [&](const Move& m) { return knows_moves->answered(turned(moved(b, m)), d, forcing); });
        }
        for (const Move& m : moves) {
            if (found) break;
            if (!(few && d > 1) && !make()) return false;  // `few` has kept the boards that it has made
            const Board c = turned(moved(b, m));
            if (answered(c, d, forcing)) {
                if (first) *first = m;
                found = true;
            }
            if (stopped) return false;
        }
        if (table) {
            auto& entry = known.try_emplace(k, std::make_pair(0, INT_MAX)).first->second;
            if (found) entry.second = std::min(entry.second, d);
            else entry.first = std::max(entry.first, d);
        }
        return found;
    }

    // Whether every reply leads to mate within d - 1 moves, or this is mate.
    bool answered(const Board& b, int d, bool forcing) {
        if (d == 1) return mate(b);
        std::vector<Move> moves = legal(b, replies_by);
        if (moves.empty()) return in_check(b);
        if (knows_replies)
            first_where(moves, [&](const Move& m) { return !knows_replies->solve(turned(moved(b, m)), d - 1, forcing); });
        for (const Move& m : moves) {
            if (!make()) return false;
            if (!solve(turned(moved(b, m)), d - 1, forcing)) return false;
        }
        return true;
    }

    bool search(const Board& b, int d, Move* first) {
        if (staged && solve(b, d, true, first)) return true;
        return !stopped && solve(b, d, false, first);
    }
};

// Depth-first proof-number search of boards with moves left, by an exact table.
struct ProofNumber : Counted {
    static constexpr int INFINITE = 1 << 29;
    bool by_replies = false, flights = false;
    long distinct = 0;
    struct Entry {
        int pn = 1, dn = 1;
        bool expanded = false;
        std::vector<std::pair<Move, Key>> children;
    };
    std::unordered_map<Key, Entry, Hash> known;

    // A board that was just made; `left` are own moves of the solver, `mine` whether it is to move.
    Key meet(const Board& b, int left, bool mine, bool fresh) {
        const Key k = key(b, left * 2 + mine);
        auto [at, is_new] = known.try_emplace(k);
        if (!is_new) return k;
        distinct += fresh;
        Entry& e = at->second;
        if (mine) {
            if (left == 0) e.pn = INFINITE, e.dn = 0;
        } else {
            const int count = replies(b);
            if (!count) {
                const bool won = in_check(b);
                e.pn = won ? 0 : INFINITE, e.dn = won ? INFINITE : 0;
            } else if (left == 0) {
                e.pn = INFINITE, e.dn = 0;
            } else if (by_replies) {
                e.pn = count;
            }
        }
        return k;
    }

    void visit(const Board& b, const Key& k, int left, bool mine, int limit_pn, int limit_dn) {
        Entry& e = known[k];
        if (!e.expanded) {
            std::vector<Move> moves = legal(b, CHECKS, mine && left == 1);
            if (flights && mine && left == 1) pass_over(moves, b);
            std::vector<std::pair<Move, Key>> children;
            bool decided = false;
            for (const Move& m : moves) {
                if (!make()) return;
                const Key c = meet(turned(moved(b, m)), left - mine, !mine, true);
                children.push_back({m, c});
                const Entry& child = known[c];
                decided = mine ? child.pn == 0 : child.dn == 0;
                if (decided) break;
            }
            Entry& again = known[k];
            again.children = std::move(children);
            again.expanded = true;
        }
        for (;;) {
            int best = -1, least = INFINITE + 1, second = INFINITE + 1;
            long sum = 0;
            Entry& here = known[k];
            for (size_t n = 0; n < here.children.size(); ++n) {
                const Entry& c = known[here.children[n].second];
                const int one = mine ? c.pn : c.dn, other = mine ? c.dn : c.pn;
                sum += other;
                if (one < least) second = least, least = one, best = n;
                else if (one < second) second = one;
            }
            const int total = int(std::min<long>(sum, INFINITE)), low = std::min(least, INFINITE);
            here.pn = mine ? low : total, here.dn = mine ? total : low;
            if (here.pn == 0) here.dn = INFINITE;
            if (here.dn == 0) here.pn = INFINITE;
            if (here.pn >= limit_pn || here.dn >= limit_dn || best < 0) return;
            const auto child = here.children[best];
            const Entry& c = known[child.second];
            const int low_limit = std::min(mine ? limit_pn : limit_dn, second + 1);
            const int high_limit = (mine ? limit_dn - here.dn + c.dn : limit_pn - here.pn + c.pn);
            if (!make()) return;
            visit(turned(moved(b, child.first)), child.second, left - mine, !mine, mine ? low_limit : high_limit,
                  mine ? high_limit : low_limit);
            if (stopped) return;
        }
    }

    bool search(const Board& b, int d, Move* first) {
        const Key k = meet(b, d, true, false);
        visit(b, k, d, true, INFINITE, INFINITE);
        const Entry& e = known[k];
        if (e.pn) return false;
        for (auto& [m, c] : e.children)
            if (known[c].pn == 0) {
                *first = m;
                break;
            }
        return true;
    }
};

// Whether a first move forces mate within n.
struct Settled {
    bool known = true, won = false;
    long nodes = 0;
};

// Settles first moves by `few` with the step of `flights`; its table serves all those of a problem.
struct Settler : Depth {
    explicit Settler(long most) {
        limit = most;
        last = table = few = flights = true;
    }
    Settled settle(const Board& b, const Move& m, int n) {
        nodes = 0, stopped = false;
        const bool won = answered(turned(moved(b, m)), n, false);
        return {!stopped, won, nodes};
    }
};

// The smallest proof as a tree, counted in moves, by depth first with bounds.
struct Smallest : Counted {
    static constexpr int NEVER = 1 << 28;
    std::unordered_map<Key, std::pair<int, int>, Hash> known;  // exact if second, else a lower bound

    int solve(const Board& b, int d, int bound) {  // moves in the smallest proof, or at least `bound`
        if (bound <= 1) return bound;
        Key k = key(b, d);
        auto at = known.find(k);
        if (at != known.end() && (at->second.second || at->second.first >= bound)) return at->second.first;
        int best = bound;
        std::vector<std::pair<int, Move>> by;
        for (const Move& m : legal(b, CHECKS, d == 1)) {
            if (!make()) return best;
            const Board c = turned(moved(b, m));
            const int count = replies(c);
            if (!count && in_check(c)) {
                known[k] = {1, 1};
                return 1;
            }
            if (count && d > 1) by.push_back({count, m});
        }
        std::stable_sort(by.begin(), by.end(), [](auto& a, auto& c) { return a.first < c.first; });
        for (auto& [count, m] : by) {
            if (1 + 2 * count >= best) break;  // each reply and a mating move
            const Board c = turned(moved(b, m));
            int total = 1 + 2 * count;
            bool fits = true;
            for (const Move& r : legal(c)) {
                if (!make()) return best;
                const int more = solve(turned(moved(c, r)), d - 1, best - total + 1);
                total += more - 1;
                if (stopped) return best;
                if (total >= best) {
                    fits = false;
                    break;
                }
            }
            if (fits) best = total;
        }
        known[k] = {best, best < bound};
        return best;
    }
};

#include "mate_lazy.hpp"

struct Found {
    int moves = 0;
    Move first;
    long nodes = 0, distinct = 0;
    bool cut = false;
};

Found run(const std::string& search, bool told, long limit, bool by_number, const Board& b, int n,
          const std::vector<int>& weights) {
    static const std::vector<std::string> ladder{"plain", "captures", "checks", "last", "table", "staged", "few"};
    Found found;
    const bool numbers = search.rfind("dfpn", 0) == 0;
    Depth depth;
    ProofNumber proof;
    Lazy lazy(weights);
    lazy.flights = search == "flights";
    const bool one_by_one = search == "lazy" || lazy.flights;
    proof.by_replies = search.rfind("dfpn_replies", 0) == 0;
    depth.flights = proof.flights = search == "few_flights" || search == "dfpn_replies_flights";
    depth.limit = proof.limit = lazy.limit = limit;
    const int level = std::find(ladder.begin(), ladder.end(), search.substr(0, search.find('_'))) - ladder.begin();
    depth.order = level == 0 ? PLAIN : level == 1 ? CAPTURES : CHECKS;
    depth.replies_by = by_number ? PLAIN : depth.order;
    depth.last = level >= 3, depth.table = level >= 4, depth.staged = level >= 5, depth.few = level >= 6;
    Depth knowing = depth;
    knowing.limit = LONG_MAX;
    if (search == "few_moves") depth.knows_moves = &knowing;
    if (search == "few_replies") depth.knows_replies = &knowing;
    for (int d = told ? n : 1; d <= n && !found.moves; ++d) {
        const bool yes = one_by_one ? lazy.search(b, d, &found.first) : numbers ? proof.search(b, d, &found.first) : depth.search(b, d, &found.first);
        if (yes) found.moves = d;
        if (depth.stopped || proof.stopped || lazy.stopped) break;
    }
    found.nodes = depth.nodes + proof.nodes + lazy.nodes;  // of the two others, 0
    found.distinct = one_by_one ? std::max<long>(lazy.all.size(), 1) - 1 : proof.distinct;
    found.cut = depth.stopped || proof.stopped || lazy.stopped;
    return found;
}

std::vector<std::pair<Board, int>> read() {
    std::vector<std::pair<Board, int>> found;
    for (std::string line; std::getline(std::cin, line);) {
        const size_t end = line.find(';');
        if (end != std::string::npos) found.push_back({parse(line.substr(0, end)), std::stoi(line.substr(end + 1))});
    }
    return found;
}

long perft(const Board& b, int depth) {
    const auto moves = legal(b);
    if (depth == 1) return moves.size();
    long sum = 0;
    for (const Move& m : moves) sum += perft(turned(moved(b, m)), depth - 1);
    return sum;
}

// Positions of games in which one side takes what it can and checks, and the other moves at random.
void games(int count, int plies, unsigned seed) {
    std::mt19937 random(seed);
    for (int game = 0; game < count; ++game) {
        Board b = parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        const int greedy = random() % 3;  // white, black or both
        for (int ply = 0; ply < plies; ++ply) {
            const auto moves = legal(b);
            if (moves.empty()) break;
            if (ply >= 16) std::printf("%s\n", written(b).c_str());
            const bool wise = greedy == 2 || greedy == int(b.black);
            size_t pick = random() % moves.size();
            if (wise && random() % 4) pick = random() % std::min<size_t>(moves.size(), 5);
            b = turned(moved(b, moves[pick]));
        }
    }
}

#include "mate_draw.hpp"
#include "mate_programs.hpp"
#include "mate_guides.hpp"

int main(int count, char** given) {
    const std::string what = count > 1 ? given[1] : "";
    const std::clock_t start = std::clock();
    if (what == "random" && count > 4) {
        games(std::atoi(given[2]), std::atoi(given[3]), std::atoi(given[4]));
        return 0;
    }
    if (what == "draw" && count > 4) {
        draw(std::atoi(given[2]), std::atoi(given[3]), std::atoi(given[4]));
        return 0;
    }
    if (what == "programs") {
        programs({given + 2, given + count});
        return 0;
    }
    if (what == "guides") {
        guides({given + 2, given + count});
        return 0;
    }
    const auto problems = read();
    std::vector<int> weights;
    if (count > 4 && std::strncmp(given[4], "weights=", 8) == 0)
        for (char* at = given[4] + 8; *at; at += *at == ',') weights.push_back(std::strtol(at, &at, 10));
    for (const auto& [b, n] : problems) {
        if (what == "perft") {
            std::printf("%ld\n", perft(b, std::atoi(given[2])));
        } else if (what == "keys") {
            long nodes = 0;
            std::string names;
            Settler settler(std::atol(given[2]));
            for (const Move& m : legal(b)) {
                const Settled one = settler.settle(b, m, n);
                nodes += one.nodes;
                if (!one.known) names += " ?" + name(b, m);
                else if (one.won) names += " " + name(b, m);
            }
            std::printf("%ld%s\n", nodes, names.c_str());
        } else if (what == "smallest") {
            Smallest smallest;
            smallest.limit = std::atol(given[2]);
            const int moves = smallest.solve(b, n, Smallest::NEVER);
            std::printf("%d %ld %d\n", moves >= Smallest::NEVER ? 0 : moves, smallest.nodes, int(smallest.stopped));
        } else {
            const Found found = run(what, std::strcmp(given[2], "told") == 0, std::atol(given[3]), count > 4 && weights.empty(), b, n, weights);
            std::printf("%d %s %ld %ld %d\n", found.moves, found.moves ? name(b, found.first).c_str() : "-", found.nodes,
                        found.distinct, int(found.cut));
        }
        std::fflush(stdout);
    }
    std::fprintf(stderr, "%.3f\n", double(std::clock() - start) / CLOCKS_PER_SEC);
}
