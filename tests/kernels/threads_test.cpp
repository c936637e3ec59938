// Tests the tools with which host threads wait for each other and take turns.
#include <voxcc/threads.h>
#include "kernels3d/threads/meeting.h"
#include "kernels3d/threads/reading.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

using namespace voxcc;

TEST_CASE("meeting: no thread continues before all have arrived, and one thread acts") {
    constexpr int threads = 3, rounds = 500;
    Meeting meeting(threads);
    std::atomic<int> came = 0, wrong = 0;
    int acts = 0;  // only the last thread of a round accesses it
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&] {
            for (int round = 1; round <= rounds; ++round) {
                ++came;
                if (!meeting.meet([&] { wrong += came != threads * round || ++acts != round; })) ++wrong;
                wrong += came < threads * round;
                if (!meeting.meet()) ++wrong;  // otherwise, a fast thread could already count in the next round
            }
        });
    all.clear();
    CHECK(wrong == 0);
    CHECK(acts == rounds);
}

TEST_CASE("meeting: a failing thread releases the waiting threads with an error") {
    Meeting meeting(3);
    std::atomic<int> told = 0;
    std::vector<std::jthread> all;
    for (int t = 0; t < 2; ++t) all.emplace_back([&] { told += !meeting.meet(); });
    all.emplace_back([&] { meeting.fail(); });
    all.clear();
    CHECK(told == 2);
    CHECK_FALSE(meeting.meet());
}

TEST_CASE("reading: pieces are read in order, and none after a failure") {
    ThreadPool pool(3);
    Reading reading;
    std::vector<std::int64_t> read;
    std::atomic<int> served = 0;
    pool.for_each(200, [&](std::int64_t) { served += reading.next([&](std::int64_t n) { read.push_back(n); }).has_value(); });
    REQUIRE(read.size() == 200);
    for (std::size_t n = 0; n < read.size(); ++n) CHECK(read[n] == std::int64_t(n));
    CHECK(served == 200);
    CHECK_THROWS_AS(reading.next([](std::int64_t) { throw std::runtime_error("no more"); }), std::runtime_error);
    CHECK_FALSE(reading.next([&](std::int64_t n) { read.push_back(n); }).has_value());
    CHECK(read.size() == 200);
}

TEST_CASE("spares: objects are reused by other threads") {
    ThreadPool pool(3);
    Spares<std::vector<int>> spares;
    std::atomic<int> made = 0, shared = 0;
    pool.for_each(300, [&](std::int64_t task) {
        spares.with_one([&](std::vector<int>& mine) {
            made += mine.empty();
            mine.assign(100, int(task));
            for (const int i : mine) shared += i != int(task);
        });
    });
    CHECK(made <= 3);
    CHECK(shared == 0);
}
