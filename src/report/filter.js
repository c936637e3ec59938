// The filter of the table: "voxels > 100 and touches_border = 0", or text that a cell must contain.
"use strict";

const COMPARISONS = {
  ">": (a, b) => a > b, ">=": (a, b) => a >= b, "<": (a, b) => a < b, "<=": (a, b) => a <= b,
  "=": (a, b) => a === b, "!=": (a, b) => a !== b,
};

// Returns {test(cells), error}. columns: names; cells: values in the same order. If there is an error, the test accepts every row.
function parseFilter(text, columns) {
  const tests = [];
  for (const term of text.split(/\s+and\s+/i).map(part => part.trim()).filter(part => part)) {
    const condition = term.match(/^([\w.]+)\s*(>=|<=|!=|=|>|<)\s*(.*)$/);
    if (!condition) {
      const wanted = term.toLowerCase();
      tests.push(cells => cells.some(value => cellText(value).toLowerCase().includes(wanted)));
      continue;
    }
    const [, name, sign, wanted] = condition, number = Number(valueOf(wanted));
    const column = columns.findIndex(other => other.toLowerCase() === name.toLowerCase());
    if (column < 0) return {test: () => true, error: `There is no column '${name}'.`};
    if (wanted === "") return {test: () => true, error: `'${name} ${sign}' needs a value.`};
    const isNumber = !Number.isNaN(number);
    if (!isNumber && sign !== "=" && sign !== "!=") return {test: () => true, error: `'${wanted}' is not a number.`};
    tests.push(isNumber ? cells => cells[column] !== null && COMPARISONS[sign](Number(valueOf(cells[column])), number)
                        : cells => COMPARISONS[sign](cellText(cells[column]), wanted));
  }
  return {test: cells => tests.every(test => test(cells)), error: ""};
}
