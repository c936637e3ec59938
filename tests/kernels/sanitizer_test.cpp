// Tests every algorithm on a few small volumes, for compute-sanitizer on a GPU, under which one volume takes minutes:
//   compute-sanitizer --tool racecheck kernels_test -tc="sanitizer: *" --device cuda --algorithms buf,bke
#include "kernels/published.h"
#include "kernels/volumes.h"

using published::check_all;

TEST_CASE("sanitizer: several tiles along each axis, no multiples of any") {
    std::mt19937_64 rng(21);
    for (const oracle::Shape& s : {oracle::Shape{70, 13, 6}, {70, 45, 1}}) {
        check_all(volumes::random(s, 45, 1, 1, rng), s);
        check_all(volumes::random(s, 60, 3, 1, rng), s);
    }
}

TEST_CASE("sanitizer: degenerate, empty and full volumes") {
    for (const oracle::Shape& s : {oracle::Shape{1, 1, 1}, {67, 1, 1}, {1, 35, 1}, {1, 1, 9}, {33, 2, 3}})
        for (const std::uint8_t value : {0, 1}) check_all(std::vector<std::uint8_t>(s.size(), value), s);
}
