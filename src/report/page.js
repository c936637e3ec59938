// Connects the parts of the page: the list of volumes, the slices, the plots and the table of components.
"use strict";

const report = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const COLUMNS_AT_FIRST = /^(label|voxels|volume_(mm|um|nm|voxel|unit)3|area_.*|centroid_._(mm|um|nm|voxel|unit)|source_label|touches_border|partner|iou|dice|class|change|.*intensity_(mean|max))$/;

let current = null;  // the volume whose slices and components are shown
let currentIndex = -1;

const viewer = new Viewer(byId("views"), row => {
  viewer.select(row, null);
  components.mark(row);
});

const components = new VirtualTable(byId("components"), {
  rowHeight: () => 28,
  select: row => viewer.select(row, placeOf(current, row, viewer.picture)),
});

const isNarrow = matchMedia("(max-width: 640px)");  // as in page.css
const volumesTable = new VirtualTable(byId("volumes"), {rowHeight: () => isNarrow.matches ? 108 : 50, select: index => chooseVolume(index)});

const marks = new Marks(report.volumes, () => {
  volumesTable.draw();
  showMarks();
});

// The centroid of a component, [i, j, k]: of the table, or of the picture if the table does not have it. null if there is none.
function placeOf(volume, row, picture) {
  const at = ["centroid_i", "centroid_j", "centroid_k"].map(name => volume.columns.indexOf(name));
  if (at.every(column => column >= 0)) return at.map(column => Number(volume.rows[row][column]));
  return picture && centreOf(picture, row);
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

async function showSlices() {
  const volume = current, picture = await pictureOf(volume);
  if (volume !== current) return;  // the user has opened another volume meanwhile
  byId("slices-section").hidden = !picture;
  const label = volume.columns.indexOf("label"), rows = largestRows(volume);
  const start = rows.length ? placeOf(volume, rows[0], picture) : null;
  viewer.show(picture, start, {rows, texts: row => String(volume.rows[row][label])});
  const convention = picture && picture.patient ? "The patient's right is on the left side (R). " : "";
  const isReduced = picture && picture.step.some(step => step > 1);
  const reduced = isReduced ? `The pictures are reduced: one pixel shows ${picture.step.join(" × ")} voxels. ` : "";
  const others = picture && picture.beside ? "Components that are not in the table are grey. " : "";
  byId("picture-note").textContent = picture ? `${convention}${reduced}${others}Turn the mouse wheel, or click, to move the cross.` : "";
  document.body.dataset.ready = volume.name;  // tests wait for this
}

function openVolume(index) {
  current = report.volumes[index];
  currentIndex = index;
  volumesTable.mark(index);
  byId("volume-name").textContent = current.name;
  byId("volume-name").title = current.source;
  byId("volume-link").href = addressOf(current);
  byId("unknown-volume").hidden = true;
  byId("previous-volume").disabled = index === 0;
  byId("next-volume").disabled = index + 1 === report.volumes.length;
  showFacts();
  byId("filter").value = "";
  const {definitions, cells} = showComponents();
  components.show(definitions, current.rows.length, cells);
  applyFilter();
  showSizes();
  showSlices();
  showMarks();
}

// Opens a volume that the user has chosen, and changes the address of the page.
function chooseVolume(index) {
  openVolume(index);
  try {
    history.replaceState(null, "", addressOf(current));
  } catch {
    // some browsers limit the number of changes per second
  }
}

// Shows the mark of the current volume, and the number of marks.
function showMarks() {
  const {mark, note} = marks.of(currentIndex);
  for (const choice of byId("mark").querySelectorAll("input[type=radio]")) choice.checked = choice.value === mark;
  if (byId("mark-note").value !== note) byId("mark-note").value = note;
  const [checked, wrong] = MARKS.map(name => marks.count(name));
  byId("marks-count").textContent = `${readable(checked)} checked, ${readable(wrong)} wrong of ${plural(report.volumes.length, "volume")}.` +
    (marks.isSaved ? "" : " The page forgets the marks when it is closed. Download them.");
  byId("marks-count").className = marks.isSaved ? "" : "error";
  byId("download-wrong").disabled = wrong === 0;
}

async function loadMarks(file) {
  let message, failed = false;
  try {
    message = marks.load(await file.text());
  } catch (error) {
    failed = true;
    message = `${file.name} is not a file of marks. ${error.message}`;
  }
  byId("marks-loaded").textContent = message;
  byId("marks-loaded").className = failed ? "error" : "";
}

// Opens the volume behind # in the address. When the page starts, the first volume takes its place if there is none.
// Returns whether the address names a volume.
function openAddress() {
  const {hash} = location, index = volumeAt(hash, report.volumes);
  if (index >= 0 || current === null) openVolume(Math.max(index, 0));
  if (index < 0 && hash.length > 1) {
    byId("unknown-volume").hidden = false;
    byId("unknown-volume").textContent = `The address names a volume that this page does not have: ${hash}`;
  }
  return index >= 0;
}

const showSizes = () => drawSizes(current, byId("size-axis").value, byId("count-axis").value);
const showBatch = () => drawBatch(report.volumes, byId("batch-value").value, byId("batch-log").checked, chooseVolume);

function showPlots() {
  showSizes();
  if (report.volumes.length > 1) showBatch();
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
  byId("show-numbers").addEventListener("change", event => {
    viewer.options.numbers = event.target.checked;
    viewer.draw();
  });
  byId("opacity").addEventListener("input", event => {
    viewer.options.opacity = Number(event.target.value) / 100;
    viewer.draw();
  });
  for (const id of ["size-axis", "count-axis"]) byId(id).addEventListener("change", showSizes);
  for (const id of ["batch-value", "batch-log"]) byId(id).addEventListener("change", showBatch);
  byId("previous-volume").addEventListener("click", () => chooseVolume(currentIndex - 1));
  byId("next-volume").addEventListener("click", () => chooseVolume(currentIndex + 1));
  addEventListener("hashchange", openAddress);
  isNarrow.addEventListener("change", () => volumesTable.draw());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showPlots);
}

function connectMarks() {
  byId("mark").addEventListener("change", event => { if (event.target.type === "radio") marks.set(currentIndex, {mark: event.target.value}); });
  byId("mark-note").addEventListener("input", event => marks.set(currentIndex, {note: event.target.value}));
  byId("load-marks").addEventListener("click", () => byId("marks-file").click());
  byId("marks-file").addEventListener("change", async event => {
    if (event.target.files.length) await loadMarks(event.target.files[0]);
    event.target.value = "";  // so that the same file can be loaded again
  });
  addEventListener("beforeunload", event => { if (!marks.isSaved) event.preventDefault(); });
}

function connectDownloads() {
  const name = fileName(pageName());
  byId("download-marks").addEventListener("click", () => {
    download(`${name}-marks.csv`, marks.csv());
    marks.isSaved = true;
    showMarks();
  });
  byId("download-wrong").addEventListener("click", () => download(`${name}-wrong.txt`, marks.list()));
  byId("download-volumes").addEventListener("click", () => download(`${name}-volumes.csv`, volumesCsv(volumesTable.order, marks)));
  byId("download-components").addEventListener("click", () => {
    const rows = components.order.map(row => components.cells(row));
    download(`${name}-${fileName(current.anchor)}.csv`, csvText([components.columns.map(column => column.name), ...rows]));
  });
}

showHeader();
connectControls();
connectMarks();
connectDownloads();
showVolumes(volumesTable, marks);
byId("batch-section").hidden = report.volumes.length < 2;
if (report.volumes.length > 1) showBatch();
showProvenance(byId("provenance-section"), byId("provenance"), report.runs);
if (openAddress()) byId("volume-name").scrollIntoView();
