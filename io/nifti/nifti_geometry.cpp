// Conversion between sform, qform and pixdim of NIfTI and an affine in mm. Names and formulas follow nifti1.h.
#include "io/nifti/nifti_header.h"
#include "io/orientation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace voxcc::io {
namespace {

using enum NiftiField;

Affine sform(const NiftiHeader& header) {
    Affine affine{};
    constexpr std::array rows{srow_x, srow_y, srow_z};
    for (std::size_t row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column) affine[row][std::size_t(column)] = header.real(rows[row], column);
    return affine;
}

// Contains NaN if b, c and d are longer than a unit quaternion. Other programs shorten them, but nothing says that the result is the
// rotation that the file should state. Rounding to float32 changes the length by less than 1e-6.
Affine qform(const NiftiHeader& header, const Vector3& steps) {
    constexpr double rounding = 1e-5;
    double b = header.real(quatern, 0), c = header.real(quatern, 1), d = header.real(quatern, 2);
    double a = 1 - (b * b + c * c + d * d);
    if (a < -rounding) {
        a = std::nan("");
    } else if (a < 1e-7) {  // a half turn, or b, c and d exceed a unit quaternion by rounding
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

// Steps along i, j and k in the unit of the file. Nothing if pixdim contains a step that is not positive and finite.
std::optional<Vector3> steps_in(const NiftiHeader& header, int rank, LengthUnit unit) {
    Vector3 steps{};
    for (int axis = 0; axis < 3; ++axis) {
        const double step = header.real(pixdim, axis + 1);
        const bool is_usable = step > 0 && std::isfinite(step);
        if (!is_usable && axis < rank) return std::nullopt;
        steps[std::size_t(axis)] = is_usable ? step : 1 / in_millimetres(1, unit);  // 1 mm along an axis that the file does not have
    }
    return steps;
}

// Whether a code states that the form exists. Warns of codes that NIfTI does not define.
bool states(const NiftiHeader& header, NiftiField field, const std::string& form, std::vector<std::string>& warnings) {
    constexpr int last_code = 5;  // NIFTI_XFORM_TEMPLATE_OTHER
    const auto code = header.integer(field);
    if (code < 0 || code > last_code)
        warnings.push_back(form + "_code is " + std::to_string(code) + ", which NIfTI does not define; the " + form +
                           (code > 0 ? " is read" : " is not read"));
    return code > 0;
}

const std::string bad_steps = "pixdim contains a spacing that is not positive and finite";

// The sform if it is usable, else the qform if it is usable. If the header states only forms that are not usable, one of them: an affine
// that is singular or not finite. Nothing if the header states no form.
std::optional<Affine> affine_in(const NiftiHeader& header, const std::optional<Vector3>& steps, std::vector<std::string>& warnings) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    std::optional<Affine> by_sform, by_qform;
    if (states(header, sform_code, "sform", warnings)) by_sform = sform(header);
    if (states(header, qform_code, "qform", warnings)) by_qform = qform(header, steps.value_or(Vector3{unknown, unknown, unknown}));
    const bool sform_usable = by_sform && is_invertible(*by_sform), qform_usable = by_qform && is_invertible(*by_qform);
    const std::string used = sform_usable           ? "; the sform is used"
                             : qform_usable         ? "; the qform is used"
                             : by_sform || by_qform ? ""
                                                    : "; the spacing is taken as 1 mm";
    if (!steps) warnings.push_back("pixdim contains a spacing that is not positive and finite" + used);
    if (by_sform && !sform_usable) warnings.push_back("the sform is singular or not finite" + used);
    if (by_qform && !qform_usable && steps) warnings.push_back("the qform is not finite, or its quaternion is longer than 1" + used);
    if (sform_usable || !by_qform) return by_sform;
    return by_qform;
}

}  // namespace

std::optional<LengthUnit> nifti_unit(const NiftiHeader& header) {
    switch (header.integer(xyzt_units) & 7) {
        case 1: return LengthUnit::m;
        case 2: return LengthUnit::mm;
        case 3: return LengthUnit::um;
        default: return std::nullopt;
    }
}

Geometry nifti_geometry(const NiftiHeader& header, int rank, std::vector<std::string>& warnings) {
    const LengthUnit unit = nifti_unit(header).value_or(LengthUnit::mm);  // as in most programs
    const std::optional<Vector3> steps = steps_in(header, rank, unit);
    Geometry geometry;
    geometry.affine = affine_in(header, steps, warnings);
    geometry.spacing = steps;
    return in_millimetres(geometry, unit);
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
