// The new numbers of labels: from a table, or from pairs of labels that are united.
#pragma once
#include "src/options/options.h"
#include "src/pipeline/label_bits.h"

#include <optional>
#include <string>
#include <unordered_map>

namespace voxcc {

/// A new number per label. The label 0 has none, and stays 0.
class NewLabels {
public:
    /// A label: a whole number from -2^63 to 2^64 - 1.
    struct Label {
        LabelBits bits = 0;
        enum class Sign : std::uint8_t { positive, negative } sign = Sign::positive;  // 0 is positive
        /// A label of a volume. @param type see label_type()
        static Label of_volume(LabelBits bits, ScalarType type) {
            return {bits, is_negative(bits, type) ? Sign::negative : Sign::positive};
        }
    };
    /// Sets the new number of a label, unless it has one. @return its new number
    std::uint64_t add(const Label& label, std::uint64_t number);
    /// The new number of a label of a volume; empty if it has none. @param type see label_type()
    std::optional<std::uint64_t> find(LabelBits label, ScalarType type) const;
    /// Calls f(label, number) for all labels that a volume can have.
    template <class F>
    void for_each(ScalarType type, const F& f) const {
        for (const auto& [label, number] : positive_)
            if (type == ScalarType::u64 || std::int64_t(label) >= 0) f(label, number);
        if (type == ScalarType::u64) return;
        for (const auto& [label, number] : negative_) f(label, number);
    }
    std::size_t size() const { return positive_.size() + negative_.size(); }
    /// The largest new number; 0 without labels.
    std::uint64_t largest() const { return largest_; }

private:
    using Numbers = std::unordered_map<LabelBits, std::uint64_t>;
    Numbers positive_, negative_;
    std::uint64_t largest_ = 0;
};

/// Reads a table with the columns `label` and `new`.
/// @throw Error invalid_file if a column does not exist, or if a cell is not a whole number. Also if a new number is negative, if the label
/// 0 gets a number other than 0, or if a label gets two numbers; the exceptions of io::read_table()
// label,new: 7,1  8,1  9,0  ->  {7 -> 1, 8 -> 1, 9 -> 0}
NewLabels read_new_labels(const std::string& table);

/// Reads a table with the columns `label_a` and `label_b`, and unites the labels of its rows. The number of united labels is the smallest
/// of them.
/// @param condition an expression over the columns; rows for which it is false unite nothing. Empty: all rows unite
/// @throw Error invalid_file if a column does not exist, or if a label is not a whole number. Also if a row that unites has a label below
/// 1, or if the rows that unite are of several files or volumes. invalid_argument for an expression that is not valid; the exceptions of
/// io::read_table()
// label_a,label_b: 2,5  5,9  3,4  ->  {2 -> 2, 5 -> 2, 9 -> 2, 3 -> 3, 4 -> 3}
NewLabels read_united_labels(const std::string& contacts, const std::string& condition);

}  // namespace voxcc
