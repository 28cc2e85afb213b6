(function () {
  "use strict";
  var colour = plots.colour, axis = plots.axis;

  function percents(u, values) { return values.map(function (v) { return v + " %"; }); }

  // mark draws a vertical line at the threshold.
  function mark(at) {
    return function (u) {
      if (!at) { return; }
      var x = Math.round(u.valToPos(at, "x", true));
      u.ctx.save();
      u.ctx.strokeStyle = colour("--soft");
      u.ctx.lineWidth = devicePixelRatio;
      u.ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
      u.ctx.beginPath();
      u.ctx.moveTo(x, u.bbox.top);
      u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
      u.ctx.stroke();
      u.ctx.restore();
    };
  }

  plots.show({
    stream: function (d) {
      return {
        values: [d.first, d.share],
        x: { range: function (u, min, max) { return [min, max]; } },
        y: { range: function (u, min, max) { return [0, Math.min(100, Math.max(1, max * 1.15))]; } },
        axes: [axis({ size: 34 }), axis({ values: percents, size: 62 })],
        series: {
          stroke: colour("--removed"), width: 1.5, fill: colour("--fill"),
          paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }
        }
      };
    },
    similar: function (d) {
      var first = 0;
      while (first < d.bins.length - 1 && d.bins[first] === 0) { first++; }
      first = Math.min(first, Math.floor(d.bins.length * Math.max(0, (d.threshold || 1) - .1)));
      var x = [], y = [];
      for (var i = first; i < d.bins.length; i++) { x.push((i + .5) / d.bins.length); y.push(d.bins[i]); }
      return {
        values: [x, y], marks: mark(d.threshold),
        x: { range: [first / d.bins.length, 1] },
        y: { range: function (u, min, max) { return [0, Math.max(1, max * 1.08)]; } },
        axes: [axis({ size: 34 }), axis({ size: 62 })],
        series: {
          stroke: colour("--removed"), fill: colour("--removed"), width: 0,
          paths: uPlot.paths.bars({ size: [.8, 40] }), points: { show: false }
        }
      };
    },
    curve: function (d) {
      return {
        values: [d.x, d.y], marks: mark(d.threshold), x: { range: [0, 1] }, y: { range: [0, 100] },
        axes: [axis({ size: 34 }), axis({ values: percents, size: 62 })],
        series: { stroke: colour("--accent"), width: 2, fill: colour("--fill"), points: { show: false } }
      };
    }
  });

  // The examples are searched, filtered and sorted where they stand. Without a script all are shown.
  var form = document.querySelector(".filter");
  if (!form) { return; }
  var list = document.querySelector(".examples");
  var articles = Array.prototype.slice.call(list.querySelectorAll("article"));
  var texts = articles.map(function (a) { return a.textContent.toLowerCase(); });

  // offer makes an option of each value that articles have, and hides what offers no choice or too many.
  function offer(name, most) {
    var select = form.elements[name], values = [];
    articles.forEach(function (a) {
      var value = a.dataset[name];
      if (value && values.indexOf(value) < 0) { values.push(value); }
    });
    values.forEach(function (value) {
      var option = document.createElement("option");
      option.value = value;
      option.textContent = value.length > 60 ? value.slice(0, 59) + "…" : value;
      select.appendChild(option);
    });
    select.parentNode.hidden = values.length < 2 || values.length > most;
  }

  function apply() {
    var words = form.elements.search.value.toLowerCase().trim(), shown = 0;
    articles.forEach(function (a, i) {
      var fits = texts[i].indexOf(words) >= 0 && ["reason", "source"].every(function (name) {
        return !form.elements[name].value || form.elements[name].value === a.dataset[name];
      });
      a.hidden = !fits;
      shown += fits ? 1 : 0;
    });
    form.querySelector("output").textContent = shown + " of " + articles.length + " shown";
  }

  function sort() {
    var order = form.elements.order.value, sorted = articles.slice();
    if (order) {
      sorted.sort(function (a, b) {
        return (a.dataset.similarity - b.dataset.similarity) * (order === "up" ? 1 : -1);
      });
    }
    sorted.forEach(function (a) { list.appendChild(a); });
  }

  offer("reason", 8);
  offer("source", 100);
  form.elements.order.parentNode.hidden = !articles.some(function (a) { return +a.dataset.similarity > 0; });
  form.hidden = articles.length < 2;
  form.addEventListener("input", apply);
  form.elements.order.addEventListener("change", sort);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  apply();
})();
