// The public entry points for voxels in host memory and for row sources.
#include <voxcc/label.h>
#include <voxcc/machine.h>
#include <voxcc/memory_source.h>

#include <algorithm>
#include <cstring>

namespace voxcc {
namespace {

/// Rows of a view whose voxels do not lie side by side: each row is gathered.
class StridedSource final : public block_runs::RowSource {
public:
    StridedSource(const VolumeView& view, const ForegroundPacker& packer)
        : view_(view), packer_(packer), row_bytes_(view.extent.nx * size_of(view.type)) {}
    Access access() const override { return Access::concurrent; }
    std::int64_t rows_per_fetch() const override { return std::max<std::int64_t>(1, (1 << 16) / row_bytes_); }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        buffer.resize(std::size_t(rows.count * row_bytes_));
        visit_scalar(view_.type, [&]<class T>(std::type_identity<T>) {
            T* to = reinterpret_cast<T*>(buffer.data());
            for (std::int64_t row = rows.first; row < rows.end(); ++row) {
                const std::byte* from = view_.voxels + row % view_.extent.ny * view_.strides[1] + row / view_.extent.ny * view_.strides[2];
                for (std::int64_t x = 0; x < view_.extent.nx; ++x, from += view_.strides[0]) *to++ = *reinterpret_cast<const T*>(from);
            }
        });
        return buffer.data();
    }
    void pack(const std::byte* fetched, RowRange, std::int64_t index, std::uint64_t* bits) const override {
        packer_.pack(isa_, fetched + index * row_bytes_, view_.extent.nx, bits);
    }
    const std::byte* values(const std::byte* fetched, RowRange, std::int64_t index) const override { return fetched + index * row_bytes_; }
    ScalarType value_type() const override { return view_.type; }

private:
    VolumeView view_;
    const ForegroundPacker& packer_;
    std::int64_t row_bytes_;
    block_runs::Isa isa_ = block_runs::default_isa();
};

std::uint64_t largest(ScalarType type) {
    return visit_scalar(type, []<class T>(std::type_identity<T>) -> std::uint64_t {
        if constexpr (std::is_unsigned_v<T>) return std::numeric_limits<T>::max();
        else throw Error(ErrorKind::invalid_argument, "labels", "labels must be unsigned integers");
    });
}

const Algorithm& find(std::string_view name) {
    const Algorithm* const algorithm = find_algorithm(name);
    if (!algorithm) throw Error(ErrorKind::no_such_algorithm, "algorithm", "'" + std::string(name) + "' is not an algorithm of this build");
    return *algorithm;
}

constexpr std::int64_t rows_per_task = 64;

}  // namespace

Labelling& Labelling::operator=(Labelling&& other) noexcept {
    parts_.labelling = nullptr;  // before the threads and the source that it may use
    parts_ = std::move(other.parts_);
    return *this;
}

std::uint64_t Labelling::count() const { return parts_.labelling->count(); }
SumTable Labelling::measure() { return parts_.labelling->measure(); }
std::vector<std::uint64_t> Labelling::source_values() const { return parts_.labelling->source_values(); }

void Labelling::paint(const LabelView& labels, std::span<const std::uint64_t> final_numbers) {
    const std::uint64_t most = final_numbers.empty() ? count() : *std::max_element(final_numbers.begin(), final_numbers.end());
    if (most > largest(labels.type))
        throw Error(ErrorKind::labels_too_large, "labels",
                    std::to_string(most) + " does not fit " + std::string(name_of(labels.type)) + "; use a wider type");
    const std::int64_t bytes = size_of(labels.type), row_bytes = parts_.extent.nx * bytes, rows = parts_.extent.rows();
    const auto row_at = [&](std::int64_t row) {
        return labels.labels + row % parts_.extent.ny * labels.strides[1] + row / parts_.extent.ny * labels.strides[2];
    };
    const bool rows_follow = labels.strides == dense(parts_.extent, bytes);
    parts_.labelling->prepare_paint(labels.type, final_numbers);
    parts_.pool->for_each((rows + rows_per_task - 1) / rows_per_task, [&](std::int64_t task) {
        const RowRange range{task * rows_per_task, std::min(rows_per_task, rows - task * rows_per_task)};
        if (rows_follow) return parts_.labelling->paint(range, row_at(range.first), block_runs::Stores::cached);
        std::vector<std::byte> buffer(static_cast<std::size_t>(row_bytes));
        for (std::int64_t row = range.first; row < range.end(); ++row) {
            parts_.labelling->paint({row, 1}, buffer.data(), block_runs::Stores::cached);
            std::byte* to = row_at(row);
            for (std::int64_t x = 0; x < parts_.extent.nx; ++x, to += labels.strides[0])
                std::memcpy(to, buffer.data() + x * bytes, std::size_t(bytes));
        }
    });
}

namespace {

Labelling label_rows(std::shared_ptr<void> kept, block_runs::RowSource& source, const Extent& extent, const LabellingOptions& options) {
    checked_bytes(extent, 8, "volume");
    Labelling::Parts parts{.extent = extent, .own_pool = nullptr, .pool = options.pool, .source = std::move(kept), .labelling = nullptr};
    if (!parts.pool) {
        parts.own_pool = std::make_unique<ThreadPool>(options.threads > 0 ? options.threads : available_threads());
        parts.pool = parts.own_pool.get();
    }
    block_runs::Request request;
    request.extent = extent;
    request.connectivity = options.connectivity;
    request.rule = options.rule;
    request.gradient = options.gradient;
    request.periodic = options.periodic;
    parts.labelling = label(find(options.algorithm), require_device(options.device, "device"), request, source, *parts.pool,
                            {.slices = options.slices_per_stream_slab});
    return Labelling(std::move(parts));
}

/// A packer and the source that uses it.
template <class Source>
struct Packed {
    template <class... Arguments>
    Packed(const VolumeView& volume, const ForegroundRule& rule, Arguments&&... arguments)
        : packer(volume.type, rule), source(std::forward<Arguments>(arguments)..., packer) {}
    ForegroundPacker packer;
    Source source;
};

}  // namespace

Labelling label(block_runs::RowSource& source, const Extent& extent, const LabellingOptions& options) {
    return label_rows(nullptr, source, extent, options);
}

Labelling label(const VolumeView& volume, const LabellingOptions& options) {
    checked_bytes(volume.extent, size_of(volume.type), "volume");
    if (options.slices_per_stream_slab > 0)
        throw Error(ErrorKind::unsupported, "slices_per_stream_slab", "a volume in memory is labelled in one piece; leave it at 0");
    if (volume.strides == dense(volume.extent, size_of(volume.type))) {
        const auto kept = std::make_shared<Packed<block_runs::MemorySource>>(volume, options.foreground, volume.voxels, volume.extent);
        return label_rows(kept, kept->source, volume.extent, options);
    }
    const auto kept = std::make_shared<Packed<StridedSource>>(volume, options.foreground, volume);
    return label_rows(kept, kept->source, volume.extent, options);
}

}  // namespace voxcc
