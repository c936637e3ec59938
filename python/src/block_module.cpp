#include "python/src/block_module.h"

#include "python/src/block.h"
#include "python/src/gil.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

namespace voxcc::python {
namespace {

/// The elements of an array of uint64 without gaps.
std::span<const std::uint64_t> words_of(const Array& array) {
    return {reinterpret_cast<const std::uint64_t*>(array.data()), std::size_t(array.bytes()) / sizeof(std::uint64_t)};
}

/// An array of uint64 with a given number of columns; 0: with one dimension.
/// @param word called as word(row, column)
template <class Word>
nb::object array_of(std::size_t rows, std::size_t columns, const Word& word) {
    const nb::object empty = nb::module_::import_("numpy").attr("empty");
    const nb::object result = columns == 0 ? empty(rows, nb::str("uint64")) : empty(nb::make_tuple(rows, columns), nb::str("uint64"));
    const Array array(result, Array::Use::write);
    std::uint64_t* to = reinterpret_cast<std::uint64_t*>(array.data());
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < std::max<std::size_t>(columns, 1); ++column) *to++ = word(row, column);
    return result;
}

nb::object array_of(const std::vector<std::uint64_t>& words, std::size_t columns) {
    const std::size_t width = std::max<std::size_t>(columns, 1);
    return array_of(words.size() / width, columns, [&](std::size_t row, std::size_t column) { return words[row * width + column]; });
}

nb::object array_of(const std::vector<FaceRun>& runs, bool values) {
    return array_of(runs.size(), values ? 4 : 3, [&](std::size_t row, std::size_t column) {
        const FaceRun& run = runs[row];
        return std::array{run.position, run.length, run.piece, run.value}[column];
    });
}

nb::tuple outline_of(Labelled& self, const std::array<std::int64_t, 3>& origin, const std::array<std::int64_t, 3>& shape, unsigned faces) {
    Outline found;
    {
        const WithoutGil no_gil;
        found = outline(self, {origin, shape}, faces);
    }
    nb::dict face_runs;
    for (std::size_t face = 0; face < 6; ++face)
        if (faces >> face & 1) face_runs[nb::int_(face)] = array_of(found.faces[face], self.compares_values());
    return nb::make_tuple(array_of(found.pieces, 0), face_runs);
}

nb::object sums_of(Labelled& self, const std::array<std::int64_t, 3>& origin) {
    std::vector<std::uint64_t> words;
    {
        const WithoutGil no_gil;
        words = sums_of_pieces(self, origin);
    }
    return array_of(words, words_per_sum);
}

nb::object sizes_of(Labelled& self) {
    const std::vector<std::uint64_t>* sizes = nullptr;
    {
        const WithoutGil no_gil;
        sizes = &self.sizes();
    }
    return array_of(std::size_t(self.count()), 0,
                    [&](std::size_t row, std::size_t) { return (*sizes)[std::size_t(self.row_of(row + 1))]; });
}

nb::object touching_pairs(nb::handle low, nb::handle high, int connectivity) {
    const Array low_array(low, Array::Use::read), high_array(high, Array::Use::read);
    std::vector<std::array<std::uint64_t, 2>> pairs;
    {
        const WithoutGil no_gil;
        pairs =
            touching(words_of(low_array), words_of(high_array), std::size_t(low_array.shape()[1]), connectivity_of(connectivity).value());
    }
    return array_of(pairs.size(), 2, [&](std::size_t row, std::size_t column) { return pairs[row][column]; });
}

nb::object numbers_of_sets(std::size_t count, nb::handle pairs) {
    const Array array(pairs, Array::Use::read);
    std::vector<std::uint64_t> numbers;
    {
        const WithoutGil no_gil;
        numbers = parts::number_sets(count, words_of(array));
    }
    return array_of(numbers, 0);
}

/// See unwrap_sets(): numbers, moved, wraps.
nb::tuple unwrapped_sets(std::size_t count, nb::handle pairs, nb::handle steps, const std::array<std::int64_t, 3>& shape) {
    const Array pair_array(pairs, Array::Use::read), step_array(steps, Array::Use::read);
    parts::UnwrappedSets sets;
    {
        const WithoutGil no_gil;
        sets = parts::unwrap_sets(count, words_of(pair_array), words_of(step_array), shape);
    }
    return nb::make_tuple(array_of(sets.numbers, 0), array_of(sets.moved, 3), array_of(sets.wraps, 3));
}

/// The elements of an array of uint64; none for None.
std::span<const std::uint64_t> words_of(const std::optional<Array>& array) {
    return array ? words_of(*array) : std::span<const std::uint64_t>();
}

std::optional<Array> optional_array(nb::handle object) {
    if (object.is_none()) return std::nullopt;
    return std::optional<Array>(std::in_place, object, Array::Use::read);
}

/// The final number of each component by its size; 0 for dropped components.
nb::object selected_numbers(nb::handle sizes, std::uint64_t smallest, std::optional<std::uint64_t> keep, int ties) {
    const Array array(sizes, Array::Use::read);
    std::vector<Candidate> candidates;
    for (const std::uint64_t voxels : words_of(array)) candidates.push_back({voxels});
    Criteria criteria;
    criteria.min_voxels = smallest;
    criteria.keep_largest = keep;
    criteria.ties = Criteria::Ties(ties);
    const Selection selection = select(candidates, criteria);
    return array_of(candidates.size(), 0,
                    [&](std::size_t row, std::size_t) { return selection.is_identity() ? row + 1 : selection.final_numbers[row]; });
}

}  // namespace

void add_blocks(nb::module_& m, nb::class_<Labelled, Components>& labelled) {
    labelled.def("outline", outline_of, nb::arg("origin"), nb::arg("shape"), nb::arg("faces"))
        .def("sums", sums_of, nb::arg("origin"))
        .def("sizes", sizes_of)
        .def("values",
             [](Labelled& self) -> nb::object {
                 Columns columns(self.count());
                 self.add_values(columns);
                 return columns.dict()["value"];
             })
        .def("paint_numbers", [](Labelled& self, nb::handle labels, nb::handle numbers) {
            const Array number_array(numbers, Array::Use::read);
            self.paint(Array(labels, Array::Use::write), words_of(number_array));
        });
    nb::class_<MergedSums>(m, "MergedSums")
        .def(nb::init<std::size_t>())
        .def(
            "add",
            [](MergedSums& self, nb::handle rows, nb::handle numbers, nb::handle moved) {
                const Array row_array(rows, Array::Use::read), number_array(numbers, Array::Use::read);
                const std::optional<Array> moved_array = optional_array(moved);
                const WithoutGil no_gil;
                self.add(words_of(row_array), words_of(number_array), words_of(moved_array));
            },
            nb::arg("rows"), nb::arg("numbers"), nb::arg("moved").none())
        .def(
            "table",
            [](const MergedSums& self, const std::vector<Py_ssize_t>& shape, unsigned periodic, const Spacing& spacing, nb::handle wraps) {
                const std::optional<Array> wraps_array = optional_array(wraps);
                return self.table(shape, periodic, spacing, words_of(wraps_array));
            },
            nb::arg("shape"), nb::arg("periodic"), nb::arg("spacing").none(), nb::arg("wraps").none());
    m.def("touching", touching_pairs, nb::arg("low"), nb::arg("high"), nb::arg("connectivity"));
    m.def("number_sets", numbers_of_sets, nb::arg("count"), nb::arg("pairs"));
    m.def("unwrap_sets", unwrapped_sets, nb::arg("count"), nb::arg("pairs"), nb::arg("steps"), nb::arg("shape"));
    m.def("selected_numbers", selected_numbers, nb::arg("sizes"), nb::arg("smallest"), nb::arg("keep").none(), nb::arg("ties"));
}

}  // namespace voxcc::python
