// Voxels that are written as decimal numbers or as hexadecimal digits.
#include "io/formats/stored/stored_bytes.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace voxcc::io {
namespace {

constexpr bool separates(std::byte byte) { return std::string_view(" \t\n\v\f\r,").find(char(byte)) != std::string_view::npos; }

class TextBytes : public StoredBytes {
public:
    using StoredBytes::StoredBytes;
    std::int64_t check_end() override {
        next_character();
        return unused_bytes();
    }

protected:
    /// Skips separators. @return whether a character follows, which is then unread_.front()
    bool next_character() {
        constexpr std::int64_t most = std::int64_t{1} << 20;  // a pipe can have blanks without end
        for (std::int64_t skipped = 0; refill(); ++skipped) {
            if (!separates(unread_.front())) return true;
            if (skipped == most) throw Error(ErrorKind::invalid_file, path(), "has more than 1 MiB of blanks in one place");
            unread_ = unread_.subspan(1);
        }
        return false;
    }
};

/// The value of a complete text; nothing if it is not a number, or not a value of the type.
template <class T>
std::optional<T> value_of(std::string_view text) {
    if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
    const char* const last = text.data() + text.size();
    if constexpr (std::is_integral_v<T>) {
        T value{};
        const auto [end, error] = std::from_chars(text.data(), last, value);
        if (end == last && error == std::errc{}) return value;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (end != last || error != std::errc{}) return std::nullopt;
    if constexpr (std::is_integral_v<T>) {  // "3.0" and "1e3"
        constexpr double most_exact = 9007199254740992.0;
        if (!(std::abs(value) <= most_exact) || std::floor(value) != value) return std::nullopt;
        if (value < double(std::numeric_limits<T>::min()) || value > double(std::numeric_limits<T>::max())) return std::nullopt;
    }
    if constexpr (std::is_same_v<T, float>) {
        constexpr double rounds_to_infinity = 0x1.ffffffp127;  // half a step above the largest float
        if (std::isfinite(value) && std::abs(value) >= rounds_to_infinity) return std::nullopt;
    }
    return T(value);
}

class Numbers : public TextBytes {
public:
    explicit Numbers(const StoredVolume& volume) : TextBytes(volume), type_(volume.info.type) {}

private:
    std::size_t decode(std::span<std::byte> to) override {
        return visit_scalar(type_, [&]<class T>(std::type_identity<T>) {
            std::size_t got = 0;
            for (; got < to.size() && next_word(); got += sizeof(T), ++voxel_) {
                const auto value = value_of<T>(word_);
                if (!value) refuse();
                std::memcpy(to.data() + got, &*value, sizeof(T));
            }
            return got;
        });
    }
    void restart() override { voxel_ = 0; }

    /// Reads the next word. @return false at the end
    bool next_word() {
        constexpr std::size_t longest = 400;  // a double has at most 309 digits before the decimal point
        if (!next_character()) return false;
        word_.clear();
        while (refill()) {
            if (separates(unread_.front())) return true;
            word_ += char(unread_.front());
            unread_ = unread_.subspan(1);
            if (word_.size() > longest) refuse();
        }
        throw Error(ErrorKind::truncated_file, path(), "ends inside its last number");  // digits could be missing
    }
    [[noreturn]] void refuse() const {
        throw Error(ErrorKind::invalid_file, path(),
                    "voxel " + std::to_string(voxel_) + " is '" + word_.substr(0, 40) + "', which is not a number of type " +
                        std::string(name_of(type_)));
    }

    ScalarType type_;
    std::int64_t voxel_ = 0;  // index in the file
    std::string word_;
};

class HexDigits : public TextBytes {
public:
    explicit HexDigits(const StoredVolume& volume) : TextBytes(volume) {}

private:
    std::size_t decode(std::span<std::byte> to) override {
        for (std::size_t at = 0; at < to.size(); ++at) {
            if (!next_character()) return at;
            const int high = next_digit();
            if (!next_character()) throw Error(ErrorKind::truncated_file, path(), "ends inside a byte");
            to[at] = std::byte(high << 4 | next_digit());
        }
        return to.size();
    }
    void restart() override {}

    int next_digit() {
        const auto c = char(unread_.front());
        int digit = 0;
        if (const auto [end, error] = std::from_chars(&c, &c + 1, digit, 16); end != &c + 1)
            throw Error(ErrorKind::invalid_file, path(), "one of its voxels is not a hexadecimal number");
        unread_ = unread_.subspan(1);
        return digit;
    }
};

}  // namespace

std::unique_ptr<StoredBytes> bytes_of_text(const StoredVolume& volume) {
    if (volume.encoding == Encoding::hex) return std::make_unique<HexDigits>(volume);
    return std::make_unique<Numbers>(volume);
}

}  // namespace voxcc::io
