// Connects the parts of the page: the list of volumes, the slices, the plots and the table of components.
"use strict";

const report = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const isOutlier = z => Math.abs(z) > report.outlier_limit;
const isAnyOutlier = volume => outlyingValues(volume).length > 0;
const COLUMNS_AT_FIRST = /^(label|voxels|volume_(mm|um|nm|voxel|unit)3|area_.*|centroid_._(mm|um|nm|voxel|unit)|source_label|touches_border|.*intensity_(mean|max))$/;

let current = null;  // the volume whose slices and components are shown
let currentIndex = -1;

const viewer = new Viewer(byId("views"), row => {
  viewer.select(row, null);
  components.mark(row);
});

const components = new VirtualTable(byId("components"), {
  rowHeight: 28,
  select: row => viewer.select(row, centroidOf(current, row)),
});

const volumesTable = new VirtualTable(byId("volumes"), {rowHeight: 50, select: index => openVolume(index)});

function centroidOf(volume, row) {
  const at = ["centroid_i", "centroid_j", "centroid_k"].map(name => volume.columns.indexOf(name));
  return at.every(column => column >= 0) ? at.map(column => Number(volume.rows[row][column])) : null;
}

// The centroid of the largest component; null if there is none.
function largestCentroid(volume) {
  const column = volume.columns.indexOf("voxels");
  let largest = -1;
  volume.rows.forEach((cells, row) => { if (largest < 0 || cells[column] > volume.rows[largest][column]) largest = row; });
  return largest < 0 ? null : centroidOf(volume, largest);
}

function showComponents() {
  const all = byId("all-columns").checked, {columns, rows} = current;
  const shown = columns.map((name, index) => index).filter(index => all || COLUMNS_AT_FIRST.test(columns[index]));
  const swatch = (cell, value, row) => {
    const square = document.createElement("span");
    square.className = "swatch";
    square.style.background = cssColour(colourOf(row));
    cell.append(square, cellText(value));
  };
  const definitions = shown.map(index => ({
    name: columns[index],
    title: columnTitle(columns[index]),
    text: rows.length > 0 && typeof rows[0][index] === "string",
    show: columns[index] === "label" ? swatch : undefined,
  }));
  return {definitions, cells: row => shown.map(index => rows[row][index])};
}

function applyFilter() {
  const {test, error} = parseFilter(byId("filter").value, current.columns);
  components.setFilter(row => test(current.rows[row]));
  const shown = components.order.length, total = current.components;
  const limited = current.rows.length < total ? ` (the page lists the ${readable(current.rows.length)} largest)` : "";
  byId("filter-result").textContent = error || `${readable(shown)} of ${plural(total, "component")}${limited}`;
  byId("filter-result").className = error ? "error" : "";
}

function showFacts() {
  const facts = [["components", readable(current.components)], ["total", sizeText(current, current.total)],
                 ["largest", sizeText(current, current.largest)], ["median", sizeText(current, current.median)]];
  if (current.picture) {
    const {extent, spacing, unit, image, window} = current.picture;
    facts.push(["voxels of the volume", extent.join(" × ")]);
    if (unit !== "voxel") facts.push(spacingFact(spacing, unit));
    if (image) facts.push(["grey values", `${readable(window[0])} (black) to ${readable(window[1])} (white)`]);
  }
  if (isAnyOutlier(current)) facts.push(["outlier", outlierText(current)]);
  byId("volume-facts").replaceChildren(...facts.map(([name, value]) => {
    const pair = document.createElement("div"), term = document.createElement("dt"), text = document.createElement("dd");
    term.textContent = name;
    text.textContent = value;
    pair.append(term, text);
    return pair;
  }));
}

const OUTLIER_NAMES = {components: "components", total: "total size", largest: "largest component"};
const outlyingValues = volume => Object.keys(OUTLIER_NAMES).filter(name => isOutlier(volume.z[name]));
const outlierText = volume => outlyingValues(volume).map(name => `${OUTLIER_NAMES[name]} (z = ${volume.z[name]})`).join(", ");

async function showSlices() {
  const volume = current, picture = await pictureOf(volume);
  if (volume !== current) return;  // the user has opened another volume meanwhile
  byId("slices-section").hidden = !picture;
  viewer.show(picture, largestCentroid(volume));
  const convention = picture && picture.patient ? "The patient's right is on the left side (R). " : "";
  const isReduced = picture && picture.step.some(step => step > 1);
  const reduced = isReduced ? `The pictures are reduced: one pixel shows ${picture.step.join(" × ")} voxels. ` : "";
  byId("picture-note").textContent = picture ? `${convention}${reduced}Turn the mouse wheel, or click, to move the cross.` : "";
  document.body.dataset.ready = volume.name;  // tests wait for this
}

function openVolume(index) {
  current = report.volumes[index];
  currentIndex = index;
  volumesTable.mark(index);
  byId("volume-name").textContent = current.name;
  byId("volume-name").title = current.source;
  byId("previous-volume").disabled = index === 0;
  byId("next-volume").disabled = index + 1 === report.volumes.length;
  showFacts();
  byId("filter").value = "";
  const {definitions, cells} = showComponents();
  components.show(definitions, current.rows.length, cells);
  applyFilter();
  showSizes();
  showSlices();
}

const showSizes = () => drawSizes(current, byId("size-axis").value, byId("count-axis").value);
const showBatch = () => drawBatch(report.volumes, byId("batch-value").value, byId("batch-log").checked, openVolume);

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

function showVolumes() {
  const flag = (cell, value, index) => {
    cell.textContent = value;
    cell.title = outlierText(report.volumes[index]);
    cell.classList.toggle("flag", value !== "");
  };
  const size = name => ({name, show: (cell, value, index) => { cell.textContent = sizeText(report.volumes[index], value); }});
  const columns = [{name: "volume", text: true}, {name: "components", show: (cell, value) => { cell.textContent = readable(value); }},
                   size("total"), size("largest"), size("median")];
  if (report.volumes.some(volume => volume.picture)) columns.unshift({name: "slice", text: true, show: thumbnail});
  if (report.volumes.length >= report.outlier_volumes) columns.push({name: "outlier", text: true, show: flag});
  const values = volume => ({slice: null, volume: volume.name, components: volume.components, total: volume.total, largest: volume.largest,
                             median: volume.median, outlier: outlyingValues(volume).map(name => OUTLIER_NAMES[name]).join(", ")});
  volumesTable.show(columns, report.volumes.length, index => columns.map(column => values(report.volumes[index])[column.name]));
}

function showHeader() {
  const count = report.volumes.reduce((sum, volume) => sum + volume.components, 0);
  const outliers = report.volumes.filter(isAnyOutlier).length;
  byId("subtitle").textContent = `${plural(report.volumes.length, "volume")}, ${plural(count, "component")}` +
    (outliers ? `, ${plural(outliers, "outlier")}` : "") + ` · voxcc ${report.version}`;
  byId("notes").hidden = report.notes.length === 0;
  byId("notes").replaceChildren(...report.notes.map(note => Object.assign(document.createElement("li"), {textContent: note})));
  byId("outlier-rule").textContent = report.volumes.length >= report.outlier_volumes
    ? `Dashed line: median. Orange bar: outlier. A volume is an outlier if its robust z-score is above ${report.outlier_limit} or below -${report.outlier_limit}: ` +
      "z = 0.6745 (x - median) / MAD, where MAD is the median distance from the median. If MAD is 0, the divisor is 1.2533 times the mean " +
      "distance. Sizes are compared in voxels."
    : `Outliers are marked if the report has at least ${report.outlier_volumes} volumes.`;
}

function connectControls() {
  byId("filter").addEventListener("input", applyFilter);
  byId("all-columns").addEventListener("change", () => {
    const {definitions, cells} = showComponents();
    components.showColumns(definitions, cells);
  });
  byId("show-labels").addEventListener("change", event => {
    viewer.options.labels = event.target.checked;
    viewer.draw();
  });
  byId("opacity").addEventListener("input", event => {
    viewer.options.opacity = Number(event.target.value) / 100;
    viewer.draw();
  });
  for (const id of ["size-axis", "count-axis"]) byId(id).addEventListener("change", showSizes);
  for (const id of ["batch-value", "batch-log"]) byId(id).addEventListener("change", showBatch);
  byId("previous-volume").addEventListener("click", () => openVolume(currentIndex - 1));
  byId("next-volume").addEventListener("click", () => openVolume(currentIndex + 1));
}

showHeader();
connectControls();
showVolumes();
byId("batch-section").hidden = report.volumes.length < 2;
if (report.volumes.length > 1) showBatch();
showProvenance(byId("provenance-section"), byId("provenance"), report.runs);
openVolume(0);
