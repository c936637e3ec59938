// Tests that the parts of the list of published algorithms, which the CUDA files compile, make up the complete list.
#include "lab/algorithms/published.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace {

using voxcc::algorithms::Published;

constexpr auto name_of = []<class Algorithm>(Algorithm) { return Algorithm::name; };

template <std::size_t... Part>
std::vector<std::string_view> names_of_parts(std::index_sequence<Part...>) {
    std::vector<std::string_view> names;
    const auto append = [&](const auto& part) { names.insert(names.end(), part.begin(), part.end()); };
    (append(Published::map_part<Part, sizeof...(Part)>(name_of)), ...);
    return names;
}

template <std::size_t Parts>
bool parts_are_the_list() {
    const auto names = Published::map(name_of);
    const std::vector<std::string_view> joined = names_of_parts(std::make_index_sequence<Parts>{});
    return std::equal(joined.begin(), joined.end(), names.begin(), names.end());
}

}  // namespace

TEST_CASE("published: the parts in order equal the list") {
    CHECK(parts_are_the_list<1>());
    CHECK(parts_are_the_list<2>());
    CHECK(parts_are_the_list<3>());
    CHECK(parts_are_the_list<Published::size>());
}
