// Keeps the labelling and the checksum of an input at about the same position of its files.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace voxcc {

/// The labelling and the thread that computes the checksums read the same files. If one of them is far ahead, the page cache of the system
/// may no longer hold the bytes between them. The disk must then read these bytes twice. Therefore the faster one waits. Files that are not
/// larger than the window are read without waiting. Thread-safe.
// bytes 100, window 20: labelled(0.5) waits until hashed(30); hashed(75) waits until labelled(0.55)
class ReadPace {
public:
    /// @param bytes of all files of the input
    /// @param window most bytes between the two positions
    ReadPace(std::int64_t bytes, std::int64_t window) : bytes_(bytes), window_(window) {}
    /// Whether one of them may have to wait. The labelling must then read the rows in order.
    bool is_limited() const { return bytes_ > window_; }

    /// Must be called before each volume of the input is read. @param number 0, 1, 2, ... below `volumes`
    void begin_volume(std::size_t number, std::size_t volumes);
    /// Reports that the labelling has read this part of the volume, and waits if it is too far ahead. @param part from 0 to 1
    void labelled(double part);
    /// Must be called when the labelling reads nothing more. The checksum then never waits.
    void end_labelling();

    /// Reports that these bytes are hashed, and waits if they are too far ahead. @return false if a stop was requested
    bool hashed(std::int64_t bytes, const std::stop_token& stop);
    /// Must be called when nothing more is hashed, also after an error. The labelling then never waits.
    void end_checksum();

private:
    void advance(std::int64_t& position, std::int64_t to);
    const std::int64_t bytes_, window_;
    double first_ = 0, share_ = 1;  // the current volume begins at this part of the bytes, and contains this share of the bytes
    std::mutex mutex_;
    std::condition_variable_any moved_;
    std::int64_t labelled_ = 0, hashed_ = 0;  // positions in bytes
};

}  // namespace voxcc
