#include "io/formats/jpeg2000/decoder.h"

#include "io/formats/jpeg2000/packet_markers.h"

#include <algorithm>
#include <array>
#include <exception>

namespace voxcc::io {
namespace {

/// The bytes of a codestream, for the functions that OpenJPEG calls. They are called by C code, so they must not throw.
struct Source {
    const InputFile& file;
    ByteRange bytes;
    std::int64_t at = 0;  // relative to bytes.begin
    std::exception_ptr failure{};
};

OPJ_SIZE_T read_source(void* to, OPJ_SIZE_T count, void* data) {
    constexpr auto at_end = OPJ_SIZE_T(-1);
    auto& source = *static_cast<Source*>(data);
    try {
        const std::int64_t left = source.bytes.size() - source.at;
        const auto most = std::size_t(std::clamp<std::int64_t>(left, 0, std::int64_t(count)));
        const std::size_t got = source.file.read_some(source.bytes.begin + source.at, {static_cast<std::byte*>(to), most});
        source.at += std::int64_t(got);
        return got > 0 ? got : at_end;
    } catch (...) {
        source.failure = std::current_exception();
        return at_end;
    }
}

OPJ_BOOL seek_source(OPJ_OFF_T position, void* data) {
    auto& source = *static_cast<Source*>(data);
    if (position < 0 || position > source.bytes.size()) return OPJ_FALSE;
    source.at = position;
    return OPJ_TRUE;
}

OPJ_OFF_T skip_source(OPJ_OFF_T count, void* data) {
    const auto& source = *static_cast<Source*>(data);
    if (count < 0 || count > source.bytes.size() - source.at) return -1;
    return seek_source(source.at + count, data) ? count : -1;
}

struct Messages {
    std::string damage;                 // the first message that means that data are damaged
    bool packets_lack_markers = false;  // packets without the marker SOP, which the codestream permits
};

bool starts_with_one_of(std::string_view text, std::initializer_list<std::string_view> starts) {
    return std::ranges::any_of(starts, [text](std::string_view start) { return text.starts_with(start); });
}

void keep_damage(const char* text, Messages& messages) {
    if (messages.damage.empty()) messages.damage = text;
}

// OpenJPEG does not use the transformation of three colours in an image of one or two components, and continues.
void keep_error(const char* text, void* data) {
    if (!starts_with_one_of(text, {"Number of components ("})) keep_damage(text, *static_cast<Messages*>(data));
}

// The arithmetic decoder reads up to 3 bytes ahead. OpenJPEG warns from 3 bytes after the end of a code block on, which some encoders need.
// Its other message begins with "PTERM check failure: 3 remaining".
void keep_warning(const char* text, void* data) {
    auto& messages = *static_cast<Messages*>(data);
    if (starts_with_one_of(text, {"Expected SOP marker", "Not enough space for expected SOP marker"})) messages.packets_lack_markers = true;
    else if (!starts_with_one_of(text, {"Despite JP2 BPC", "Non conformant codestream TPsot", "PTERM check failure: 3 s"}))
        keep_damage(text, messages);
}

void ignore_message(const char*, void*) {}

struct DestroyCodec {
    void operator()(opj_codec_t* codec) const { opj_destroy_codec(codec); }
};
struct DestroyStream {
    void operator()(opj_stream_t* stream) const { opj_stream_destroy(stream); }
};
using Codec = std::unique_ptr<opj_codec_t, DestroyCodec>;
using Stream = std::unique_ptr<opj_stream_t, DestroyStream>;

Error no_memory(const InputFile& file) { return {ErrorKind::out_of_memory, file.path(), "no memory to decode JPEG 2000"}; }

Codec create_codec(const InputFile& file, Messages& messages) {
    Codec codec(opj_create_decompress(OPJ_CODEC_J2K));
    if (!codec) throw no_memory(file);
    opj_set_info_handler(codec.get(), ignore_message, nullptr);
    opj_set_warning_handler(codec.get(), keep_warning, &messages);
    opj_set_error_handler(codec.get(), keep_error, &messages);
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    if (!opj_setup_decoder(codec.get(), &parameters) || !opj_decoder_set_strict_mode(codec.get(), OPJ_TRUE)) throw no_memory(file);
    return codec;
}

Stream create_stream(Source& source) {
    Stream stream(opj_stream_create(OPJ_J2K_STREAM_CHUNK_SIZE, OPJ_TRUE));
    if (!stream) throw no_memory(source.file);
    opj_stream_set_read_function(stream.get(), read_source);
    opj_stream_set_skip_function(stream.get(), skip_source);
    opj_stream_set_seek_function(stream.get(), seek_source);
    opj_stream_set_user_data(stream.get(), &source, nullptr);
    opj_stream_set_user_data_length(stream.get(), OPJ_UINT64(source.bytes.size()));
    return stream;
}

[[noreturn]] void refuse(const Source& source, const Messages& messages) {
    if (source.failure) std::rethrow_exception(source.failure);
    if (messages.damage.find("emory") != std::string::npos) throw no_memory(source.file);
    const std::string cause = messages.damage.substr(0, messages.damage.find('\n'));
    throw Error(ErrorKind::corrupt_file, source.file.path(), "OpenJPEG cannot decode it: " + (cause.empty() ? "damaged data" : cause));
}

bool fits(const opj_image_t& image, const Codestream& codestream) {
    if (image.numcomps != codestream.components.size()) return false;
    for (std::size_t i = 0; i < codestream.components.size(); ++i) {
        const opj_image_comp_t& c = image.comps[i];
        if (!c.data || c.w != codestream.extent.nx || c.h != codestream.extent.ny) return false;
        if (Jpeg2000Samples{int(c.prec), c.sgnd != 0} != codestream.components[i]) return false;
    }
    return true;
}

}  // namespace

DecodedImage decode_jpeg2000(const InputFile& file, const Codestream& codestream) {
    Source source{file, codestream.bytes};
    Messages messages;
    const Codec codec = create_codec(file, messages);
    const Stream stream = create_stream(source);
    opj_image_t* header = nullptr;
    const bool has_header = opj_read_header(stream.get(), codec.get(), &header);
    DecodedImage image(header);
    if (!has_header || !opj_decode(codec.get(), stream.get(), image.get()) || !opj_end_decompress(codec.get(), stream.get()))
        refuse(source, messages);
    if (messages.packets_lack_markers && !numbers_packets_without_gap(file, codestream))
        keep_damage("a packet marker is missing", messages);
    if (source.failure || !messages.damage.empty() || !fits(*image, codestream)) refuse(source, messages);
    return image;
}

}  // namespace voxcc::io
