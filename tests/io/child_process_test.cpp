// The process that parses untrusted files: each failure in it must become an error, and it must not change any file.
#include "io/process/child_process.h"
#include "files.h"
#include "sandboxed.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <csignal>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

// The exit code of the error that a child running `serve` causes; none if the child answers "done".
std::optional<ErrorKind> end_of(const ChildProcess::Serve& serve, const ChildLimits& limits = {}) {
    return kind_of([&] {
        ChildProcess child("file", limits, {}, serve);
        child.ask(expect_done);
    });
}

}  // namespace

TEST_CASE("child process: answers and errors reach the parent") {
    CHECK_FALSE(end_of(put_done).has_value());
    CHECK(end_of([](Channel&) { throw Error(ErrorKind::no_such_volume, "a", "b", "c"); }) == ErrorKind::no_such_volume);
    CHECK(message_of([] {
              ChildProcess child("file", {}, {}, [](Channel&) { throw Error(ErrorKind::invalid_file, "a", "b", "c"); });
              child.ask(expect_done);
          }) == "a: b");
}

TEST_CASE("child process: a child that waits instead of answering is an error") {
    const ChildLimits limits{.idle_seconds = 1};
    CHECK(end_of([](Channel& channel) { channel.get<int>(); }, limits) == ErrorKind::io_error);  // no answer
    CHECK(kind_of([&] {
              ChildProcess child("file", limits, {}, [](Channel& channel) {
                  channel.put(std::uint64_t{5});  // announces five numbers, sends one
                  channel.put(1);
                  channel.get<int>();
              });
              child.ask([](Channel& channel) { channel.get_list<int>(10); });
          }) == ErrorKind::io_error);
}

TEST_CASE("child process: crashes, hangs, excessive memory and invalid answers are errors") {
    CHECK(end_of([](Channel&) { __builtin_trap(); }) == ErrorKind::corrupt_file);
    CHECK(end_of([](Channel&) { std::abort(); }) == ErrorKind::corrupt_file);
    CHECK(end_of([](Channel&) { ::_exit(0); }) == ErrorKind::corrupt_file);
    CHECK(end_of([](Channel&) { throw 1; }) == ErrorKind::corrupt_file);
    CHECK(end_of([](Channel&) { throw std::bad_alloc(); }) == ErrorKind::out_of_memory);
    CHECK(kind_of([] {
              ChildProcess child("file", {}, {}, [](Channel& channel) {
                  channel.put(int(::getpid()));
                  channel.get<int>();
              });
              child.ask([](Channel& channel) {
                  ::kill(channel.get<int>(), SIGKILL);  // as the kernel does when memory is exhausted
                  channel.get<int>();
              });
          }) == ErrorKind::out_of_memory);
    const auto loop = [](Channel&) {
        for (std::atomic<int> i{0};; ++i) {
        }
    };
    CHECK(end_of(loop, {.processor_seconds = 1}) == ErrorKind::corrupt_file);
    const auto loop_without_signals = [&](Channel& channel) {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
        loop(channel);
    };
    CHECK(end_of(loop_without_signals, {.processor_seconds = 1}) == ErrorKind::corrupt_file);
    const auto take = [](Channel& channel) {
        std::vector<char> much(std::size_t{300} << 20);
        put_done(channel);
    };
    CHECK_FALSE(end_of(take, {.memory = std::int64_t{500} << 20}).has_value());
    if (sandboxed) CHECK(end_of(take, {.memory = std::int64_t{200} << 20}) == ErrorKind::out_of_memory);
    CHECK_FALSE(kind_of([&] {
                    ChildProcess child("file", {.memory = std::int64_t{200} << 20}, {}, [&](Channel& channel) {
                        channel.get<int>();
                        take(channel);
                    });
                    child.allow(std::int64_t{500} << 20, 10);
                    child.ask([](Channel& channel) {
                        channel.put(1);
                        expect_done(channel);
                    });
                }).has_value());
}

TEST_CASE("child process: values of a hostile process are checked") {
    const auto kind = [](const ChildProcess::Serve& serve, const auto& talk) {
        return kind_of([&] {
            ChildProcess child("file", {}, {}, serve);
            child.ask(talk);
        });
    };
    const auto huge_count = [](Channel& channel) { channel.put(std::uint64_t{1} << 60); };
    CHECK(kind(huge_count, [](Channel& channel) { channel.get_text(); }) == ErrorKind::corrupt_file);
    CHECK(kind(huge_count, [](Channel& channel) { channel.get_list<int>(1000); }) == ErrorKind::corrupt_file);
    CHECK(kind([](Channel& channel) { channel.put(std::uint8_t{77}); }, [](Channel& c) { c.get_enum(ScalarType::f64); }) ==
          ErrorKind::corrupt_file);
    CHECK(kind([](Channel& channel) { channel.put(std::uint8_t{77}); }, expect_done) == ErrorKind::corrupt_file);
    const auto wrong_kind = [](Channel& channel) {
        channel.put(std::uint8_t{1});
        channel.put(ErrorKind::bad_configuration);  // readers do not report this kind
    };
    CHECK(kind(wrong_kind, expect_done) == ErrorKind::corrupt_file);
    for (const Extent& extent : {Extent{-1, 2, 3}, Extent{1 << 30, 1 << 30, 1 << 30}, Extent{0, 5, 5}}) {
        VolumeInfo info;
        info.extent = extent;
        CHECK(kind([&](Channel& channel) { put_info(channel, info); }, get_info) == ErrorKind::corrupt_file);
    }
}

TEST_CASE("child process: descriptions of volumes are sent completely") {
    VolumeInfo info;
    info.path = "a.h5", info.format = "HDF5", info.compression = "deflate", info.stored_type = "uint16", info.dataset = "/v";
    info.extent = {3, 4, 5};
    info.type = ScalarType::u16;
    info.dimensions = 2, info.volumes = 7;
    info.geometry.affine = Affine{{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}};
    info.geometry.unit = LengthUnit::mil;
    info.geometry.source = "the sform";
    info.geometry.notes = {"a note"};
    info.datasets = {{"/v", "uint16", {5, 4, 3}}, {"/w", "string", {}}};
    info.volume_axes = {{"T", 7}};
    info.details = DicomDetails{{"time point 1", "time point 2"}};
    info.warnings = {"one", ""};
    VolumeInfo got;
    ChildProcess child("file", {}, {}, [&](Channel& channel) { put_info(channel, info); });
    child.ask([&](Channel& channel) { got = get_info(channel); });
    CHECK(got.path == info.path);
    CHECK(got.format == info.format);
    CHECK(got.compression == info.compression);
    CHECK(got.stored_type == info.stored_type);
    CHECK(got.dataset == info.dataset);
    CHECK(got.extent == info.extent);
    CHECK(got.type == info.type);
    CHECK(got.dimensions == 2);
    CHECK(got.volumes == 7);
    CHECK(got.geometry.affine == info.geometry.affine);
    CHECK_FALSE(got.geometry.spacing.has_value());
    CHECK(got.geometry.unit == LengthUnit::mil);
    CHECK(got.geometry.source == "the sform");
    CHECK(got.geometry.notes == info.geometry.notes);
    REQUIRE(got.datasets.size() == 2);
    CHECK(got.datasets[0].shape == info.datasets[0].shape);
    CHECK(got.datasets[1].type == "string");
    REQUIRE(got.volume_axes.size() == 1);
    CHECK(got.volume_axes[0].name == "T");
    CHECK(got.volume_axes[0].size == 7);
    REQUIRE(std::holds_alternative<DicomDetails>(got.details));
    CHECK(std::get<DicomDetails>(got.details).volume_names == std::vector<std::string>{"time point 1", "time point 2"});
    CHECK(got.warnings == info.warnings);
}

TEST_CASE("child process: it has no permission to change files") {
    if (!sandboxed) return;
    const TemporaryFolder folder;
    const std::string kept = folder / "kept", made = folder / "made";
    put_file(kept, "content");
    const int writable = ::open(kept.c_str(), O_RDWR);
    REQUIRE(writable >= 0);
    const auto attempts = [&](Channel& channel) {
        std::vector<int> failures;
        const auto attempt = [&](auto result) { failures.push_back(result < 0 ? errno : 0); };
        attempt(::open(made.c_str(), O_WRONLY | O_CREAT, 0600));
        attempt(::open(kept.c_str(), O_RDWR));
        attempt(::open(kept.c_str(), O_RDONLY | O_TRUNC));
        attempt(::write(writable, "x", 1));
        attempt(::pwrite(writable, "x", 1, 0));
        attempt(::ftruncate(writable, 0));
        attempt(::unlink(kept.c_str()));
        attempt(::rename(kept.c_str(), made.c_str()));
        attempt(::mkdir(made.c_str(), 0700));
        attempt(::socket(AF_INET, SOCK_STREAM, 0));
        attempt(::fork());
        attempt(::execl("/bin/true", "true", static_cast<char*>(nullptr)));
        attempt(::kill(::getppid(), 0));
        attempt(::open(kept.c_str(), O_RDONLY));
        channel.put_list(failures);
    };
    ChildProcess child("file", {}, {writable, {}}, attempts);
    const auto failures = child.ask([](Channel& channel) { return channel.get_list<int>(100); });
    CHECK(failures == std::vector<int>(failures.size(), EPERM));
    ::close(writable);
    CHECK(content_of(kept) == "content");
    CHECK(folder.entries() == 1);
}

TEST_CASE("child process: it opens named files for reading only") {
    if (!sandboxed) return;
    const TemporaryFolder folder;
    const std::string named = folder / "named";
    put_file(named, "content");
    ChildProcess child("file", {}, {-1, {named}}, [&](Channel& channel) {
        channel.put(int(::open(named.c_str(), O_RDONLY) >= 0));
        channel.put(int(::open(named.c_str(), O_RDWR) >= 0));
    });
    child.ask([](Channel& channel) {
        CHECK(channel.get<int>() == 1);
        CHECK(channel.get<int>() == 0);
    });
}

TEST_CASE("child process: only the kept descriptor of the parent stays open") {
    const int secret = ::open("/dev/null", O_RDONLY), kept = ::open("/dev/null", O_RDONLY), after = ::open("/dev/null", O_RDONLY);
    ChildProcess child("file", {}, {kept, {}}, [&](Channel& channel) {
        for (const int fd : {secret, kept, after}) channel.put(int(::fcntl(fd, F_GETFD) >= 0));
    });
    child.ask([](Channel& channel) {
        CHECK(channel.get<int>() == 0);
        CHECK(channel.get<int>() == 1);
        CHECK(channel.get<int>() == 0);
    });
    for (const int fd : {secret, kept, after}) ::close(fd);
}
