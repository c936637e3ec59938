#include "io/process/channel.h"

#include <sys/socket.h>
#include <algorithm>
#include <array>
#include <cerrno>

namespace voxcc::io {
namespace {

constexpr std::size_t most_unsent = 4096;
constexpr std::uint64_t longest_text = 1 << 20;
constexpr std::uint64_t most_texts = 1 << 20;  // warnings, datasets; a file may have at most 100,000 links
constexpr std::uint64_t most_axes = 64;

enum class Reply : std::uint8_t { done, failed };

template <class T>
void put_optional(Channel& channel, const std::optional<T>& value) {
    channel.put_bool(value.has_value());
    if (value) channel.put(*value);
}

template <class T>
std::optional<T> get_optional(Channel& channel) {
    return channel.get_bool() ? std::optional(channel.get<T>()) : std::nullopt;
}

/// Receives the kind of an error. @throw Channel::Invalid for a kind that readers do not report
ErrorKind get_error_kind(Channel& channel) {
    const ErrorKind kind = channel.get_enum(last_error_kind);
    if (is_about_content(kind)) return kind;
    for (const ErrorKind known : {ErrorKind::several_volumes, ErrorKind::no_such_volume, ErrorKind::several_datasets,
                                  ErrorKind::no_such_dataset, ErrorKind::several_series, ErrorKind::missing_file, ErrorKind::missing_part,
                                  ErrorKind::not_a_file, ErrorKind::io_error, ErrorKind::disk_full, ErrorKind::file_in_use,
                                  ErrorKind::no_permission, ErrorKind::out_of_memory, ErrorKind::process_limit, ErrorKind::internal})
        if (kind == known) return kind;
    throw Channel::Invalid();
}

}  // namespace

void Channel::send(std::span<const std::byte> bytes) {
    if (unsent_.size() + bytes.size() <= most_unsent) {
        unsent_.insert(unsent_.end(), bytes.begin(), bytes.end());
        return;
    }
    flush();
    send_now(bytes);
}

void Channel::flush() {
    send_now(unsent_);
    unsent_.clear();
}

void Channel::send_now(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw Closed{};
        bytes = bytes.subspan(std::size_t(n));
    }
}

void Channel::receive(std::span<std::byte> to) {
    flush();
    while (!to.empty()) {
        const ssize_t n = ::recv(fd_, to.data(), to.size(), 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN && on_wait_) {
            on_wait_();
            continue;
        }
        if (n <= 0) throw Closed{};
        to = to.subspan(std::size_t(n));
    }
}

std::size_t Channel::get_count(std::uint64_t most) {
    const auto count = get<std::uint64_t>();
    if (count > most) throw Invalid();
    return std::size_t(count);
}

// Truncates a text above the limit: it is a name or message from a hostile file, and its start is enough.
void Channel::put_text(const std::string& text) {
    const std::uint64_t length = std::min<std::uint64_t>(text.size(), longest_text);
    put(length);
    send(std::as_bytes(std::span(text).first(std::size_t(length))));
}

std::string Channel::get_text() {
    std::string text(get_count(longest_text), '\0');
    receive(std::as_writable_bytes(std::span(text)));
    return text;
}

void put_texts(Channel& channel, const std::vector<std::string>& texts) {
    channel.put(std::uint64_t(texts.size()));
    for (const std::string& text : texts) channel.put_text(text);
}

std::vector<std::string> get_texts(Channel& channel) {
    std::vector<std::string> texts;
    for (std::size_t n = channel.get_count(most_texts); n > 0; --n) texts.push_back(channel.get_text());
    return texts;
}

void put_geometry(Channel& channel, const Geometry& geometry) {
    put_optional(channel, geometry.affine);
    put_optional(channel, geometry.spacing);
    put_optional(channel, geometry.unit);
    channel.put_text(geometry.source);
    put_texts(channel, geometry.notes);
}

Geometry get_geometry(Channel& channel) {
    Geometry geometry;
    geometry.affine = get_optional<Affine>(channel);
    geometry.spacing = get_optional<std::array<double, 3>>(channel);
    if (channel.get_bool()) geometry.unit = channel.get_enum(LengthUnit::mil);
    geometry.source = channel.get_text();
    geometry.notes = get_texts(channel);
    return geometry;
}

void put_done(Channel& channel) { channel.put(Reply::done); }

void put_error(Channel& channel, const Error& error) {
    channel.put(Reply::failed);
    channel.put(error.kind());
    for (const std::string& text : {error.subject(), error.cause(), error.choices()}) channel.put_text(text);
}

void expect_done(Channel& channel) {
    if (channel.get_enum(Reply::failed) == Reply::done) return;
    const ErrorKind kind = get_error_kind(channel);
    const std::string subject = channel.get_text(), cause = channel.get_text(), choices = channel.get_text();
    throw Error(kind, subject, cause, choices);
}

namespace {

void put_axes(Channel& channel, const std::vector<VolumeAxis>& axes) {
    channel.put(std::uint64_t(axes.size()));
    for (const VolumeAxis& axis : axes) {
        channel.put_text(axis.name);
        channel.put(axis.size);
    }
}

std::vector<VolumeAxis> get_axes(Channel& channel) {
    std::vector<VolumeAxis> axes(channel.get_count(most_axes));
    for (VolumeAxis& axis : axes) {
        axis.name = channel.get_text();
        axis.size = channel.get<std::int64_t>();
        if (axis.name.empty() || axis.size < 1) throw Channel::Invalid();
    }
    return axes;
}

// Readers of NumPy files and Zarr arrays never run in a child process.
enum class SentDetails : std::uint8_t { none, dicom };

void put_details(Channel& channel, const FormatDetails& details) {
    if (const auto* dicom = std::get_if<DicomDetails>(&details)) {
        channel.put(SentDetails::dicom);
        put_texts(channel, dicom->volume_names);
    } else if (std::holds_alternative<std::monostate>(details)) {
        channel.put(SentDetails::none);
    } else {
        throw Error(ErrorKind::internal, "details", "of this format are not sent by a child process");
    }
}

FormatDetails get_details(Channel& channel) {
    if (channel.get_enum(SentDetails::dicom) == SentDetails::none) return {};
    return DicomDetails{get_texts(channel)};
}

}  // namespace

void put_info(Channel& channel, const VolumeInfo& info) {
    for (const std::string& text : {info.path, info.format, info.compression, info.stored_type, info.dataset}) channel.put_text(text);
    channel.put(info.extent);
    channel.put(info.type);
    channel.put(info.dimensions);
    channel.put(info.volumes);
    channel.put(info.channels);
    put_geometry(channel, info.geometry);
    channel.put(std::uint64_t(info.datasets.size()));
    for (const Dataset& dataset : info.datasets) {
        channel.put_text(dataset.path);
        channel.put_text(dataset.type);
        channel.put_list(dataset.shape);
    }
    for (const auto* axes : {&info.volume_axes, &info.page_axes}) put_axes(channel, *axes);
    put_details(channel, info.details);
    put_texts(channel, info.warnings);
}

VolumeInfo get_info(Channel& channel) {
    VolumeInfo info;
    for (std::string* text : {&info.path, &info.format, &info.compression, &info.stored_type, &info.dataset}) *text = channel.get_text();
    info.extent = channel.get<Extent>();
    info.type = channel.get_enum(ScalarType::f64);
    info.dimensions = channel.get<int>();
    info.volumes = channel.get<std::int64_t>();
    info.channels = channel.get<int>();
    info.geometry = get_geometry(channel);
    for (std::size_t n = channel.get_count(most_texts); n > 0; --n) {
        Dataset& dataset = info.datasets.emplace_back();
        dataset.path = channel.get_text();
        dataset.type = channel.get_text();
        dataset.shape = channel.get_list<std::int64_t>(most_axes);
    }
    for (auto* axes : {&info.volume_axes, &info.page_axes}) *axes = get_axes(channel);
    info.details = get_details(channel);
    info.warnings = get_texts(channel);
    if (info.volumes < 1 || info.channels < 1 || info.channels > 4) throw Channel::Invalid();
    try {
        if (info.extent != Extent{}) checked_bytes(info.extent, size_of(info.type), info.path);
    } catch (const Error&) {
        throw Channel::Invalid();
    }
    return info;
}

}  // namespace voxcc::io
