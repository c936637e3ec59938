#include "src/pipeline/read_pace.h"

#include <algorithm>
#include <limits>

namespace voxcc {

namespace {

constexpr std::int64_t after_everything = std::numeric_limits<std::int64_t>::max() / 2;

}  // namespace

void ReadPace::advance(std::int64_t& position, std::int64_t to) {
    position = std::max(position, to);
    moved_.notify_all();
}

void ReadPace::begin_volume(std::size_t number, std::size_t volumes) {
    share_ = 1 / double(volumes);
    first_ = double(number) * share_;
}

void ReadPace::labelled(double part) {
    if (!is_limited()) return;
    std::unique_lock lock(mutex_);
    const auto position = std::int64_t((first_ + part * share_) * double(bytes_));
    advance(labelled_, position);
    moved_.wait(lock, [&] { return position <= hashed_ + window_; });
}

bool ReadPace::hashed(std::int64_t bytes, const std::stop_token& stop) {
    if (!is_limited()) return !stop.stop_requested();
    std::unique_lock lock(mutex_);
    advance(hashed_, bytes);
    moved_.wait(lock, stop, [&] { return bytes <= labelled_ + window_; });
    return !stop.stop_requested();
}

void ReadPace::end_labelling() {
    const std::lock_guard lock(mutex_);
    advance(labelled_, after_everything);
}

void ReadPace::end_checksum() {
    const std::lock_guard lock(mutex_);
    advance(hashed_, after_everything);
}

}  // namespace voxcc
