// The filter of the table: the conditions of --keep, as in "voxels > 100 and (sphericity > 0.7 or touches_border = 0)", or a text that a
// cell must contain.
"use strict";

const COMPARISONS = {
  "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "==": (a, b) => a === b, "!=": (a, b) => a !== b,
  "<": (a, b) => a < b, ">": (a, b) => a > b, "=": (a, b) => a === b,
};
const MOST_NESTED = 200;
const UNIT = /_(mm|um|nm|voxel|unit)[23]?$/;  // at the end of the name of a column

// The number of letters that must be inserted, deleted or replaced.
function editsBetween(a, b) {
  let row = Array.from({length: b.length + 1}, (_, i) => i);
  for (let i = 1; i <= a.length; ++i) {
    const next = [i];
    for (let j = 1; j <= b.length; ++j)
      next.push(Math.min(row[j - 1] + (a[i - 1] !== b[j - 1]), row[j] + 1, next[j - 1] + 1));
    row = next;
  }
  return row[b.length];
}

// The index of a column by its name, also without its unit: "volume" finds volume_mm3.
function columnNamed(name, columns) {
  const wanted = name.toLowerCase(), names = columns.map(column => column.toLowerCase());
  if (names.includes(wanted)) return names.indexOf(wanted);
  const found = names.findIndex(column => column.replace(UNIT, "") === wanted);
  if (found >= 0) return found;
  const candidates = [...columns, ...columns.map(column => column.replace(UNIT, ""))];
  const edits = candidates.map(candidate => editsBetween(wanted, candidate.toLowerCase())), fewest = Math.min(...edits);
  const hint = fewest <= (wanted.length + 1) / 3 ? ` Did you mean '${candidates[edits.indexOf(fewest)]}'?` : "";
  throw new Error(`The table has no column '${name}'.${hint}`);
}

// Reads an expression from left to right. An operand is {value(cells)}, and a condition is {test(cells)}. n/a is null.
class FilterParser {
  constructor(text, columns) {
    this.text = text;
    this.columns = columns;
    this.at = 0;
    this.depth = 0;
  }

  parse() {
    const tree = this.condition();
    if (this.rest()) throw new Error(`'${this.rest().slice(0, 20)}' stands after the end.`);
    if (!tree.test) throw new Error("The filter has no comparison.");
    return tree.test;
  }

  rest() {
    this.at += this.text.slice(this.at).match(/^\s*/)[0].length;
    return this.text.slice(this.at);
  }

  // Passes a sign, or a word that ends there.
  passes(token) {
    const rest = this.rest();
    if (!rest.toLowerCase().startsWith(token) || (/^\w/.test(token) && /^[\w.]/.test(rest.slice(token.length)))) return false;
    this.at += token.length;
    return true;
  }

  nested(parse) {
    if (++this.depth > MOST_NESTED) throw new Error("The filter is nested too deeply.");
    const tree = parse();
    --this.depth;
    return tree;
  }

  static tests(trees) {
    if (trees.some(tree => !tree.test)) throw new Error("'and', 'or' and 'not' need comparisons.");
    return trees.map(tree => tree.test);
  }

  condition() {
    return this.nested(() => {
      const terms = [this.conjunction()];
      while (this.passes("or")) terms.push(this.conjunction());
      if (terms.length === 1) return terms[0];
      const tests = FilterParser.tests(terms);
      return {test: cells => tests.some(test => test(cells))};
    });
  }

  conjunction() {
    const terms = [this.comparison()];
    while (this.passes("and")) terms.push(this.comparison());
    if (terms.length === 1) return terms[0];
    const tests = FilterParser.tests(terms);
    return {test: cells => tests.every(test => test(cells))};
  }

  comparison() {
    if (this.passes("not")) {
      const [test] = FilterParser.tests([this.nested(() => this.comparison())]);
      return {test: cells => !test(cells)};
    }
    const left = this.sum(), sign = Object.keys(COMPARISONS).find(candidate => this.passes(candidate));
    if (!sign) return left;
    const right = this.sum();
    if (left.test || right.test) throw new Error("A condition is compared.");
    if ((left.isText || right.isText) && /[<>]/.test(sign)) throw new Error("The order of texts is compared.");
    const compare = COMPARISONS[sign];
    return {test: cells => {
      const a = left.value(cells), b = right.value(cells);
      if (a === null || b === null) return false;
      return typeof a === typeof b ? compare(a, b) : sign === "!=";
    }};
  }

  computed(left, right, compute) {
    for (const tree of [left, right]) if (tree.test || tree.isText) throw new Error("Only numbers can be computed.");
    return {value: cells => {
      const a = left.value(cells), b = right.value(cells);
      const result = typeof a === "number" && typeof b === "number" ? compute(a, b) : NaN;
      return Number.isNaN(result) ? null : result;
    }};
  }

  sum() {
    let tree = this.product();
    for (;;) {
      if (this.passes("+")) tree = this.computed(tree, this.product(), (a, b) => a + b);
      else if (this.passes("-")) tree = this.computed(tree, this.product(), (a, b) => a - b);
      else return tree;
    }
  }

  product() {
    let tree = this.operand();
    for (;;) {
      if (this.passes("*")) tree = this.computed(tree, this.operand(), (a, b) => a * b);
      else if (this.passes("/")) tree = this.computed(tree, this.operand(), (a, b) => a / b);
      else return tree;
    }
  }

  operand() {
    return this.nested(() => {
      const rest = this.rest();
      if (!rest) throw new Error("The filter ends too early.");
      if (this.passes("(")) {
        const tree = this.condition();
        if (!this.passes(")")) throw new Error("'(' has no ')'.");
        return tree;
      }
      if (this.passes("-")) return this.computed({value: () => 0}, this.operand(), (a, b) => a - b);
      const quoted = rest.match(/^(?:'([^']*)'|"([^"]*)")/);
      if (quoted) {
        this.at += quoted[0].length;
        return {isText: true, value: () => quoted[1] ?? quoted[2]};
      }
      const word = rest.match(/^[\w.]+(?:(?<=^[\d.]+[eE])[+-]\d+)?/);
      if (!word) throw new Error(`'${rest[0]}' stands where a number or a column must be.`);
      this.at += word[0].length;
      if (/^[\d.]/.test(word[0])) return {value: FilterParser.numberIn(word[0])};
      const column = columnNamed(word[0], this.columns);
      return {value: cells => FilterParser.cellValue(cells[column])};
    });
  }

  static numberIn(text) {
    const number = Number(text);
    if (Number.isNaN(number)) throw new Error(`'${text}' is not a number.`);
    return () => number;
  }

  // The number of a cell, its text, or null for n/a.
  static cellValue(cell) {
    if (cell === null || cell === "") return cell;
    const number = Number(valueOf(cell));
    return Number.isNaN(number) ? cellText(cell) : number;
  }
}

// Returns {test(cells), error}. columns: names; cells: values in the same order. If there is an error, the test accepts every row.
function parseFilter(text, columns) {
  const wanted = text.trim().toLowerCase();
  if (!/[<>=]/.test(wanted)) return {test: cells => cells.some(value => cellText(value).toLowerCase().includes(wanted)), error: ""};
  try {
    return {test: new FilterParser(text, columns).parse(), error: ""};
  } catch (error) {
    return {test: () => true, error: error.message};
  }
}
