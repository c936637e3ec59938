// Numbers and units as text.
"use strict";

// Whole numbers have all digits, other numbers 6.
const readable = value => value === null ? "n/a"
  : Number(value).toLocaleString("en", Number.isInteger(value) ? {maximumFractionDigits: 0} : {maximumSignificantDigits: 6});

// 65536 -> "65.5K"
const short = value => value < 10000 ? readable(value) : value.toLocaleString("en", {notation: "compact", maximumSignificantDigits: 3});

// "mm3" -> "mm³"
const unitText = unit => unit.replace(/3$/, "³").replace(/2$/, "²").replace(/^um/, "µm");

const plural = (count, noun) => `${readable(count)} ${noun}${count === 1 ? "" : "s"}`;

// The unit of the sizes of a volume: the unit of the table, but micrometres if millimetres give only small fractions.
function unitOf(volume) {
  const isSmall = volume.largest * volume.size_per_voxel < 1e-3;
  if (volume.size_unit === "mm3" && isSmall) return {name: "µm³", per_voxel: volume.size_per_voxel * 1e9};
  if (volume.size_unit === "mm2" && isSmall) return {name: "µm²", per_voxel: volume.size_per_voxel * 1e6};
  return {name: unitText(volume.size_unit), per_voxel: volume.size_per_voxel};
}

// A size in the unit of the volume, or in voxels if the table has no unit.
function sizeText(volume, voxels) {
  const unit = unitOf(volume);
  return unit.name ? `${readable(voxels * unit.per_voxel)} ${unit.name}` : plural(voxels, "voxel");
}

// [0.00004, 0.00004, 0.00004], "mm" -> ["voxel size (µm)", "0.04 × 0.04 × 0.04"]
function spacingFact(spacing, unit) {
  const isSmall = unit === "mm" && Math.max(...spacing) < 0.01;
  const shown = isSmall ? spacing.map(length => length * 1000) : spacing;
  return [`voxel size (${isSmall ? "µm" : unitText(unit)})`, shown.map(readable).join(" × ")];
}

// The meaning of frequent columns, by the name without the unit.
const COLUMN_TITLES = {
  label: "number of the component in the label volume",
  voxels: "number of voxels",
  volume: "volume",
  area: "area in the slice",
  centroid_i: "centre of mass, index along i (counts from 0)",
  centroid_j: "centre of mass, index along j (counts from 0)",
  centroid_k: "centre of mass, index along k (counts from 0)",
  centroid_x: "centre of mass, to the right",
  centroid_y: "centre of mass, to the front",
  centroid_z: "centre of mass, to the top",
  axis1: "standard deviation along the longest axis",
  elongation: "1: round, 0: a line",
  flatness: "1: round, 0: a plate",
  touches_border: "1: the component touches the border of the volume",
  intensity_mean: "mean of the image inside the component",
  partner: "number of the partner in the other label volume",
  iou: "intersection over union with the partner",
  dice: "Dice coefficient with the partner",
  class: "tp: with a partner, fn: without",
  change: "what became of the component",
};

// Shown when the pointer is over the name of a column.
// "volume_um3" -> "volume, in µm³"
function columnTitle(name) {
  const [, stem, unit] = name.match(/^(.*?)(?:_((?:mm|um|nm|voxel|unit)[23]?))?$/);
  const title = COLUMN_TITLES[stem];
  return title && unit ? `${title}, in ${unitText(unit)}` : title;
}
