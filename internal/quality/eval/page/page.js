(function () {
  "use strict";
  var colour = plots.colour, axis = plots.axis;

  function stroke(i) { return colour("--s" + (i % 9 + 1)); }

  // short writes the numbers of an axis: 1200000 as 1.2M.
  function short(u, values) {
    return values.map(function (v) {
      if (v === null) { return ""; }
      var units = ["", "k", "M", "G", "T"], at = 0;
      while (Math.abs(v) >= 1000 && at < units.length - 1) { v /= 1000; at++; }
      return +v.toPrecision(3) + units[at];
    });
  }

  function scale(d, of, log) {
    if (log) { return { distr: 3 }; }
    if (d[of]) { return { range: d[of] }; }
    return { range: function (u, min, max) { return [0, max * 1.06 || 1]; } };
  }

  function options(d, series) {
    return {
      values: [d.x].concat(d.series.map(function (s) { return s.y; })), legend: true,
      x: d.logx ? { distr: 3 } : { range: function (u, min, max) { return [min, max]; } },
      y: scale(d, "range", d.logy),
      axes: [axis({ values: short, size: 34 }), axis({ values: short, size: 52 })],
      series: series
    };
  }

  plots.show({
    lines: function (d) {
      return options(d, d.series.map(function (s, i) {
        return { label: s.name, stroke: stroke(i), width: 1.75, spanGaps: true, points: { size: 5 } };
      }));
    },
    points: function (d) {
      return options(d, d.series.map(function (s, i) {
        if (s.front) {
          return {
            label: s.name, stroke: colour("--soft"), width: 1.25, dash: [5, 4], spanGaps: true,
            paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }
          };
        }
        return { label: s.name, stroke: stroke(i), paths: function () { return null; },
          points: { show: true, size: 5, fill: stroke(i) } };
      }));
    }
  });
})();
