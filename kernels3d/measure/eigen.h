// Eigenvalues and eigenvectors of symmetric 3x3 matrices.
#pragma once
#include <array>

namespace voxcc {

using Matrix3 = std::array<std::array<double, 3>, 3>;

// ii ij ik jj jk kk  ->  {{ii, ij, ik}, {ij, jj, jk}, {ik, jk, kk}}
constexpr Matrix3 symmetric_matrix(const std::array<double, 6>& c) {
    return {{{c[0], c[1], c[2]}, {c[1], c[3], c[4]}, {c[2], c[4], c[5]}}};
}

struct Eigen3 {
    std::array<double, 3> values;  // largest first; negative eigenvalues are 0
    Matrix3 vectors;               // [n] unit vector of values[n]; its sign is arbitrary
};

/// Applies Jacobi rotations until the matrix is diagonal. @param m must be symmetric
// {{1, 0, 0}, {0, 3, 0}, {0, 0, 2}}  ->  values 3, 2, 1; vectors (0, 1, 0), (0, 0, 1), (1, 0, 0)
Eigen3 eigen(const Matrix3& m);

}  // namespace voxcc
