#include <voxcc/parts.h>

#include "kernels3d/measure/intensity_table.h"

#include <bit>

namespace voxcc::parts {
namespace {

constexpr std::int32_t least_unit = -1082, largest_unit = 971;  // of doubles
constexpr std::uint64_t words_of_moments = 9, words_of_integers = 16, words_of_unit = 24;

class Writer {
public:
    std::vector<std::uint64_t> take() { return std::move(words_); }
    void put(std::uint64_t word) { words_.push_back(word); }
    void put(int128 value) { put(std::uint64_t(value)), put(std::uint64_t(value >> 64)); }
    template <std::size_t N>
    void put(const WideInteger<N>& value) {
        words_.insert(words_.end(), value.limbs().begin(), value.limbs().end());
    }
    void put(const IntegerSums<Powers::four>& s) {
        for (const int128 sum : {s.v, s.vv, s.vx, s.vy, s.vz}) put(sum);
        put(s.cubes), put(s.fourths);
    }
    void put(const FloatSums<Powers::four>& sums) {
        put(std::uint64_t(sums.units()));
        sums.for_each([this](const ScaledSums<Powers::four>& s) {
            put(std::uint64_t(std::int64_t(s.unit)));
            put(s.v), put(s.vv), put(s.vx), put(s.vy), put(s.vz), put(s.cubes), put(s.fourths);
        });
    }
    template <class Sums>
    void put(const IntensityMoments<Sums>& m) {
        put(m.n);
        if (m.n == 0) return;
        put(m.x), put(m.y), put(m.z);
        put(std::bit_cast<std::uint64_t>(m.min)), put(std::bit_cast<std::uint64_t>(m.max));
        for (std::size_t i = 0; i < 3; ++i) put(m.min_at[i] | std::uint64_t(m.max_at[i]) << 32);
        put(m.sums);
    }

private:
    std::vector<std::uint64_t> words_;
};

class Reader {
public:
    Reader(std::span<const std::uint64_t> words, const std::string& subject) : words_(words), subject_(subject) {}
    void require(bool holds) const {
        if (!holds) throw Error(ErrorKind::corrupt_file, subject_, "has words that are not sums of intensities");
    }
    bool is_at_end() const { return at_ == words_.size(); }
    std::uint64_t get() {
        require(!is_at_end());
        return words_[at_++];
    }
    void get(int128& value) {
        const std::uint64_t low = get();
        value = int128(uint128(get()) << 64 | low);
    }
    template <std::size_t N>
    void get(WideInteger<N>& value) {
        typename WideInteger<N>::Limbs limbs;
        for (std::uint64_t& limb : limbs) limb = get();
        value = WideInteger<N>(limbs);
    }
    void get(IntegerSums<Powers::four>& s) {
        for (int128* sum : {&s.v, &s.vv, &s.vx, &s.vy, &s.vz}) get(*sum);
        get(s.cubes), get(s.fourths);
    }
    void get(FloatSums<Powers::four>& sums) {
        const std::uint64_t units = get();
        for (std::uint64_t i = 0; i < units; ++i) {
            const auto unit = std::int64_t(get());
            require(unit >= least_unit && unit <= largest_unit);
            ScaledSums<Powers::four>& s = sums.of(std::int32_t(unit));
            require(sums.units() == i + 1);  // no unit twice
            get(s.v), get(s.vv), get(s.vx), get(s.vy), get(s.vz), get(s.cubes), get(s.fourths);
        }
    }
    template <class Sums>
    void get(IntensityMoments<Sums>& m) {
        m.n = get();
        if (m.n == 0) return;
        m.x = get(), m.y = get(), m.z = get();
        m.min = std::bit_cast<double>(get()), m.max = std::bit_cast<double>(get());
        require(m.min <= m.max);
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint64_t both = get();
            m.min_at[i] = std::uint32_t(both), m.max_at[i] = std::uint32_t(both >> 32);
        }
        get(m.sums);
    }

private:
    std::span<const std::uint64_t> words_;
    const std::string& subject_;
    std::size_t at_ = 0;
};

}  // namespace

std::vector<std::uint64_t> words_of_intensities(const IntensitySums& sums, std::uint64_t components) {
    Writer writer;
    std::visit(
        [&]<class Moments>(const Moments& moments) {
            if constexpr (Moments::value_type::powers == Powers::four) {
                for (std::size_t i = 0; i < components; ++i) {
                    if (i < moments.size()) writer.put(moments[i]);
                    else writer.put(std::uint64_t{0});
                }
            } else {
                throw Error(ErrorKind::internal, "sums of intensities", "words hold four powers");
            }
        },
        sums.table().moments);
    return writer.take();
}

std::uint64_t most_intensity_words(std::uint64_t components, std::uint64_t voxels) {
    return components * (words_of_moments + words_of_integers) + voxels * words_of_unit;
}

IntensitySums intensities_of_words(ScalarType type, std::span<const std::uint64_t> words, std::uint64_t components,
                                   const std::string& subject) {
    Reader reader(words, subject);
    reader.require(components <= words.size());
    IntensitySums::Table table(type, Powers::four);
    std::visit(
        [&]<class Moments>(Moments& moments) {
            if constexpr (Moments::value_type::powers == Powers::four) {
                moments.resize(components);
                for (auto& m : moments) reader.get(m);
            }
        },
        table.moments);
    reader.require(reader.is_at_end());
    return IntensitySums(std::move(table));
}

}  // namespace voxcc::parts
