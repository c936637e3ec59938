// Labellings of voxels that are in the memory of the executor, here on CPU threads: types, rules, label types and final numbers. The same
// templates run on CUDA devices in stream_labelling_test.cu.
#include "kernels3d/engine/tiles/resident_labelling.h"
#include "kernels/contacts_oracle.h"
#include "kernels/published.h"
#include "kernels/shape_oracle.h"
#include "kernels/sums.h"
#include "kernels/volumes.h"
#include "kernels3d/engine/gpu_slabs/plan.h"
#include "kernels3d/exec/cpu_executor.h"

#include <limits>
#include <new>

using namespace voxcc;
using block_runs::gpu_slabs::NoExecutor;
using block_runs::tiles::label_resident;
using oracle::equal;
using published::all_connectivities;
using published::pool;

namespace {

/// Values 0..values - 1 of type T, some of them negative; for floats also NaN and -0.
template <class T>
std::vector<T> volume_of(oracle::Shape s, int values, std::mt19937_64& rng) {
    std::vector<T> v(s.size());
    for (T& value : v) {
        value = T(int(rng() % std::uint64_t(values)));
        if constexpr (std::is_signed_v<T>)
            if (rng() % 2) value = T(-value);
        if constexpr (std::is_floating_point_v<T>)
            if (rng() % 9 == 0) value = std::numeric_limits<T>::quiet_NaN();
    }
    return v;
}

template <class Label>
bool paints(block_runs::tiles::ResidentLabelling& labelling, const oracle::Labels& want, const std::vector<std::uint64_t>& numbers = {}) {
    std::vector<Label> labels(want.of.size(), Label(77));
    labelling.paint(labels.data(), scalar_type_of<Label>(), numbers);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::uint64_t number = want.of[i];
        if (labels[i] != Label(number == 0 || numbers.empty() ? number : numbers[number - 1])) return false;
    }
    return true;
}

/// Labels and sums of one call.
template <class Label>
bool paints_with_sums(block_runs::tiles::ResidentLabelling& labelling, const oracle::Labels& want, const oracle::ComponentSums& sums) {
    std::vector<Label> labels(want.of.size(), Label(77));
    const SumTable table = labelling.paint_and_measure(labels.data(), scalar_type_of<Label>());
    return std::equal(labels.begin(), labels.end(), want.of.begin(), want.of.end()) && equal(table, sums);
}

/// Compares the shape counts of the first components, and all contacts.
void check_measures(block_runs::tiles::ResidentLabelling& labelling, const Extent& extent,
                    const block_runs::tiles::ResidentOptions& options, const oracle::Labels& want) {
    const Connectivity used = reduced(options.connectivity, extent);
    const shape_oracle::Labels volume{want.of, extent, options.periodic.axes, space_of(used) == Space::plane};
    const std::vector<ShapeCounts> shape = labelling.shape();
    REQUIRE(shape.size() == want.count);
    for (std::uint64_t k = 1; k <= std::min<std::uint64_t>(want.count, 10); ++k)
        CHECK(shape[k - 1] == shape_oracle::counts(volume, k, cells_of(used)));
    if (options.periodic.any()) CHECK_THROWS_AS(labelling.contacts(used, {}), Error);
    else CHECK(labelling.contacts(used, {}) == contacts_oracle::expected(want.of, extent, number_of(used)));
    if (extent.nz == 1) return;  // every connectivity is reduced to 4 or 8
    CHECK_THROWS_AS(labelling.contacts(space_of(used) == Space::plane ? Connectivity::c6 : Connectivity::c4, {}), Error);
}

/// Labels a volume and compares all results with the oracle.
/// @param takes_part whether voxel i is foreground
template <class T, class TakesPart>
void check(const std::vector<T>& v, oracle::Shape s, block_runs::tiles::ResidentOptions options, const TakesPart& takes_part) {
    exec::CpuExecutor executor(pool());
    std::size_t reserved = 0;
    std::uint32_t count_while_numbering = 77;
    options.count_to = &count_while_numbering;
    const auto joins = [&](long i, long j) { return options.rule == Rule::foreground || v[i] == v[j] || (v[i] != v[i] && v[j] != v[j]); };
    const oracle::Labels want = oracle::flood_fill_by(s, number_of(options.connectivity), options.periodic.axes, takes_part, joins);
    const auto labelling = label_resident<NoExecutor>(executor, {v.data(), scalar_type_of<T>(), {s.nx, s.ny, s.nz}}, options,
                                                      [&](std::size_t bytes) { reserved = bytes; });
    CHECK(executor.memory().peak() <= reserved);
    CHECK(labelling->count() == want.count);
    CHECK(count_while_numbering == want.count);
    std::uint32_t count = 77;
    labelling->store_count(&count);
    CHECK(count == want.count);
    CHECK(paints<std::uint32_t>(*labelling, want));
    CHECK(paints<std::int32_t>(*labelling, want));
    CHECK(paints<std::uint64_t>(*labelling, want));
    CHECK(paints<std::int64_t>(*labelling, want));
    CHECK(paints<std::int16_t>(*labelling, want));
    CHECK(paints<std::uint8_t>(*labelling, want));
    std::vector<std::uint64_t> numbers(want.count);
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = k % 3 == 0 ? 0 : numbers.size() - k;
    CHECK(paints<std::int64_t>(*labelling, want, numbers));
    const oracle::ComponentSums sums = oracle::sums_of(want, s);
    CHECK(equal(labelling->measure(), sums));
    CHECK(paints_with_sums<std::uint32_t>(*labelling, want, sums));
    CHECK(paints_with_sums<std::int64_t>(*labelling, want, sums));
    std::vector<std::uint64_t> values;
    if (options.rule == Rule::equal_values)
        for (long i = 0; i < s.size(); ++i)
            if (want.of[i] > values.size()) values.push_back(block_runs::value_bits(v[i]));
    CHECK(labelling->source_values() == values);
    check_measures(*labelling, {s.nx, s.ny, s.nz}, options, want);
    const Sections* const sections = labelling->sections();
    std::vector<std::uint64_t> visited;
    bool are_shifted = true;
    labelling->visit_sections([&](RowRange rows, const std::uint32_t* painted) {
        CHECK(rows.first * s.nx == std::int64_t(visited.size()));
        for (std::int64_t i = 0; i < rows.count * s.nx; ++i) {
            const std::array<long, 3>& shift = want.shift[visited.size()];
            const auto got = sections ? sections->shift_of(painted[i]) : std::array<std::uint32_t, 3>{};
            are_shifted = are_shifted && std::ranges::equal(got, shift);
            visited.push_back(sections ? sections->component_of(painted[i]) : painted[i]);
        }
    });
    CHECK(visited == want.of);
    CHECK(are_shifted);
}

/// Labels a volume inside a mask of type M that holds 0, other values, and for floats NaN.
template <class M, class T>
void check_mask(const std::vector<T>& v, oracle::Shape s, const block_runs::tiles::ResidentOptions& options, std::mt19937_64& rng) {
    const std::vector<M> mask = volume_of<M>(s, 3, rng);
    auto with_mask = options;
    with_mask.mask = {mask.data(), scalar_type_of<M>()};
    check(v, s, with_mask, [&](long i) { return v[i] != T{} && v[i] == v[i] && mask[i] != M{} && mask[i] == mask[i]; });
}

/// Host memory that refuses arrays like a full device.
class FullMemory : public exec::Memory {
public:
    std::size_t largest = std::numeric_limits<std::size_t>::max();  // bytes of the largest array that fits
    int refused = 0;

protected:
    void* obtain(std::size_t bytes) override {
        if (bytes <= largest) return ::operator new (bytes, std::align_val_t{256});
        ++refused;
        throw Error(ErrorKind::device_memory, "test", "the memory is full");
    }
    void give_back(void* p, std::size_t) override { ::operator delete (p, std::align_val_t{256}); }
};

class FullExecutor : public exec::CpuExecutor {
public:
    using CpuExecutor::CpuExecutor;
    FullMemory& memory() { return memory_; }

private:
    FullMemory memory_;
};

}  // namespace

TEST_CASE("resident: sums are measured after painting if the memory is too small for both at once") {
    const Extent extent{64, 20, 20};
    std::vector<std::uint8_t> voxels(std::size_t(extent.voxels()));
    voxels.front() = voxels[1] = voxels.back() = 1;
    FullExecutor executor(pool());
    block_runs::tiles::ResidentTiles<Connectivity::c26, FullExecutor, Rule::foreground> labelling(
        executor, {voxels.data(), ScalarType::u8, extent}, {});
    for (const bool is_full : {false, true}) {
        if (is_full) executor.memory().largest = 2 * 32 * sizeof(block_runs::tiles::TableRow);  // for two components and their spare rows
        std::vector<std::uint32_t> labels(voxels.size(), 77);
        const SumTable table = labelling.paint_and_measure(labels.data(), ScalarType::u32);
        CHECK((executor.memory().refused > 0) == is_full);
        REQUIRE(table.size() == 2);
        CHECK(table.voxels(0) == 2);
        CHECK(table.voxels(1) == 1);
        for (std::size_t i = 0; i < voxels.size(); ++i) REQUIRE(labels[i] == (i < 2 ? 1u : i + 1 == voxels.size() ? 2u : 0u));
    }
}

TEST_CASE_TEMPLATE("resident: every type, rule and connectivity", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                   std::int32_t, std::uint64_t, std::int64_t, float, double) {
    std::mt19937_64 rng(71);
    const oracle::Shape shapes[]{{1, 1, 1}, {65, 7, 5}, {64, 17, 18}, {31, 1, 9}, {130, 66, 1}};
    int round = 0;
    for (const oracle::Shape s : shapes)
        for (const Rule rule : {Rule::foreground, Rule::equal_values}) {
            const Connectivity c = all_connectivities[std::size_t(round++) % all_connectivities.size()];
            INFO(s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c) << " rule " << name_of(rule));
            const auto v = volume_of<T>(s, 4, rng);
            check(v, s, {{.connectivity = c, .rule = rule}}, [&](long i) { return v[i] != T{} && v[i] == v[i]; });
            ForegroundRule range{.kind = ForegroundRule::Kind::range, .low = 0, .high = 1, .nan = ForegroundRule::Nan::foreground};
            check(v, s, {{.connectivity = c, .rule = rule, .foreground = range}},
                  [&](long i) { return v[i] != v[i] || (v[i] >= T(0) && v[i] <= T(1)); });
            range.take = ForegroundRule::Take::complement, range.nan = ForegroundRule::Nan::background;
            check(v, s, {{.connectivity = c, .rule = rule, .periodic = {{true, true, s.nz > 1}}, .foreground = range}},
                  [&](long i) { return v[i] == v[i] && !(v[i] >= T(0) && v[i] <= T(1)); });
            ForegroundRule list{.kind = ForegroundRule::Kind::one_of, .values = {0, 2}};
            check(v, s, {{.connectivity = c, .rule = rule, .foreground = list}}, [&](long i) { return v[i] == T(0) || v[i] == T(2); });
            list.kind = ForegroundRule::Kind::none_of;
            check(v, s, {{.connectivity = c, .rule = rule, .foreground = list}},
                  [&](long i) { return v[i] == v[i] && v[i] != T(0) && v[i] != T(2); });
        }
}

TEST_CASE("resident: masks of every type") {
    std::mt19937_64 rng(73);
    for (const oracle::Shape s : {oracle::Shape{1, 1, 1}, {63, 5, 4}, {64, 17, 18}, {80, 9, 1}, {130, 10, 9}})
        for (const Rule rule : {Rule::foreground, Rule::equal_values})
            for (const Connectivity c : all_connectivities) {
                INFO(s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c) << " rule " << name_of(rule));
                const block_runs::tiles::ResidentOptions options{{.connectivity = c, .rule = rule}};
                const auto bytes = volume_of<std::uint8_t>(s, 3, rng);
                check_mask<std::uint8_t>(bytes, s, options, rng);
                check_mask<std::int16_t>(bytes, s, options, rng);
                check_mask<float>(bytes, s, options, rng);
                const auto floats = volume_of<float>(s, 3, rng);
                check_mask<std::int8_t>(floats, s, options, rng);
                check_mask<std::uint32_t>(floats, s, options, rng);
                check_mask<double>(floats, s, options, rng);
                check_mask<std::int64_t>(floats, s, options, rng);
            }
}

TEST_CASE("resident: rows that are not aligned") {
    std::mt19937_64 rng(72);
    const oracle::Shape s{64, 20, 12};
    for (const long by : {0, 1, 8}) {  // the voxels begin `by` bytes after an address that is a multiple of 16
        std::vector<std::uint8_t> memory(std::size_t(s.size()) + 32);
        std::uint8_t* const first = memory.data() + (16 - reinterpret_cast<std::uintptr_t>(memory.data()) % 16) % 16 + by;
        const auto v = volumes::random(s, 40, 2, 1, rng);
        std::copy(v.begin(), v.end(), first);
        exec::CpuExecutor executor(pool());
        const auto labelling = label_resident<NoExecutor>(executor, {first, ScalarType::u8, {s.nx, s.ny, s.nz}}, {}, [](std::size_t) {});
        const oracle::Labels want = oracle::flood_fill(v, s, 26);
        std::vector<std::uint32_t> labels(v.size() + 3);
        std::uint32_t* const to = labels.data() + by % 3;  // the labels, too
        labelling->paint(to, ScalarType::u32, {});
        CHECK(std::equal(want.of.begin(), want.of.end(), to));
    }
}

TEST_CASE("resident: refused volumes and types") {
    exec::CpuExecutor executor(pool());
    const std::uint8_t voxel = 1;
    const auto kind = [&](const Extent& extent, Rule rule) {
        try {
            label_resident<NoExecutor>(executor, {&voxel, ScalarType::u8, extent}, {{.rule = rule}}, [](std::size_t) {});
        } catch (const Error& error) {
            return error.kind();
        }
        return ErrorKind::internal;
    };
    CHECK(kind({0, 1, 1}, Rule::foreground) == ErrorKind::invalid_extent);
    CHECK(kind({1, 1, 1}, Rule::colour) == ErrorKind::unsupported_by_device);
    CHECK(kind({1 << 11, 1 << 11, 1 << 10}, Rule::foreground) == ErrorKind::unsupported_by_device);
    CHECK(kind({1 << 11, 1 << 10, 1 << 10}, Rule::equal_values) == ErrorKind::unsupported_by_device);
    const auto labelling = label_resident<NoExecutor>(executor, {&voxel, ScalarType::u8, {1, 1, 1}}, {}, [](std::size_t) {});
    float label = 0;
    CHECK_THROWS_AS(labelling->paint(&label, ScalarType::f32, {}), Error);
}
