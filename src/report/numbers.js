// The numbers of the largest components in a slice, and the places where they are drawn.
"use strict";

const NUMBERED = 10;  // components, as in the picture of --preview-image

// The rows of the largest components, the largest first; of equal sizes the smaller number first.
function largestRows(volume) {
  const [size, label] = ["voxels", "label"].map(name => volume.columns.indexOf(name));
  if (size < 0 || label < 0) return [];
  const {rows} = volume, order = rows.map((cells, row) => row);
  return order.sort((a, b) => rows[b][size] - rows[a][size] || rows[a][label] - rows[b][label]).slice(0, NUMBERED);
}

// The numbers of a slice of the picture: row + 1 of a component, 0 for the background. {width, height, at: array, row by row}
function numbersOfSlice(picture, view, slice) {
  const width = picture.reduced[view.right.stored], height = picture.reduced[view.down.stored], at = new Uint32Array(width * height);
  if (picture.labels) forEachPixel(picture, view, slice, (voxel, pixel) => { at[pixel] = picture.labels[voxel]; });
  return {width, height, at};
}

// The pixels that are connected to a pixel (8 neighbours) and have its number. Marks them in `seen`.
function partAt(start, {width, height, at}, seen) {
  const pixels = [start];
  seen[start] = 1;
  for (let next = 0; next < pixels.length; ++next) {
    const x = pixels[next] % width, y = Math.floor(pixels[next] / width);
    for (let b = Math.max(0, y - 1); b <= Math.min(height - 1, y + 1); ++b)
      for (let a = Math.max(0, x - 1); a <= Math.min(width - 1, x + 1); ++a) {
        const pixel = b * width + a;
        if (seen[pixel] || at[pixel] !== at[start]) continue;
        seen[pixel] = 1;
        pixels.push(pixel);
      }
  }
  return pixels;
}

// The largest connected part of each component that a slice cuts: row -> pixels. Of equal parts the first.
function largestParts(numbers, rows) {
  const wanted = new Set(rows), parts = new Map(), seen = new Uint8Array(numbers.at.length);
  numbers.at.forEach((number, pixel) => {
    if (number === 0 || seen[pixel] || !wanted.has(number - 1)) return;
    const part = partAt(pixel, numbers, seen), known = parts.get(number - 1);
    if (!known || part.length > known.length) parts.set(number - 1, part);
  });
  return parts;
}

// The box of a part, and its pixel that is nearest to its centre. lengths: [x, y] of a pixel
function placeOfPart(pixels, width, lengths) {
  let left = Infinity, right = 0, top = Infinity, bottom = 0, x = 0, y = 0;
  for (const pixel of pixels) {
    const a = pixel % width, b = Math.floor(pixel / width);
    [left, right, top, bottom] = [Math.min(left, a), Math.max(right, a), Math.min(top, b), Math.max(bottom, b)];
    x += a / pixels.length;
    y += b / pixels.length;
  }
  const distance = pixel => ((pixel % width - x) * lengths[0]) ** 2 + ((Math.floor(pixel / width) - y) * lengths[1]) ** 2;
  const nearest = pixels.reduce((best, pixel) => distance(pixel) < distance(best) ? pixel : best);
  return {x: nearest % width + 0.5, y: Math.floor(nearest / width) + 0.5, left, right: right + 1, top, bottom: bottom + 1};
}

// What a slice shows of components: {numbers, places: row -> placeOfPart()}.
function cutOf(picture, view, slice, rows) {
  const numbers = numbersOfSlice(picture, view, slice), places = new Map();
  const lengths = [view.right, view.down].map(axis => picture.step[axis.stored] * picture.spacing[axis.stored]);
  largestParts(numbers, rows).forEach((pixels, row) => places.set(row, placeOfPart(pixels, numbers.width, lengths)));
  return {numbers, places};
}

// The same in pixels of the canvas. scale: [x, y] of a pixel of the slice
const scaled = ({x, y, left, right, top, bottom}, [sx, sy]) =>
  ({middle: [x * sx, y * sy], left: left * sx, right: right * sx, top: top * sy, bottom: bottom * sy});

// The places for a number of a part, best first: inside if it has space, then beside it at growing distances.
function placesOfNumber(part, width, height, ratio) {
  const [x, y] = part.middle, inside = [x - width / 2, y - height / 2], places = [];
  if (part.right - part.left >= 2 * width && part.bottom - part.top >= 2 * height) places.push(inside);
  for (const gap of [2, 12, 24, 40].map(pixels => pixels * ratio)) {
    const left = part.left - gap - width, right = part.right + gap, top = part.top - gap - height, bottom = part.bottom + gap;
    places.push([right, inside[1]], [left, inside[1]], [inside[0], top], [inside[0], bottom],
                [right, top], [left, top], [right, bottom], [left, bottom]);
  }
  return places.map(([left, top]) => ({left, top, width, height}));
}

const overlap = (a, b) =>
  a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;

// The number of pixels of a slice with a component in a box of the canvas.
function labelledIn(box, {width, height, at}, [sx, sy]) {
  let count = 0;
  for (let y = Math.max(0, Math.floor(box.top / sy)); y < Math.min(height, Math.ceil((box.top + box.height) / sy)); ++y)
    for (let x = Math.max(0, Math.floor(box.left / sx)); x < Math.min(width, Math.ceil((box.left + box.width) / sx)); ++x)
      count += at[y * width + x] !== 0;
  return count;
}

// Draws the numbers of components into a slice. cut: see cutOf(); texts: row -> text; taken: boxes that they must not cover.
// rows: of the components, the most important one first. Returns the boxes of the numbers in pixels of the canvas, with the texts.
function drawNumbers(context, {numbers, places}, {rows, texts}, taken, ratio) {
  const {width, height} = context.canvas, scale = [width / numbers.width, height / numbers.height], drawn = [];
  const isFree = box => box.left >= 0 && box.top >= 0 && box.left + box.width <= width && box.top + box.height <= height &&
    ![...taken, ...drawn].some(other => overlap(box, other));
  context.font = `700 ${13 * ratio}px system-ui, sans-serif`;
  Object.assign(context, {textAlign: "center", textBaseline: "middle", lineWidth: 3 * ratio, lineJoin: "round", strokeStyle: "#000"});
  for (const row of rows) {
    if (!places.has(row)) continue;
    const part = scaled(places.get(row), scale), text = texts(row);
    const candidates = placesOfNumber(part, context.measureText(text).width + 4 * ratio, 16 * ratio, ratio);
    const isInside = box => box.left + box.width / 2 === part.middle[0] && box.top + box.height / 2 === part.middle[1];
    const covered = box => isInside(box) ? 0 : labelledIn(box, numbers, scale);
    const best = candidates.filter(isFree).reduce((a, b) => a && covered(a) <= covered(b) ? a : b, null);
    if (!best) continue;
    drawn.push({...best, text});
    context.fillStyle = cssColour(colourOf(row).map(value => Math.round((value + 255) / 2)));  // lighter, for the contrast to black
    context.strokeText(text, best.left + best.width / 2, best.top + best.height / 2);
    context.fillText(text, best.left + best.width / 2, best.top + best.height / 2);
  }
  return drawn;
}
