// Numbers and units as text.
"use strict";

const readable = value => value === null ? "n/a" : Number(value).toLocaleString("en", {maximumSignificantDigits: 6});

// "mm3" -> "mm³"
const unitText = unit => unit.replace(/3$/, "³").replace(/2$/, "²").replace(/^um/, "µm");

const plural = (count, noun) => `${readable(count)} ${noun}${count === 1 ? "" : "s"}`;

// A size in the unit of the table, or in voxels if the table has no unit.
const sizeText = (volume, voxels) =>
  volume.size_unit ? `${readable(voxels * volume.size_per_voxel)} ${unitText(volume.size_unit)}` : plural(voxels, "voxel");

// The meaning of frequent columns, shown when the pointer is over the name of a column.
const COLUMN_TITLES = {
  label: "number of the component in the label volume",
  voxels: "number of voxels",
  volume_mm3: "volume in cubic millimetres",
  centroid_i: "centre of mass, index along i (counts from 0)",
  centroid_j: "centre of mass, index along j (counts from 0)",
  centroid_k: "centre of mass, index along k (counts from 0)",
  centroid_x_mm: "centre of mass in mm, to the right",
  centroid_y_mm: "centre of mass in mm, to the front",
  centroid_z_mm: "centre of mass in mm, to the top",
  axis1_mm: "standard deviation along the longest axis, in mm",
  elongation: "1: round, 0: a line",
  flatness: "1: round, 0: a plate",
  touches_border: "1: the component touches the border of the volume",
  intensity_mean: "mean of the image inside the component",
};
