// The pace that the labelling and the checksum of an input keep.
#include "src/pipeline/read_pace.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using namespace voxcc;

namespace {

const std::stop_token never;

}  // namespace

TEST_CASE("read pace: files that are not larger than the window are read without waiting") {
    ReadPace pace(100, 100);
    CHECK(!pace.is_limited());
    pace.labelled(1);
    CHECK(pace.hashed(100, never));
}

TEST_CASE("read pace: neither reader is ahead of the other by more than the window") {
    constexpr std::int64_t bytes = 1000, window = 100;
    ReadPace pace(bytes, window);
    CHECK(pace.is_limited());
    std::atomic<std::int64_t> labelled{0}, hashed{0}, too_far{0};  // positions before each call
    std::thread labelling([&] {
        for (std::int64_t at = 0; at <= bytes; at += 50) {
            labelled = at;
            pace.labelled(double(at) / double(bytes));
            too_far += at > hashed + window;
            if (at < bytes / 2) std::this_thread::yield();
        }
    });
    for (std::int64_t at = 0; at <= bytes; at += 10) {
        hashed = at;
        CHECK(pace.hashed(at, never));
        too_far += at > labelled + window;
        if (at > bytes / 2) std::this_thread::yield();
    }
    labelling.join();
    CHECK(too_far == 0);
}

TEST_CASE("read pace: the end of one reader lets the other continue") {
    ReadPace first(1000, 10), second(1000, 10);
    std::thread waits([&] { first.labelled(1); });
    first.end_checksum();
    waits.join();
    second.end_labelling();
    CHECK(second.hashed(1000, never));
}

TEST_CASE("read pace: a stop ends the wait of the checksum") {
    ReadPace pace(1000, 10);
    std::stop_source stop;
    std::atomic<bool> continues{true};
    std::thread waits([&] { continues = pace.hashed(1000, stop.get_token()); });
    stop.request_stop();
    waits.join();
    CHECK(!continues);
    CHECK(!pace.hashed(0, stop.get_token()));
    ReadPace not_limited(1, 1);
    CHECK(!not_limited.hashed(0, stop.get_token()));
}

TEST_CASE("read pace: the volumes of a file are equal parts of its bytes") {
    ReadPace pace(1000, 10);
    pace.begin_volume(1, 4);
    std::thread labelling([&] { pace.labelled(0.5); });  // byte 375
    CHECK(pace.hashed(365, never));                      // before, labelled() waits
    labelling.join();
    CHECK(pace.hashed(385, never));
}
