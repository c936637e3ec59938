#include "src/geometry.h"

#include <cmath>
#include <cstdio>

namespace voxcc {
namespace {

bool same(const io::Affine& a, const io::Affine& b) {
    double edge = 0, position = 0;
    for (const io::Affine& affine : {a, b})
        for (const auto& row : affine) {
            for (int c = 0; c < 3; ++c) edge = std::max(edge, std::abs(row[c]));
            position = std::max(position, std::abs(row[3]));
        }
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 4; ++c)
            if (std::abs(a[r][c] - b[r][c]) > 1e-4 * (c < 3 ? edge : std::max(edge, position))) return false;
    return true;
}

std::string text_of(const io::Affine& affine) {
    std::string text;
    for (const auto& row : affine)
        for (const double v : row) {
            std::array<char, 32> number;
            std::snprintf(number.data(), number.size(), "%s%.6g", text.empty() ? "" : " ", v);
            text += number.data();
        }
    return "[" + text + "]";
}

}  // namespace

std::string text_of(const Extent& e) { return std::to_string(e.nx) + " x " + std::to_string(e.ny) + " x " + std::to_string(e.nz); }

std::optional<World> world_of(const io::VolumeInfo& info) {
    const auto spacing = info.geometry.spacing.value_or(std::array{1.0, 1.0, 1.0});
    io::Affine affine{};
    for (std::size_t i = 0; i < 3; ++i) affine[i][i] = spacing[i];
    if (info.geometry.affine) affine = *info.geometry.affine;
    if (!io::is_invertible(affine)) return std::nullopt;
    return World{affine};
}

void require_same_grid(const io::VolumeInfo& volume, const io::VolumeInfo& other) {
    const auto fail = [&](const std::string& what, const std::string& is, const std::string& is_there) {
        throw Error(ExitCode::bad_data, other.path, "has " + what + " " + is_there + ", but " + volume.path + " has " + is,
                    "resample it onto the same grid");
    };
    if (volume.extent != other.extent) fail("the extent", text_of(volume.extent), text_of(other.extent));
    const auto &affine = volume.geometry.affine, &affine_there = other.geometry.affine;
    if (affine && affine_there && io::is_invertible(*affine) && io::is_invertible(*affine_there) && !same(*affine, *affine_there))
        fail("the affine", text_of(*affine), text_of(*affine_there));
}

}  // namespace voxcc
