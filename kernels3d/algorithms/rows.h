// The published algorithms and our variants of them, one row each. The registry, the tests and the bench take their rows from this list,
// for every device. `source` is the publication; for our own algorithms it begins with "voxcc: " and says what differs from the
// publication.
#pragma once
#include "kernels3d/algorithms/be.h"
#include "kernels3d/algorithms/bke.h"
#include "kernels3d/algorithms/buf.h"
#include "kernels3d/algorithms/dlp.h"
#include "kernels3d/algorithms/ha.h"
#include "kernels3d/algorithms/ke.h"
#include "kernels3d/algorithms/lbuf.h"
#include "kernels3d/algorithms/le.h"
#include "kernels3d/algorithms/ole.h"
#include "kernels3d/algorithms/shibata.h"
#include "kernels3d/algorithms/tm.h"
#include "kernels3d/algorithms/uf.h"
#include "kernels3d/algorithms/ziegler.h"

#include <array>
#include <string_view>
#include <tuple>
#include <utility>

namespace voxcc::algorithms {

inline constexpr std::string_view allegretti =
    "Allegretti, Bolelli, Grana, Optimized block-based algorithms to label connected components on GPUs, 2019";
inline constexpr std::string_view oliveira = "Oliveira, Lotufo, A study on connected components labeling algorithms using GPUs, 2010";
inline constexpr std::string_view hawick = "Hawick, Leist, Playne, Parallel graph component labelling with GPUs and CUDA, 2010";
inline constexpr std::string_view kalentev =
    "Kalentev, Rai, Kemnitz, Schneider, Connected component labeling on a 2D grid using CUDA, 2011";
inline constexpr std::string_view asad = "Asad, Marroquim, Souza, On GPU connected components and properties, 2019";
inline constexpr std::string_view stava = "Stava, Benes, Connected component labeling in CUDA, 2010";
inline constexpr std::string_view komura = "Komura, GPU-based cluster-labeling algorithm without the use of conventional iteration, 2015";
inline constexpr std::string_view zavalishin =
    "Zavalishin, Safonov, Bekhtin, Kurilin, Block equivalence algorithm for labeling 2D and 3D images on GPU, 2016";
inline constexpr std::string_view yonehara = "Yonehara, Aizawa, A line-based connected component labeling algorithm using GPUs, 2015";
inline constexpr std::string_view cabaret =
    "Cabaret, Lacassagne, Etiemble, Distanceless label propagation: an efficient direct connected component labeling algorithm for GPUs, "
    "2017";
inline constexpr std::array within_slices{Connectivity::c4, Connectivity::c8};
inline constexpr std::string_view shibata_2014 = "Shibata, Connected component labeling algorithm for GPGPU, 2014";
inline constexpr std::string_view ziegler_2010 = "Ziegler, Rasmusson, Efficient volume segmentation on the GPU, 2010";
inline constexpr std::string_view hennequin =
    "Hennequin, Lacassagne, Cabaret, Meunier, A new direct connected component labeling and analysis algorithm for GPUs, 2018";

struct Buf : BlockUnionFind<Compression::plain> {
    static constexpr std::string_view name = "buf", source = allegretti;
};
struct BufIc : BlockUnionFind<Compression::inline_steps> {
    static constexpr std::string_view name = "buf-ic", source = allegretti;
};
struct Bke : BlockKomura<Compression::plain> {
    static constexpr std::string_view name = "bke", source = allegretti;
};
struct BkeIc : BlockKomura<Compression::inline_steps> {
    static constexpr std::string_view name = "bke-ic", source = allegretti;
};
struct Uf : UnionFind<Compression::plain> {
    static constexpr std::string_view name = "uf", source = oliveira;
};
struct UfIc : UnionFind<Compression::inline_steps> {
    static constexpr std::string_view name = "uf-ic";
    static constexpr std::string_view source =
        "voxcc: uf (Oliveira, Lotufo, 2010) with the inline compression of Allegretti, Bolelli, Grana, 2019";
};
struct Ke : Komura {
    static constexpr std::string_view name = "ke", source = komura;
};
struct Ole : OptimisedLabelEquivalence {
    static constexpr std::string_view name = "ole", source = kalentev;
};
struct Be : BlockEquivalence {
    static constexpr std::string_view name = "be", source = zavalishin;
};
struct Lbuf : LineUnionFind {
    static constexpr std::string_view name = "lbuf", source = yonehara;
    static constexpr std::array connectivities = within_slices;
};
struct Dlp : LabelPropagation {
    static constexpr std::string_view name = "dlp", source = cabaret;
    static constexpr std::array connectivities = within_slices;
};
struct LeHle : LabelEquivalence<Equivalences::table, Search::full, Flag::global> {
    static constexpr std::string_view name = "le-hle", source = hawick;
};
struct LeKle : LabelEquivalence<Equivalences::plain_stores, Search::full, Flag::global> {
    static constexpr std::string_view name = "le-kle", source = kalentev;
};
struct LeKleF4 : LabelEquivalence<Equivalences::plain_stores, Search::earlier, Flag::global> {
    static constexpr std::string_view name = "le-kle-f4";
    static constexpr std::string_view source =
        "voxcc: le-kle (Kalentev et al., 2011) whose first scan looks at the earlier neighbours (F4 of Asad, Marroquim, Souza, 2019)";
};
struct LeKleP4 : LabelEquivalence<Equivalences::plain_stores, Search::pruned, Flag::global> {
    static constexpr std::string_view name = "le-kle-p4";
    static constexpr std::string_view source =
        "voxcc: le-kle (Kalentev et al., 2011) whose first scan stops at the first earlier neighbour (P4 of Asad, Marroquim, Souza, 2019)";
};
struct LeHybrid : LabelEquivalence<Equivalences::atomic_minima, Search::earlier, Flag::tile> {
    static constexpr std::string_view name = "le-hybrid", source = asad;
};
struct LeHybridF8 : LabelEquivalence<Equivalences::atomic_minima, Search::full, Flag::tile> {
    static constexpr std::string_view name = "le-hybrid-f8", source = asad;
};
struct LeHybridP4 : LabelEquivalence<Equivalences::atomic_minima, Search::pruned, Flag::tile> {
    static constexpr std::string_view name = "le-hybrid-p4", source = asad;
};
struct LeHybridGlobal : LabelEquivalence<Equivalences::atomic_minima, Search::earlier, Flag::global> {
    static constexpr std::string_view name = "le-hybrid-global", source = asad;
};
struct Tm : TileMerging<16, 16> {
    static constexpr std::string_view name = "tm", source = stava;
};
struct Tm32x8 : TileMerging<32, 8> {
    static constexpr std::string_view name = "tm-32x8";
    static constexpr std::string_view source = "voxcc: tm (Stava, Benes, 2010) with tiles of 32x8 voxels";
};
struct Tm32x32 : TileMerging<32, 32> {
    static constexpr std::string_view name = "tm-32x32";
    static constexpr std::string_view source = "voxcc: tm (Stava, Benes, 2010) with tiles of 32x32 voxels";
};
struct Shibata : ShibataPropagation {
    static constexpr std::string_view name = "shibata", source = shibata_2014;
};
struct ZieglerGather : Ziegler<ZieglerSteps::gather> {
    static constexpr std::string_view name = "ziegler-gather", source = ziegler_2010;
};
struct ZieglerLinks : Ziegler<ZieglerSteps::links> {
    static constexpr std::string_view name = "ziegler-links", source = ziegler_2010;
};
struct ZieglerMasterSlave : Ziegler<ZieglerSteps::links_and_masters> {
    static constexpr std::string_view name = "ziegler-master-slave", source = ziegler_2010;
};
struct Ha4 : HardwareAccelerated<32, Touch::straight> {
    static constexpr std::string_view name = "ha4", source = hennequin;
    static constexpr std::array connectivities{Connectivity::c6, Connectivity::c4};
};
struct Ha4x64 : HardwareAccelerated<64, Touch::straight> {
    static constexpr std::string_view name = "ha4-64", source = hennequin;
    static constexpr std::array connectivities{Connectivity::c6, Connectivity::c4};
};
struct Ha8 : HardwareAccelerated<32, Touch::diagonal> {
    static constexpr std::string_view name = "ha8";
    static constexpr std::string_view source = "voxcc: ha4 (Hennequin, Lacassagne, Cabaret, Meunier, 2018) for 8 neighbours";
    static constexpr std::array connectivities{Connectivity::c8};
};

template <class... Row>
struct RowList {
    static constexpr std::size_t size = sizeof...(Row);
    /// f(Row{})..., in order, as an array.
    template <class F>
    static constexpr auto map(const F& f) {
        return std::array{f(Row{})...};
    }
    /// The same for one of several parts of the list: the parts follow one another and are about equally long.
    template <std::size_t Part, std::size_t Parts, class F>
    static constexpr auto map_part(const F& f) {
        constexpr std::size_t first = size * Part / Parts, end = size * (Part + 1) / Parts;
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::array{f(std::tuple_element_t<first + I, std::tuple<Row...>>{})...};
        }
        (std::make_index_sequence<end - first>{});
    }
};
using Rows =
    RowList<Buf, BufIc, Bke, BkeIc, Uf, UfIc, Be, Ke, Ole, Lbuf, Dlp, LeHle, LeKle, LeKleF4, LeKleP4, LeHybrid, LeHybridF8, LeHybridP4,
            LeHybridGlobal, Tm, Tm32x8, Tm32x32, Ha4, Ha4x64, Ha8, ZieglerGather, ZieglerLinks, ZieglerMasterSlave, Shibata>;

}  // namespace voxcc::algorithms
