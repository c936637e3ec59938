// The table of the volumes, with one small picture per volume, and the table that its download contains.
"use strict";

const OUTLIER_NAMES = {components: "components", total: "total size", largest: "largest component"};
const isOutlier = z => Math.abs(z) > report.outlier_limit;
const outlyingValues = volume => Object.keys(OUTLIER_NAMES).filter(name => isOutlier(volume.z[name]));
const isAnyOutlier = volume => outlyingValues(volume).length > 0;
const outlierNames = volume => outlyingValues(volume).map(name => OUTLIER_NAMES[name]).join(", ");
const outlierText = volume => outlyingValues(volume).map(name => `${OUTLIER_NAMES[name]} (z = ${volume.z[name]})`).join(", ");

const addressOf = volume => `#${encodeURIComponent(volume.anchor).replaceAll("%2F", "/")}`;

// The index of the volume behind # in an address: the volume with this anchor, or the first whose anchor has this part between slashes and
// underscores. -1 if there is none.
// "#sub-03" finds "sub-03", and else "sub-03/anat/lesions" or "sub-03_T1w"
function volumeAt(hash, volumes) {
  let wanted = hash.slice(1);
  try {
    wanted = decodeURIComponent(wanted);
  } catch {
    // the address has a percent sign that encodes nothing
  }
  const exact = volumes.findIndex(({anchor}) => anchor === wanted);
  return exact >= 0 ? exact : volumes.findIndex(({anchor}) => anchor.split(/[/_]/).includes(wanted));
}

const thumbnails = new Map();  // volume -> promise of the canvas, or of null without a picture

function thumbnail(cell, value, index) {
  const volume = report.volumes[index];
  if (!thumbnails.has(volume)) thumbnails.set(volume, pictureOf(volume).then(makeThumbnail));
  thumbnails.get(volume).then(canvas => { if (canvas) cell.append(canvas); });
}

function makeThumbnail(picture) {
  if (!picture) return null;
  const view = picture.views[0], [width, height] = sizeOfView(picture, view);
  const canvas = sliceCanvas(picture, view, fullestSlice(picture, view), {labels: true, opacity: 0.8, selected: -1});
  canvas.style.width = `${Math.max(1, Math.min(110, Math.round(44 * width / height)))}px`;
  return canvas;
}

// A link that can be copied. It is not a stop of the Tab key, because the arrow keys choose a volume.
function volumeLink(cell, value, index) {
  const link = document.createElement("a");
  Object.assign(link, {href: addressOf(report.volumes[index]), textContent: value, title: report.volumes[index].source, tabIndex: -1});
  link.addEventListener("click", event => { if (!event.ctrlKey && !event.metaKey && !event.shiftKey) event.preventDefault(); });
  cell.append(link);
}

function showVolumes(table, marks) {
  const flag = (cell, value, index) => {
    cell.textContent = value;
    cell.title = outlierText(report.volumes[index]);
    cell.classList.toggle("flag", value !== "");
  };
  const mark = (cell, value, index) => {
    cell.textContent = cell.title = value;
    cell.classList.toggle("flag", marks.of(index).mark === "wrong");
  };
  const size = name => ({name, show: (cell, value, index) => { cell.textContent = sizeText(report.volumes[index], value); }});
  const columns = [{name: "volume", text: true, show: volumeLink},
                   {name: "components", show: (cell, value) => { cell.textContent = readable(value); }},
                   size("total"), size("largest"), size("median")];
  if (report.volumes.some(volume => volume.picture)) columns.unshift({name: "slice", text: true, show: thumbnail});
  if (report.volumes.length >= report.outlier_volumes) columns.push({name: "outlier", text: true, show: flag});
  columns.push({name: "mark", text: true, show: mark});
  const values = (volume, index) => ({slice: null, volume: volume.name, components: volume.components, total: volume.total,
                                      largest: volume.largest, median: volume.median, outlier: outlierNames(volume),
                                      mark: marks.text(index)});
  table.show(columns, report.volumes.length, index => columns.map(column => values(report.volumes[index], index)[column.name]));
}

// The volumes in the order of the table, with the columns of --summary that the page knows, and the outliers and marks.
function volumesCsv(order, marks) {
  const shown = order.map(index => report.volumes[index]), units = new Set(shown.map(volume => volume.size_unit).filter(unit => unit));
  const unit = units.size === 1 ? [...units][0] : "", hasNumbers = shown.some(volume => volume.volume !== null);
  const sizeOrNull = volume => volume.total > 0 && volume.size_per_voxel === 0 ? null : volume.total * volume.size_per_voxel;
  const columns = [
    ["file", volume => volume.source],
    ...(hasNumbers ? [["volume", volume => volume.volume]] : []),
    ["components", volume => volume.components],
    ["voxels", volume => volume.total],
    ...(unit ? [[`${unit.endsWith("2") ? "area" : "volume"}_${unit}`, sizeOrNull]] : []),
    ["largest", volume => volume.components ? volume.largest : null],
    ["median", volume => volume.components ? volume.median : null],
    ["outlier", volume => outlierNames(volume)],
    ["mark", (volume, index) => marks.of(index).mark],
    ["note", (volume, index) => marks.of(index).note],
  ];
  return csvText([columns.map(([name]) => name), ...order.map(index => columns.map(([, value]) => value(report.volumes[index], index)))]);
}
