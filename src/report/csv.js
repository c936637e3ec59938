// Tables as CSV, in the form of the program's own tables, and downloads of files. Reads CSV that a spreadsheet has saved.
"use strict";

const IS_UNSIGNED_NUMBER = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

// Whether a spreadsheet would run a text as a formula.
// "=1+1", "-x", "\t@a" -> true; "-5" -> false
function isFormula(text) {
  const [, sign, rest] = text.match(/^[\t\r\n]*([=+@-])([^]*)$/) || [];
  return sign !== undefined && (/[=@]/.test(sign) || !IS_UNSIGNED_NUMBER.test(rest));
}

// A formula gets an apostrophe. null is n/a, "-inf" is a number.
function csvCell(value) {
  if (value === null) return "n/a";
  if (typeof valueOf(value) === "number") return String(value);
  const safe = isFormula(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// rows: lists of cells; the first row has the names of the columns
const csvText = rows => rows.map(cells => `${cells.map(csvCell).join(",")}\n`).join("");

// Reads CSV with commas, semicolons or tabs. Cells are texts without the apostrophe of a formula. Empty lines are left out.
// "a,b\n1,\"x\"\"y\"\n" -> [["a", "b"], ["1", "x\"y"]]
function parseCsv(text) {
  const content = text.replace(/^\ufeff/, ""), header = content.split(/[\r\n]/, 1)[0];
  const separator = [",", ";", "\t"].find(character => header.includes(character)) || ",";
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^"${separator}\r\n]*))(${separator}|\r\n|\r|\n|$)`, "y");
  const rows = [];
  let row = [];
  while (cell.lastIndex < content.length) {
    const found = cell.exec(content);
    if (!found) throw new Error("It has a quotation mark at a wrong place.");
    const value = found[1] === undefined ? found[2] : found[1].replaceAll('""', '"');
    row.push(value.startsWith("'") && isFormula(value.slice(1)) ? value.slice(1) : value);
    if (found[3] === separator && cell.lastIndex < content.length) continue;
    if (found[3] === separator) row.push("");
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}

// The name of a file without folder and extension, from the address of the page.
function pageName() {
  const name = location.pathname.split("/").pop().replace(/\.html?$/i, "");
  try {
    return decodeURIComponent(name) || "report";
  } catch {
    return name;
  }
}

// Letters, digits, points, hyphens and underscores stay; other characters become underscores.
// "sub-01/anat" -> "sub-01_anat"
const fileName = text => text.replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^\.+/, "_").slice(0, 100);

function download(name, text) {
  const link = document.createElement("a"), address = URL.createObjectURL(new Blob([text], {type: "text/plain;charset=utf-8"}));
  Object.assign(link, {href: address, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
