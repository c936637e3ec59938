// Decodes the pictures of the volumes and draws slices. A picture holds grey values and labels with x as the fastest axis.
"use strict";

const OTHER = [170, 170, 170];  // components that the table of this page does not list

const colourOf = row => report.palette[row % report.palette.length];
const cssColour = rgb => `rgb(${rgb.join(",")})`;

async function inflated(base64) {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

const MOST_DECODED = 8;  // pictures in memory; each has up to 8 million voxels
const decoded = new Map();  // volume -> promise of its picture; the last ones that were used

function pictureOf(volume) {
  if (!volume.picture) return Promise.resolve(null);
  const picture = decoded.get(volume) || decodePicture(volume.picture);
  decoded.delete(volume);
  decoded.set(volume, picture);
  if (decoded.size > MOST_DECODED) decoded.delete(decoded.keys().next().value);
  return picture;
}

async function decodePicture(stored) {
  const numbers = {1: Uint8Array, 2: Uint16Array, 4: Uint32Array}[stored.label_bytes];
  const image = stored.image ? new Uint8Array(await inflated(stored.image)) : null;
  const unpacked = async text => text ? new numbers(await inflated(text)) : null;
  return {...stored, image, labels: await unpacked(stored.labels), beside: await unpacked(stored.beside), views: viewsOf(stored)};
}

// The pictures that are shown together: the picture, and the same picture with the labels beside it. Each has the name of its label volume.
function shownPictures(picture) {
  if (!picture.beside) return [{...picture, caption: ""}];
  return [{...picture, caption: picture.labels_file}, {...picture, labels: picture.beside, caption: picture.beside_file}];
}

// The views of a picture. A view has the axis across its slices and two axes on the screen: `right` and `down`, each with the direction
// in which the index of the file grows. Radiological convention: the patient's right is on the left side of the screen.
function viewsOf(picture) {
  const axis = (stored, reverse, letters) => ({stored, reverse, letters});
  let views;
  if (picture.patient) {
    const [x, y, z] = picture.patient.map(([stored, reverse]) => ({stored, reverse}));
    const toLeft = axis(x.stored, !x.reverse, ["R", "L"]), toBack = axis(y.stored, !y.reverse, ["A", "P"]);
    const down = axis(z.stored, !z.reverse, ["S", "I"]);
    views = [{name: "axial", across: z.stored, right: toLeft, down: toBack},
             {name: "coronal", across: y.stored, right: toLeft, down},
             {name: "sagittal", across: x.stored, right: toBack, down}];
  } else {
    const [i, j, k] = [0, 1, 2].map(stored => axis(stored, false, ["", "ijk"[stored]]));
    views = [{name: "plane i j", across: 2, right: i, down: j},
             {name: "plane i k", across: 1, right: i, down: k},
             {name: "plane j k", across: 0, right: j, down: k}];
  }
  const several = axis => picture.reduced[axis.stored] > 1;
  const useful = views.filter(view => several(view.right) && several(view.down));
  return useful.length ? useful : views.slice(0, 1);
}

const strides = picture => [1, picture.reduced[0], picture.reduced[0] * picture.reduced[1]];

// Calls f(voxel, pixel) for each pixel of a slice, row by row.
function forEachPixel(picture, view, slice, f) {
  const stride = strides(picture), {right, down, across} = view;
  const width = picture.reduced[right.stored], height = picture.reduced[down.stored];
  for (let y = 0; y < height; ++y) {
    const row = slice * stride[across] + (down.reverse ? height - 1 - y : y) * stride[down.stored];
    for (let x = 0; x < width; ++x)
      f(row + (right.reverse ? width - 1 - x : x) * stride[right.stored], y * width + x);
  }
}

// Draws a slice with one pixel per voxel. options: {labels: bool, opacity: 0..1, selected: row or -1}
function sliceCanvas(picture, view, slice, options) {
  const canvas = document.createElement("canvas");
  canvas.width = picture.reduced[view.right.stored];
  canvas.height = picture.reduced[view.down.stored];
  const context = canvas.getContext("2d"), pixels = context.createImageData(canvas.width, canvas.height);
  forEachPixel(picture, view, slice, (voxel, pixel) => {
    const grey = picture.image ? picture.image[voxel] : 0, number = options.labels && picture.labels ? picture.labels[voxel] : 0;
    const colour = number === 0 ? null : number > picture.rows ? OTHER : colourOf(number - 1);
    const isSelected = number > 0 && number - 1 === options.selected, faded = options.selected >= 0 && !isSelected ? 0.5 : 1;
    const share = isSelected ? 1 : options.opacity * faded;
    const light = picture.image && !isSelected ? 0.5 + grey / 510 : 1;  // the image shades the colour
    for (let c = 0; c < 3; ++c) pixels.data[4 * pixel + c] = colour ? grey * (1 - share) + colour[c] * light * share : grey;
    pixels.data[4 * pixel + 3] = 255;
  });
  context.putImageData(pixels, 0, 0);
  return canvas;
}

// The slice of a view with the most labelled voxels; the middle slice if there are no labels.
function fullestSlice(picture, view) {
  const slices = picture.reduced[view.across], stride = strides(picture)[view.across], counts = new Array(slices).fill(0);
  if (picture.labels)
    for (let voxel = 0; voxel < picture.labels.length; ++voxel)
      if (picture.labels[voxel]) ++counts[Math.floor(voxel / stride) % slices];
  const most = Math.max(...counts);
  return most > 0 ? counts.indexOf(most) : Math.floor(slices / 2);
}

// The mean index of the voxels of a component, [i, j, k] in the file; null if the picture does not show it.
function centreOf(picture, row) {
  const [, nx, nxy] = strides(picture), sums = [0, 0, 0];
  let count = 0;
  picture.labels?.forEach((number, voxel) => {
    if (number !== row + 1) return;
    ++count;
    [voxel % nx, Math.floor(voxel / nx) % (nxy / nx), Math.floor(voxel / nxy)].forEach((index, axis) => { sums[axis] += index; });
  });
  return count ? sums.map((sum, axis) => (sum / count + 0.5) * picture.step[axis] - 0.5) : null;
}

// Width and height of a view in mm.
function sizeOfView(picture, view) {
  const length = axis => picture.reduced[axis.stored] * picture.step[axis.stored] * picture.spacing[axis.stored];
  return [length(view.right), length(view.down)];
}
