// Conversion between sform, qform and pixdim of NIfTI and an affine. Names and formulas follow nifti1.h.
#include "io/formats/nifti/nifti_header.h"
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

double determinant(const std::array<Vector3, 3>& c) {
    return c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) - c[1][0] * (c[0][1] * c[2][2] - c[0][2] * c[2][1]) +
           c[2][0] * (c[0][1] * c[1][2] - c[0][2] * c[1][1]);
}

bool is_mirrored(const Affine& affine) { return determinant(steps_of(affine, Anatomical::ras).columns) < 0; }

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

constexpr std::string_view unknown_size = "no voxel size", unknown_unit = "unknown unit";

// Steps along i, j and k. Nothing if pixdim contains a step that is not positive and finite.
std::optional<Vector3> steps_in(const NiftiHeader& header, int rank) {
    Vector3 steps{1, 1, 1};  // an axis that the file does not have
    for (int axis = 0; axis < 3; ++axis) {
        const double step = header.real(pixdim, axis + 1);
        const bool is_usable = step > 0 && std::isfinite(step);
        if (!is_usable && axis < rank) return std::nullopt;
        if (is_usable) steps[std::size_t(axis)] = step;
    }
    return steps;
}

// Whether a code states that the form exists. Warns of codes that NIfTI does not define.
bool states(const NiftiHeader& header, NiftiField field, const std::string& form, std::vector<std::string>& notes) {
    constexpr int last_code = 5;  // NIFTI_XFORM_TEMPLATE_OTHER
    const auto code = header.integer(field);
    if (code < 0 || code > last_code)
        notes.push_back(form + "_code is " + std::to_string(code) + ", which NIfTI does not define; the " + form +
                        (code > 0 ? " is read" : " is not read"));
    return code > 0;
}

struct Forms {
    std::optional<Affine> sform, qform;  // as stated; may be singular or not finite
    bool sform_usable = false, qform_usable = false;
};

Forms forms_in(const NiftiHeader& header, const std::optional<Vector3>& steps, std::vector<std::string>& notes) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    Forms forms;
    if (states(header, sform_code, "sform", notes)) forms.sform = sform(header);
    if (states(header, qform_code, "qform", notes)) forms.qform = qform(header, steps.value_or(Vector3{unknown, unknown, unknown}));
    forms.sform_usable = forms.sform && is_invertible(*forms.sform);
    forms.qform_usable = forms.qform && is_invertible(*forms.qform);
    return forms;
}

void note_unusable_values(const Forms& forms, const std::optional<Vector3>& steps, std::vector<std::string>& notes) {
    const std::string used = forms.sform_usable           ? "; the sform is used"
                             : forms.qform_usable         ? "; the qform is used"
                             : forms.sform || forms.qform ? ""
                                                          : "; the size of the voxels is unknown";
    if (!steps) notes.push_back("pixdim contains a spacing that is not positive and finite" + used);
    if (forms.sform && !forms.sform_usable) notes.push_back("the sform is singular or not finite" + used);
    if (forms.qform && !forms.qform_usable && steps) notes.push_back("the qform is not finite, or its quaternion is longer than 1" + used);
}

// Whether two sizes differ by more than a part of themselves. Axes of one voxel are not compared.
bool differ(const Vector3& a, const Vector3& b, const NiftiHeader& header, int rank, double tolerance) {
    for (int axis = 0; axis < std::min(rank, 3); ++axis) {
        const double one = a[std::size_t(axis)], other = b[std::size_t(axis)];
        if (header.integer(dim, axis + 1) > 1 && std::abs(one - other) > tolerance * std::max(one, other)) return true;
    }
    return false;
}

// Rotations of the two forms may differ, because the sform can be the position in a template.
void note_differences(const NiftiHeader& header, int rank, const Forms& forms, const std::optional<Vector3>& steps,
                      std::vector<std::string>& notes) {
    if (!forms.sform_usable) return;
    const Vector3 used = spacing_of(*forms.sform);
    constexpr double noticeable = 1e-3;
    if (steps && differ(used, *steps, header, rank, noticeable))
        notes.push_back("the sform, which is used, states voxels of " + text_of_steps(used) + ", but pixdim states " +
                        text_of_steps(*steps));
    if (forms.qform_usable && is_mirrored(*forms.sform) != is_mirrored(*forms.qform))
        notes.push_back("the qform is a mirror image of the sform, which is used");
}

std::optional<LengthUnit> stated_unit(const NiftiHeader& header) {
    switch (header.integer(xyzt_units) & 7) {
        case 1: return LengthUnit::m;
        case 2: return LengthUnit::mm;
        case 3: return LengthUnit::um;
        default: return std::nullopt;
    }
}

}  // namespace

Geometry nifti_geometry(const NiftiHeader& header, int rank) {
    Geometry geometry;
    const std::string intent = header.text(NiftiText::intent_name);
    if (intent == unknown_size) return geometry;
    const std::optional<Vector3> steps = steps_in(header, rank);
    const Forms forms = forms_in(header, steps, geometry.notes);
    note_unusable_values(forms, steps, geometry.notes);
    note_differences(header, rank, forms, steps, geometry.notes);
    // A header that states only forms that are not usable gives an affine that is singular or not finite.
    const bool by_sform = forms.sform_usable || !forms.qform;
    geometry.affine = by_sform ? forms.sform : forms.qform;
    geometry.spacing = steps;
    constexpr double rounding = 1e-6;  // of numbers in float32
    if (forms.sform_usable && (!steps || differ(spacing_of(*forms.sform), *steps, header, rank, rounding)))
        geometry.spacing = spacing_of(*forms.sform);
    if (!geometry.has_size()) return geometry;
    geometry.source = !geometry.affine ? "pixdim" : by_sform ? "the sform" : "the qform";
    if (intent != unknown_unit) geometry.unit = stated_unit(header).value_or(LengthUnit::mm);  // mm: as in most programs
    return geometry;
}

void put_geometry(NiftiHeader& header, const Geometry& of_volume) {
    Geometry geometry = usable(of_volume);
    const bool is_code = geometry.unit == LengthUnit::m || geometry.unit == LengthUnit::um;
    if (geometry.unit && !is_code) geometry = in_unit(geometry, LengthUnit::mm);
    Vector3 spacing = geometry.spacing.value_or(Vector3{1, 1, 1});
    if (geometry.affine) spacing = spacing_of(*geometry.affine);
    header.put_real(pixdim, 0, 1);
    for (int axis = 0; axis < 3; ++axis) header.put_real(pixdim, axis + 1, spacing[std::size_t(axis)]);
    if (geometry.unit && geometry.has_size())
        header.put(xyzt_units, 0, geometry.unit == LengthUnit::m ? 1 : geometry.unit == LengthUnit::um ? 3 : 2);
    if (!geometry.affine) return;
    put_sform(header, *geometry.affine);
    put_qform(header, *geometry.affine);
}

void put_unknown_size(NiftiHeader& header, const Geometry& geometry) {
    const Geometry stated = nifti_geometry(header, int(header.integer(dim, 0)));
    const bool lacks_size = !geometry.affine && !usable(geometry).has_size();
    if (lacks_size && stated.has_size()) header.put_text(NiftiText::intent_name, unknown_size);
    else if (!geometry.unit && stated.unit) header.put_text(NiftiText::intent_name, unknown_unit);
}

}  // namespace voxcc::io
