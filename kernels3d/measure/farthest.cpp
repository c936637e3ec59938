#include "kernels3d/measure/farthest.h"

#include <algorithm>
#include <cmath>

namespace voxcc {
namespace {

using Vector = std::array<double, 3>;

class Farthest {
public:
    Farthest(std::span<const Corner> corners, Space space, const World& world)
        : affine_(world.affine), above_(space == Space::volume ? 1 : 0) {
        points_.reserve(corners.size());
        for (const Corner& corner : corners) points_.push_back({corner, position(corner)});
    }

    double distance() {
        if (points_.size() > few) {
            build(0, points_.size());
            start_with_far_points();
            search(0, 0);
        } else {
            compare(0, points_.size(), 0, points_.size());
        }
        return std::sqrt(best_);
    }

private:
    static constexpr std::size_t few = 32, in_leaf = 12;

    struct Point {
        Corner corner;
        Vector at;  // in mm
    };
    struct Node {
        std::size_t first, end;                  // points
        Vector low, high;                        // box of the points, in mm
        std::size_t children[2] = {none, none};  // nodes
        static constexpr std::size_t none = ~std::size_t{0};
        bool is_leaf() const { return children[0] == none; }
    };

    double squared_length(double x, double y, double z) const {
        double sum = 0;
        for (const auto& row : affine_) {
            const double d = row[0] * x + row[1] * y + row[2] * z;
            sum += d * d;
        }
        return sum;
    }
    void compare(const Corner& a, const Corner& b) {
        const double x = double(std::int64_t(a.x) - b.x), y = double(std::int64_t(a.y) - b.y), z = double(std::int64_t(a.z) - b.z);
        // The distance is a convex function of z, so that it is largest at one of the ends.
        best_ = std::max({best_, squared_length(x, y, z + above_), squared_length(x, y, z - above_)});
    }
    void compare(std::size_t first, std::size_t end, std::size_t other_first, std::size_t other_end) {
        for (std::size_t i = first; i < end; ++i)
            for (std::size_t j = std::max(i, other_first); j < other_end; ++j) compare(points_[i].corner, points_[j].corner);
    }

    Vector position(const Corner& c) const {
        Vector p{};
        for (std::size_t r = 0; r < 3; ++r) p[r] = affine_[r][0] * c.x + affine_[r][1] * c.y + affine_[r][2] * c.z;
        return p;
    }

    std::size_t build(std::size_t first, std::size_t end) {
        Node node{first, end, points_[first].at, points_[first].at};
        for (std::size_t i = first; i < end; ++i) {
            const Vector& p = points_[i].at;
            for (std::size_t r = 0; r < 3; ++r) node.low[r] = std::min(node.low[r], p[r]), node.high[r] = std::max(node.high[r], p[r]);
        }
        const std::size_t number = nodes_.size();
        nodes_.push_back(node);
        if (end - first <= in_leaf) return number;
        std::size_t widest = 0;
        for (std::size_t r = 1; r < 3; ++r)
            if (node.high[r] - node.low[r] > node.high[widest] - node.low[widest]) widest = r;
        const std::size_t middle = (first + end) / 2;
        const auto at = [&](std::size_t i) { return points_.begin() + std::ptrdiff_t(i); };
        std::nth_element(at(first), at(middle), at(end), [widest](const Point& a, const Point& b) { return a.at[widest] < b.at[widest]; });
        const std::size_t low = build(first, middle), high = build(middle, end);
        nodes_[number].children[0] = low, nodes_[number].children[1] = high;
        return number;
    }

    /// A large distance to begin with: from any point to the farthest one, and from there to the farthest one, several times.
    void start_with_far_points() {
        const Point* from = points_.data();
        for (int step = 0; step < 4; ++step) {
            const auto squared_distance = [&](const Point& p) {
                double sum = 0;
                for (std::size_t r = 0; r < 3; ++r) sum += (p.at[r] - from->at[r]) * (p.at[r] - from->at[r]);
                return sum;
            };
            const Point* const to = &*std::ranges::max_element(points_, {}, squared_distance);
            compare(from->corner, to->corner);
            from = to;
        }
    }

    /// An upper bound of the squared distances between the points of two nodes.
    double most(const Node& a, const Node& b) const {
        double sum = 0;
        for (std::size_t r = 0; r < 3; ++r) {
            const double d = std::max(a.high[r] - b.low[r], b.high[r] - a.low[r]) + above_ * std::abs(affine_[r][2]);
            sum += d * d;
        }
        return sum * (1 + 1e-9);  // positions are rounded
    }

    void search(std::size_t a, std::size_t b) {
        const Node &first = nodes_[a], &second = nodes_[b];
        if (most(first, second) < best_) return;
        if (first.is_leaf() && second.is_leaf()) return compare(first.first, first.end, second.first, second.end);
        // Nodes with many points are split first. A pair of a node with itself has three pairs of children.
        if (a == b) {
            search(first.children[0], first.children[1]);
            search(first.children[0], first.children[0]);
            return search(first.children[1], first.children[1]);
        }
        const bool split_first = second.is_leaf() || (!first.is_leaf() && first.end - first.first >= second.end - second.first);
        const auto& children = split_first ? first.children : second.children;
        const std::size_t other = split_first ? b : a;
        const bool swap = most(nodes_[children[0]], nodes_[other]) < most(nodes_[children[1]], nodes_[other]);
        for (const std::size_t child : {children[swap], children[!swap]}) search(std::min(child, other), std::max(child, other));
    }

    std::array<std::array<double, 4>, 3> affine_;
    double above_;  // 1 if each corner stands for two
    std::vector<Point> points_;
    std::vector<Node> nodes_;
    double best_ = 0;  // square of the largest distance so far
};

}  // namespace

double largest_distance(std::span<const Corner> corners, Space space, const World& world) {
    return Farthest(corners, space, world).distance();
}

}  // namespace voxcc
