#include "src/pipeline/contacts.h"

#include <voxcc/foreground.h>
#include "src/pipeline/input.h"
#include "src/pipeline/label_bits.h"
#include "src/pipeline/painter.h"

#include <algorithm>
#include <cstring>

namespace voxcc {
namespace {

using block_runs::RowSource;

/// Supplies labels, whose rows of nx labels lie side by side in the buffer of fetch(). Labels other than 0 are foreground.
class LabelSource : public RowSource {
public:
    LabelSource(ScalarType type, std::int64_t nx, Access access) : type_(type), nx_(nx), access_(access), packer_(type, {}) {}
    Access access() const override { return access_; }
    std::int64_t rows_per_fetch() const override { return 64; }
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        packer_.pack(block_runs::default_isa(), values(fetched, rows, index), nx_, bits);
    }
    const std::byte* values(const std::byte* fetched, RowRange, std::int64_t index) const override { return fetched + index * row_bytes(); }
    ScalarType value_type() const override { return type_; }

protected:
    std::int64_t row_bytes() const { return nx_ * size_of(type_); }

private:
    ScalarType type_;
    std::int64_t nx_;
    Access access_;
    ForegroundPacker packer_;
};

/// Paints final numbers, in the order of the axes of the engine.
class PaintedLabels : public LabelSource {
public:
    PaintedLabels(const PaintableLabels& labels, ScalarType type)
        : LabelSource(type, exchanged(labels.stored, labels.slices).nx, labels.access), labelling_(labels.labelling) {
        labelling_.prepare_paint(type, labels.selection.final_numbers);
    }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        buffer.resize(std::size_t(rows.count * row_bytes()));
        labelling_.paint(rows, buffer.data(), block_runs::Stores::cached);
        return buffer.data();
    }

private:
    block_runs::Labelling& labelling_;
};

/// The labels of a file: integers as they are stored, floats as 64-bit integers.
class FileLabels : public LabelSource {
public:
    explicit FileLabels(io::VolumeReader& reader)
        : LabelSource(is_integer(reader) ? reader.info().type : ScalarType::i64, reader.info().extent.nx, Access::in_order),
          reader_(reader),
          rows_(std::in_place, reader) {}
    void rewind() override {
        reader_.rewind();
        rows_.emplace(reader_);
    }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        buffer.resize(std::size_t(rows.count * row_bytes()));
        for (std::int64_t row = 0; row < rows.count; ++row) {
            std::byte* const to = buffer.data() + row * row_bytes();
            const std::span<const std::byte> stored = rows_->next();
            if (is_integer(reader_)) std::memcpy(to, stored.data(), stored.size());
            else to_label_bits(stored, reader_.info(), {reinterpret_cast<LabelBits*>(to), std::size_t(reader_.info().extent.nx)});
        }
        return buffer.data();
    }

private:
    static bool is_integer(const io::VolumeReader& reader) {
        return visit_scalar(reader.info().type, []<class T>(std::type_identity<T>) { return std::is_integral_v<T>; });
    }
    io::VolumeReader& reader_;
    std::optional<RowStream> rows_;
};

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
    if (is_narrow) on_device = labels.labelling.contacts(reduced(connectivity, extent), labels.selection.final_numbers, memory);
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
    if (labels.info().type == ScalarType::u64) return contacts;
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
