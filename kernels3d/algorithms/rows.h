// The published algorithms, a row each: from this list follow the registry, the tests and the bench, on every device.
#pragma once
#include "kernels3d/algorithms/bke.h"
#include "kernels3d/algorithms/buf.h"
#include "kernels3d/algorithms/ha.h"
#include "kernels3d/algorithms/ke.h"
#include "kernels3d/algorithms/shibata.h"
#include "kernels3d/algorithms/uf.h"
#include "kernels3d/algorithms/ziegler.h"

#include <array>
#include <string_view>

namespace voxcc::algorithms {

inline constexpr std::string_view allegretti =
    "Allegretti, Bolelli, Grana, Optimized block-based algorithms to label connected components on GPUs, 2019";
inline constexpr std::string_view oliveira = "Oliveira, Lotufo, A study on connected components labeling algorithms using GPUs, 2010";
inline constexpr std::string_view komura = "Komura, GPU-based cluster-labeling algorithm without the use of conventional iteration, 2015";
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
    static constexpr std::string_view name = "uf-ic", source = oliveira;
};
struct Ke : Komura {
    static constexpr std::string_view name = "ke", source = komura;
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
struct Ha4 : HardwareAccelerated<32, false> {
    static constexpr std::string_view name = "ha4", source = hennequin;
    static constexpr std::array connectivities{Connectivity::c6, Connectivity::c4};
};
struct Ha4x64 : HardwareAccelerated<64, false> {
    static constexpr std::string_view name = "ha4-64", source = hennequin;
    static constexpr std::array connectivities{Connectivity::c6, Connectivity::c4};
};
struct Ha8 : HardwareAccelerated<32, true> {
    static constexpr std::string_view name = "ha8", source = hennequin;
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
};
using Rows = RowList<Buf, BufIc, Bke, BkeIc, Uf, UfIc, Ke, Shibata, ZieglerGather, ZieglerLinks, ZieglerMasterSlave, Ha4, Ha4x64, Ha8>;

}  // namespace voxcc::algorithms
