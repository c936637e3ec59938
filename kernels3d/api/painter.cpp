#include <voxcc/label.h>

#include <algorithm>

namespace voxcc {

Extent exchanged(const Extent& e, Axis slices) {
    if (slices == Axis::y) return {e.nx, e.nz, e.ny};
    if (slices == Axis::x) return {e.ny, e.nz, e.nx};
    return e;
}

WideSums restore_axes(const WideSums& s, Axis slices) {
    WideSums r = s;
    if (slices == Axis::y) {  // stored order of the axes: x z y
        r.y = s.z, r.z = s.y, r.yy = s.zz, r.zz = s.yy, r.xy = s.xz, r.xz = s.xy;
        r.y0 = s.z0, r.y1 = s.z1, r.z0 = s.y0, r.z1 = s.y1;
    } else if (slices == Axis::x) {  // stored order of the axes: y z x
        r.x = s.z, r.y = s.x, r.z = s.y;
        r.xx = s.zz, r.yy = s.xx, r.zz = s.yy, r.xy = s.xz, r.xz = s.yz, r.yz = s.xy;
        r.x0 = s.z0, r.x1 = s.z1, r.y0 = s.x0, r.y1 = s.x1, r.z0 = s.y0, r.z1 = s.y1;
    }
    return r;
}

Painter::Painter(Labelling& labelling, const Extent& stored, Axis slices, ScalarType type, const std::vector<std::uint64_t>& final_numbers,
                 ThreadPool& pool)
    : labelling_(labelling), stored_(stored), slices_(slices), type_(type) {
    labelling.prepare_paint(type, final_numbers);
    hold_volume(pool);
}

Painter::Painter(Labelling& labelling, const Extent& stored, Axis slices, ScalarType type, const KeptSections& sections, ThreadPool& pool)
    : labelling_(labelling), stored_(stored), slices_(slices), type_(type) {
    labelling.prepare_sections(type, sections.final_numbers);
    hold_volume(pool);
}

/// Paints the complete volume for Axis::x.
void Painter::hold_volume(ThreadPool& pool) {
    if (slices_ != Axis::x) return;
    volume_.resize(std::size_t(stored_.voxels() * size_of(type_)));
    const std::int64_t slice_rows = stored_.nz, slice_bytes = stored_.ny * stored_.nz * size_of(type_);
    pool.for_each(stored_.nx, [&](std::int64_t x) {
        labelling_.paint({x * slice_rows, slice_rows}, volume_.data() + x * slice_bytes, Stores::cached);
    });
}

void Painter::paint(RowRange rows, std::byte* out, Stores stores) const {
    if (slices_ == Axis::z) return labelling_.paint(rows, out, stores);
    const std::int64_t row_bytes = stored_.nx * size_of(type_);
    for (std::int64_t r = rows.first; r < rows.end(); ++r, out += row_bytes) {
        const std::int64_t y = r % stored_.ny, z = r / stored_.ny;
        if (slices_ == Axis::y) {
            labelling_.paint({y * stored_.nz + z, 1}, out, Stores::cached);
            continue;
        }
        visit_scalar(type_, [&]<class T>(std::type_identity<T>) {
            const T* from = reinterpret_cast<const T*>(volume_.data()) + z * stored_.ny + y;
            T* const to = reinterpret_cast<T*>(out);
            for (std::int64_t x = 0; x < stored_.nx; ++x, from += stored_.ny * stored_.nz) to[x] = *from;
        });
    }
}

}  // namespace voxcc
