// A table that sorts, and that has elements only for the rows in view. Cells are set as text, never as HTML.
"use strict";

// The value of a cell. Infinite numbers are texts, because JSON has no infinite numbers.
const valueOf = cell => cell === "inf" ? Infinity : cell === "-inf" ? -Infinity : cell;

const compareCells = (a, b) => {
  if (a === b) return 0;
  if (a === null) return 1;  // n/a is last in both directions
  if (b === null) return -1;
  const x = valueOf(a), y = valueOf(b);
  return typeof x === "number" && typeof y === "number" ? x - y : String(a).localeCompare(String(b), "en", {numeric: true});
};

const cellText = value => value === null ? "n/a" : String(value);

class VirtualTable {
  // columns: [{name, title, text: bool, show(cell, value, row)}]; `show` is optional and fills the cell
  // options: {rowHeight(), select(row)}; rows are numbers: positions in `rows`
  constructor(container, options) {
    this.container = container;
    this.options = options;
    this.selected = -1;
    this.sort = {column: -1, direction: 1};
    this.table = document.createElement("table");
    this.head = this.table.createTHead();
    this.body = this.table.createTBody();
    container.replaceChildren(this.table);
    container.tabIndex = 0;
    container.addEventListener("scroll", () => this.draw());
    container.addEventListener("keydown", event => this.key(event));
    new ResizeObserver(() => this.draw()).observe(container);
  }

  // cells(row) returns the values of a row, in the order of the columns.
  show(columns, rowCount, cells) {
    Object.assign(this, {columns, rowCount, cells, selected: -1, filter: () => true, sort: {column: -1, direction: 1}});
    this.drawHead();
    this.arrange();
  }

  showColumns(columns, cells) {
    Object.assign(this, {columns, cells, sort: {column: -1, direction: 1}});
    this.drawHead();
    this.arrange();
  }

  setFilter(filter) {
    this.filter = filter;
    this.arrange();
  }

  sortBy(column) {
    this.sort = {column, direction: this.sort.column === column ? -this.sort.direction : 1};
    this.drawHead();
    this.arrange();
  }

  arrange() {
    this.order = [];
    for (let row = 0; row < this.rowCount; ++row) if (this.filter(row)) this.order.push(row);
    const {column, direction} = this.sort;
    if (column >= 0) {
      const keys = new Map(this.order.map(row => [row, this.cells(row)[column]]));
      this.order.sort((a, b) => {
        const x = keys.get(a), y = keys.get(b);
        return (x === null || y === null ? compareCells(x, y) : direction * compareCells(x, y)) || a - b;
      });
    }
    this.container.scrollTop = 0;
    this.draw();
  }

  drawHead() {
    const row = document.createElement("tr");
    this.columns.forEach((column, index) => {
      const cell = document.createElement("th"), button = document.createElement("button");
      const isSorted = this.sort.column === index;
      button.type = "button";
      button.textContent = column.name + (isSorted ? (this.sort.direction > 0 ? " ▲" : " ▼") : "");
      button.title = column.title || "";
      button.addEventListener("click", () => this.sortBy(index));
      cell.className = column.text ? "text" : "";
      cell.dataset.name = column.name;
      cell.setAttribute("aria-sort", isSorted ? (this.sort.direction > 0 ? "ascending" : "descending") : "none");
      cell.append(button);
      row.append(cell);
    });
    this.head.replaceChildren(row);
  }

  draw() {
    if (!this.order) return;
    const height = this.options.rowHeight(), buffer = 6;
    const first = Math.max(0, Math.floor(this.container.scrollTop / height) - buffer);
    const end = Math.min(this.order.length, first + Math.ceil(this.container.clientHeight / height) + 2 * buffer);
    const rows = this.order.slice(first, end).map(row => this.rowElement(row));
    this.body.replaceChildren(spacer(first * height), ...rows, spacer((this.order.length - end) * height));
  }

  rowElement(row) {
    const element = document.createElement("tr");
    element.dataset.row = row;
    element.className = row === this.selected ? "selected" : "";
    if (row === this.selected) element.setAttribute("aria-current", "true");
    element.style.height = `${this.options.rowHeight()}px`;
    this.cells(row).forEach((value, index) => {
      const cell = element.insertCell(), column = this.columns[index];
      cell.dataset.name = column.name;
      if (column.text) cell.className = "text";
      if (column.show) column.show(cell, value, row);
      else cell.textContent = cellText(value);
    });
    element.addEventListener("click", () => this.choose(row));
    return element;
  }

  choose(row) {
    this.selected = row;
    this.draw();
    this.container.focus({preventScroll: true});  // the arrow keys go on from this row
    this.options.select(row);
  }

  // Marks a row and scrolls to it, without a call of select().
  mark(row) {
    this.selected = row;
    const at = this.order.indexOf(row), height = this.options.rowHeight(), {scrollTop, clientHeight} = this.container;
    if (at >= 0 && (at * height < scrollTop || (at + 2) * height > scrollTop + clientHeight))
      this.container.scrollTop = Math.max(0, at * height - clientHeight / 2);
    this.draw();
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.container.clientHeight / this.options.rowHeight()) - 1);
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity}[event.key];
    if (!step || event.target !== this.container || !this.order.length) return;
    event.preventDefault();
    const at = Math.max(0, Math.min(this.order.length - 1, this.order.indexOf(this.selected) + step));
    this.mark(this.order[at]);
    this.options.select(this.order[at]);
  }
}

function spacer(height) {
  const row = document.createElement("tr"), cell = document.createElement("td");
  row.className = "spacer";
  cell.style.height = `${height}px`;
  cell.colSpan = 100;
  row.append(cell);
  row.hidden = height === 0;
  return row;
}
