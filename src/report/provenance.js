// The provenance: how the tables were made. All values are set as text.
"use strict";

// header: names of the columns; without a header, the first cell of a row is its name
function listTable(header, rows) {
  const table = document.createElement("table");
  if (header) table.createTHead().insertRow().append(...header.map(name => Object.assign(document.createElement("th"), {textContent: name})));
  const body = table.createTBody();
  for (const cells of rows) {
    const row = body.insertRow();
    cells.forEach((value, index) => row.append(Object.assign(document.createElement(header || index ? "td" : "th"), {textContent: value})));
  }
  return table;
}

const argumentText = argument => /^[\w./:=,@%+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;

function runFacts(run) {
  const facts = [["summary", run.path], ["program", `${run.program} ${run.version}`]];
  if (Array.isArray(run.argv)) facts.push(["command", run.argv.map(word => argumentText(String(word))).join(" ")]);
  for (const name of ["device", "algorithm", "instructions", "threads"]) if (name in run) facts.push([name, String(run[name])]);
  const seconds = Object.entries(run.seconds || {}).filter(([, value]) => typeof value === "number" && value > 0);
  if (seconds.length) facts.push(["seconds per stage", seconds.map(([stage, value]) => `${stage} ${readable(Number(value.toPrecision(3)))}`).join(", ")]);
  return facts;
}

function showRun(run) {
  const parts = [listTable(null, runFacts(run))];
  const heading = text => Object.assign(document.createElement("h3"), {textContent: text});
  const limited = (shown, total) => shown < total ? ` (the first ${readable(shown)} of ${readable(total)})` : "";
  if (run.inputs.length)
    parts.push(heading(`Inputs${limited(run.inputs.length, run.inputs_total)}`),
               listTable(["file", "bytes", "SHA-256"], run.inputs.map(input => [input.path, readable(input.bytes), input.sha256])));
  if (run.failed.length)
    parts.push(heading(`Failed inputs${limited(run.failed.length, run.failed_total)}`),
               listTable(["file", "error"], run.failed.map(failure => [failure.input, failure.error])));
  return parts;
}

function showProvenance(section, container, runs) {
  section.hidden = runs.length === 0;
  container.replaceChildren(...runs.flatMap(showRun));
}
