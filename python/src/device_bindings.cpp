#include "python/src/device_bindings.h"

#include "python/src/call_arguments.h"
#include "python/src/device_label_image.h"
#include "python/src/gil.h"
#include "python/src/match.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <voxcc/device.h>

namespace voxcc::python {
namespace {

/// A CUDA array behind a capsule of DLPack, which it keeps alive.
class DlpackArray {
public:
    explicit DlpackArray(nb::handle capsule) : array_(nb::cast<nb::ndarray<nb::ro>>(capsule)) {}
    std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(array_.data()); }
    int device() const { return array_.device_id(); }
    nb::tuple shape() const {
        nb::list list;
        for (std::size_t axis = 0; axis < array_.ndim(); ++axis) list.append(array_.shape(axis));
        return nb::tuple(list);
    }
    /// In bytes.
    nb::tuple strides() const {
        nb::list list;
        for (std::size_t axis = 0; axis < array_.ndim(); ++axis) list.append(array_.stride(axis) * std::int64_t(array_.itemsize()));
        return nb::tuple(list);
    }
    /// The type as in the array interface of NumPy: "<f4"; empty if NumPy has no such type.
    std::string type() const {
        const nb::dlpack::dtype type = array_.dtype();
        if (type.lanes != 1 || type.bits % 8 != 0) return {};
        const auto with = [&](char kind) { return (type.bits == 8 ? "|" : "<") + (kind + std::to_string(type.bits / 8)); };
        switch (nb::dlpack::dtype_code(type.code)) {
            case nb::dlpack::dtype_code::Bool: return with('b');
            case nb::dlpack::dtype_code::Int: return with('i');
            case nb::dlpack::dtype_code::UInt: return with('u');
            case nb::dlpack::dtype_code::Float: return with('f');
            default: return {};
        }
    }

private:
    nb::ndarray<nb::ro> array_;
};

/// Memory of a device for the voxels and the labels of a NumPy array.
class Buffer {
public:
    Buffer(int device, std::int64_t bytes) : buffer_(stream_buffer(device, std::size_t(bytes))), bytes_(bytes) {}
    std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(buffer_->data()); }
    std::uintptr_t stream() const { return reinterpret_cast<std::uintptr_t>(buffer_->stream()); }
    /// Copies an array to the bytes from `first` on.
    void upload(nb::handle object, std::int64_t first) {
        const Array array(object, Array::Use::read);
        check_end(first + array.bytes());
        const WithoutGil no_gil;
        buffer_->upload(array.data(), std::size_t(first), std::size_t(array.bytes()));
    }
    /// Fills an array with the bytes from `first` on.
    void download(nb::handle object, std::int64_t first) {
        const Array array(object, Array::Use::write);
        check_end(first + array.bytes());
        const WithoutGil no_gil;
        buffer_->download(array.data(), std::size_t(first), std::size_t(array.bytes()));
    }

private:
    void check_end(std::int64_t end) const {
        if (end > bytes_) throw Error(ErrorKind::invalid_argument, "array", "is larger than the device memory for it");
    }
    std::unique_ptr<StreamBuffer> buffer_;
    std::int64_t bytes_;
};

/// The address and the type of a mask or an intensity. Python passes None or a tuple.
using OptionalVoxels = std::optional<std::pair<std::uintptr_t, int>>;

/// Calls use(pointer to DeviceVoxels, or null).
template <class Use>
auto with_voxels(const OptionalVoxels& voxels, const Use& use) {
    if (!voxels) return use(nullptr);
    const DeviceVoxels found{voxels->first, ScalarType(voxels->second)};
    return use(&found);
}

DeviceArray label_array(std::uintptr_t address, int type, const std::vector<Py_ssize_t>& shape, bool f_layout, int device,
                        std::uintptr_t stream) {
    return {address, ScalarType(type), shape, f_layout ? Order::f : Order::c, device, stream, {}};
}

std::span<const std::uint64_t> numbers_of(const Array& numbers) {
    return {reinterpret_cast<const std::uint64_t*>(numbers.data()), std::size_t(numbers.bytes()) / sizeof(std::uint64_t)};
}

}  // namespace

void bind_devices(nb::module_& m) {
    m.def("why_no_cuda", why_no_cuda, nb::arg("device"));
    m.def(
        "wait_for_stream",
        [](int device, std::uintptr_t first, std::uintptr_t then) {
            wait_for_stream(device, reinterpret_cast<void*>(first), reinterpret_cast<void*>(then));
        },
        nb::arg("device"), nb::arg("first"), nb::arg("then"));
    m.def("device_of_address", [](std::uintptr_t address) { return device_of_address(reinterpret_cast<const void*>(address)); });
    m.def("release_stream_memory", [] {
        const WithoutGil no_gil;
        release_stream_memory();
    });

    nb::class_<DlpackArray>(m, "DlpackArray")
        .def(nb::init<nb::handle>(), nb::arg("capsule"))
        .def_prop_ro("address", &DlpackArray::address)
        .def_prop_ro("device", &DlpackArray::device)
        .def_prop_ro("shape", &DlpackArray::shape)
        .def_prop_ro("strides", &DlpackArray::strides)
        .def_prop_ro("type", &DlpackArray::type);

    nb::class_<Buffer>(m, "DeviceBuffer")
        .def(nb::init<int, std::int64_t>(), nb::arg("device"), nb::arg("bytes"))
        .def_prop_ro("address", &Buffer::address)
        .def_prop_ro("stream", &Buffer::stream)
        .def("upload", &Buffer::upload, nb::arg("array"), nb::arg("first"))
        .def("download", &Buffer::download, nb::arg("array"), nb::arg("first"));

    nb::class_<StreamCount>(m, "StreamCount").def("value", [](StreamCount& self) {
        const WithoutGil no_gil;
        return self.value();
    });

    nb::class_<DeviceLabelled, Components>(m, "DeviceLabelled")
        .def(
            "__init__",
            [](DeviceLabelled* self, std::uintptr_t address, int type, const std::vector<Py_ssize_t>& shape, bool f_layout, int device,
               std::uintptr_t stream, const std::tuple<int, Bound, Bound>& rule, bool complement, bool nan, int connectivity, bool values,
               const std::optional<Bound>& delta, unsigned periodic, int slice_axis, nb::handle owner, const OptionalVoxels& mask) {
                Options options;
                options.question.foreground = foreground_of(std::get<0>(rule), std::get<1>(rule), std::get<2>(rule), complement, nan);
                options.question.connectivity = connectivity_of(connectivity).value();
                options.question.rule = delta ? Rule::gradient : values ? Rule::equal_values : Rule::foreground;
                options.question.difference = delta.value_or(0);
                options.periodic = periodic;
                options.slice_axis = slice_axis;
                const DeviceArray array{address, ScalarType(type), shape, f_layout ? Order::f : Order::c, device,
                                        stream,  nb::borrow(owner)};
                with_voxels(mask, [&](const DeviceVoxels* voxels) { new (self) DeviceLabelled(array, voxels, options); });
            },
            nb::arg("address"), nb::arg("type"), nb::arg("shape"), nb::arg("f_layout"), nb::arg("device"), nb::arg("stream"),
            nb::arg("rule"), nb::arg("complement"), nb::arg("nan"), nb::arg("connectivity"), nb::arg("values"), nb::arg("delta").none(),
            nb::arg("periodic"), nb::arg("slice_axis"), nb::arg("owner").none() = nb::none(), nb::arg("mask").none() = nb::none())
        .def("send_count", &DeviceLabelled::send_count)
        .def("paint", [](DeviceLabelled& self, std::uintptr_t address,
                         int type) { self.paint(address, ScalarType(type), Components::Painted::numbers); })
        .def("paint_and_measure",
             [](DeviceLabelled& self, std::uintptr_t address, int type) { self.paint_and_measure(address, ScalarType(type)); })
        .def("paint_mask",
             [](DeviceLabelled& self, std::uintptr_t address) { self.paint(address, ScalarType::u8, Components::Painted::mask); })
        .def("paint_numbers",
             [](DeviceLabelled& self, std::uintptr_t address, int type, nb::handle numbers) {
                 const Array array(numbers, Array::Use::read);
                 self.paint_numbers(address, ScalarType(type), numbers_of(array));
             })
        .def(
            "table",
            [](DeviceLabelled& self, const Spacing& spacing, const OptionalVoxels& intensity) {
                return with_voxels(intensity, [&](const DeviceVoxels* voxels) { return self.table(spacing, voxels); });
            },
            nb::arg("spacing").none() = nb::none(), nb::arg("intensity").none() = nb::none());

    m.def(
        "measure_on_device",
        [](std::uintptr_t address, int type, const std::vector<Py_ssize_t>& shape, bool f_layout, int device, std::uintptr_t stream,
           const OptionalVoxels& intensity, bool background, const Spacing& spacing) {
            const DeviceArray labels = label_array(address, type, shape, f_layout, device, stream);
            return with_voxels(intensity, [&](const DeviceVoxels* voxels) {
                return measure_on_device(labels, voxels, background ? Background::measured : Background::left_out, spacing);
            });
        },
        nb::arg("address"), nb::arg("type"), nb::arg("shape"), nb::arg("f_layout"), nb::arg("device"), nb::arg("stream"),
        nb::arg("intensity").none(), nb::arg("background"), nb::arg("spacing").none());
    m.def("contacts_on_device", [](std::uintptr_t address, int type, const std::vector<Py_ssize_t>& shape, bool f_layout, int device,
                                   std::uintptr_t stream, int connectivity) {
        return contacts_on_device(label_array(address, type, shape, f_layout, device, stream), connectivity_of(connectivity).value());
    });
    m.def(
        "match_on_device",
        [](std::uintptr_t address, int type, const std::vector<Py_ssize_t>& shape, bool f_layout, int device, std::uintptr_t stream,
           const std::pair<std::uintptr_t, int>& b, int by, double at, int assignment, double least_change, std::uint64_t min_lesion,
           const Spacing& spacing) {
            return match_on_device(label_array(address, type, shape, f_layout, device, stream), {b.first, ScalarType(b.second)},
                                   {{MatchRule::By(by), at}, Assignment(assignment), least_change, min_lesion}, spacing);
        },
        nb::arg("address"), nb::arg("type"), nb::arg("shape"), nb::arg("f_layout"), nb::arg("device"), nb::arg("stream"), nb::arg("b"),
        nb::arg("by"), nb::arg("at"), nb::arg("assignment"), nb::arg("least_change"), nb::arg("min_lesion"), nb::arg("spacing").none());
    m.def(
        "map_on_device",
        [](std::uintptr_t address, int type, const std::vector<Py_ssize_t>& shape, bool f_layout, int device, std::uintptr_t stream,
           nb::handle labels, nb::handle numbers, bool keep, const std::pair<std::uintptr_t, int>& out) {
            const Array old(labels, Array::Use::read), fresh(numbers, Array::Use::read);
            const auto missing = keep ? NewNumbers::Missing::keep : NewNumbers::Missing::zero;
            return map_on_device(label_array(address, type, shape, f_layout, device, stream), {numbers_of(old), numbers_of(fresh), missing},
                                 {out.first, ScalarType(out.second)});
        },
        nb::arg("address"), nb::arg("type"), nb::arg("shape"), nb::arg("f_layout"), nb::arg("device"), nb::arg("stream"), nb::arg("labels"),
        nb::arg("numbers"), nb::arg("keep"), nb::arg("out"));
}

}  // namespace voxcc::python
