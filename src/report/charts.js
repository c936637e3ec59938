// The plots: a histogram of component sizes, and a comparison of the volumes of a batch. Chart.js draws them.
"use strict";

Object.assign(Chart.defaults, {animation: false, maintainAspectRatio: false});
Chart.defaults.font.family = "system-ui, sans-serif";

const charts = {};  // id of the canvas -> its chart

// A colour of page.css, which depends on the dark mode.
const themeColour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function drawChart(id, configuration) {
  Chart.defaults.color = themeColour("muted");
  Chart.defaults.borderColor = themeColour("line");
  if (charts[id]) charts[id].destroy();
  charts[id] = new Chart(document.getElementById(id), configuration);
}

const isWholePower = value => Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6);

// An axis of values. type: "linear" or "logarithmic"
const valueAxis = (title, type) => ({
  type,
  title: {display: true, text: title},
  ...(type === "linear" ? {beginAtZero: true} : {min: 0.5}),
  ticks: {
    maxTicksLimit: 8,
    precision: 0,
    callback: value => type === "linear" || isWholePower(value) ? readable(value) : null,
  },
});

// "4–7" for the bin [4, 8), "4" for the bin [4, 5). number: converts a number to text
function binName(edges, bin, number) {
  const first = number(edges[bin]);
  return edges[bin + 1] - edges[bin] === 1 ? first : `${first}–${number(edges[bin + 1] - 1)}`;
}

function drawSizes(volume, sizeAxis, countAxis) {
  const {edges = [], counts = []} = volume.histogram[sizeAxis];
  const tooltip = items => {
    const bin = items[0].dataIndex, name = `${binName(edges, bin, readable)} voxels`;
    return volume.size_unit ? [name, `${sizeText(volume, edges[bin])} to ${sizeText(volume, edges[bin + 1] - 1)}`] : name;
  };
  drawChart("size-chart", {
    type: "bar",
    data: {
      labels: counts.map((count, bin) => binName(edges, bin, short)),
      datasets: [{data: counts, backgroundColor: themeColour("bar"), categoryPercentage: 1, barPercentage: 0.94, maxBarThickness: 160}],
    },
    options: {
      scales: {
        x: {title: {display: true, text: "size of the component (voxels)"}, grid: {display: false}},
        y: valueAxis("number of components", countAxis),
      },
      plugins: {legend: {display: false}, tooltip: {callbacks: {title: tooltip, label: item => `components: ${item.raw}`}}},
    },
  });
}

function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// `open(index)` is called when the user clicks a bar.
function drawBatch(volumes, value, isLogarithmic, open) {
  const names = {components: "number of components", total: "total size (voxels)", largest: "largest component (voxels)"};
  const values = volumes.map(volume => volume[value]), middle = medianOf(values);
  drawChart("batch-chart", {
    data: {
      labels: volumes.map(volume => volume.name),
      datasets: [{
        type: "line",
        data: values.map(() => middle),
        borderColor: themeColour("text"),
        borderDash: [6, 4],
        borderWidth: 1,
        pointRadius: 0,
        pointHitRadius: 0,
      }, {
        type: "bar",
        data: values,
        backgroundColor: volumes.map(volume => themeColour(isOutlier(volume.z[value]) ? "outlier" : "bar")),
        maxBarThickness: 60,
        minBarLength: 2,
      }],
    },
    options: {
      scales: {
        x: {grid: {display: false}, ticks: {maxRotation: 60}},
        y: valueAxis(names[value], isLogarithmic ? "logarithmic" : "linear"),
      },
      onClick: (event, bars) => bars.length && open(bars[0].index),
      plugins: {
        legend: {display: false},
        tooltip: {filter: item => item.datasetIndex === 1, callbacks: {label: item => `${names[value]}: ${readable(item.raw)}, z = ${volumes[item.dataIndex].z[value]}`}},
      },
    },
  });
}
