// What the plots of all pages have in common. A page calls plots.show with a function for each name
// of a plot, which makes of its data what uPlot wants.
var plots = (function () {
  "use strict";
  var shown = [];

  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

  function axis(more) {
    return Object.assign({
      stroke: colour("--soft"), font: "12px system-ui, sans-serif",
      grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }
    }, more);
  }

  function draw(data, drawn) {
    shown.forEach(function (p) { p.destroy(); });
    shown = [];
    var figures = Array.prototype.filter.call(document.querySelectorAll("figure[data-plot]"),
      function (figure) { return data[figure.dataset.plot]; });
    figures.forEach(function (figure) { figure.hidden = false; }); // all, before any width is asked for
    figures.forEach(function (figure) {
      var name = figure.dataset.plot, place = figure.querySelector(".plot");
      var of = drawn[figure.dataset.kind || name](data[name]);
      shown.push(new uPlot({
        width: place.clientWidth, height: place.clientHeight || 230, padding: [8, 28, 0, 0], // to the right for half of the last label
        scales: { x: Object.assign({ time: false }, of.x), y: of.y },
        axes: of.axes, series: [{}].concat(of.series), legend: { show: !!of.legend, live: false },
        cursor: { show: false }, hooks: { draw: of.marks ? [of.marks] : [] }
      }, of.values, place));
    });
  }

  function show(drawn) {
    var data = JSON.parse(document.getElementById("plots").textContent), width = innerWidth;
    function again() { draw(data, drawn); }
    again();
    addEventListener("resize", function () { if (innerWidth !== width) { width = innerWidth; again(); } });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
    matchMedia("print").addEventListener("change", again);
  }

  return { colour: colour, axis: axis, show: show };
})();
