// The tags of DICOM elements that voxcc reads (DICOM PS3.6).
#pragma once
#include <cstdint>

namespace voxcc::io::tag {

constexpr std::uint32_t sop_class_of_file = 0x00020002, transfer_syntax = 0x00020010;
constexpr std::uint32_t image_type = 0x00080008, sop_class = 0x00080016, modality = 0x00080060, frame_type = 0x00089007,
                        complex_component = 0x00089208;
constexpr std::uint32_t slice_thickness = 0x00180050, slice_distance = 0x00180088, frame_time = 0x00181063, frame_times = 0x00181065,
                        imager_spacing = 0x00181164, direction_groups = 0x00189076, echo_time = 0x00189082, b_value = 0x00189087,
                        gradient_direction = 0x00189089, echo_group = 0x00189114, diffusion_group = 0x00189117, cardiac_group = 0x00189118,
                        mr_type_group = 0x00189226, ct_type_group = 0x00189329, pet_type_group = 0x00189751;
constexpr std::uint32_t series = 0x0020000e, position = 0x00200032, orientation = 0x00200037, stack = 0x00209056,
                        number_in_stack = 0x00209057, content_group = 0x00209111, position_group = 0x00209113,
                        orientation_group = 0x00209116, time_index = 0x00209128, trigger_delay = 0x00209153, acquisition = 0x00209156,
                        index_values = 0x00209157, concatenation = 0x00209161, index_pointer = 0x00209165, index_group_pointer = 0x00209167,
                        index_sequence = 0x00209222, volume_position = 0x00209301, volume_orientation = 0x00209302,
                        volume_position_group = 0x0020930e, volume_orientation_group = 0x0020930f, time_group = 0x00209310,
                        time_offset = 0x0020930d, organization = 0x00209311;
constexpr std::uint32_t samples_per_pixel = 0x00280002, photometric = 0x00280004, frames = 0x00280008, increment_pointer = 0x00280009,
                        rows = 0x00280010, columns = 0x00280011, pixel_spacing = 0x00280030, bits_allocated = 0x00280100,
                        bits_stored = 0x00280101, high_bit = 0x00280102, is_signed = 0x00280103, intercept = 0x00281052, slope = 0x00281053,
                        lossy = 0x00282110, modality_table = 0x00283000, measures_group = 0x00289110, transformation_group = 0x00289145;
constexpr std::uint32_t slide_position_group = 0x0048021a;
constexpr std::uint32_t detector_group = 0x00540022;
constexpr std::uint32_t energy_vector = 0x00540010, detector_vector = 0x00540020, phase_vector = 0x00540030, rotation_vector = 0x00540050,
                        beat_vector = 0x00540060, time_slot_vector = 0x00540070, slice_vector = 0x00540080, view_vector = 0x00540090,
                        time_slice_vector = 0x00540100;
constexpr std::uint32_t segment_group = 0x0062000a, segment = 0x0062000b;
constexpr std::uint32_t dose_offsets = 0x3004000c, dose_scaling = 0x3004000e;
constexpr std::uint32_t shared_groups = 0x52009229, frame_groups = 0x52009230;
constexpr std::uint32_t offset_table = 0x7fe00001, float_pixels = 0x7fe00008, double_pixels = 0x7fe00009, pixels = 0x7fe00010;
constexpr std::uint32_t item = 0xfffee000, item_end = 0xfffee00d, sequence_end = 0xfffee0dd;

}  // namespace voxcc::io::tag
