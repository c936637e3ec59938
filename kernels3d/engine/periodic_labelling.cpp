// A periodic volume, labelled by any engine: see kernels3d/engine/periodic.h.
#include <voxcc/label.h>
#include <voxcc/shape.h>
#include <voxcc/threads.h>

#include "kernels3d/base/abilities.h"
#include "kernels3d/base/near_values.h"
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/periodic_pieces.h"
#include "kernels3d/engine/request.h"

namespace voxcc::block_runs {
namespace {

/// A source that keeps the stored values of the voxels at the ends of axes until they are taken.
class ValuesAtEnds : public RowSource {
public:
    /// @throw MemoryLimitReached
    ValuesAtEnds(RowSource& source, const Request& request)
        : source_(source), ends_(std::in_place, request.extent, request.periodic, int(size_of(source.value_type())), request.memory) {}
    Access access() const override { return source_.access(); }
    void rewind() override { source_.rewind(); }
    std::int64_t rows_per_fetch() const override { return source_.rows_per_fetch(); }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override { return source_.fetch(rows, buffer); }
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        source_.pack(fetched, rows, index, bits);
    }
    void pack_rows(const std::byte* fetched, RowRange rows, const PackedRows& to) const override { source_.pack_rows(fetched, rows, to); }
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override {
        const std::byte* const values = source_.values(fetched, rows, index);
        if (ends_) ends_->set_row(rows.first + index, values);
        return values;
    }
    ScalarType value_type() const override { return source_.value_type(); }
    Lifetime lifetime() const override { return source_.lifetime(); }
    /// The values of all rows. Must be called once, after the rows have been labelled.
    Ends take() {
        Ends ends = std::move(*ends_);
        ends_.reset();
        return ends;
    }

private:
    RowSource& source_;
    mutable std::optional<Ends> ends_;
};

/// The components of a labelling whose pieces are joined.
class PeriodicLabelling : public Labelling, public CountsVoxels, public CountsNeighbours {
public:
    /// @param request its periodic axes must be crossed_axes()
    /// @param kept null, or the source of `plain`
    PeriodicLabelling(const Request& request, Axis slices, std::unique_ptr<ValuesAtEnds> kept, std::unique_ptr<Labelling> plain,
                      ThreadPool& pool)
        : memory_(request.memory),
          memory_of_sums_(request.memory),
          memory_of_paint_(request.memory),
          kept_(std::move(kept)),
          plain_(std::move(plain)) {
        const double begin = clock_seconds();
        join(request, slices, pool);
        seconds_of_joining_ = clock_seconds() - begin;
    }

    std::uint64_t count() const override { return pieces_->components(); }
    SumTable measure() override {
        memory_of_sums_.give_back();
        memory_of_sums_.take(pieces_->bytes_of_sums());
        return pieces_->sums(plain_->measure());
    }
    std::vector<std::uint64_t> sizes() override {
        const std::vector<std::uint64_t> of_pieces = component_sizes(*plain_);
        std::vector<std::uint64_t> sizes(static_cast<std::size_t>(count()));
        pieces_->for_each(
            [&](std::uint64_t piece, std::uint64_t component) { sizes[std::size_t(component - 1)] += of_pieces[std::size_t(piece - 1)]; });
        return sizes;
    }
    std::vector<std::uint64_t> source_values() const override { return pieces_->first_values(plain_->source_values()); }
    std::vector<std::uint64_t> numbers_with_x_slowest() const override {
        // In the other order, too, the first voxel of a component is the first voxel of one of its pieces.
        const std::vector<std::uint64_t> of_pieces = plain_->numbers_with_x_slowest();
        std::vector<std::uint64_t> component_of(of_pieces.size()), numbers(static_cast<std::size_t>(count()));
        pieces_->for_each([&](std::uint64_t piece, std::uint64_t component) {
            component_of[std::size_t(of_pieces[std::size_t(piece - 1)] - 1)] = component;
        });
        std::uint64_t known = 0;
        for (const std::uint64_t component : component_of)
            if (std::uint64_t& number = numbers[std::size_t(component - 1)]; number == 0) number = ++known;
        return numbers;
    }
    void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) override {
        if (pieces_->are_components()) plain_->prepare_paint(type, final_numbers);
        else prepare(type, [&] { return pieces_->painted(final_numbers); });
    }
    void paint(RowRange rows, std::byte* out, Stores stores) const override { plain_->paint(rows, out, stores); }
    const Sections* sections() const override { return pieces_->sections(); }
    void prepare_sections(ScalarType type, std::span<const std::uint64_t> final_numbers) override {
        prepare(type, [&] { return pieces_->painted_sections(final_numbers); });
    }
    bool count_shape(const ShapeRequest& request, std::span<const std::uint64_t> final_numbers,
                     const std::function<void(std::uint64_t, const ShapeCounts&)>& add) override {
        auto* const counts = dynamic_cast<CountsNeighbours*>(plain_.get());
        return counts && counts->count_shape(request, pieces_->painted(final_numbers), add);
    }
    std::optional<std::vector<LabelContact>> contacts(Connectivity, std::span<const std::uint64_t>, MemoryLimit*) override {
        return std::nullopt;
    }
    const Seconds& seconds() const override {
        seconds_ = plain_->seconds();
        seconds_.unite += seconds_of_joining_;
        return seconds_;
    }

private:
    void join(const Request& request, Axis slices, ThreadPool& pool) {
        const Ends numbers = read_ends(*plain_, request, pool);
        EndRule rule{.connectivity = request.connectivity, .slices = slices, .memory = request.memory};
        const std::vector<std::uint64_t> values = plain_->source_values();
        std::optional<Ends> stored;
        if (request.rule == Rule::equal_values) {
            rule.connects = [&](const EndPair& p) { return values[std::size_t(p.piece - 1)] == values[std::size_t(p.other_piece - 1)]; };
        } else if (kept_) {
            stored.emplace(kept_->take());
            rule.transitive = EndRule::Transitive::no;
            rule.connects = [&, type = kept_->value_type()](const EndPair& p) {
                return is_near_stored(type, stored->at(p.voxel), stored->at(p.other_voxel), request.difference);
            };
        }
        pieces_.emplace(plain_->count(), numbers, rule);
        memory_.take(pieces_->bytes());
    }
    /// @param painted called as painted(): the final number of each piece
    template <class Painted>
    void prepare(ScalarType type, const Painted& painted) {
        memory_of_paint_.give_back();
        memory_of_paint_.take(std::int64_t(plain_->count()) * std::int64_t(sizeof(std::uint64_t)));
        plain_->prepare_paint(type, painted());
    }

    TakenMemory memory_, memory_of_sums_, memory_of_paint_;
    std::unique_ptr<ValuesAtEnds> kept_;
    std::unique_ptr<Labelling> plain_;
    std::optional<Pieces> pieces_;
    double seconds_of_joining_ = 0;
    mutable Seconds seconds_;
};

/// For engines that paint in any order.
class PeriodicInMemory final : public PeriodicLabelling, public PaintsInAnyOrder {
    using PeriodicLabelling::PeriodicLabelling;
};

}  // namespace

std::unique_ptr<Labelling> label_periodic(const Request& request, RowSource& source, ThreadPool& pool, const LabelPlain& label,
                                          Axis slices) {
    Request crossed = request, plain = request;
    crossed.periodic = crossed_axes(request, slices);
    plain.periodic = {};
    if (!crossed.periodic.any()) return label(plain, source);
    plain.results = Results::labels_and_sums;
    std::unique_ptr<ValuesAtEnds> kept;
    if (request.rule == Rule::gradient) kept = std::make_unique<ValuesAtEnds>(source, crossed);
    std::unique_ptr<Labelling> labelling = label(plain, kept ? *kept : source);
    if (dynamic_cast<const PaintsInAnyOrder*>(labelling.get()))
        return std::make_unique<PeriodicInMemory>(crossed, slices, std::move(kept), std::move(labelling), pool);
    return std::make_unique<PeriodicLabelling>(crossed, slices, std::move(kept), std::move(labelling), pool);
}

}  // namespace voxcc::block_runs
