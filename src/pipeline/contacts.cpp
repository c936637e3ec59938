#include "src/pipeline/contacts.h"

#include <voxcc/label.h>
#include "src/pipeline/painted_labels.h"

#include <algorithm>

namespace voxcc {
namespace {

/// The faces by the stored axes, from the faces by the axes of the engine.
std::array<std::uint64_t, 3> restore_axes(const std::array<std::uint64_t, 3>& faces, Axis slices) {
    if (slices == Axis::y) return {faces[0], faces[2], faces[1]};
    if (slices == Axis::x) return {faces[2], faces[0], faces[1]};
    return faces;
}

}  // namespace

Connectivity contact_connectivity(Rule rule, Connectivity connectivity) {
    if (rule != Rule::foreground) return connectivity;
    return connectivity == Connectivity::c4 || connectivity == Connectivity::c8 ? Connectivity::c8 : Connectivity::c26;
}

std::vector<LabelContact> contacts_of(const PaintableLabels& labels, Connectivity connectivity, ThreadPool& pool, MemoryLimit* memory) {
    const Extent extent = exchanged(labels.stored, labels.slices);
    const bool is_narrow = labels.selection.count <= ~std::uint32_t{0};
    std::optional<std::vector<LabelContact>> on_device;
    if (is_narrow) on_device = contacts_on_device(labels.labelling, reduced(connectivity, extent), labels.selection.final_numbers, memory);
    if (!on_device) {
        PaintedLabels source(labels, is_narrow ? ScalarType::u32 : ScalarType::u64);
        on_device = label_contacts(source, extent, connectivity, pool, memory);
    }
    std::vector<LabelContact> contacts = std::move(*on_device);
    for (LabelContact& contact : contacts) contact.faces = restore_axes(contact.faces, labels.slices);
    return contacts;
}

std::vector<LabelContact> contacts_of(io::VolumeReader& labels, Connectivity connectivity) {
    FileLabels source(labels);
    ThreadPool pool(1);
    auto contacts = label_contacts(source, labels.info().extent, connectivity, pool);
    if (source.value_type() == ScalarType::u64) return contacts;
    for (LabelContact& contact : contacts)
        if (std::int64_t(contact.b) < std::int64_t(contact.a)) std::swap(contact.a, contact.b);
    std::ranges::sort(contacts, [](const LabelContact& l, const LabelContact& r) {
        return l.a != r.a ? std::int64_t(l.a) < std::int64_t(r.a) : std::int64_t(l.b) < std::int64_t(r.b);
    });
    return contacts;
}

std::int64_t bytes_of_contacts(const Extent& stored, const std::optional<Axis>& per_slice) {
    const Extent extent = exchanged(stored, per_slice.value_or(Axis::z));
    const bool is_narrow = stored.voxels() <= std::int64_t{~std::uint32_t{0}};
    return contact_bytes_per_thread(extent) + 2 * extent.nx * extent.ny * size_of(is_narrow ? ScalarType::u32 : ScalarType::u64);
}

}  // namespace voxcc
