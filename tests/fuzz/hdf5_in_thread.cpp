// The targets of the program `fuzz_hdf5`, and a ChildProcess that is a thread instead of a process: faults of the code that voxcc runs in
// the child process end the program. The file takes the place of io/process/child_process.cpp.
#include "io/process/child_process.h"

#include "tests/fuzz/mutators/mutators.h"
#include "tests/fuzz/mutators/random.h"
#include "tests/fuzz/read_volume.h"
#include "tests/fuzz/registry.h"
#include "tests/fuzz/scratch.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <thread>

namespace voxcc::fuzz {
namespace {

enum class Side { asks, answers };
thread_local Side side = Side::asks;  // of the current thread

}  // namespace
}  // namespace voxcc::fuzz

namespace voxcc::io {
namespace {

std::map<int, std::thread> servers;  // key: descriptor of the asking end

void serve_until_closed(const std::string& path, int fd, const ChildProcess::Serve& serve) {
    fuzz::side = fuzz::Side::answers;
    Channel channel(fd);
    try {
        try {
            serve(channel);
        } catch (const Error& error) {
            put_error(channel, error);
        } catch (const std::bad_alloc&) {
            put_error(channel, Error(ErrorKind::out_of_memory, path, "reading it needs more memory than is allowed"));
        }
        channel.flush();
    } catch (const Channel::Closed&) {  // as in the child process, which ends silently
    } catch (const Channel::Invalid&) {
    }
    ::shutdown(fd, SHUT_RDWR);
}

}  // namespace

ChildProcess::ChildProcess(const std::string& path, const ChildLimits& limits, const ChildInputs&, const Serve& serve)
    : path_(path), limits_(limits) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fuzz::fault("cannot make a socket");
    fd_ = ends[0], child_ = ends[1];
    const timeval idle{0, 200'000};  // a wrong answer can make both sides wait
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof idle);
    channel_ = Channel(fd_, [this] { require_progress(); });
    servers[fd_] = std::thread(serve_until_closed, path, ends[1], serve);
    // A forked process has copies of the arguments. The thread does not, so they must exist until it has sent its first answer.
    pollfd answer{fd_, POLLIN, 0};
    while (::poll(&answer, 1, -1) < 0 && errno == EINTR) {  // libFuzzer has a timer
    }
}

ChildProcess::~ChildProcess() {
    ::shutdown(fd_, SHUT_RDWR);
    servers[fd_].join();
    servers.erase(fd_);
    ::close(fd_);
    ::close(child_);
}

void ChildProcess::require_progress() { throw Error(ErrorKind::io_error, path_, "the thread that reads it sends nothing"); }
void ChildProcess::throw_cause_of_death() { throw Error(ErrorKind::corrupt_file, path_, "the thread that read it has ended"); }
Error ChildProcess::nonsense() const { return {ErrorKind::corrupt_file, path_, "the thread that read it sent an invalid answer"}; }

// A thread has no limits of its own.
void ChildProcess::allow(std::int64_t, int) {}
void ChildProcess::begin_request() {}

}  // namespace voxcc::io

namespace voxcc::fuzz {
namespace {

/// Bytes that replace a part of the answers.
struct Patch {
    std::uint16_t at = 0;  // bytes after the start of the answers
    std::uint8_t bytes = 0;
    std::array<std::uint8_t, 8> value{};
};
constexpr std::size_t patch_bytes = 11, most_patches = 8;

std::vector<Patch> patches;

/// An HDF5 file, followed by patches and by one byte with their number.
struct PatchedFile {
    Input file;
    std::vector<Patch> patches;
};

PatchedFile split(Input input) {
    if (input.empty()) return {};
    const std::size_t count = std::min<std::size_t>({input.back() % (most_patches + 1), (input.size() - 1) / patch_bytes});
    PatchedFile parts{input.first(input.size() - 1 - count * patch_bytes), {}};
    for (std::size_t i = 0; i < count; ++i) {
        const Input from = input.subspan(parts.file.size() + i * patch_bytes, patch_bytes);
        Patch patch{std::uint16_t(from[0] | from[1] << 8), std::uint8_t(1 + from[2] % 8)};
        std::copy_n(from.begin() + 3, patch.value.size(), patch.value.begin());
        parts.patches.push_back(patch);
    }
    return parts;
}

void run_library(Input input) {
    const std::string path = put_scratch("x.h5", input);
    accepts([&] { read_as_program(path); });
}

void run_answers(Input input) {
    PatchedFile parts = split(input);
    const std::string path = put_scratch("x.h5", parts.file);
    patches = std::move(parts.patches);
    const Agreement agreement = patches.empty() ? Agreement::required : Agreement::ignored;
    accepts([&] { read_as_program(path, {.volume = 0}, agreement); });
    patches.clear();
}

// Changes only the patches: faults of libhdf5 on a changed file are not the subject of this target.
std::size_t mutate_answers(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    Choices choices(seed);
    const PatchedFile parts = split({data, size});
    std::vector<std::uint8_t> tail(parts.file.size() + 1 == size ? 0 : size - 1 - parts.file.size());
    std::copy_n(data + parts.file.size(), tail.size(), tail.begin());
    if (tail.size() < most_patches * patch_bytes && (tail.empty() || choices.one_in(3))) tail.resize(tail.size() + patch_bytes);
    for (std::uint64_t changes = 1 + choices.below(3); changes > 0; --changes) {
        std::uint8_t* const patch = &tail[choices.below(tail.size() / patch_bytes) * patch_bytes];
        const std::uint64_t at = choices.below(choices.one_in(2) ? 200 : 2000),
                            value = choices.value(choices.below(256), parts.file.size());
        if (!choices.one_in(3))
            patch[0] = std::uint8_t(at), patch[1] = std::uint8_t(at >> 8), patch[2] = std::uint8_t((1u << choices.below(4)) - 1);
        std::memcpy(patch + 3, &value, sizeof value);
    }
    if (parts.file.size() + tail.size() + 1 > most) return size;
    std::copy(tail.begin(), tail.end(), data + parts.file.size());
    data[parts.file.size() + tail.size()] = std::uint8_t(tail.size() / patch_bytes);
    return parts.file.size() + tail.size() + 1;
}

const Registered hdf5_library({.name = "hdf5_library", .run = run_library, .longest = 16384, .mutate = mutate_hdf5, .seeds = "hdf5"});
const Registered hdf5_answers({.name = "hdf5_answers", .run = run_answers, .longest = 16384, .mutate = mutate_answers});

}  // namespace
}  // namespace voxcc::fuzz

// The linker directs calls of send() here (-Wl,--wrap=send). Only threads that serve requests send patched bytes.
extern "C" ssize_t __real_send(int fd, const void* bytes, std::size_t size, int flags);
extern "C" ssize_t __wrap_send(int fd, const void* bytes, std::size_t size, int flags) {
    thread_local std::uint64_t sent = 0;
    if (voxcc::fuzz::side == voxcc::fuzz::Side::asks || voxcc::fuzz::patches.empty()) return __real_send(fd, bytes, size, flags);
    std::vector<std::uint8_t> changed(static_cast<const std::uint8_t*>(bytes), static_cast<const std::uint8_t*>(bytes) + size);
    for (const auto& patch : voxcc::fuzz::patches)
        for (std::uint64_t i = 0; i < patch.bytes; ++i)
            if (patch.at + i >= sent && patch.at + i - sent < size) changed[patch.at + i - sent] = patch.value[i];
    const ssize_t done = __real_send(fd, changed.data(), size, flags);
    if (done > 0) sent += std::uint64_t(done);
    return done;
}
