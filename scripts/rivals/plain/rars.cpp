// RARS in plain C++: one car after the other, in double precision and in the coordinates of the track. The driver is Tuto3.
//
//     g++ -O2 -std=c++17 -o rars rars.cpp
//     rars LAPS CARS AHEAD < track      a line for each lap of the first car: its seconds; then steps, seconds by the clock
//                                       and of the processor
//
// Standard input has a track in numbers: width; x, y and direction of the start of the right wall; the share of segment 0
// before the finish line; places side by side on the grid; the number of segments; radius of the right wall (0: straight)
// and feet or radians of each. With AHEAD = 1 each step also casts the ray to the first wall ahead, as programs need it.
// Friction is fixed, the road is of kind 1.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <vector>

constexpr double PI = 3.14159265, DT = 0.0549, G = 32.2, POWER = 1e5, CUT = 0.9975 * POWER, MOST = 1.05;

struct Segment {
    double radius, extent;            // of the right wall: above 0 a left turn, below 0 a right turn, 0 straight; feet or radians
    double x, y, angle;               // where the right wall begins
    double cx, cy, end_angle, length; // centre; direction at its end; feet along the middle
    double sine, cosine;
};

struct Track {
    double width, finish;
    int rows;
    std::vector<Segment> segments;
};

struct Sensors {
    double to_left, to_right, to_end, v, vn, radius, next_radius;
};

struct Car {
    double x, y, vx, vy, wx = 0, wy = 0, ax = 0, ay = 0, alpha = 0, fuel = 150;
    int segment = 0, laps = -1, damage = 0;
    bool on_line = false;
    double crossed = 0, lane = -1;
};

static double inner(const Track& track, const Segment& s) { return s.radius > 0 ? s.radius - track.width : s.radius; }

static Track read() {
    Track track;
    int count;
    double x, y, angle;
    std::cin >> track.width >> x >> y >> angle >> track.finish >> track.rows >> count;
    for (int i = 0; i < count; ++i) {
        Segment s{};
        std::cin >> s.radius >> s.extent;
        s.x = x, s.y = y, s.angle = angle, s.sine = std::sin(angle), s.cosine = std::cos(angle);
        if (s.radius == 0) {
            x += s.extent * s.cosine, y += s.extent * s.sine;
            s.length = s.extent;
        } else {
            s.cx = x - s.radius * s.sine, s.cy = y + s.radius * s.cosine;
            angle += s.radius > 0 ? s.extent : -s.extent;
            if (std::fabs(angle) > 2 * PI) angle -= std::copysign(2 * PI, angle);
            x = s.cx + s.radius * std::sin(angle), y = s.cy - s.radius * std::cos(angle);
            s.length = std::fabs(s.extent * (2 * s.radius - track.width) / 2);
        }
        s.end_angle = angle;
        track.segments.push_back(s);
    }
    return track;
}

// What the car perceives, in the segment that it is in.
static Sensors seen(const Track& track, const Car& car) {
    const Segment& s = track.segments[car.segment];
    Sensors o{};
    o.v = std::hypot(car.vx, car.vy);
    if (s.radius == 0) {
        const double dx = car.x - s.x, dy = car.y - s.y;
        o.to_right = dy * s.cosine - dx * s.sine;
        o.to_left = track.width - o.to_right;
        o.to_end = s.extent - (dx * s.cosine + dy * s.sine);
        o.vn = car.vy * s.cosine - car.vx * s.sine;
    } else {
        const double dx = car.x - s.cx, dy = car.y - s.cy, d = std::hypot(dx, dy);
        if (s.radius > 0) {
            o.to_left = d - (s.radius - track.width);
            o.to_right = track.width - o.to_left;
            o.to_end = s.end_angle - std::atan2(dy, dx) - PI / 2;
            o.vn = -(car.vx * dx + car.vy * dy) / d;
        } else {
            o.to_right = d + s.radius;
            o.to_left = track.width - o.to_right;
            o.to_end = -s.end_angle + std::atan2(dy, dx) - PI / 2;
            o.vn = (car.vx * dx + car.vy * dy) / d;
        }
        while (o.to_end > 1.5 * PI) o.to_end -= 2 * PI;
        while (o.to_end < -0.5 * PI) o.to_end += 2 * PI;
    }
    o.radius = inner(track, s);
    o.next_radius = inner(track, track.segments[(car.segment + 1) % track.segments.size()]);
    return o;
}

// Feet from a place along a direction to the first wall, through as many segments as it takes; `angle` is that of the wall.
static double ahead(const Track& track, const Car& car, double& angle) {
    const double v = std::max(std::hypot(car.vx, car.vy), 1e-9), dx = car.vx / v, dy = car.vy / v;
    double x = car.x, y = car.y, gone = 0;
    int at = car.segment;
    for (std::size_t passed = 0; passed <= track.segments.size(); ++passed) {
        const Segment& s = track.segments[at];
        double wall = 1e9, end = 1e9, tx = s.cosine, ty = s.sine;
        if (s.radius == 0) {
            const double across = dy * s.cosine - dx * s.sine, along = dx * s.cosine + dy * s.sine;
            const double right = (y - s.y) * s.cosine - (x - s.x) * s.sine;
            const double left_over = s.extent - ((x - s.x) * s.cosine + (y - s.y) * s.sine);
            if (across > 0) wall = std::max(track.width - right, 0.0) / across;
            if (across < 0) wall = std::max(right, 0.0) / -across;
            if (along > 0) end = std::max(left_over, 0.0) / along;
        } else {
            const double px = x - s.cx, py = y - s.cy, b = px * dx + py * dy, c = px * px + py * py;
            const double small = std::fabs(inner(track, s)), large = small + track.width;
            const double touch = b * b - c + small * small;
            if (b < 0 && touch >= 0) wall = std::max(-b - std::sqrt(touch), 0.0);
            else wall = std::max(-b + std::sqrt(std::max(b * b - c + large * large, 0.0)), 0.0);
            // The line through the centre on which the segment ends.
            const double turn = s.radius > 0 ? 1 : -1, ex = turn * std::sin(s.end_angle), ey = -turn * std::cos(s.end_angle);
            const double beside = turn * (px * ey - py * ex), closes = -turn * (dx * ey - dy * ex);
            if (closes > 0 && beside >= 0) {
                const double t = beside / closes;
                if ((px + t * dx) * ex + (py + t * dy) * ey > 0) end = t;
            }
            const double hx = px + wall * dx, hy = py + wall * dy, h = std::max(std::hypot(hx, hy), 1e-9);
            tx = -turn * hy / h, ty = turn * hx / h;
        }
        if (wall <= end) {
            angle = std::atan2(dx * ty - dy * tx, dx * tx + dy * ty);
            return gone + wall;
        }
        gone += end, x += end * dx, y += end * dy;
        at = (at + 1) % static_cast<int>(track.segments.size());
    }
    return gone;
}

static double held(double radius) { return radius == 0 ? 250 : std::sqrt(G * 0.92 * (std::fabs(radius) + 12)); }

static double stopping(double v, double after, double rate) { return after > v ? 0 : (v + after) / 2 * (v - after) / rate; }

// The angle and the wheel speed that Tuto3 asks for.
static void tuto3(const Track& track, const Sensors& s, double& lane, double& alpha, double& speed) {
    const double w = track.width, fast = held(s.radius), next = held(s.next_radius);
    if (lane < 0) lane = s.to_left;
    if (s.radius != 0) lane = s.radius > 0 ? 12 : w - 12;
    const double sign = s.radius > 0 ? 1 : s.radius < 0 ? -1 : 0;
    const double bias = sign * (s.v / fast) * (s.v / fast) * std::atan(9 / fast);
    alpha = 0.5 * (s.to_left - lane) / w - 1.1 * s.vn / s.v + bias;
    if (s.radius != 0) {
        speed = (s.v + fast) / 2 / std::cos(alpha);
        if (s.to_end * (std::fabs(s.radius) + 12) <= stopping(s.v, next, 25)) speed = s.v - 5;
    } else if (s.to_end > stopping(s.v, next, 30)) {
        speed = s.v + 50;
    } else {
        speed = s.v > 1.02 * next ? 0.935 * s.v : s.v < 0.98 * next ? 1.1 * next : (s.v + next) / 2;
        lane = s.next_radius > 0 ? 12 : w - 12;
    }
}

// The wheel speed at which the power is cut: Newton's method within a bracket.
static double cut(double weight, double straight, double side, double most) {
    const double share = std::min(CUT / (MOST * weight * std::hypot(straight, side)), 0.995);
    double low = 0, high = most, slip = std::clamp(-2 * std::log1p(-share), std::min(0.001, most), most);
    for (int round = 0; round < 5; ++round) {
        const double whole = std::hypot(slip, side), part = slip / whole, gone = MOST * std::exp(-whole / 2);
        const double rub = MOST - gone, steep = gone / 2, speed = slip + straight;
        const double over = weight * speed * rub * part - CUT;
        const double slope = weight * (rub * part + speed * (steep * part * part + rub * (1 - part * part) / whole));
        (over > 0 ? high : low) = slip;
        const double moved = slip - over / slope;
        slip = moved >= low && moved <= high ? moved : (low + high) / 2;
    }
    return straight + slip;
}

static void move(const Track& track, Car& car, const Sensors& o, double alpha, double vc) {
    car.alpha = std::clamp(car.alpha + std::clamp(alpha - car.alpha, -3.2 * DT, 3.2 * DT), -1.0, 1.0);
    const double v = o.v, mass = 75 + car.fuel / G, weight = mass * G, sine = std::sin(car.alpha), cosine = std::cos(car.alpha);
    if (vc < 0 && v > 20) vc = 0;
    const double beyond = std::max(-o.to_left, -o.to_right);
    double drag = 0.0065 * v * v * (2.0 * car.damage + 30000) / 30000;
    if (beyond > 0) drag += (0.6 + 0.008 * v) * weight;
    if (beyond > track.width) drag += 1.7 * weight;
    auto forces = [&](double& across, double& along) {
        const double side = -vc * sine, back = v - vc * cosine, slip = std::hypot(side, back);
        const double force = slip < 1e-4 ? 0 : weight * MOST * (1 - std::exp(-slip / 2)) / slip;
        across = -force * side, along = -force * back;
        return std::fabs(vc) * (along * cosine + across * sine);
    };
    double across, along, power = forces(across, along);
    if (power > POWER) {
        vc = cut(weight, v * cosine, v * std::fabs(sine), vc - v * cosine);
        power = forces(across, along);
    }
    const double cen = across / mass, tan = (along - drag) / mass;
    if (power > 0) car.fuel -= power * 0.45e-6 * DT;
    if (beyond > 0) car.damage += static_cast<int>((tan * tan + cen * cen) / 50);
    const double c = v < 1e-4 ? 0 : car.vx / v, s = v < 1e-4 ? 0 : car.vy / v;
    const double ax = tan * c - cen * s, ay = cen * c + tan * s, vx = car.vx, vy = car.vy;
    car.x += (1.5 * vx - 0.5 * car.wx) * DT, car.y += (1.5 * vy - 0.5 * car.wy) * DT;
    car.vx += (1.5 * ax - 0.5 * car.ax) * DT, car.vy += (1.5 * ay - 0.5 * car.ay) * DT;
    car.wx = vx, car.wy = vy, car.ax = ax, car.ay = ay;
}

// Drive some laps; return the steps. Lap times go to `times`.
static long drive(const Track& track, int laps, bool rays, std::vector<double>& times, double& sum) {
    const Segment& first = track.segments[0];
    const bool right = track.segments[1 % track.segments.size()].radius < 0;
    const double side = track.width / (track.rows + 1), beside = right ? side : track.width - side;
    const double along = track.finish * first.extent - 10;
    Car car;
    car.x = first.x + along * first.cosine - beside * first.sine, car.y = first.y + along * first.sine + beside * first.cosine;
    car.vx = 20 * first.cosine, car.vy = 20 * first.sine;
    for (long step = 0;; ++step) {
        Sensors o = seen(track, car);
        while (o.to_end <= 0) {
            car.segment = (car.segment + 1) % static_cast<int>(track.segments.size());
            car.on_line = car.on_line && car.segment == 0;
            o = seen(track, car);
        }
        if (car.segment == 0) {
            const double over = first.extent - o.to_end - track.finish * first.extent;
            if (over > 0 && !car.on_line) {
                const double time = step * DT - over / (car.vx * first.cosine + car.vy * first.sine);
                car.on_line = true;
                if (++car.laps > 0) times.push_back(time - car.crossed);
                car.crossed = time;
                if (car.laps == laps) return step;
            }
        }
        double alpha, speed, angle = 0;
        if (rays) sum += ahead(track, car, angle) + angle;
        tuto3(track, o, car.lane, alpha, speed);
        move(track, car, o, alpha, speed);
    }
}

int main(int count, char** words) {
    if (count != 4) return std::fprintf(stderr, "rars LAPS CARS AHEAD < track\n"), 2;
    const int laps = std::atoi(words[1]), cars = std::atoi(words[2]);
    const bool rays = std::atoi(words[3]) != 0;
    const Track track = read();
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t processor = std::clock();
    std::vector<double> times;
    double sum = 0;
    long steps = 0;
    for (int car = 0; car < cars; ++car) steps += drive(track, laps, rays, times, sum);
    const double cpu = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (int lap = 0; lap < laps; ++lap) std::printf("%.4f\n", times[lap]);
    if (sum == 0.5) std::printf("never\n");  // so that rays are not left out
    std::printf("%ld %.6f %.6f\n", steps, wall, cpu);
}
