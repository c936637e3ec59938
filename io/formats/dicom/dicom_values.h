// The values of DICOM elements as texts and numbers (DICOM PS3.5, 6.2).
#pragma once
#include "io/formats/dicom/dicom_elements.h"

namespace voxcc::io {

/// Reads the values of a data set. Must not outlive the file or the data set.
class DicomValues {
public:
    DicomValues(const DicomBytes& bytes, const DicomDataSet& set) : bytes_(bytes), set_(set) {}
    /// @return the value without blanks at both ends, at most 1 KiB; empty if the element is missing. Backslashes divide several values.
    /// Characters that are not printable ASCII are escaped: 0xe9  ->  "\xe9"
    std::string text(std::uint32_t tag) const;
    /// @return all numbers of an element; empty if it is missing or has no value
    /// @throw Error invalid_file if a value is not a finite number
    std::vector<double> numbers(std::uint32_t tag) const;
    /// @return the first number. @throw Error as numbers()
    std::optional<double> number(std::uint32_t tag) const;
    /// @throw Error as numbers(); invalid_file if the first number is not a whole number from 0 to 2^31 - 1
    std::optional<std::int64_t> integer(std::uint32_t tag) const;
    /// @return exactly N numbers; empty if the element is missing or has no value
    /// @throw Error as numbers(); invalid_file if it has another number of values
    template <std::size_t N>
    std::optional<std::array<double, N>> vector(std::uint32_t tag) const {
        const std::vector<double> all = numbers(tag);
        if (all.empty()) return std::nullopt;
        if (all.size() != N) refuse(tag, "has " + std::to_string(all.size()) + " numbers, not " + std::to_string(N));
        std::array<double, N> values{};
        for (std::size_t i = 0; i < N; ++i) values[i] = all[i];
        return values;
    }

private:
    [[noreturn]] void refuse(std::uint32_t tag, const std::string& cause) const;
    std::vector<std::byte> value(const DicomElement& element) const;
    const DicomBytes& bytes_;
    const DicomDataSet& set_;
};

}  // namespace voxcc::io
