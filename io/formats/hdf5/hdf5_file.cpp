#include "io/formats/hdf5/hdf5_file.h"

#include "io/failed_allocation.h"
#include "io/files/transfer.h"

#include <sys/file.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <utility>
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

namespace voxcc::io::hdf5 {

struct DriverState {
    std::string path;
    ExternalFiles external = ExternalFiles::refuse;
    const InputFile* input = nullptr;  // null when writing
    OutputFile* output = nullptr;
    haddr_t end = 0;                      // of the data of the input, as the superblock states it
    std::optional<StoredBytes> recorded;  // set while reads of raw data are recorded instead of carried out
    const UseNode* use_node = nullptr;    // set while the nodes of an index are watched
    std::vector<OpenedFile> further_files;
    std::optional<Error> failure;
};

namespace {

// The library copies these bytes into property lists, also for linked files that it opens itself.
struct DriverInfo {
    DriverState* state;
};

struct DriverFile : H5FD_t {
    DriverFile(DriverState& a, const InputFile* in, std::unique_ptr<InputFile> further)
        : H5FD_t{}, state(a), owned(std::move(further)), input(in) {
        eof = haddr_t(input ? input->size() : 0);
    }
    DriverState& state;
    std::unique_ptr<InputFile> owned;  // file of a link or a virtual dataset
    const InputFile* input;            // null when writing to state.output
    haddr_t eoa = 0, eof = 0;
};

DriverFile& cast(H5FD_t* file) { return *static_cast<DriverFile*>(file); }
const DriverFile& cast(const H5FD_t* file) { return *static_cast<const DriverFile*>(file); }

herr_t remember(DriverState& state, const Error& error) {
    if (!state.failure) state.failure = error;
    return -1;
}

H5FD_t* open_driver(const char* name, unsigned, hid_t properties, haddr_t) {
    const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(properties));
    if (!info) return nullptr;
    DriverState& state = *info->state;
    try {
        if (name == state.path || state.output) return new DriverFile(state, state.input, nullptr);
        if (state.external == ExternalFiles::refuse)
            throw Error(ErrorKind::external_file, state.path, std::string("refers to another file, ") + name);
        auto input = std::make_unique<InputFile>(name);
        lock_shared(*input);
        state.further_files.push_back({name, input->size()});
        const InputFile* const further = input.get();
        return new DriverFile(state, further, std::move(input));
    } catch (const Error& error) {
        remember(state, error);
    } catch (const std::bad_alloc&) {
        remember(state, Error(ErrorKind::out_of_memory, state.path, "out of memory"));
    }
    return nullptr;
}

// The library calls this when it opens a further file with the same properties, and frees the result.
void* copy_info(H5FD_t* file) {
    void* copy = std::malloc(sizeof(DriverInfo));
    return copy ? new (copy) DriverInfo{&cast(file).state} : nullptr;
}

// The library looks for a linked file under several names. It goes on if a file is truncated, so the next name must not hide the cause.
herr_t close_driver(H5FD_t* base) {
    const DriverFile& file = cast(base);
    if (file.owned && innermost_error().starts_with("truncated file"))
        remember(file.state, Error(ErrorKind::truncated_file, file.input->path(), "is shorter than its header states"));
    delete &file;
    return 0;
}

// Without the accumulator, the library reads each node of an index at once.
herr_t query(const H5FD_t* file, unsigned long* flags) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    if (!file || cast(file).state.output) *flags |= H5FD_FEAT_ACCUMULATE_METADATA;
    return 0;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) { return cast(file).eoa; }
herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
    DriverFile& changed = cast(file);
    changed.eoa = address;
    if (!changed.owned) changed.state.end = address;
    return 0;
}
haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) { return cast(file).eof; }

herr_t read(H5FD_t* base, H5FD_mem_t kind, hid_t, haddr_t address, std::size_t size, void* buffer) {
    DriverFile& file = cast(base);
    if (file.state.recorded && kind == H5FD_MEM_DRAW) {
        *file.state.recorded = {std::int64_t(address), std::int64_t(size)};
        return 0;
    }
    if (file.input) {
        if (address > file.eof || size > file.eof - address)
            return remember(file.state, Error(ErrorKind::damaged_file, file.input->path(), "refers to bytes past the end of the file"));
        try {
            const std::span bytes(static_cast<std::byte*>(buffer), size);
            file.input->read(std::int64_t(address), bytes);
            if (file.state.use_node && kind == H5FD_MEM_BTREE) (*file.state.use_node)(std::int64_t(address), bytes);
            return 0;
        } catch (const Error& error) {
            return remember(file.state, error);
        } catch (const std::bad_alloc&) {
            return remember(file.state, Error(ErrorKind::out_of_memory, file.state.path, "out of memory"));
        }
    }
    // Bytes that were never written are zeros, as in any sparse file.
    std::memset(buffer, 0, size);
    const auto wanted = std::size_t(std::min<haddr_t>(size, address < file.eof ? file.eof - address : 0));
    const Transferred done = read_at(file.state.output->descriptor(), std::int64_t(address), {static_cast<std::byte*>(buffer), wanted});
    return done.error ? remember(file.state, system_error(file.state.path, "read back", done.error, Access::write)) : 0;
}

// Stores failures instead of returning them, so that the library closes the file cleanly. File::check() throws them.
herr_t write(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, const void* buffer) {
    DriverFile& file = cast(base);
    if (file.input) return -1;
    file.eof = std::max(file.eof, address + size);
    if (file.state.failure) return 0;
    try {
        file.state.output->write_at(std::int64_t(address), {static_cast<const std::byte*>(buffer), size});
    } catch (const Error& error) {
        remember(file.state, error);
    }
    return 0;
}

// The library calls this before closing, so that the length of the file matches its superblock.
herr_t truncate(H5FD_t* base, hid_t, hbool_t) {
    DriverFile& file = cast(base);
    if (file.input || file.eof == file.eoa || file.state.failure) return 0;
    if (::ftruncate(file.state.output->descriptor(), off_t(file.eoa)) != 0)
        remember(file.state, system_error(file.state.path, "set the length of", errno, Access::write));
    file.eof = file.eoa;
    return 0;
}

hid_t driver() {
    static const H5FD_class_t description{
#ifdef H5FD_CLASS_VERSION
        .version = H5FD_CLASS_VERSION,
        .value = H5FD_class_value_t(600),  // values from 512 to 65535 are free
#endif
        .name = "voxcc",
        .maxaddr = haddr_t(1) << 62,
        .fc_degree = H5F_CLOSE_STRONG,
        .terminate = nullptr,
        .sb_size = nullptr,
        .sb_encode = nullptr,
        .sb_decode = nullptr,
        .fapl_size = sizeof(DriverInfo),
        .fapl_get = copy_info,
        .fapl_copy = nullptr,
        .fapl_free = nullptr,
        .dxpl_size = 0,
        .dxpl_copy = nullptr,
        .dxpl_free = nullptr,
        .open = open_driver,
        .close = close_driver,
        .cmp = nullptr,
        .query = query,
        .get_type_map = nullptr,
        .alloc = nullptr,
        .free = nullptr,
        .get_eoa = get_eoa,
        .set_eoa = set_eoa,
        .get_eof = get_eof,
        .get_handle = nullptr,
        .read = read,
        .write = write,
        .flush = nullptr,
        .truncate = truncate,
        .lock = nullptr,
        .unlock = nullptr,
        .fl_map = H5FD_FLMAP_DICHOTOMY};
    static const hid_t id = H5FDregister(&description);
    return id;
}

std::string library_version() {
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

}  // namespace

void lock_shared(const InputFile& input) {
    const char* use = std::getenv("HDF5_USE_FILE_LOCKING");
    if (use && std::strcmp(use, "FALSE") == 0) return;
    if (::flock(input.descriptor(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw Error(ErrorKind::file_in_use, input.path(), "is being written by another program");
}

File::File(const InputFile& input, ExternalFiles external) : state_(std::make_unique<DriverState>()) {
    const Lock lock;
    forget_failed_allocations();
    state_->path = input.path();
    state_->external = external;
    state_->input = &input;
    access_properties_ = own(H5Pcreate(H5P_FILE_ACCESS), "prepare reading");
    if (input.size() == 0) throw Error(ErrorKind::invalid_file, input.path(), "is empty");
    const DriverInfo info{state_.get()};
    check(H5Pset_driver(access_properties_, driver(), &info), "prepare reading");
    id_ = Id(H5Fopen(input.path().c_str(), H5F_ACC_RDONLY, access_properties_));
    check(hid_t(id_), "open as HDF5");
}

File::File(OutputFile& output) : state_(std::make_unique<DriverState>()) {
    const Lock lock;
    forget_failed_allocations();
    state_->path = output.target();
    state_->output = &output;
    access_properties_ = own(H5Pcreate(H5P_FILE_ACCESS), "prepare writing");
    const DriverInfo info{state_.get()};
    check(H5Pset_driver(access_properties_, driver(), &info), "prepare writing");
    // Stores no times: equal labels give equal bytes.
    const Id creation = own(H5Pcreate(H5P_FILE_CREATE), "prepare writing");
    check(H5Pset_obj_track_times(creation, 0), "prepare writing");
    id_ = Id(H5Fcreate(output.temporary().c_str(), H5F_ACC_TRUNC, creation, access_properties_));
    check(hid_t(id_), "create as HDF5");
}

File::~File() {
    const Lock lock;
    id_ = Id();
}

const std::string& File::path() const { return state_->path; }
std::int64_t File::size() const { return state_->input ? state_->input->size() : 0; }
std::int64_t File::bytes_after_end() const {
    const auto bytes = haddr_t(size());
    return state_->end < bytes ? std::int64_t(bytes - state_->end) : 0;
}

OpenedFile File::file_of(hid_t object) const {
    const std::string action = "find the file that holds a dataset";
    const Id holder = own(H5Iget_file_id(object), action);
    std::array<char, 4096> name{};  // longer than any path of the system
    check(H5Fget_name(holder, name.data(), name.size()), action);
    for (const OpenedFile& file : state_->further_files)
        if (file.path == name.data()) return file;
    return {path(), size()};
}

std::vector<std::string> File::further_files() const {
    std::vector<std::string> paths;
    for (const OpenedFile& file : state_->further_files) paths.push_back(file.path);
    return paths;
}

void File::add_further_file(const std::string& path) const { state_->further_files.push_back({path}); }
void File::start_recording() const { state_->recorded = StoredBytes(); }
StoredBytes File::stop_recording() const { return std::exchange(state_->recorded, std::nullopt).value_or(StoredBytes()); }
void File::watch_index(const UseNode& use, const std::function<void()>& walk) const {
    state_->use_node = &use;
    walk();
    state_->use_node = nullptr;
    if (state_->failure) fail("read an index");
}
bool File::write_failed() const { return state_->output && state_->failure; }

void File::fail(const std::string& action) const {
    const bool without_memory = allocation_failed();
    const std::string reason = complaint();
    if (state_->output && state_->failure) throw *state_->failure;
    if (state_->failure) {
        const Error met = *state_->failure;
        state_->failure.reset();  // the next object is unaffected
        throw met;
    }
    if (without_memory) throw Error(ErrorKind::out_of_memory, path(), "cannot " + action + ": the HDF5 library needs more memory");
    if (state_->input && reason.find("version number") != std::string::npos)
        throw Error(ErrorKind::unsupported_file, path(),
                    "cannot " + action + ": its format is newer than HDF5 " + library_version() + ", which reads it, or it is corrupt (" +
                        reason + "); write it in an older format, for example with libver='v110' in h5py");
    throw Error(state_->output ? ErrorKind::io_error : ErrorKind::invalid_file, path(), "cannot " + action + ": " + reason);
}

void File::close() {
    const Lock lock;
    check(H5Fclose(id_.release()), "close");
}

}  // namespace voxcc::io::hdf5
