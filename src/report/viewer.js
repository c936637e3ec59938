// The slices of the selected volume: one panel per view, with a slider and a cross at the position. With a second label volume, each view
// has a second panel. All panels have the same position and the same selected component.
"use strict";

class Viewer {
  // `pick(row)` is called when the user clicks a component in a slice; -1: background
  constructor(container, pick) {
    this.container = container;
    this.pick = pick;
    this.options = {labels: true, numbers: true, opacity: 0.75, selected: -1};
    this.picture = null;
    this.numbered = {rows: [], texts: String};
    new ResizeObserver(() => this.draw()).observe(container);
  }

  // start: the voxel of the file that is shown first, [i, j, k], or null for the middle
  // numbered: {rows, texts(row)}: the components that have their numbers in the slices
  show(picture, start, numbered) {
    this.picture = picture;
    this.numbered = numbered;
    this.options.selected = -1;
    this.position = picture ? this.inPicture(start || picture.extent.map(count => (count - 1) / 2)) : [0, 0, 0];
    this.panels = [];
    this.container.replaceChildren(...(picture ? shownPictures(picture) : []).map(shown => this.makeFigure(shown)));
    this.draw();
  }

  makeFigure(picture) {
    const figure = document.createElement("figure"), caption = document.createElement("figcaption");
    const panels = picture.views.map(view => this.makePanel(picture, view));
    caption.textContent = picture.caption;
    caption.hidden = !picture.caption;
    figure.append(caption, ...panels.map(panel => panel.element));
    this.panels.push(...panels);
    return figure;
  }

  makePanel(picture, view) {
    const element = document.createElement("div"), heading = document.createElement("h3"), label = document.createElement("span");
    const stage = document.createElement("div"), canvas = document.createElement("canvas"), slider = document.createElement("input");
    element.className = "view";
    stage.className = "stage";
    heading.append(view.name, label);
    Object.assign(slider, {type: "range", min: 0, max: picture.reduced[view.across] - 1, value: this.position[view.across]});
    slider.setAttribute("aria-label", `slice, ${view.name}`);
    slider.hidden = picture.reduced[view.across] === 1;
    slider.addEventListener("input", () => this.moveTo(view.across, Number(slider.value)));
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      this.moveTo(view.across, this.position[view.across] + Math.sign(event.deltaY));
    }, {passive: false});
    canvas.addEventListener("click", event => this.click(picture, view, event));
    stage.append(canvas);
    element.append(heading, stage, slider);
    return {element, picture, view, label, stage, canvas, slider, numbers: [], cut: {}};
  }

  moveTo(axis, index) {
    this.position[axis] = Math.max(0, Math.min(this.picture.reduced[axis] - 1, index));
    this.draw();
  }

  // Shows the slices through a voxel of the file, and highlights a row of the table. centroid: [i, j, k], or null
  select(row, centroid) {
    this.options.selected = row;
    if (this.picture && centroid) this.position = this.inPicture(centroid);
    this.draw();
  }

  // Converts an index of the file to an index of the picture.
  inPicture(voxel) {
    const {reduced, step} = this.picture;
    return voxel.map((at, axis) => Math.max(0, Math.min(reduced[axis] - 1, Math.floor((at + 0.5) / step[axis]))));
  }

  click(picture, view, event) {
    const at = (axis, share) => {
      const count = picture.reduced[axis.stored], index = Math.max(0, Math.min(count - 1, Math.floor(share * count)));
      this.position[axis.stored] = axis.reverse ? count - 1 - index : index;
    };
    const box = event.target.getBoundingClientRect();
    at(view.right, (event.clientX - box.left) / box.width);
    at(view.down, (event.clientY - box.top) / box.height);
    const stride = strides(picture), voxel = this.position.reduce((sum, index, axis) => sum + index * stride[axis], 0);
    const number = picture.labels ? picture.labels[voxel] : 0;
    this.draw();
    this.pick(number > 0 && number <= picture.rows ? number - 1 : -1);
  }

  draw() {
    if (this.picture) for (const panel of this.panels) this.drawPanel(panel);
    document.getElementById("position").textContent = this.picture ? this.positionText() : "";
  }

  positionText() {
    const voxel = this.position.map((index, axis) => {
      const step = this.picture.step[axis], last = Math.min((index + 1) * step, this.picture.extent[axis]) - 1;
      return step === 1 ? `${index}` : `${index * step}–${last}`;
    });
    return `voxel i ${voxel[0]}, j ${voxel[1]}, k ${voxel[2]}`;
  }

  drawPanel(panel) {
    const {picture, view, label, stage, canvas, slider} = panel;
    const slice = this.position[view.across], [width, height] = sizeOfView(picture, view);
    const scale = Math.min(stage.clientWidth / width, 460 / height), ratio = window.devicePixelRatio || 1;
    canvas.style.width = `${Math.max(1, Math.round(width * scale))}px`;
    canvas.style.height = `${Math.max(1, Math.round(height * scale))}px`;
    canvas.width = Math.max(1, Math.round(width * scale * ratio));
    canvas.height = Math.max(1, Math.round(height * scale * ratio));
    const context = canvas.getContext("2d");
    context.imageSmoothingEnabled = false;
    context.drawImage(sliceCanvas(picture, view, slice, this.options), 0, 0, canvas.width, canvas.height);
    this.drawCross(context, view, ratio);
    panel.numbers = this.drawNumbersOf(panel, context, drawLetters(context, view, ratio), ratio);
    slider.value = slice;
    label.textContent = `slice ${slice + 1} of ${picture.reduced[view.across]}`;
    const texts = panel.numbers.map(number => number.text).join(", ");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${view.name}, ${label.textContent}` + (texts && `, components ${texts}`));
  }

  // The selected component has a number, too. Returns the boxes of the numbers in pixels of the canvas, with their texts.
  drawNumbersOf(panel, context, taken, ratio) {
    const {labels, numbers, selected} = this.options, slice = this.position[panel.view.across];
    if (!labels || !numbers || !panel.picture.labels) return [];
    const rows = selected >= 0 ? [selected, ...this.numbered.rows.filter(row => row !== selected)] : this.numbered.rows;
    const key = `${slice}: ${rows}`;  // a change of the size or of the opacity does not change the cut
    if (panel.cut.key !== key) panel.cut = {key, ...cutOf(panel.picture, panel.view, slice, rows)};
    return drawNumbers(context, panel.cut, {rows, texts: this.numbered.texts}, taken, ratio);
  }

  drawCross(context, view, ratio) {
    const {width, height} = context.canvas;
    const share = axis => {
      const count = this.picture.reduced[axis.stored], index = this.position[axis.stored];
      return ((axis.reverse ? count - 1 - index : index) + 0.5) / count;
    };
    const x = share(view.right) * width, y = share(view.down) * height, gap = 8 * ratio;
    context.strokeStyle = "rgba(255, 255, 255, 0.55)";
    context.lineWidth = ratio;
    context.beginPath();
    for (const [x0, y0, x1, y1] of [[0, y, x - gap, y], [x + gap, y, width, y], [x, 0, x, y - gap], [x, y + gap, x, height]]) {
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
    }
    context.stroke();
  }
}

// Returns the boxes of the letters.
function drawLetters(context, view, ratio) {
  const {width, height} = context.canvas, edge = 10 * ratio;
  context.font = `600 ${13 * ratio}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineWidth = 3 * ratio;
  context.strokeStyle = "#000";
  context.fillStyle = "#ffd866";
  const places = [[view.right.letters[0], edge, height / 2], [view.right.letters[1], width - edge, height / 2],
                  [view.down.letters[0], width / 2, edge], [view.down.letters[1], width / 2, height - edge]];
  for (const [letter, x, y] of places) {
    context.strokeText(letter, x, y);
    context.fillText(letter, x, y);
  }
  return places.filter(([letter]) => letter).map(([, x, y]) => ({left: x - edge, top: y - edge, width: 2 * edge, height: 2 * edge}));
}
