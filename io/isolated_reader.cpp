#include "io/isolated_reader.h"

#include "io/checked_file.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace voxcc::io {
namespace {

/// Both ends run the same program, so values travel as they lie in memory.
class Channel {
public:
    explicit Channel(int fd) : fd_(fd) {}
    struct Closed {};  // thrown when the other end is gone

    void send(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) throw Closed{};
            bytes = bytes.subspan(std::size_t(n));
        }
    }
    void receive(std::span<std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t n = ::recv(fd_, bytes.data(), bytes.size(), 0);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) throw Closed{};
            bytes = bytes.subspan(std::size_t(n));
        }
    }
    template <class T> void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        send(std::as_bytes(std::span(&value, 1)));
    }
    template <class T> T get() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value{};
        receive(std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    void put_text(const std::string& text) {
        put(text.size());
        send(std::as_bytes(std::span(text)));
    }
    std::string get_text() {
        std::string text(get<std::size_t>(), '\0');
        receive(std::as_writable_bytes(std::span(text)));
        return text;
    }

private:
    int fd_;
};

enum class Reply : int { done, failed };

void put_error(Channel& channel, const Error& error) {
    channel.put(Reply::failed);
    channel.put(error.code());
    for (const std::string& text : {error.subject(), error.cause(), error.remedy()}) channel.put_text(text);
}

// @throw Error as the other end caught it
void expect_done(Channel& channel) {
    if (channel.get<Reply>() == Reply::done) return;
    const auto code = channel.get<ExitCode>();
    const std::string subject = channel.get_text(), cause = channel.get_text(), remedy = channel.get_text();
    throw Error(code, subject, cause, remedy);
}

// Not sent, as no reader that is isolated has them: scaling, datasets, native.
void put_info(Channel& channel, const VolumeInfo& info) {
    for (const std::string& text : {info.path, info.format, info.compression, info.stored_type}) channel.put_text(text);
    channel.put(info.extent);
    channel.put(info.type);
    channel.put(info.dimensions);
    channel.put(info.volumes);
    channel.put(info.geometry.affine.value_or(Affine{}));
    channel.put(info.geometry.affine.has_value());
    channel.put(info.geometry.spacing.value_or(std::array<double, 3>{}));
    channel.put(info.geometry.spacing.has_value());
    channel.put(info.warnings.size());
    for (const std::string& warning : info.warnings) channel.put_text(warning);
}

VolumeInfo get_info(Channel& channel) {
    VolumeInfo info;
    for (std::string* text : {&info.path, &info.format, &info.compression, &info.stored_type}) *text = channel.get_text();
    info.extent = channel.get<Extent>();
    info.type = channel.get<ScalarType>();
    info.dimensions = channel.get<int>();
    info.volumes = channel.get<std::int64_t>();
    info.geometry.affine = channel.get<Affine>();
    if (!channel.get<bool>()) info.geometry.affine.reset();
    info.geometry.spacing = channel.get<std::array<double, 3>>();
    if (!channel.get<bool>()) info.geometry.spacing.reset();
    info.warnings.resize(channel.get<std::size_t>());
    for (std::string& warning : info.warnings) warning = channel.get_text();
    return info;
}

constexpr RowRange ask_rewind{-1, 0};

void answer(Channel& channel, VolumeReader& reader, RowRange rows, std::vector<std::byte>& buffer) {
    if (rows == ask_rewind) return reader.rewind(), channel.put(Reply::done);
    buffer.resize(std::size_t(rows.count * reader.info().extent.nx * size_of(reader.info().type)));
    reader.read_rows(rows, buffer.data());
    channel.put(Reply::done);
    channel.send(buffer);
}

// Errors end the conversation: a reader that has failed is not asked again.
void serve(Channel& channel, const std::string& path, const std::function<std::unique_ptr<VolumeReader>()>& open) {
    try {
        const auto reader = open();
        channel.put(Reply::done);
        put_info(channel, reader->info());
        channel.put(reader->rows_a_read());
        std::vector<std::byte> buffer;
        for (;;) answer(channel, *reader, channel.get<RowRange>(), buffer);
    } catch (const Error& error) {
        put_error(channel, error);
    } catch (const std::bad_alloc&) {
        put_error(channel, Error(ExitCode::out_of_memory, path, "no memory to read it"));
    }
}

[[noreturn]] void run_child(int fd, const std::string& path, const std::function<std::unique_ptr<VolumeReader>()>& open) {
    // Our handlers remove files of the parent, which does that itself.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGSEGV}) std::signal(signal, SIG_DFL);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    const int nowhere = ::open("/dev/null", O_RDWR);
    if (nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO), ::dup2(nowhere, STDERR_FILENO);
    // Nothing of the parent may stay open here: neither its outputs nor the channels to other readers.
    ::close_range(STDERR_FILENO + 1, unsigned(fd) - 1, 0);
    ::close_range(unsigned(fd) + 1, ~0u, 0);
    try {
        Channel channel(fd);
        serve(channel, path, open);
    } catch (const Channel::Closed&) {
    } catch (...) {
        ::_exit(EXIT_FAILURE);
    }
    ::_exit(EXIT_SUCCESS);
}

class IsolatedReader final : public VolumeReader {
public:
    IsolatedReader(const std::string& path, pid_t child, int fd) : path_(path), child_(child), fd_(fd), channel_(fd) {
        try {
            guarded([&] {
                expect_done(channel_);
                info_ = get_info(channel_);
                rows_a_read_ = channel_.get<std::int64_t>();
            });
        } catch (...) {
            end();
            throw;
        }
    }
    ~IsolatedReader() override { end(); }
    void read_rows(RowRange rows, std::byte* to) override {
        guarded([&] {
            channel_.put(rows);
            expect_done(channel_);
            channel_.receive({to, std::size_t(rows.count * info_.extent.nx * size_of(info_.type))});
        });
    }
    void rewind() override {
        guarded([&] {
            channel_.put(ask_rewind);
            expect_done(channel_);
        });
    }
    std::int64_t rows_a_read() const override { return rows_a_read_; }

private:
    template <class Call> void guarded(Call&& call) {
        try {
            call();
        } catch (const Channel::Closed&) {
            throw cause_of_death();
        }
    }
    Error cause_of_death() {
        int status = 0;
        if (child_ > 0) while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {}
        child_ = 0;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
            return {ExitCode::out_of_memory, path_, "the process that read it was killed", "most likely memory ran out"};
        return {ExitCode::bad_data, path_, "the library that reads this format broke down on it", "the file is corrupt"};
    }
    void end() {
        ::close(fd_);
        if (child_ <= 0) return;
        ::kill(child_, SIGKILL);
        while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {}
        child_ = 0;
    }

    std::string path_;
    pid_t child_;
    int fd_;
    Channel channel_;
    std::int64_t rows_a_read_ = 1;
};

}  // namespace

std::unique_ptr<VolumeReader> open_isolated(const std::string& path, const std::function<std::unique_ptr<VolumeReader>()>& open) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw system_error(path, "connect to a process for", errno, Access::read);
    const pid_t child = ::fork();
    if (child == 0) run_child(ends[1], path, open);
    const int error = errno;
    ::close(ends[1]);
    if (child < 0) {
        ::close(ends[0]);
        throw system_error(path, "start a process for", error, Access::read);
    }
    return std::make_unique<IsolatedReader>(path, child, ends[0]);
}

}  // namespace voxcc::io
