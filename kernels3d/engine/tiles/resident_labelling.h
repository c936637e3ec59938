// A labelling of voxels of any type that are already in the memory of an executor. Labels stay there, too.
//
//   u8, rows of a multiple of 16 voxels, Rule::foreground, one interval of values, no mask    phase "local" reads the voxels
//   all other volumes                                                   phase "pack" (pack_voxels.h) first makes rows of bits
//
// The host joins the pieces of periodic volumes (kernels3d/engine/periodic.h), so it waits for the labels of the pieces.
#pragma once
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/periodic_pieces.h"
#include "kernels3d/engine/request.h"
#include "kernels3d/engine/tiles/label.h"
#include "kernels3d/engine/tiles/pack_voxels.h"

#include <functional>

namespace voxcc::block_runs::tiles {

/// Voxels in the memory of an executor, [z][y][x].
struct ResidentVolume {
    const void* voxels;
    ScalarType type;
    Extent extent;
};

/// A mask of the extent of the volume, in the memory of the executor. Voxels where it is 0 or NaN are background.
struct ResidentMask {
    const void* voxels = nullptr;  // null: no mask
    ScalarType type = ScalarType::u8;
};

struct ResidentOptions : Question {
    ResidentMask mask = {};
    uint32_t* count_to = nullptr;  // receives the number of components; must be memory that the executor can write. Null: nothing
};

/// A labelled volume. All functions that return values to the host wait for the executor.
class ResidentLabelling {
public:
    virtual ~ResidentLabelling() = default;
    /// See StreamLabelling::paint().
    virtual void paint(void* labels, ScalarType type, std::span<const uint64_t> final_numbers) = 0;
    virtual uint32_t count() = 0;
    /// Writes the number of components to *to, which must be memory that the executor can write. Does not wait.
    virtual void store_count(uint32_t* to) = 0;
    virtual SumTable measure() = 0;
    /// See StreamLabelling::paint_and_measure().
    virtual SumTable paint_and_measure(void* labels, ScalarType type) = 0;
    virtual std::vector<uint64_t> source_values() = 0;
    /// See StreamLabelling::shape() and contacts().
    virtual std::vector<ShapeCounts> shape() = 0;
    virtual std::vector<LabelContact> contacts(Connectivity connectivity, std::span<const uint64_t> final_numbers) = 0;
    /// See StreamLabelling::sections() and visit_sections().
    virtual const Sections* sections() const = 0;
    virtual void visit_sections(const std::function<void(RowRange, const uint32_t*)>& take) = 0;
};

template <Connectivity K, class Executor, Rule R>
class ResidentTiles : public ResidentLabelling {
public:
    /// @param executor must outlive the labelling
    /// @param volume must not change before the executor has finished the work
    ResidentTiles(Executor& executor, const ResidentVolume& volume, const ResidentOptions& options)
        : executor_(executor),
          volume_(volume),
          size_{uint32_t(volume.extent.nx), uint32_t(volume.extent.ny), uint32_t(volume.extent.nz)},
          rule_(options.rule),
          periodic_(options.periodic),
          engine_(executor, volume.extent) {
        const AxisSet axes = crossed_axes(Request({.connectivity = K, .periodic = options.periodic}, volume.extent));
        if (!axes.any()) engine_.set_count_place(options.count_to);
        label_pieces(options);
        if (!axes.any()) return;
        join_pieces(axes, options.difference);
        if (options.count_to) store_count(options.count_to);
    }

    void paint(void* labels, ScalarType type, std::span<const uint64_t> final_numbers) override {
        require_integers(type);
        const exec::Array<uint32_t> numbers = uploaded_for_pieces(final_numbers);
        visit_label(int(size_of(type)), [&]<class Label> {
            engine_.paint({0, volume_.extent.rows()}, numbers.data(), static_cast<Label*>(labels));
        });
    }
    uint32_t count() override { return pieces_ ? uint32_t(pieces_->components()) : engine_.count(); }
    void store_count(uint32_t* to) override {
        if (pieces_) executor_.for_each("count", 1, StoreNumber{count(), to});
        else engine_.store_count(to);
    }
    SumTable measure() override {
        require_sums_that_fit();
        SumTable sums(executor_.fetch(engine_.measure()));
        return pieces_ ? pieces_->sums(sums) : sums;
    }
    SumTable paint_and_measure(void* labels, ScalarType type) override {
        require_integers(type);
        require_sums_that_fit();
        if (pieces_ || size_of(type) != sizeof(uint32_t)) {  // the engine has one kernel for both only for labels of 32 bits
            paint(labels, type, {});
            return measure();
        }
        auto sums = engine_.paint_and_measure(static_cast<uint32_t*>(labels));
        return SumTable(executor_.fetch(engine_.finish_sums(std::move(sums), engine_.count())));
    }
    std::vector<uint64_t> source_values() override { return pieces_ ? pieces_->first_values(values_of_pieces()) : values_of_pieces(); }
    const Sections* sections() const override { return pieces_ ? pieces_->sections() : nullptr; }
    void visit_sections(const std::function<void(RowRange, const uint32_t*)>& take) override {
        constexpr int64_t window_bytes = int64_t{32} << 20;
        const int64_t nx = volume_.extent.nx, all = volume_.extent.rows();
        const int64_t step = std::clamp<int64_t>(window_bytes / (nx * int64_t(sizeof(uint32_t))), 1, all);
        exec::Array<uint32_t> numbers;
        if (pieces_) numbers = uploaded(executor_, pieces_->painted_sections({}));
        exec::Array<uint32_t> window(executor_.memory(), step * nx), labels(executor_.staging(), step * nx);
        for (int64_t first = 0; first < all; first += step) {
            const RowRange rows{first, std::min(step, all - first)};
            engine_.paint(rows, numbers.data(), window.data());
            executor_.download("download", window, rows.count * nx, labels.data());
            take(rows, labels.data());
        }
    }

    std::vector<ShapeCounts> shape() override {
        std::vector<ShapeCounts> all(count());
        const exec::Array<uint32_t> numbers = uploaded_for_pieces({});
        take_shapes(executor_, engine_.count_shapes(periodic_, numbers.data(), uint32_t(all.size())), uint32_t(all.size()),
                    [&](uint64_t row, const ShapeCounts& c) { all[row] = c; });
        return all;
    }
    std::vector<LabelContact> contacts(Connectivity connectivity, std::span<const uint64_t> final_numbers) override {
        const Connectivity c = reduced(connectivity, volume_.extent);
        if (!engine_.can_count(c))
            throw Error(ErrorKind::invalid_argument, "contacts", "the connectivity must have the dimensions of the labelling");
        if (periodic_.any()) throw Error(ErrorKind::unsupported, "contacts", "contacts of a periodic volume are not counted");
        const exec::Array<uint32_t> numbers = uploaded(executor_, final_numbers);
        return engine_.contacts(c, numbers.data());
    }

private:
    static void require_integers(ScalarType labels) {
        if (labels == ScalarType::f32 || labels == ScalarType::f64)
            throw Error(ErrorKind::invalid_argument, "labels", "labels must be integers");
    }
    void require_sums_that_fit() const {
        if (!second_moments_fit(volume_.extent))
            throw Error(ErrorKind::unsupported_by_device, "table", "the sums of a volume of this size may not fit 64 bits");
    }
    /// Whether the engine can read the voxels where they are.
    static bool reads_voxels(const ResidentVolume& volume) {
        return volume.type == ScalarType::u8 && volume.extent.nx % 16 == 0 && reinterpret_cast<std::uintptr_t>(volume.voxels) % 16 == 0;
    }
    /// Final numbers of components as numbers of pieces, for Engine::paint().
    exec::Array<uint32_t> uploaded_for_pieces(std::span<const uint64_t> final_numbers) {
        return pieces_ ? uploaded(executor_, pieces_->painted(final_numbers)) : uploaded(executor_, final_numbers);
    }
    /// Labels the volume without periodic axes.
    void label_pieces(const ResidentOptions& options) {
        if constexpr (R == Rule::foreground)
            if (reads_voxels(volume_) && !options.mask.voxels) {
                const auto foreground = foreground_intervals<std::uint8_t>(options.foreground);
                if (foreground.intervals.size() == 1) {
                    using Source = Voxels<std::uint8_t, VoxelLoads::vector>;
                    return engine_.label(Source{size_, static_cast<const std::uint8_t*>(volume_.voxels), foreground.intervals[0]});
                }
            }
        bits_ = exec::Array<uint64_t>(executor_.memory(), words_of_bit_rows(volume_.extent));
        visit_scalar(volume_.type, [&]<class T>(std::type_identity<T>) { pack_and_label<T>(options); });
    }
    void join_pieces(const AxisSet& axes, const Bound& gradient) {
        Ends numbers(volume_.extent, axes, int(sizeof(uint32_t)), nullptr);
        engine_.read_ends(numbers);
        EndRule rule{.connectivity = K};
        std::optional<Ends> values;
        if constexpr (R == Rule::equal_values) {
            if (size_of(volume_.type) == 8) compare_values<uint64_t>(rule, values, axes, gradient);
            else compare_values<uint32_t>(rule, values, axes, gradient);
        }
        pieces_.emplace(engine_.count(), numbers, rule);
    }
    /// @param values receives the values at the ends; must exist as long as the rule
    template <class Word>
    void compare_values(EndRule& rule, std::optional<Ends>& values, const AxisSet& axes, const Bound& gradient) {
        values.emplace(volume_.extent, axes, int(sizeof(Word)), nullptr);
        read_ends(executor_, ValuesOfVoxels<Word>{size_, rows_of<Word>().values}, size_, *values);
        const auto set = [&]<class Joins>(const Joins& joins) {
            if (!Joins::transitive) rule.transitive = EndRule::Transitive::no;
            rule.connects = [&values, joins](const EndPair& p) {
                return joins.connect(*reinterpret_cast<const Word*>(values->at(p.voxel)),
                                     *reinterpret_cast<const Word*>(values->at(p.other_voxel)));
            };
        };
        if (rule_ == Rule::gradient) set(NearWords<Word>::of(volume_.type, gradient));
        else set(EqualWords<Word>{});
    }
    /// Rule::equal_values: the value of each piece; else empty.
    std::vector<uint64_t> values_of_pieces() {
        if constexpr (R != Rule::equal_values) return {};
        else if (rule_ == Rule::gradient) return {};
        else if (size_of(volume_.type) == 8) return first_values(rows_of<uint64_t>());
        else return first_values(rows_of<uint32_t>());
    }
    template <class T>
    void pack_and_label(const ResidentOptions& options) {
        const T* const voxels = static_cast<const T*>(volume_.voxels);
        WideWord<T>* packed_values = nullptr;
        if constexpr (R == Rule::equal_values) {
            if constexpr (is_word<T>) {
                values_ = voxels;
            } else {
                words_ = exec::Array<std::byte>(executor_.memory(), volume_.extent.voxels() * int64_t(sizeof(WideWord<T>)));
                packed_values = reinterpret_cast<WideWord<T>*>(words_.data());
                values_ = packed_values;
            }
        }
        pack_voxels<T>(executor_, size_, voxels, foreground_intervals<T>(options.foreground), bits_.data(), packed_values);
        if (options.mask.voxels)
            visit_scalar(options.mask.type, [&]<class M>(std::type_identity<M>) {
                mask_bits(executor_, size_, static_cast<const M*>(options.mask.voxels), bits_.data());
            });
        if constexpr (R == Rule::foreground) {
            engine_.label(BitRows{size_, bits_.data()});
        } else {
            using Word = WideWord<T>;
            const ValueRows<Word> rows = rows_of<Word>();
            if (rule_ == Rule::gradient)
                engine_.label_values(ValueRows<Word, NearWords<Word>>{rows.size, rows.bits, rows.values,
                                                                      NearWords<Word>::of(volume_.type, options.difference)});
            else engine_.label_values(rows);
        }
    }
    template <class Word>
    ValueRows<Word> rows_of() const {
        return {size_, bits_.data(), static_cast<const Word*>(values_)};
    }
    template <class Word>
    std::vector<uint64_t> first_values(const ValueRows<Word>& rows) {
        return widened(executor_.fetch(engine_.first_values(rows)), volume_.type);
    }

    Executor& executor_;
    ResidentVolume volume_;
    exec::Grid size_;
    exec::Array<uint64_t> bits_;    // empty if the engine reads the voxels
    exec::Array<std::byte> words_;  // words of values, unless the voxels are such words
    const void* values_ = nullptr;  // for rules that compare values
    Rule rule_;
    AxisSet periodic_;
    Engine<K, Executor, R> engine_;
    std::optional<Pieces> pieces_;  // of a periodic volume; else the components are the pieces
};

/// An upper bound of the bytes that a labelling allocates at first.
template <Connectivity K, class Counting, Rule R>
std::size_t resident_bytes(const ResidentVolume& volume, const AxisSet& periodic) {
    constexpr std::size_t arrays = 32, alignment = 256;
    Counting counted;
    const Engine<K, Counting, R> engine(counted, volume.extent);
    const std::size_t voxels = std::size_t(volume.extent.voxels());
    const std::size_t words = R == Rule::equal_values ? voxels * std::max<std::size_t>(4, std::size_t(size_of(volume.type))) : 0;
    const std::size_t scan = 4096 + voxels / 4096;  // scratch memory of the prefix sums
    const AxisSet axes = crossed_axes(Request({.connectivity = K, .periodic = periodic}, volume.extent));
    const auto ends = std::size_t(Ends::bytes(volume.extent, axes, int(sizeof(uint64_t))));
    return counted.memory().peak() + ends + std::size_t(words_of_bit_rows(volume.extent)) * 8 + words + scan + arrays * alignment;
}

/// Makes the labelling of a volume, which must be inside the limits of the engine. Not inline, so that its instances can be compiled in
/// another file.
template <Rule R, Connectivity K, class Executor>
std::unique_ptr<ResidentLabelling> make_resident(Executor& executor, const ResidentVolume& volume, const ResidentOptions& options) {
    return std::make_unique<ResidentTiles<K, Executor, R>>(executor, volume, options);
}

/// Labels a volume.
/// @tparam Counting an executor whose memory only counts bytes
/// @param reserve called as reserve(bytes) before anything is allocated
/// @throw Error unsupported_by_device for Rule::colour, and for volumes that are too large; the
///     exceptions of checked_bytes()
template <class Counting, class Executor, class Reserve>
std::unique_ptr<ResidentLabelling> label_resident(Executor& executor, const ResidentVolume& volume, const ResidentOptions& options,
                                                  const Reserve& reserve) {
    Request request;
    request.extent = volume.extent;
    request.connectivity = options.connectivity;
    request.rule = options.rule;
    return visit_request(request, [&]<Connectivity K, Rule R>() -> std::unique_ptr<ResidentLabelling> {
        if (const std::string why = why_too_large<K, R>(volume.extent); !why.empty()) refuse(why);
        reserve(resident_bytes<K, Counting, R>(volume, options.periodic));
        return make_resident<R, K>(executor, volume, options);
    });
}

/// Declares (extern template) or defines (template) the instances of make_resident() for a rule.
#define VOXCC_MAKE_RESIDENT(CONNECTIVITY, TEMPLATE, RULE, EXECUTOR)                                                                     \
    TEMPLATE std::unique_ptr<ResidentLabelling> make_resident<Rule::RULE, Connectivity::CONNECTIVITY>(EXECUTOR&, const ResidentVolume&, \
                                                                                                      const ResidentOptions&);
#define VOXCC_MAKE_RESIDENT_OF_RULE(TEMPLATE, RULE, EXECUTOR) VOXCC_PER_CONNECTIVITY(VOXCC_MAKE_RESIDENT, TEMPLATE, RULE, EXECUTOR)

}  // namespace voxcc::block_runs::tiles
