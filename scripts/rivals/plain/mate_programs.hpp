// Programs that make moves, of tables 6.2 to 6.4 of M. Sipper, "Evolved to Win" (2011): included by mate.cpp. What each
// function and terminal means stands in docs/mate_programs.md. It is plain recursion, without frames and lanes.

#include <memory>
#include <sstream>

enum Name {
    NUMBER, PROGRAM,
    IF3, AND, OR, NOT, SMALLER, EQUAL,
    EXISTS, FORALL, BEST, ALLMOVES, CHECKING, ITER, KINGMUST, CAPTURECLOSE, PINCLOSE, ATTACKING, CLEARING, SUICIDE,
    DEPTH, AGAIN, MATEINONE,
    ISCHECK, EDGES, ATTACKED, FORK, NOTMOVES, BIGGER, PROTECTING, MATERIAL, CHANGE, STUCK, PINNED, FORCED, FORCEDKING,
    PINNEDCLOSE, CANCHECK, INCREASE, DISCOVERED, PROTECTEDCHECK,
};

const std::vector<std::pair<std::string, Name>> NAMES{
    {"PROGRAM", PROGRAM}, {"If3", IF3}, {"And2", AND}, {"And3", AND}, {"Or2", OR}, {"Or3", OR}, {"Not", NOT}, {"Smaller", SMALLER},
    {"Equal", EQUAL}, {"IfMyMoveExistsSuchThat", EXISTS}, {"IfForAllOpponentMoves", FORALL}, {"MakeBestMove", BEST},
    {"MakeAllMovesSuchThat", ALLMOVES}, {"IfExistsCheckingMove", CHECKING}, {"MyMoveIter", ITER},
    {"IfKingMustMove", KINGMUST}, {"IfCaptureCloseToKingMove", CAPTURECLOSE}, {"IfPinCloseToKingMove", PINCLOSE},
    {"IfAttackingKingMove", ATTACKING}, {"IfClearingWayMove", CLEARING}, {"IfSuicideCheck", SUICIDE}, {"Depth", DEPTH},
    {"Again", AGAIN}, {"IsMateInOneOrLess", MATEINONE}, {"IsCheck", ISCHECK}, {"OppKingProximityToEdges", EDGES},
    {"NumOppPiecesAttacked", ATTACKED}, {"IsCheckFork", FORK}, {"NumNotMovesOppKing", NOTMOVES},
    {"NumNotMovesOppBigger", BIGGER}, {"IsOppKingProtectingPiece", PROTECTING}, {"EvaluateMaterial", MATERIAL},
    {"IsMaterialChange", CHANGE}, {"IsOppKingStuck", STUCK}, {"IsOppPiecePinned", PINNED}, {"IsNextMoveForced", FORCED},
    {"IsNextMoveForcedWithKing", FORCEDKING}, {"IsPinCloseToKing", PINNEDCLOSE}, {"NumMyPiecesCanCheck", CANCHECK},
    {"DidNumAttackingKingIncrease", INCREASE}, {"IsDiscoveredCheck", DISCOVERED},
    {"IsDiscoveredProtectedCheck", PROTECTEDCHECK}};

struct Node {
    Name name = NUMBER;
    float number = 0;
    bool reads = false;  // its value depends on a board
    std::vector<Node> args;
};

// Read an S-expression, in which words and brackets are apart.
Node node(std::istream& words) {
    Node found;
    std::string word;
    if (!(words >> word)) std::fprintf(stderr, "a program ends too soon\n"), std::exit(2);
    const bool inner = word == "(";
    if (inner) words >> word;
    if (!inner && (std::isdigit(word[0]) || word[0] == '-')) {
        found.number = std::stof(word);
        return found;
    }
    const auto at = std::find_if(NAMES.begin(), NAMES.end(), [&](auto& each) { return each.first == word; });
    if (at == NAMES.end()) std::fprintf(stderr, "no such name: %s\n", word.c_str()), std::exit(2);
    found.name = at->second;
    found.reads = found.name >= EXISTS;
    while (inner) {
        words >> std::ws;
        if (words.peek() == ')') {
            words.get();
            break;
        }
        found.args.push_back(node(words));
        found.reads |= found.args.back().reads;
    }
    return found;
}

Node program(std::string text) {
    for (const char* bracket : {"(", ")"})
        for (size_t at = 0; (at = text.find(bracket, at)) != std::string::npos; at += 3) text.replace(at, 1, std::string(" ") + bracket + " ");
    std::istringstream words(text);
    return node(words);
}

// A board, how it came about, and what is known of it.
struct Place {
    Board board;
    bool mine;  // the solver is to move
    int left, ply;
    const Place* before;
    bool paid = false;
    mutable std::unique_ptr<std::vector<Move>> list;
    mutable std::unique_ptr<View> look;

    Place(const Board& b, bool mine, int left, int ply, const Place* before)
        : board(b), mine(mine), left(left), ply(ply), before(before) {}
    const std::vector<Move>& moves() const {
        if (!list) list = std::make_unique<std::vector<Move>>(legal(board));
        return *list;
    }
    const View& seen() const {
        if (!look) look = std::make_unique<View>(board, mine);
        return *look;
    }
    bool mated() const { return !mine && (list ? list->empty() && in_check(board) : mate(board)); }
    Place after(const Move& m) const { return Place(turned(moved(board, m)), !mine, left - mine, ply + 1, this); }
};

bool forcing(const Move& m) { return m.code >> 12 == 0; }

// One program on one problem.
struct Program {
    const Node& tree;
    long budget;
    bool worst = false, once = false, made = false, stop = false, cutoff = false, remember = false;  // how the table is read
    int near = 2;
    std::unordered_map<Key, float, Hash> known;  // what the tree in itself was worth on boards with moves left
    long nodes = 0, passed = 0, reserve = 0, refused = 0;
    int deepest = 0;
    bool truncated = false;
    std::vector<float> scores;

    bool weary() const { return passed >= 2 * budget; }
    bool spent() const { return nodes + reserve >= budget || weary(); }
    bool cut() { return truncated = true, false; }
    void pay(Place& place) {
        if (place.paid) return;
        place.paid = true;
        ++nodes;
        deepest = std::max(deepest, place.ply);
    }

    // Values each first move; returns the number of the best, the first of equals, or -1.
    int solve(const Board& b, int left) {
        const Place root(b, true, left, 0, nullptr);
        const auto& firsts = root.moves();
        reserve = firsts.size();
        for (const Move& m : firsts) {
            --reserve;
            Place here = root.after(m);
            pay(here);
            scores.push_back(std::max(-1000.f, std::min(1000.f, value(tree, here, here.left))));
            if (stop && scores.back() == 1000) break;
        }
        return scores.empty() ? -1 : std::max_element(scores.begin(), scores.end()) - scores.begin();
    }

    // An argument after a move, which is made if the argument reads a board.
    float on(const Node& node, Place& at, int entry) {
        if (node.reads) pay(at);
        return value(node, at, entry);
    }

    float value(const Node& node, Place& at, int entry) {
        const auto& args = node.args;
        auto of = [&](int n) { return value(args[n], at, entry); };
        switch (node.name) {
            case NUMBER: return node.number;
            case IF3: return of(0) != 0 ? of(1) : of(2);
            case AND: return std::all_of(args.begin(), args.end(), [&](const Node& one) { return value(one, at, entry) != 0; });
            case OR: return std::any_of(args.begin(), args.end(), [&](const Node& one) { return value(one, at, entry) != 0; });
            case NOT: return of(0) == 0;
            case SMALLER: {
                const float first = of(0);
                return first < of(1);
            }
            case EQUAL: {
                const float first = of(0);
                return first == of(1);
            }
            case DEPTH: return at.left;
            case AGAIN: return again(at, entry);
            case MATEINONE: return mate_in_one(at);
            default: return node.name <= SUICIDE ? mover(node, at, entry) : terminal(node.name, at);
        }
    }

    float again(Place& at, int entry) {
        const int left = std::min(at.left, entry - 1);
        if (left <= 0) return at.mated() ? 1000 : -1000;
        Place same(at.board, at.mine, left, at.ply, at.before);
        same.paid = true;
        if (!remember) return value(tree, same, left);
        const Key k = key(at.board, left * 2 + at.mine);
        const auto found = known.find(k);
        if (found != known.end()) return found->second;
        const float now = value(tree, same, left);
        if (!truncated) known[k] = now;
        return now;
    }

    float mate_in_one(Place& at) {
        if (!at.mine) return at.mated();
        if (at.left == 0) {
            refused += movable(at.board);
            return false;
        }
        const auto checks = legal(at.board, CHECKS, true);
        if (spent()) return !checks.empty() || movable(at.board) ? cut() : false;
        for (const Move& m : checks) {
            if (&m != &checks[0] && spent()) return cut();
            Place child = at.after(m);
            pay(child);
            if (child.mated()) return 1;
        }
        return 0;
    }

    float mover(const Node& node, Place& at, int entry) {
        const auto& args = node.args;
        const Name name = node.name;
        const Node& last = args.back();
        const auto& moves = at.moves();
        const bool here = !made && (name == CHECKING || name == CLEARING || name == SUICIDE);
        const bool both = name == BEST || name == ALLMOVES, other = name == FORALL || name == KINGMUST;
        if (!both && other == at.mine) return value(last, at, entry);
        if (moves.empty()) return value(name == FORALL && at.mated() ? args[1] : last, at, entry);
        if (at.left == 0) return ++refused, value(last, at, entry);
        if (name == KINGMUST && !king_must(at)) return value(last, at, entry);
        if (name == CHECKING && !forcing(moves[0])) return value(last, at, entry);
        if (spent() && !here) return cut(), value(last, at, entry);
        if (both) return best(name == ALLMOVES ? &args[0] : nullptr, args[name == ALLMOVES], last, at, entry);
        if (name == FORALL) return every(args, at, entry);
        const size_t conditions = name == EXISTS || name == SUICIDE ? 1 : name == ITER ? 2 : 0;
        if (conditions && !args[0].reads && value(args[0], at, entry) == 0) return value(last, at, entry);
        bool first = true;
        for (const Move& m : moves) {
            if ((name == SUICIDE || name == CHECKING) && !forcing(m)) break;
            if (!first && (here ? weary() : spent())) {
                cut();
                break;
            }
            first = false;
            Place child = at.after(m);
            if (name >= CAPTURECLOSE && !trait(name, child)) {
                ++passed;
                continue;
            }
            if (here) return value(!conditions || value(args[0], at, entry) != 0 ? args[conditions] : last, at, entry);
            if (conditions && on(args[0], child, entry) == 0) continue;
            if (name == ITER && !replies(args[1], child, entry)) {
                if (once) break;
                continue;
            }
            return on(args[conditions], child, entry);
        }
        return value(last, at, entry);
    }

    // Whether a condition holds after every reply; the move before them is made for them.
    bool replies(const Node& condition, Place& at, int entry) {
        pay(at);
        if (at.moves().empty()) return at.mated();
        if (at.left == 0) return ++refused, false;
        return all_hold(condition, at, entry);
    }

    bool all_hold(const Node& condition, Place& at, int entry) {
        for (const Move& m : at.moves()) {
            if (spent()) return cut();
            if (!condition.reads) return value(condition, at, entry) != 0;
            Place child = at.after(m);
            if (on(condition, child, entry) == 0) return false;
        }
        return true;
    }

    float every(const std::vector<Node>& args, Place& at, int entry) {
        if (!all_hold(args[0], at, entry)) return value(args[2], at, entry);
        if (!args[1].reads) return value(args[1], at, entry);
        if (spent()) return cut(), value(args[2], at, entry);
        if (worst) return best(nullptr, args[1], args[2], at, entry);
        Place child = at.after(at.moves()[0]);
        return on(args[1], child, entry);
    }

    float best(const Node* condition, const Node& then, const Node& last, Place& at, int entry) {
        bool any = false, first = true;
        float found = 0;
        const bool bare = !condition && !then.reads;
        if (bare || (condition && !condition->reads && value(*condition, at, entry) == 0)) return value(last, at, entry);
        for (const Move& m : at.moves()) {
            if (!first && spent()) {
                cut();
                break;
            }
            first = false;
            Place child = at.after(m);
            if (condition && on(*condition, child, entry) == 0) continue;
            const float now = on(then, child, entry);
            if (!any || (at.mine ? now > found : now < found)) found = now;
            any = true;
            if (cutoff && (at.mine ? found >= 1000 : found <= -1000)) break;  // nothing is better
        }
        return any ? found : value(last, at, entry);
    }

    static bool king_must(const Place& at) {
        const auto& moves = at.moves();
        if (at.mine || moves.empty()) return false;
        return std::all_of(moves.begin(), moves.end(), [&](const Move& m) { return at.board.cell[m.from] == KING; });
    }

    // What moves are passed over for; `at` is after a move of the solver.
    bool trait(Name name, const Place& at) const {
        const View &now = at.seen(), &was = at.before->seen();
        switch (name) {
            case CAPTURECLOSE: return was.theirs & ~now.theirs & now.close(near);
            case PINCLOSE: return now.pinned() & ~was.pinned() & now.close(near);
            case ATTACKING: return now.mine & ~was.mine & now.around();
            case CLEARING: return now.can_check() & ~was.can_check() & was.mine;
            default: break;
        }
        const Word checkers = now.checkers();  // a suicide: the man that checks can be taken
        return checkers && std::any_of(at.moves().begin(), at.moves().end(), [&](const Move& m) { return checkers >> (m.to ^ 56) & 1; });
    }

    float terminal(Name name, const Place& at) const {
        const View &now = at.seen(), &was = at.before->seen();
        const auto count = View::count;
        switch (name) {
            case ISCHECK: return now.checkers() != 0;
            case EDGES: return 3 - View::edge(now.target);
            case ATTACKED: return count(now.men_attacked(near));
            case FORK: return now.men([&](int s) {
                const Word to = now.reach(s, now.cell[s]);
                return to >> now.target & 1 && to & now.theirs & ~(Word(1) << now.target);
            }) != 0;
            case NOTMOVES: return 8 - count(now.steps());
            case BIGGER: return count(now.steps()) < count(was.steps());
            case PROTECTING: return now.protects();
            case MATERIAL: return now.material();
            case CHANGE: return count(now.mine | now.theirs) != count(was.mine | was.theirs);
            case STUCK: {
                bool stuck = true;
                View::each(now.steps(), [&](int s) { stuck = stuck && View::edge(s) < View::edge(now.target); });
                return stuck;
            }
            case PINNED: return now.pinned() != 0;
            case FORCED: return !at.mine && at.moves().size() == 1;
            case FORCEDKING: return king_must(at);
            case PINNEDCLOSE: return (now.pinned() & now.close(near)) != 0;
            case CANCHECK: return count(now.can_check());
            case INCREASE: return count(now.around()) > count(was.around());
            case DISCOVERED: return (now.checkers() & was.mine) != 0;
            case PROTECTEDCHECK: return (now.checkers() & was.mine & now.attacked()) != 0;
            default: std::abort();
        }
    }
};

// Read lines: what `read` takes after a word, `problem FEN`, and `pair WHAT PROBLEM ...`, by their numbers. `ask` answers a pair.
template <class Read, class Ask>
void pairs(const std::string& word, Read read, Ask ask) {
    std::vector<Board> boards;
    for (std::string line; std::getline(std::cin, line);) {
        const std::string kind = line.substr(0, line.find(' ')), rest = line.substr(line.find(' ') + 1);
        if (kind == word) read(rest);
        if (kind == "problem") boards.push_back(parse(rest));
        if (kind != "pair") continue;
        std::istringstream words(rest);
        size_t what, board;
        words >> what >> board;
        ask(what, boards.at(board), words);
    }
}

// Read `program TEXT`, and `pair PROGRAM PROBLEM LEFT LIMIT N`. A pair is
// answered by a line: the code of the first move, what it is worth, nodes, whether it was truncated, plies of the longest
// line, how often no moves were left, and whether the move forces mate within N, which is looked for where the program
// says so, with so many nodes as `prove` allows: 1, 0, or -1 where it is not known. Options are words.
void programs(const std::vector<std::string>& options) {
    std::vector<Node> trees;
    auto has = [&](const char* word) { return std::find(options.begin(), options.end(), word) != options.end(); };
    int near = 2;
    long prove = 0;
    for (const std::string& word : options) {
        if (word.rfind("near=", 0) == 0) near = std::stoi(word.substr(5));
        if (word.rfind("prove=", 0) == 0) prove = std::stol(word.substr(6));
    }
    pairs("program", [&](const std::string& text) { trees.push_back(program(text)); }, [&](size_t tree, const Board& root, std::istream& words) {
        int left, n;
        long limit;
        words >> left >> limit >> n;
        Program run{trees.at(tree), limit, has("worst"), has("once"), has("made"), has("stop"), has("cutoff"), has("remember"), near};
        const int chosen = run.solve(root, left);
        const float score = chosen < 0 ? 0 : run.scores[chosen];
        int code = -1, proved = -1;
        if (chosen >= 0) {
            const Move m = legal(root)[chosen];
            code = m.code;
            if (prove && score >= 1000) {
                const Settled found = Settler(prove).settle(root, m, n);
                if (found.known) proved = found.won;
            }
        }
        std::printf("%d %.9g %ld %d %d %ld %d\n", code, double(score), run.nodes, int(run.truncated), run.deepest, run.refused, proved);
    });
}
