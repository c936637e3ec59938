// The marks of the volumes: checked or wrong, and a note. They are in the memory of the page, and the user keeps them in a file.
"use strict";

const MARKS = ["checked", "wrong"];
const MARK_COLUMNS = ["file", "volume", "mark", "note"];

class Marks {
  // volumes: of the report. changed(): is called after each change
  constructor(volumes, changed) {
    this.volumes = volumes;
    this.changed = changed;
    this.marks = volumes.map(() => ({mark: "", note: ""}));
    this.isSaved = true;
  }

  of(index) {
    return this.marks[index];
  }

  // part: {mark} or {note}
  set(index, part) {
    Object.assign(this.marks[index], part);
    this.isSaved = false;
    this.changed();
  }

  // "✓ checked: a note"
  text(index) {
    const {mark, note} = this.marks[index], sign = {checked: "✓ ", wrong: "✗ ", "": ""}[mark];
    return sign + [mark, note].filter(part => part).join(": ");
  }

  count(mark) {
    return this.marks.filter(entry => entry.mark === mark).length;
  }

  // The table of the volumes with a mark or a note.
  csv() {
    const rows = this.volumes.map(({source, volume}, index) => [source, volume, this.marks[index].mark, this.marks[index].note]);
    return csvText([MARK_COLUMNS, ...rows.filter(([, , mark, note]) => mark || note)]);
  }

  // The volumes that are wrong, as `voxcc label --list` reads them: one name per line, notes as comments.
  list() {
    const wrong = this.volumes.map((volume, index) => ({...volume, ...this.marks[index]})).filter(({mark}) => mark === "wrong");
    const oneLine = text => text.replace(/[\r\n]+/g, " ");
    const lines = wrong.flatMap(({source, volume, note}) => {
      if (/[\r\n\0]|\s$/.test(source)) return [`# a name with other characters than a list can have: ${oneLine(source)}`];
      const name = (source.startsWith("#") ? "./" : "") + source + (volume === null ? "" : `[${volume}]`);
      return note ? [`# ${oneLine(note)}`, name] : [name];
    });
    return [`# ${wrong.length} of ${plural(this.volumes.length, "volume")} are wrong`, ...lines, ""].join("\n");
  }

  // Replaces the marks of the volumes in a table that csv() has made. @return a message
  load(text) {
    const [header = [], ...rows] = parseCsv(text);
    const place = Object.fromEntries(MARK_COLUMNS.map(name => [name, header.indexOf(name)]));
    const missing = ["file", "mark", "note"].find(name => place[name] < 0);
    if (missing) throw new Error(`It has no column '${missing}'.`);
    const key = (file, volume) => JSON.stringify([file, volume]);
    const indices = new Map(this.volumes.map(({source, volume}, index) => [key(source, volume === null ? "" : String(volume)), index]));
    let others = 0;
    const found = [];
    for (const cells of rows) {
      const cell = name => cells[place[name]] || "", number = cell("volume");
      const index = indices.get(key(cell("file"), number === "n/a" ? "" : number)), mark = cell("mark").trim().toLowerCase();
      if (mark && !MARKS.includes(mark)) throw new Error(`It has the mark '${mark}', which is not ${MARKS.join(" or ")}.`);
      if (index === undefined) ++others;
      else found.push([index, {mark, note: cell("note")}]);
    }
    for (const [index, entry] of found) this.marks[index] = entry;
    this.changed();
    return `${plural(found.length, "mark")} loaded.` + (others ? ` Rows for volumes of other reports: ${readable(others)}.` : "");
  }
}
