// A connection between two processes of this program, and the values sent over it.
//
// A hostile file can have taken over the other process, so received values are not trusted: texts and lists have a limit, enumerations a
// range. Both ends run the same binary, so numbers are sent as their bytes in memory.
#pragma once
#include "io/io.h"

#include <functional>
#include <span>
#include <type_traits>

namespace voxcc::io {

/// One end of the connection. Not thread-safe.
class Channel {
public:
    /// @param fd a stream socket; the channel does not close it
    /// @param on_wait called by receive() each time the receive timeout of the socket (SO_RCVTIMEO) ends without data; may throw to give up
    explicit Channel(int fd, std::function<void()> on_wait = {}) : fd_(fd), on_wait_(std::move(on_wait)) {}

    /// Thrown if the other end closed the connection or its process ended.
    struct Closed {};
    /// Thrown if the other end sent a value that an intact process does not send.
    struct Invalid {};

    /// Sends bytes. Small values are buffered until flush() or the next receive().
    void send(std::span<const std::byte> bytes);
    void flush();
    /// Flushes, then receives exactly to.size() bytes. @throw Closed
    void receive(std::span<std::byte> to);

    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        send(std::as_bytes(std::span(&value, 1)));
    }
    /// @tparam T a type for which every bit pattern is a value: integers, floating-point numbers, structs and arrays of them
    template <class T>
    T get() {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_enum_v<T> && !std::is_same_v<T, bool>);
        T value{};
        receive(std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    /// @param last the enumerator with the largest value; the smallest must be 0. @throw Invalid, Closed
    template <class Enum>
    Enum get_enum(Enum last) {
        static_assert(std::is_enum_v<Enum>);
        const auto value = get<std::underlying_type_t<Enum>>();
        if (value < 0 || value > std::underlying_type_t<Enum>(last)) throw Invalid();
        return Enum(value);
    }
    bool get_bool() { return get<std::uint8_t>() != 0; }
    void put_bool(bool value) { put(std::uint8_t(value)); }

    void put_text(const std::string& text);
    std::string get_text();

    /// A list of numbers, preceded by its count. @param most get_list() throws Invalid above this count
    template <class T>
    void put_list(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        put(std::uint64_t(values.size()));
        send(std::as_bytes(std::span(values)));
    }
    template <class T>
    std::vector<T> get_list(std::uint64_t most) {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_enum_v<T> && !std::is_same_v<T, bool>);
        std::vector<T> values(get_count(most));
        receive(std::as_writable_bytes(std::span(values)));
        return values;
    }
    std::size_t get_count(std::uint64_t most);

private:
    void send_now(std::span<const std::byte> bytes);
    int fd_;
    std::function<void()> on_wait_;
    std::vector<std::byte> unsent_;
};

void put_texts(Channel& channel, const std::vector<std::string>& texts);
std::vector<std::string> get_texts(Channel& channel);

/// An answer starts with "done" or is an error.
void put_done(Channel& channel);
void put_error(Channel& channel, const Error& error);
/// @throw Error the error that the other end sent
void expect_done(Channel& channel);

/// Sends all members except `scaling` and `native`, which readers in a child process do not set.
void put_info(Channel& channel, const VolumeInfo& info);
/// @throw Channel::Invalid if the extent is neither 0 x 0 x 0 (nothing chosen) nor a volume below 2^63 bytes, or another value is out of
/// range
VolumeInfo get_info(Channel& channel);

}  // namespace voxcc::io
