#include "kernels3d/measure/eigen.h"

#include <algorithm>
#include <cmath>

namespace voxcc {

Eigen3 eigen(const Matrix3& matrix) {
    Matrix3 m = matrix, v{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  // columns of v: the vectors
    const double scale = std::abs(m[0][0]) + std::abs(m[1][1]) + std::abs(m[2][2]);
    for (int sweep = 0; sweep < 30; ++sweep) {
        double off = 0;
        for (std::size_t p = 0; p < 2; ++p)
            for (std::size_t q = p + 1; q < 3; ++q) {
                off = std::max(off, std::abs(m[p][q]));
                if (m[p][q] == 0) continue;
                const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
                const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
                const double c = 1 / std::hypot(t, 1.0), s = t * c;
                const auto rotate = [&](double& a, double& b) {
                    const double at_p = a, at_q = b;
                    a = c * at_p - s * at_q, b = s * at_p + c * at_q;
                };
                for (std::size_t k = 0; k < 3; ++k) rotate(m[k][p], m[k][q]);
                for (std::size_t k = 0; k < 3; ++k) rotate(m[p][k], m[q][k]);
                for (std::size_t k = 0; k < 3; ++k) rotate(v[k][p], v[k][q]);
                m[p][q] = m[q][p] = 0;
            }
        if (off <= 1e-300 || off < scale * 1e-18) break;
    }
    std::array<std::size_t, 3> order{0, 1, 2};
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return m[a][a] > m[b][b]; });
    Eigen3 result{};
    for (std::size_t n = 0; n < 3; ++n) {
        result.values[n] = std::max(m[order[n]][order[n]], 0.0);
        for (std::size_t k = 0; k < 3; ++k) result.vectors[n][k] = v[k][order[n]];
    }
    return result;
}

}  // namespace voxcc
