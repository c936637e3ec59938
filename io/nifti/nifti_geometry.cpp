// Conversion between sform, qform and pixdim of NIfTI and an affine in mm. Names and formulas follow nifti1.h.
#include "io/nifti/nifti_header.h"
#include "io/orientation.h"

#include <algorithm>
#include <cmath>

namespace voxcc::io {
namespace {

using enum NiftiField;

double millimetres_per_unit(const NiftiHeader& header) {
    switch (header.integer(xyzt_units) & 7) {
        case 1: return 1000;
        case 3: return 0.001;
        default: return 1;  // mm; also for "unknown", as in most programs
    }
}

Affine scaled(Affine affine, double factor) {
    for (auto& row : affine)
        for (double& value : row) value *= factor;
    return affine;
}

Affine sform(const NiftiHeader& header) {
    Affine affine{};
    constexpr std::array rows{srow_x, srow_y, srow_z};
    for (std::size_t row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column) affine[row][std::size_t(column)] = header.real(rows[row], column);
    return affine;
}

Affine qform(const NiftiHeader& header, const Vector3& steps) {
    double b = header.real(quatern, 0), c = header.real(quatern, 1), d = header.real(quatern, 2);
    double a = 1 - (b * b + c * c + d * d);
    if (a < 1e-7) {  // a half turn, or b, c and d exceed a unit quaternion by rounding
        const double scale = 1 / std::sqrt(b * b + c * c + d * d);
        a = 0, b *= scale, c *= scale, d *= scale;
    } else {
        a = std::sqrt(a);
    }
    const double handedness = header.real(pixdim, 0) < 0 ? -1 : 1;
    const Vector3 step{steps[0], steps[1], steps[2] * handedness};
    const std::array<Vector3, 3> rotation{{
        // rows of the matrix
        {a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
        {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)},
        {2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c},
    }};
    Affine affine{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) affine[row][column] = rotation[row][column] * step[column];
        affine[row][3] = header.real(qoffset, int(row));
    }
    return affine;
}

struct Quaternion {
    double b, c, d;
};

// The quaternion of a rotation without mirroring, computed from its largest component, which is never near zero.
Quaternion quaternion_of(const std::array<Vector3, 3>& columns) {
    const auto r = [&](std::size_t row, std::size_t column) { return columns[column][row]; };
    const std::array<double, 4> squares{1 + r(0, 0) + r(1, 1) + r(2, 2), 1 + r(0, 0) - r(1, 1) - r(2, 2), 1 - r(0, 0) + r(1, 1) - r(2, 2),
                                        1 - r(0, 0) - r(1, 1) + r(2, 2)};  // 4 a^2, 4 b^2, 4 c^2, 4 d^2
    const auto largest = std::size_t(std::max_element(squares.begin(), squares.end()) - squares.begin());
    const double root = std::sqrt(squares[largest]), scale = 0.5 / root;
    std::array<double, 4> q{};
    switch (largest) {
        case 0: q = {root / 2, (r(2, 1) - r(1, 2)) * scale, (r(0, 2) - r(2, 0)) * scale, (r(1, 0) - r(0, 1)) * scale}; break;
        case 1: q = {(r(2, 1) - r(1, 2)) * scale, root / 2, (r(0, 1) + r(1, 0)) * scale, (r(0, 2) + r(2, 0)) * scale}; break;
        case 2: q = {(r(0, 2) - r(2, 0)) * scale, (r(0, 1) + r(1, 0)) * scale, root / 2, (r(1, 2) + r(2, 1)) * scale}; break;
        default: q = {(r(1, 0) - r(0, 1)) * scale, (r(0, 2) + r(2, 0)) * scale, (r(1, 2) + r(2, 1)) * scale, root / 2}; break;
    }
    const double sign = q[0] < 0 ? -1 : 1;  // a is not stored; readers take it as positive
    return {sign * q[1], sign * q[2], sign * q[3]};
}

double dot(const Vector3& u, const Vector3& v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; }

double determinant(const std::array<Vector3, 3>& c) {
    return c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) - c[1][0] * (c[0][1] * c[2][2] - c[0][2] * c[2][1]) +
           c[2][0] * (c[0][1] * c[1][2] - c[0][2] * c[1][1]);
}

// Writes the qform if the affine has orthogonal steps. A qform cannot store a shear.
void put_qform(NiftiHeader& header, const Affine& affine) {
    auto [columns, origin] = steps_of(affine, Anatomical::ras);
    for (Vector3& column : columns) {
        const double step = length(column);
        for (double& value : column) value /= step;
    }
    constexpr double rounding = 1e-6;
    for (const auto& [u, v] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)})
        if (std::abs(dot(columns[std::size_t(u)], columns[std::size_t(v)])) > rounding) return;
    const double handedness = determinant(columns) < 0 ? -1 : 1;
    for (double& value : columns[2]) value *= handedness;
    const Quaternion q = quaternion_of(columns);
    header.put(qform_code, 0, 1);
    header.put_real(pixdim, 0, handedness);
    header.put_real(quatern, 0, q.b);
    header.put_real(quatern, 1, q.c);
    header.put_real(quatern, 2, q.d);
    for (int row = 0; row < 3; ++row) header.put_real(qoffset, row, origin[std::size_t(row)]);
}

void put_sform(NiftiHeader& header, const Affine& affine) {
    // Code 1, "scanner": the affine of another format gives positions in the frame of the instrument and nothing more.
    header.put(sform_code, 0, 1);
    constexpr std::array rows{srow_x, srow_y, srow_z};
    for (std::size_t row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column) header.put_real(rows[row], column, affine[row][std::size_t(column)]);
}

}  // namespace

Geometry nifti_geometry(const NiftiHeader& header, int rank, std::vector<std::string>& warnings) {
    const double unit = millimetres_per_unit(header);
    Geometry geometry;
    Vector3 steps{};  // in the unit of the file
    bool steps_usable = true;
    for (int axis = 0; axis < 3; ++axis) {
        double step = header.real(pixdim, axis + 1);
        if (axis >= rank && !(step > 0 && std::isfinite(step))) step = 1 / unit;  // the file does not have this axis: 1 mm
        steps_usable = steps_usable && step > 0 && std::isfinite(step);
        steps[std::size_t(axis)] = step;
    }
    if (steps_usable) geometry.spacing = Vector3{steps[0] * unit, steps[1] * unit, steps[2] * unit};
    else warnings.push_back("pixdim holds a spacing that is not positive and finite: no spacing is known");

    if (header.integer(sform_code) > 0) {
        geometry.affine = scaled(sform(header), unit);
        if (is_invertible(*geometry.affine)) return geometry;
        warnings.push_back("the sform is singular or not finite and is ignored");
        geometry.affine.reset();
    }
    if (header.integer(qform_code) > 0 && steps_usable) {
        geometry.affine = scaled(qform(header, steps), unit);
        if (is_invertible(*geometry.affine)) return geometry;
        warnings.push_back("the qform is singular or not finite and is ignored");
        geometry.affine.reset();
    }
    return geometry;
}

void put_geometry(NiftiHeader& header, const Geometry& geometry) {
    const bool placed = geometry.affine && is_invertible(*geometry.affine);
    Vector3 spacing = geometry.spacing.value_or(Vector3{1, 1, 1});
    if (placed) spacing = spacing_of(*geometry.affine);
    header.put_real(pixdim, 0, 1);
    for (int axis = 0; axis < 3; ++axis) header.put_real(pixdim, axis + 1, spacing[std::size_t(axis)]);
    if (placed || geometry.spacing) header.put(xyzt_units, 0, 2);  // mm
    if (!placed) return;
    put_sform(header, *geometry.affine);
    put_qform(header, *geometry.affine);
}

}  // namespace voxcc::io
