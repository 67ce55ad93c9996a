// Rush Hour in plain C++: breadth-first search with a visited set, and blind iterative deepening, one board after another.
//
//     g++ -O2 -std=c++17 -o rush_hour rush_hour.cpp
//     rush_hour breadth [LIMIT] < boards      a line for each board: moves of a shortest solution, nodes expanded
//     rush_hour deepening FIRST GROW DEEPEST SLOTS LIMIT < boards      moves found, nodes visited
//
// Standard input has one board a line, size * size letters row by row: X is the vehicle to free, horizontal, which leaves
// at the right end of its row; any other letter is a vehicle of two or three cells, '.' an empty cell. A move slides one
// vehicle any number of cells. -1 moves: no solution, or the limit of nodes was reached. The last line has the seconds
// that all searches took, reading apart, by the clock and of the processor.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

using Word = std::uint64_t;

constexpr int MOST = 40;  // vehicles of a board

// Positions of all vehicles along their lines, three bits each: up to 21 vehicles in a word.
struct Key {
    std::array<Word, 2> words{};
    bool operator==(const Key& other) const { return words == other.words; }
    int at(int vehicle) const { return words[vehicle / 20] >> (3 * (vehicle % 20)) & 7; }
    void put(int vehicle, int position) {
        const int shift = 3 * (vehicle % 20);
        Word& word = words[vehicle / 20];
        word = (word & ~(Word{7} << shift)) | (Word(position) << shift);
    }
    Word hash() const {
        Word code = words[0] * 0x9E3779B97F4A7C15ull ^ (words[1] + 0x7F4A7C15u) * 0xC2B2AE3D27D4EB4Full;
        code ^= code >> 29;
        code *= 0xBF58476D1CE4E5B9ull;
        return code ^ code >> 32;
    }
};

struct Board {
    int size = 0, vehicles = 0;
    std::array<int, MOST> line{}, length{};
    std::array<bool, MOST> vertical{};
    Key start;

    Word cell(int vehicle, int along) const {
        return Word{1} << (vertical[vehicle] ? along * size + line[vehicle] : line[vehicle] * size + along);
    }
    Word occupied(const Key& key) const {
        Word found = 0;
        for (int v = 0; v < vehicles; ++v)
            for (int i = 0; i < length[v]; ++i) found |= cell(v, key.at(v) + i);
        return found;
    }
    bool solved(const Key& key) const { return key.at(0) + length[0] == size; }

    // Calls f(vehicle, new position) for every move, in ascending order of vehicle and new position.
    template <class F>
    void moves(const Key& key, F f) const {
        const Word taken = occupied(key);
        for (int v = 0; v < vehicles; ++v) {
            const int from = key.at(v);
            int low = from, high = from;
            while (low > 0 && !(taken & cell(v, low - 1))) --low;
            while (high + length[v] < size && !(taken & cell(v, high + length[v]))) ++high;
            for (int to = low; to <= high; ++to)
                if (to != from) f(v, to);
        }
    }
};

Board read(const std::string& text) {
    Board board;
    board.size = int(std::lround(std::sqrt(double(text.size()))));
    std::string letters = "X";
    for (char c : text)
        if (c != '.' && letters.find(c) == std::string::npos) letters += c;
    std::sort(letters.begin() + 1, letters.end());  // after X in the order of their letters, which is that of moves
    for (char c : letters) {
        const std::size_t first = text.find(c), last = text.rfind(c);
        if (first == std::string::npos) throw std::runtime_error("a board without X");
        const int v = board.vehicles++, n = board.size;
        const int row = int(first) / n, column = int(first) % n;
        board.vertical[v] = first % n == last % n;
        board.line[v] = board.vertical[v] ? column : row;
        board.length[v] = int(last - first) / (board.vertical[v] ? n : 1) + 1;
        board.start.put(v, board.vertical[v] ? row : column);
    }
    return board;
}

struct Found {
    int moves;
    long nodes;
};

// A set of keys with open addressing, which doubles when it is half full.
class Visited {
    std::vector<Key> keys;
    std::vector<bool> used;
    std::size_t count = 0;

public:
    explicit Visited(std::size_t slots) : keys(slots), used(slots) {}
    bool add(const Key& key) {
        if (2 * count >= keys.size()) {
            Visited larger(2 * keys.size());
            for (std::size_t i = 0; i < keys.size(); ++i)
                if (used[i]) larger.add(keys[i]);
            *this = std::move(larger);
        }
        std::size_t at = key.hash() & (keys.size() - 1);
        for (; used[at]; at = (at + 1) & (keys.size() - 1))
            if (keys[at] == key) return false;
        keys[at] = key, used[at] = true, ++count;
        return true;
    }
};

Found breadth(const Board& board, long limit) {
    if (board.solved(board.start)) return {0, 0};
    Visited visited(1 << 12);
    visited.add(board.start);
    std::vector<Key> now{board.start}, next;
    long nodes = 0;
    for (int moves = 1; !now.empty(); ++moves, now.swap(next), next.clear())
        for (const Key& key : now) {
            if (++nodes > limit) return {-1, limit};
            bool done = false;
            board.moves(key, [&](int v, int to) {
                Key child = key;
                child.put(v, to);
                if (visited.add(child)) next.push_back(child);
                done = done || board.solved(child);
            });
            if (done) return {moves, nodes};
        }
    return {-1, nodes};
}

// Depth-first search with a bound on the depth that grows until there is a solution. Of equal positions in one slot of the
// table the last is kept; a position met again in the same round, no less deep, is cut. A move that solves comes first.
class Deepening {
    struct Entry {
        Key key;
        int round = 0, depth = 0;
    };
    const Board& board;
    std::vector<Entry> table;
    long limit;
    int round = 0, bound = 0;

public:
    long nodes = 0;
    bool cut = false;
    Deepening(const Board& board, std::size_t slots, long limit) : board(board), table(slots), limit(limit) {}

    int visit(const Key& key, int depth) {
        if (++nodes >= limit) return -1;
        if (board.solved(key)) return depth;
        if (depth == bound) {
            cut = true;
            return -1;
        }
        Entry& entry = table[key.hash() & (table.size() - 1)];
        if (entry.round == round && entry.depth <= depth && entry.key == key) return -1;
        entry = {key, round, depth};
        std::vector<Key> children;
        board.moves(key, [&](int v, int to) {
            Key child = key;
            child.put(v, to);
            children.push_back(child);
        });
        std::stable_partition(children.begin(), children.end(), [&](const Key& child) { return board.solved(child); });
        for (const Key& child : children) {
            const int found = visit(child, depth + 1);
            if (found >= 0 || nodes >= limit) return found;
        }
        return -1;
    }
    Found search(int first, int grow, int deepest) {
        for (bound = first;; bound += grow) {
            ++round, cut = false;
            const int found = visit(board.start, 0);
            if (found >= 0 || nodes >= limit || !cut || bound + grow > deepest) return {found, nodes};
        }
    }
};

int main(int count, char** words) {
    const std::string what = count > 1 ? words[1] : "";
    if (!(what == "breadth" && (count == 2 || count == 3)) && !(what == "deepening" && count == 7)) {
        std::fprintf(stderr, "usage: rush_hour breadth [LIMIT] | deepening FIRST GROW DEEPEST SLOTS LIMIT < boards\n");
        return 2;
    }
    std::vector<Board> boards;
    for (std::string text; std::getline(std::cin, text);)
        if (!text.empty()) boards.push_back(read(text));
    std::vector<Found> found;
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t busy = std::clock();
    for (const Board& board : boards)
        if (what == "breadth")
            found.push_back(breadth(board, count == 3 ? std::atol(words[2]) : std::numeric_limits<long>::max()));
        else
            found.push_back(Deepening(board, std::size_t(std::atol(words[5])), std::atol(words[6]))
                                .search(std::atoi(words[2]), std::atoi(words[3]), std::atoi(words[4])));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    for (const Found& one : found) std::printf("%d %ld\n", one.moves, one.nodes);
    std::printf("%.6f %.6f\n", seconds.count(), double(std::clock() - busy) / CLOCKS_PER_SEC);
}
