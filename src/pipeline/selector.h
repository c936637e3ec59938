// Selectors: the text after the name of a file that chooses a dataset and volumes, as in "a.nii.gz[3]" or "a.h5:/seg/mask".
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// One number, or the numbers from `first` to `last`, inclusive.
struct NumberRange {
    std::int64_t first = 0;
    std::optional<std::int64_t> last;  // empty: one number, written without ".."
    bool operator==(const NumberRange&) const = default;
};

/// Positions on an axis that counts volumes, such as C (channels) or T (time points).
struct AxisPositions {
    char axis = 'C';        // in upper case
    NumberRange positions;  // with By::number
    enum class By : std::uint8_t { number, name, all } by = By::number;
    std::string name = {};  // of one position, with By::name
    bool operator==(const AxisPositions&) const = default;
};

/// The meaning of a selector. At most one of `volumes` and `axes` is given.
struct Selector {
    std::string dataset;                 // with its first '/'; empty: not chosen
    std::optional<NumberRange> volumes;  // 0-based
    std::vector<AxisPositions> axes;     // in the order of the text, each axis once
    bool chooses_volumes() const { return volumes || !axes.empty(); }
    /// Whether a range is given, so that the selector can choose several volumes. It depends on the text only, not on the file.
    bool has_range() const;
    bool operator==(const Selector&) const = default;
};

/// An input of the command line, divided into a file and the text of the selector.
struct SelectedFile {
    std::string path;
    std::string selector;  // empty: none
};

/// Divides an input. A file that has the complete text as its name wins, then the longest part before '[' or ":/" that leads to a file,
/// folder or template. If such a file does not exist, the part ends at the extension of a volume. Inputs of is_generated() have no
/// selector.
// "a.nii.gz[3]" -> {"a.nii.gz", "[3]"}; "a.h5:/seg/mask" -> {"a.h5", ":/seg/mask"}; "a.nii" -> {"a.nii", ""}
SelectedFile divide_input(const std::string& input);

/// Reads the text of a selector.
/// @param text "[VOLUME]", "[FIRST..LAST]", "[c=CHANNEL,t=TIME]" or ":/DATASET", which one of the others may follow; or empty. A position
/// on an axis is a number, a range, a name, or * for all positions. A text of digits, signs and dots is a number or a range. A name in
/// double quotes can have any characters; "" in it stands for one quote.
/// @param input subject of the error, which must end in `text`
/// @throw Error invalid_argument
// ":/seg[3]" -> {"/seg", {3}, {}}; "[c=1,t=0..4]" -> {"", {}, {{'C', {1}}, {'T', {0, 4}}}}; "[c=DAPI]" and "[c=\"DAPI\"]" -> the name DAPI
Selector parse_selector(const std::string& text, const std::string& input);

/// The text of a selector, which parse_selector() reads. Names are in quotes if they need them.
// {"", {}, {{'C', the name "488"}, {'T', {0, 4}}}} -> "[c=\"488\",t=0..4]"
std::string text_of(const Selector& selector);

/// A selector as a part of the name of a file. Only letters, digits, '.', '-', '_' and bytes of other scripts are kept.
// "[3]" -> "_3"; "[0..4]" -> "_0-4"; "[c=1,t=0]" -> "_c1_t0"; "[c=DAPI]" -> "_cDAPI"; "[c=*]" -> "_c-all"; ":/seg/mask[3]" -> "_seg_mask_3"
std::string name_of_selector(const std::string& text);

}  // namespace voxcc
