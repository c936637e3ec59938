// Shared voxels and new numbers of label images in the memory of an executor, here on CPU threads, against counts voxel by voxel. The same
// templates run on CUDA devices in python/tests/test_gpu_label_images.py.
#include "kernels3d/engine/tiles/count_shared.h"
#include "kernels3d/engine/tiles/map_labels.h"
#include "kernels3d/exec/cpu_executor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace voxcc;
using block_runs::value_bits;
using namespace block_runs::tiles;

namespace {

ThreadPool& pool() {
    static ThreadPool three(3);
    return three;
}

/// Stretches of 0 and of labels in [first, first + values), which may be negative.
template <class T>
std::vector<T> random_labels(std::size_t size, std::uint64_t first, std::uint64_t values, std::mt19937_64& random) {
    std::vector<T> labels(size);
    for (std::size_t i = 0; i < size;) {
        const std::size_t end = std::min(size, i + 1 + random() % 11);
        const T label = random() % 3 == 0 ? T(0) : T(first + random() % values);
        for (; i < end; ++i) labels[i] = label;
    }
    return labels;
}

template <class T>
LabelVoxels view(const std::vector<T>& labels) {
    return {labels.data(), scalar_type_of<T>(), std::int64_t(labels.size())};
}

template <class T>
std::uint64_t different(const std::vector<T>& labels) {
    std::set<T> all(labels.begin(), labels.end());
    return all.size() - all.count(T(0));
}

template <class A, class B>
void check_shared(const std::vector<A>& a, const std::vector<B>& b) {
    using Pair = std::pair<std::uint64_t, std::uint64_t>;
    std::map<Pair, std::uint64_t> want, got;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != 0 && b[i] != 0) ++want[{value_bits(a[i]), value_bits(b[i])}];
    exec::CpuExecutor executor(pool());
    for (const SharedByLabels& pair : count_shared(executor, view(a), view(b), different(a), different(b))) {
        CHECK(!got.contains({pair.a, pair.b}));
        got[{pair.a, pair.b}] = pair.voxels;
    }
    CHECK(got == want);
}

template <class T, class Number>
void check_numbers(const std::vector<T>& labels, const NewNumbers& table, std::size_t offset) {
    std::map<std::uint64_t, std::uint64_t> new_numbers;
    for (std::size_t i = 0; i < table.labels.size(); ++i) new_numbers.emplace(table.labels[i], table.numbers[i]);
    const std::vector<T> moved(labels.begin() + std::ptrdiff_t(offset), labels.end());
    std::vector<Number> want, out(labels.size(), Number(77));
    std::set<std::uint64_t> occurring;
    for (const T label : moved) {
        const std::uint64_t bits = value_bits(label);
        const auto found = new_numbers.find(bits);
        want.push_back(Number(label == 0                                   ? 0
                              : found != new_numbers.end()                 ? found->second
                              : table.missing == NewNumbers::Missing::keep ? bits & (~std::uint64_t{0} >> (64 - 8 * sizeof(T)))
                                                                           : 0));
        if (label != 0) occurring.insert(bits);
    }
    exec::CpuExecutor executor(pool());
    const LabelVoxels from{labels.data() + offset, scalar_type_of<T>(), std::int64_t(moved.size())};
    std::vector<std::uint64_t> found = map_labels(executor, from, table, out.data(), scalar_type_of<Number>());
    std::ranges::sort(found);
    CHECK(found == std::vector<std::uint64_t>(occurring.begin(), occurring.end()));
    out.resize(want.size());
    CHECK(out == want);
}

template <class T>
void check_new_numbers(std::uint64_t first, std::uint64_t values, std::mt19937_64& random) {
    for (const std::size_t size : {1, 15, 64, 5000}) {
        const std::vector<T> labels = random_labels<T>(size, first, values, random);
        std::vector<std::uint64_t> old{0, 300, ~std::uint64_t{0} / 3}, numbers{0, 1, 2};  // labels that may not occur, or not fit
        for (const T label : labels)
            if (random() % 2 && std::ranges::find(old, value_bits(label)) == old.end())
                old.push_back(value_bits(label)), numbers.push_back(random());
        for (const auto missing : {NewNumbers::Missing::keep, NewNumbers::Missing::zero})
            for (const std::size_t offset : {std::size_t(0), std::min<std::size_t>(size, 1)}) {
                check_numbers<T, std::uint8_t>(labels, {old, numbers, missing}, offset);
                check_numbers<T, std::int16_t>(labels, {old, numbers, missing}, offset);
                check_numbers<T, std::uint32_t>(labels, {old, numbers, missing}, offset);
                check_numbers<T, std::uint64_t>(labels, {old, numbers, missing}, offset);
            }
    }
}

}  // namespace

TEST_CASE("label images: shared voxels of all types, and of more pairs than expected") {
    std::mt19937_64 random(5);
    for (const std::size_t size : {1, 7, 300, 40000}) {
        const auto bytes = random_labels<std::uint8_t>(size, 0, 256, random);
        const auto negative = random_labels<std::int16_t>(size, std::uint64_t(-20), 41, random);
        const auto narrow = random_labels<std::int8_t>(size, 0, 256, random);
        const auto words = random_labels<std::uint32_t>(size, 0xfffffff0, 16, random);
        const auto wide = random_labels<std::uint64_t>(size, ~std::uint64_t{0} - 200, 201, random);
        check_shared(bytes, negative);
        check_shared(negative, wide);
        check_shared(wide, bytes);
        check_shared(words, narrow);
        check_shared(wide, wide);
        check_shared(bytes, std::vector<std::int64_t>(size));
    }
    std::vector<std::uint16_t> a(150000), b(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::uint16_t(1 + random() % 400), b[i] = std::uint16_t(1 + random() % 400);
    check_shared(a, b);
}

TEST_CASE("label images: new numbers of all types, for small and large labels") {
    std::mt19937_64 random(6);
    check_new_numbers<std::uint8_t>(0, 256, random);
    check_new_numbers<std::int8_t>(0, 256, random);
    check_new_numbers<std::uint16_t>(1, 65535, random);
    check_new_numbers<std::int16_t>(std::uint64_t(-300), 601, random);
    check_new_numbers<std::uint32_t>(1, 5000000, random);
    check_new_numbers<std::int32_t>(std::uint64_t(-3000), 6001, random);
    check_new_numbers<std::uint64_t>(~std::uint64_t{0} - 3000, 3001, random);
    check_new_numbers<std::int64_t>(std::uint64_t(-9), 19, random);
}

TEST_CASE("label images: more labels without a number than expected") {
    std::vector<std::uint64_t> labels(60000);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = (i + 1) * 0x123456789abcdef;
    check_numbers<std::uint64_t, std::uint64_t>(labels, {{}, {}, NewNumbers::Missing::keep}, 0);
    check_numbers<std::uint64_t, std::uint32_t>(labels, {{}, {}, NewNumbers::Missing::zero}, 0);
}
