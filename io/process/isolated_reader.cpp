#include "io/process/isolated_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace voxcc::io {
namespace {

constexpr RowRange ask_rewind{-1, 0};

// Bytes of all voxels of the file. ITK can read them to answer a request.
double all_bytes(const VolumeInfo& info) { return double(info.volumes) * double(info.extent.voxels()) * double(size_of(info.type)); }

int seconds_per_request(int processor_seconds, const VolumeInfo& info) {
    constexpr double bytes_per_second = 1 << 24, most = 1 << 30;
    return int(std::min(most, processor_seconds + all_bytes(info) / bytes_per_second));
}

std::int64_t memory_per_request(std::int64_t memory, int copies, const VolumeInfo& info) {
    constexpr double most = std::int64_t{1} << 46;
    return std::int64_t(std::min(most, double(memory) + copies * all_bytes(info)));
}

void answer(Channel& channel, VolumeReader& reader, RowRange rows, std::vector<std::byte>& buffer) {
    if (rows == ask_rewind) return reader.rewind(), put_done(channel);
    buffer.resize(std::size_t(rows.count * reader.info().extent.nx * size_of(reader.info().type)));
    reader.read_rows(rows, buffer.data());
    put_done(channel);
    channel.send(buffer);
}

// Serves requests until the first error; a reader that has failed is not used again.
void serve(Channel& channel, const std::function<std::unique_ptr<VolumeReader>()>& open) {
    const auto reader = open();
    put_done(channel);
    put_info(channel, reader->info());
    channel.put(reader->rows_per_read());
    std::vector<std::byte> buffer;
    for (;;) {
        const auto rows = channel.get<RowRange>();
        answer(channel, *reader, rows, buffer);
    }
}

class IsolatedReader final : public VolumeReader {
public:
    IsolatedReader(const std::string& path, const ChildLimits& limits, ChildInputs inputs, int copies,
                   std::function<std::unique_ptr<VolumeReader>()> open)
        : path_(path), limits_(limits), inputs_(std::move(inputs)), copies_(copies), open_(std::move(open)) {
        ask([](Channel&) {});
    }
    void read_rows(RowRange rows, std::byte* to) override {
        ask([&](Channel& channel) {
            channel.put(rows);
            expect_done(channel);
            channel.receive({to, std::size_t(rows.count * info_.extent.nx * size_of(info_.type))});
        });
    }
    void rewind() override {
        ask([&](Channel& channel) {
            channel.put(ask_rewind);
            expect_done(channel);
        });
    }
    std::int64_t rows_per_read() const override { return rows_per_read_; }

private:
    /// Starts a child, if none runs, and sends a request. Both are repeated once if the library crashes.
    template <class Exchange>
    void ask(const Exchange& exchange) {
        for (;;) try {
                if (!child_) start();
                return child_->ask(exchange);
            } catch (const LibraryCrash&) {
                child_.reset();
                if (++crashes_ == most_crashes) throw;
            }
    }
    void start() {
        child_.emplace(path_, limits_, inputs_, [&](Channel& channel) { serve(channel, open_); });
        child_->ask([&](Channel& channel) {
            expect_done(channel);
            VolumeInfo info = get_info(channel);
            const bool was_open = info_.extent != Extent{};
            if (was_open && (info.extent != info_.extent || info.type != info_.type))
                throw Error(ErrorKind::changed_file, path_, "has changed while it was read");
            info_ = std::move(info);
            rows_per_read_ = channel.get<std::int64_t>();
        });
        child_->allow(memory_per_request(limits_.memory, copies_, info_), seconds_per_request(limits_.processor_seconds, info_));
    }

    static constexpr int most_crashes = 2;
    std::string path_;
    ChildLimits limits_;
    ChildInputs inputs_;
    int copies_;
    std::function<std::unique_ptr<VolumeReader>()> open_;
    std::optional<ChildProcess> child_;
    int crashes_ = 0;
    std::int64_t rows_per_read_ = 1;
};

}  // namespace

std::unique_ptr<VolumeReader> open_isolated(const std::string& path, const ChildLimits& limits, const ChildInputs& inputs, int copies,
                                            std::function<std::unique_ptr<VolumeReader>()> open) {
    return std::make_unique<IsolatedReader>(path, limits, inputs, copies, std::move(open));
}

}  // namespace voxcc::io
