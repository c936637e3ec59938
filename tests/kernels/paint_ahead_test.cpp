// Tests painting ahead of the threads that take labels: with windows of a few rows, and on a GPU with windows of the normal size.
#include "kernels/instruction_sets.h"
#include "kernels/tiles.h"
#include "kernels/volumes.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/api/tiles_on_voxels.h"
#include "kernels3d/simd/simd.h"

#include <atomic>

using namespace voxcc;
using namespace voxcc::block_runs::tiles;
using namespace tiles_tests;

namespace {

using TestEngine = Engine<Connectivity::c26, exec::CpuExecutor>;

constexpr std::uint32_t nothing = ~0u;

struct Painted {
    std::vector<std::uint32_t> labels;  // labels of the rows that were handed over; `nothing` in the other rows
    std::int64_t rows = 0;              // number of rows that were handed over
};

/// Takes pieces of `piece` rows in the given order, with `threads` threads.
template <class Label>
Painted take_all(PaintAhead<exec::CpuExecutor, TestEngine>& ahead, exec::CpuExecutor& executor, oracle::Shape s, std::int64_t piece,
                 int threads, const std::vector<std::int64_t>& order) {
    Painted painted;
    painted.labels.assign(std::size_t(s.size()), nothing);
    std::atomic<std::int64_t> taken = 0;
    ThreadPool takers(threads);
    takers.for_each(std::int64_t(order.size()), [&](std::int64_t i) {
        const std::int64_t first = order[std::size_t(i)] * piece, all = s.ny * s.nz;
        taken += ahead.take(executor, {first, std::min(piece, all - first)}, [&](const std::byte* labels, std::int64_t at, std::int64_t n) {
            std::copy_n(reinterpret_cast<const Label*>(labels), n, painted.labels.data() + first * s.nx + at);
        });
    });
    painted.rows = taken;
    return painted;
}

std::vector<std::int64_t> ascending(std::int64_t n) {
    std::vector<std::int64_t> order(std::size_t(n), 0);
    for (std::int64_t i = 0; i < n; ++i) order[std::size_t(i)] = i;
    return order;
}

}  // namespace

TEST_CASE_TEMPLATE("tiles: transferred labels are widened at any address, without changing other memory", T, std::uint32_t, std::uint64_t) {
    std::vector<std::uint32_t> values(3000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::uint32_t(i * 7919 % (1 << 24));
    for (const auto stores : {Stores::cached, Stores::streaming})
        for (const int bytes : {1, 2, 3, 4})
            visit_bus_label(bytes, [&]<class Label> {
                std::vector<Label> on_bus;
                for (const std::uint32_t v : values) on_bus.push_back(Label(v));
                std::vector<std::int64_t> lengths = ascending(70);
                lengths.push_back(2990);
                for (const std::int64_t n : lengths)
                    for (const std::int64_t first : {0, 1, 2, 3, 7}) {
                        std::vector<T> to(std::size_t(n + first + 5), T(77));
                        copy_labels(on_bus.data() + first, n, to.data() + first, stores);
                        bool right = true;
                        for (std::int64_t i = 0; i < std::int64_t(to.size()); ++i)
                            right &= to[std::size_t(i)] == (i < first || i >= first + n ? T(77) : T(std::uint32_t(on_bus[std::size_t(i)])));
                        CHECK(right);
                    }
            });
}

TEST_CASE("all instruction sets widen three bytes equally and do not read further") {
    for (const Isa isa : instruction_sets()) {
        for (std::int64_t n = 0; n < 70; ++n) {
            std::vector<std::uint8_t> from(std::size_t(3 * n), 0);  // exact size, so that the address sanitizer detects reads past it
            std::vector<std::uint32_t> to(std::size_t(n + 1), 77), want(to);
            for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::uint8_t(i * 151 + 13);
            for (std::size_t i = 0; i < std::size_t(n); ++i) want[i] = from[3 * i] + 256u * from[3 * i + 1] + 65536u * from[3 * i + 2];
            block_runs::widen_three_bytes(isa, from.data(), n, to.data());
            CHECK(to == want);
        }
    }
}

TEST_CASE("tiles: windows painted ahead hold what the engine paints") {
    std::mt19937_64 rng(41);
    for (const oracle::Shape& s : {oracle::Shape{70, 40, 21}, {5, 3, 130}, {200, 130, 1}, {1, 1, 1}}) {
        const auto v = volumes::random(s, 30, 1, 1, rng);
        const oracle::Labels want = oracle::flood_fill(v, s, s.nz == 1 ? 8 : 26);
        exec::CpuExecutor executor(pool());
        TestEngine engine(executor, {s.nx, s.ny, std::max<std::int64_t>(s.nz, 2)});
        std::vector<std::uint8_t> deep(v);
        deep.resize(std::size_t(s.nx * s.ny * std::max<std::int64_t>(s.nz, 2)), 0);
        visit_nonzero({std::uint32_t(s.nx), std::uint32_t(s.ny), std::uint32_t(std::max<std::int64_t>(s.nz, 2))}, deep.data(),
                      [&](const auto& source) { engine.label(source); });
        for (const std::int64_t window_rows : {1, 3, 40, 100000})
            for (const int threads : {1, 3}) {
                PaintAhead<exec::CpuExecutor, TestEngine> ahead(engine, {s.nx, s.ny, s.nz}, window_rows * s.nx * 2);
                for (const int bytes : {2, 3, 4}) {
                    ahead.wait();
                    ahead.start_again(bytes, nullptr);
                    const std::int64_t piece = 7, pieces = (s.ny * s.nz + piece - 1) / piece;
                    Painted painted;
                    visit_bus_label(bytes,
                                    [&]<class Label> { painted = take_all<Label>(ahead, executor, s, piece, threads, ascending(pieces)); });
                    // One thread that takes pieces in order gets all rows. With several threads, a window may be reused before a slow
                    // thread takes its rows.
                    if (threads == 1) CHECK(painted.rows == s.ny * s.nz);
                    std::size_t wrong = 0;
                    for (std::size_t i = 0; i < painted.labels.size(); ++i)
                        wrong += painted.labels[i] != nothing && painted.labels[i] != want.of[i];
                    CHECK(wrong == 0);
                }
            }
    }
}

TEST_CASE("tiles: what is asked for out of order is painted by other means") {
    std::mt19937_64 rng(42);
    const oracle::Shape s{512, 512, on_gpu() ? 512 : 3};  // on a GPU, more labels than fit into all windows
    const auto v = volumes::random(s, 30, 1, 1, rng);
    const ForegroundPacker packer(ScalarType::u8, {});
    const auto request = request_for(s, Connectivity::c26);
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    const auto labelling = labelled(request, source);
    const auto expected = block_runs::label(request, source, pool());
    ThreadPool painters(3);
    std::vector<std::uint32_t> labels(v.size()), want(v.size());
    const auto paint = [&](Labelling& from, std::vector<std::uint32_t>& to, std::int64_t step) {
        std::fill(to.begin(), to.end(), 77);
        from.prepare_paint(ScalarType::u32, {});
        const std::int64_t rows = s.ny * s.nz, piece = 96, pieces = rows / piece;
        painters.for_each(pieces, [&](std::int64_t i) {
            const std::int64_t at = i * step % pieces * piece;
            from.paint({at, piece}, reinterpret_cast<std::byte*>(to.data() + at * s.nx), Stores::cached);
        });
    };
    paint(*expected, want, 1);
    for (const std::int64_t step : {1, 11, 17}) {  // no common divisor with the number of pieces
        paint(*labelling, labels, step);
        CHECK((labels == want));
    }
}
