// The reference for contacts: all pairs of neighbouring voxels. It shares no code with the tested functions.
#pragma once
#include <voxcc/contacts.h>

#include <cstdlib>
#include <map>
#include <vector>

namespace contacts_oracle {

using namespace voxcc;

/// Counts each pair twice, from both of its voxels, and halves the counts.
template <class T>
std::vector<LabelContact> expected(const std::vector<T>& labels, const Extent& e, int neighbours) {
    const bool flat = neighbours == 4 || neighbours == 8;
    const int steps = neighbours == 4 || neighbours == 6 ? 1 : neighbours == 8 || neighbours == 18 ? 2 : 3;
    std::map<std::pair<std::uint64_t, std::uint64_t>, LabelContact> contacts;
    for (std::int64_t z = 0; z < e.nz; ++z)
        for (std::int64_t y = 0; y < e.ny; ++y)
            for (std::int64_t x = 0; x < e.nx; ++x)
                for (int dz = -1; dz <= 1; ++dz)
                    for (int dy = -1; dy <= 1; ++dy)
                        for (int dx = -1; dx <= 1; ++dx) {
                            const int axes = std::abs(dx) + std::abs(dy) + std::abs(dz);
                            if (axes == 0 || axes > steps || (flat && dz != 0)) continue;
                            const std::int64_t u = x + dx, v = y + dy, w = z + dz;
                            if (u < 0 || v < 0 || w < 0 || u >= e.nx || v >= e.ny || w >= e.nz) continue;
                            const auto bits = [&](std::int64_t i) { return std::uint64_t(std::int64_t(labels[std::size_t(i)])); };
                            const std::uint64_t p = bits(x + e.nx * (y + e.ny * z)), q = bits(u + e.nx * (v + e.ny * w));
                            if (p == q || p == 0 || q == 0) continue;
                            LabelContact& c = contacts[{std::min(p, q), std::max(p, q)}];
                            c.a = std::min(p, q), c.b = std::max(p, q);
                            ++(axes == 3 ? c.corners : axes == 2 ? c.edges : c.faces[dx ? 0 : dy ? 1 : 2]);
                        }
    std::vector<LabelContact> all;
    for (auto& [labels_of, c] : contacts) {
        for (std::uint64_t& n : c.faces) n /= 2;
        c.edges /= 2, c.corners /= 2;
        all.push_back(c);
    }
    return all;
}

}  // namespace contacts_oracle
