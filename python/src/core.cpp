// The module voxcc._core. The Python files of the package check all arguments, so the functions here expect valid ones.
#include "python/src/block_module.h"
#include "python/src/boxes.h"
#include "python/src/call_arguments.h"
#include "python/src/device_bindings.h"
#include "python/src/gil.h"
#include "python/src/label_holes.h"
#include "python/src/label_image.h"
#include "python/src/labelled.h"
#include "python/src/level.h"
#include "python/src/match.h"
#include "python/src/result_memory.h"
#include "python/src/tree.h"

#include <voxcc/label.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace voxcc::python {
namespace {

/// Raises voxcc.DeviceError.
void raise_device_error(const Error& error) {
    const nb::object type = nb::module_::import_("voxcc._errors").attr("DeviceError");
    PyErr_SetObject(type.ptr(), type(error.subject(), error.cause()).ptr());
}

/// Raises the Python exception that belongs to an Error.
void raise(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const Error& error) {
        PyObject* type = PyExc_RuntimeError;
        switch (error.kind()) {
            case ErrorKind::out_of_memory:
            case ErrorKind::device_memory: type = PyExc_MemoryError; break;
            case ErrorKind::no_device:
            case ErrorKind::device_failure: return raise_device_error(error);
            case ErrorKind::unsupported_by_device: type = PyExc_NotImplementedError; break;
            case ErrorKind::invalid_argument:
            case ErrorKind::invalid_extent:
            case ErrorKind::invalid_file:
            case ErrorKind::labels_too_large:
            case ErrorKind::unsupported: type = PyExc_ValueError; break;
            default: break;
        }
        PyErr_SetString(type, error.what());
    }
}

/// An array that may be None.
std::optional<Array> optional_array(nb::handle object) {
    if (object.is_none()) return std::nullopt;
    return std::optional<Array>(std::in_place, object, Array::Use::read);
}

const Array* pointer(const std::optional<Array>& array) { return array ? &*array : nullptr; }

}  // namespace

NB_MODULE(_core, m) {
    prepare_threads();
    nb::register_exception_translator(raise);
    m.attr("version") = VOXCC_VERSION;
    m.attr("commit") = VOXCC_COMMIT;
    // Threads that still run when Python finalizes hold objects, which nanobind would report as leaks. A test turns the reports on.
    nb::set_leak_warnings(false);
    m.def("report_leaks", [] { nb::set_leak_warnings(true); });
    m.def("result_memory", result_memory, nb::arg("bytes"));
    m.def("release_result_memory", release_result_memory);
    m.def("default_threads", default_threads);
    m.def("set_default_threads", set_default_threads);
    m.def("text_of_bound", [](const Bound& bound) { return text_of(bound); });
    m.def("isa", [] { return name_of(default_isa()); });

    nb::class_<Components>(m, "Components")
        .def_prop_ro("count",
                     [](const Components& self) {
                         const WithoutGil no_gil;
                         return self.count();
                     })
        .def(
            "select",
            [](Components& self, std::uint64_t smallest, std::uint64_t largest, std::optional<std::uint64_t> keep, int ties,
               bool clear_border, bool by_size) {
                Criteria criteria;
                criteria.min_voxels = smallest, criteria.max_voxels = largest;
                criteria.keep_largest = keep;
                criteria.ties = Criteria::Ties(ties);
                if (clear_border) criteria.border = Criteria::Border::clear;
                if (by_size) criteria.numbering = Numbering::by_size;
                self.select(criteria);
            },
            nb::arg("smallest"), nb::arg("largest"), nb::arg("keep").none(), nb::arg("ties"), nb::arg("clear_border"), nb::arg("by_size"))
        .def(
            "select_rows",
            [](Components& self, nb::handle kept) {
                const Array flags(kept, Array::Use::read);
                self.select_rows({reinterpret_cast<const std::uint8_t*>(flags.data()), std::size_t(flags.bytes())});
            },
            nb::arg("kept"));
    nb::class_<Labelled, Components> labelled(m, "Labelled");
    labelled
        .def(
            "__init__",
            [](Labelled* self, nb::handle voxels, nb::handle mask, int kind, const Bound& low, const Bound& high, bool complement, bool nan,
               int connectivity, bool values, const std::optional<Bound>& delta, unsigned periodic, int slice_axis, bool f_order,
               int threads) {
                const Array array(voxels, Array::Use::read);
                const std::optional<Array> mask_array = optional_array(mask);
                Options options;
                options.question.foreground = foreground_of(kind, low, high, complement, nan);
                options.question.connectivity = connectivity_of(connectivity).value();
                options.question.rule = delta ? Rule::gradient : values ? Rule::equal_values : Rule::foreground;
                options.question.difference = delta.value_or(0);
                options.periodic = periodic;
                options.order = f_order ? Order::f : Order::c;
                options.slice_axis = slice_axis;
                options.threads = threads;
                new (self) Labelled(array, pointer(mask_array), options);
            },
            nb::arg("voxels"), nb::arg("mask").none(), nb::arg("kind"), nb::arg("low"), nb::arg("high"), nb::arg("complement"),
            nb::arg("nan"), nb::arg("connectivity"), nb::arg("values"), nb::arg("delta").none(), nb::arg("periodic"), nb::arg("slice_axis"),
            nb::arg("f_order"), nb::arg("threads"))
        .def_prop_ro("nan_voxels", &Labelled::nan_voxels)
        .def("paint", [](Labelled& self, nb::handle labels) { self.paint(Array(labels, Array::Use::write), Components::Painted::numbers); })
        .def("paint_mask",
             [](Labelled& self, nb::handle labels) { self.paint(Array(labels, Array::Use::write), Components::Painted::mask); })
        .def(
            "table",
            [](Labelled& self, const Spacing& spacing, nb::handle images, nb::handle percents, bool shape) {
                return self.table(spacing, Images::of(images, percents), shape ? Labelled::Shape::measure : Labelled::Shape::leave_out);
            },
            nb::arg("spacing").none() = nb::none(), nb::arg("images") = nb::tuple(), nb::arg("percents") = nb::tuple(),
            nb::arg("shape") = false)
        .def(
            "require_seeds",
            [](Labelled& self, nb::handle voxels, int kind, const Bound& low, const Bound& high) {
                const Array array(voxels, Array::Use::read);
                const WithoutGil no_gil;
                self.require_seeds(array, foreground_of(kind, low, high, false, false));
            },
            nb::arg("voxels"), nb::arg("kind"), nb::arg("low"), nb::arg("high"));
    add_blocks(m, labelled);

    bind_devices(m);

    m.def(
        "measure",
        [](nb::handle labels, nb::handle images, nb::handle percents, std::optional<int> shape, bool background, const Spacing& spacing,
           int threads) {
            const Array array(labels, Array::Use::read);
            const auto connectivity = shape ? connectivity_of(*shape) : std::nullopt;
            return measure_labels(array, Images::of(images, percents), background ? Background::measured : Background::left_out,
                                  connectivity, spacing, threads);
        },
        nb::arg("labels"), nb::arg("images"), nb::arg("percents"), nb::arg("shape").none(), nb::arg("background"),
        nb::arg("spacing").none(), nb::arg("threads"));
    m.def("is_level", [](const std::string& text) { return level_in(text).has_value(); });
    m.def(
        "level",
        [](nb::handle voxels, nb::handle mask, const std::string& text) {
            const std::optional<Array> mask_array = optional_array(mask);
            const LevelRule rule = level_in(text).value();
            return std::tuple(int(rule.kind()), level_of_array(Array(voxels, Array::Use::read), pointer(mask_array), rule));
        },
        nb::arg("voxels"), nb::arg("mask").none(), nb::arg("text"));
    // The graph and the labels have three axes in Fortran order; labels are uint32.
    m.def("label_connectivity_graph", [](nb::handle graph, int connectivity, nb::handle labels) {
        const Array bits(graph, Array::Use::read), out(labels, Array::Use::write);
        const Extent extent{bits.shape()[0], bits.shape()[1], bits.shape()[2]};
        const WithoutGil no_gil;
        const auto label = [&]<class T>(std::type_identity<T>) {
            const std::span<const T> voxels(reinterpret_cast<const T*>(bits.data()), std::size_t(extent.voxels()));
            return label_connectivity_graph(voxels, extent, connectivity_of(connectivity).value(),
                                            reinterpret_cast<std::uint32_t*>(out.data()));
        };
        return bits.type() == ScalarType::u8 ? label(std::type_identity<std::uint8_t>{}) : label(std::type_identity<std::uint32_t>{});
    });
    m.def("box_slices", [](nb::handle low, nb::handle high, nb::handle present) {
        return box_slices(Array(low, Array::Use::read), Array(high, Array::Use::read), Array(present, Array::Use::read));
    });
    nb::class_<ImageHoles>(m, "ImageHoles")
        .def(
            "__init__",
            [](ImageHoles* self, nb::handle labels, int connectivity, std::uint64_t largest, int threads) {
                new (self) ImageHoles(Array(labels, Array::Use::read), connectivity_of(connectivity).value(), largest, threads);
            },
            nb::arg("labels"), nb::arg("connectivity"), nb::arg("largest"), nb::arg("threads"))
        .def(
            "fill",
            [](const ImageHoles& self, nb::handle to, bool one_label) {
                return self.fill(Array(to, Array::Use::write),
                                 one_label ? ImageHoles::Filling::one_label : ImageHoles::Filling::largest_label);
            },
            nb::arg("to"), nb::arg("one_label"));
    m.def(
        "match",
        [](nb::handle a, nb::handle b, int by, double at, int assignment, double least_change, std::uint64_t min_lesion,
           const Spacing& spacing, std::int64_t dilation, int threads) {
            return match_labels(Array(a, Array::Use::read), Array(b, Array::Use::read),
                                {{MatchRule::By(by), at}, Assignment(assignment), least_change, min_lesion}, dilation, spacing, threads);
        },
        nb::arg("a"), nb::arg("b"), nb::arg("by"), nb::arg("at"), nb::arg("assignment"), nb::arg("least_change"), nb::arg("min_lesion"),
        nb::arg("spacing").none(), nb::arg("dilation"), nb::arg("threads"));
    // Arrays in C order without gaps. The extent is of one map, the slowest axis first.
    m.def(
        "tfce",
        [](nb::handle maps, nb::handle enhanced, const std::vector<std::int64_t>& extent, double e, double h, std::optional<double> step,
           int connectivity, bool two_sided, int threads) {
            const Array values(maps, Array::Use::read), out(enhanced, Array::Use::write);
            const Extent of_map{extent[2], extent[1], extent[0]};
            const std::int64_t count = values.bytes() / size_of(values.type()) / of_map.voxels();
            enhance_maps({values, out, of_map, count}, {e, h, step}, connectivity_of(connectivity).value(),
                         two_sided ? Sides::both : Sides::positive, threads);
        },
        nb::arg("maps"), nb::arg("enhanced"), nb::arg("extent"), nb::arg("e"), nb::arg("h"), nb::arg("step").none(),
        nb::arg("connectivity"), nb::arg("two_sided"), nb::arg("threads"));
    m.def("contacts", [](nb::handle labels, int connectivity, int threads) {
        return contacts_of_labels(Array(labels, Array::Use::read), connectivity_of(connectivity).value(), threads);
    });
}

}  // namespace voxcc::python
