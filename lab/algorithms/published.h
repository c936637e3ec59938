// The list of published algorithms and of our variants. The registry, the tests and the bench read this list, for every device.
// Each algorithm is a struct with these members:
//   name
//   source                    the publication: authors, title, year
//   origin                    the section of a paper that describes the algorithm; for our variants "ours: " and the difference from a
//                             published algorithm
//   connectivities            optional; default: all
//   rules                     optional; default: Rule::foreground only
//   relabels                  optional; default: all ways of number_voxels() (number.h)
//   walks_paths               optional; default: false. True if labels move along a path by a limited number of voxels or turns per pass
//   run(executor, problem)    labels the volume and returns the number of components
//   find_components(), sum_components(), sum_segments(), a third argument of run(): optional, for properties; see run.h
#pragma once
#include "lab/algorithms/be.h"
#include "lab/algorithms/bke.h"
#include "lab/algorithms/buf.h"
#include "lab/algorithms/dlp.h"
#include "lab/algorithms/ha.h"
#include "lab/algorithms/ke.h"
#include "lab/algorithms/lbuf.h"
#include "lab/algorithms/le.h"
#include "lab/algorithms/ole.h"
#include "lab/algorithms/playne.h"
#include "lab/algorithms/shibata.h"
#include "lab/algorithms/tm.h"
#include "lab/algorithms/uf.h"
#include "lab/algorithms/ziegler.h"

#include <array>
#include <cstddef>

namespace voxcc::algorithms {

template <class... Algorithm>
struct AlgorithmList {
    static constexpr std::size_t size = sizeof...(Algorithm);
    /// The results of f(Algorithm{}) for all algorithms of the list, in order, as an array.
    template <class F>
    static constexpr auto map(const F& f) {
        return std::array{f(Algorithm{})...};
    }
    /// The same for one of several parts of the list: the parts follow one another and are about equally long.
    template <std::size_t Part, std::size_t Parts, class F>
    static constexpr auto map_part(const F& f) {
        constexpr std::size_t first = size * Part / Parts, end = size * (Part + 1) / Parts;
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::array{f(std::tuple_element_t<first + I, std::tuple<Algorithm...>>{})...};
        }
        (std::make_index_sequence<end - first>{});
    }
};
using Published =
    AlgorithmList<Buf, BufIc, Bke, BkeIc, Uf, UfFlat, UfIc, Be, Ke, Playne, PlayneBlock, Ole, Lbuf, Dlp, LeHle, LeKle, LeKleF4, LeKleP4,
                  LeHybrid, LeHybridF8, LeHybridP4, LeHybridGlobal, Tm, TmSingle, Tm32x8, Tm32x32, Ha4, Ha4x64, Ha8, ZieglerGather,
                  ZieglerMaxGather, ZieglerLinks, ZieglerMasters, ZieglerMasterSlave, ShibataNaive, ShibataSlow, Shibata>;

}  // namespace voxcc::algorithms
