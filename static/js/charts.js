// Draws every .plot: fetches its figure, resolves the style sheet's tokens, lays it out for the width at hand.
// A figure comes complete from the server (leaderboard/figures/charts.py); layout.meta names what depends on the width.
(function () {
  "use strict";
  var PHONE_PX = 500, PHONE_ROW_PX = 44, PRINT_PX = 670, PRINT_PAIR_PX = 325, PAPER_PX = 660;
  var figures = new Map(); // element -> figure as fetched
  var printing = false;

  var probe = document.createElement("i");
  probe.hidden = true;
  document.body.appendChild(probe);
  function colour(token) {
    probe.style.color = token;
    return getComputedStyle(probe).color;
  }
  function resolve(value) {
    if (typeof value === "string") return value.startsWith("var(--") ? colour(value) : value;
    if (Array.isArray(value)) return value.map(resolve);
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(function (pair) { return [pair[0], resolve(pair[1])]; }));
    }
    return value;
  }

  var pen = document.createElement("canvas").getContext("2d");
  function widthOf(text) { return pen.measureText(text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")).width; }

  // A name too long for its place breaks at a space or after a sign, one without any where it has to; after two lines it ends
  // with an ellipsis: the table below has it whole.
  function wrap(name, room) {
    if (widthOf(name) <= room) return name;
    var lines = [""];
    name.split(/(?<=[\s\-/_:.])/).flatMap(function (part) {
      return widthOf(part) > room ? part.match(/&\w+;|[^]/gu) : [part];
    }).forEach(function (part) {
      var last = lines[lines.length - 1];
      if (last && widthOf(last + part) > room) lines.push(part);
      else lines[lines.length - 1] = last + part;
    });
    if (lines.length > 2) lines = [lines[0], lines[1].slice(0, -1) + "…"];
    return lines.join("<br>");
  }

  // Labels of reference lines: the first row where the earlier ones leave room, inside the plot.
  function placeReferences(layout, plotWidth) {
    var axis = layout.xaxis, ends = [];
    var labels = (layout.annotations || []).filter(function (note) { return note.name === "reference"; });
    labels.sort(function (a, b) { return a.x - b.x; }).forEach(function (label) {
      var half = (widthOf(label.text) + 18) / 2, row = 0;
      var at = (label.x - axis.range[0]) / (axis.range[1] - axis.range[0]) * plotWidth;
      at = Math.min(Math.max(at, half - 8), plotWidth - half + 8);
      while (ends[row] !== undefined && ends[row] > at - half) row++;
      ends[row] = at + half;
      Object.assign(label, { xref: "paper", x: at / plotWidth, xanchor: "center", yshift: 3 + 15 * row });
    });
    return ends.length;
  }

  // On a phone the rows' names move inside, above their marks, with a hairline between rows.
  function moveNamesInside(figure, meta, width) {
    var layout = figure.layout, soft = colour("var(--soft)"), rule = colour("var(--rule)"), paper = colour("var(--paper)");
    layout.yaxis.showticklabels = false;
    layout.yaxis.showgrid = false;
    layout.yaxis.range = [meta.rows.length - 0.5, -0.5];
    meta.rows.forEach(function (name, i) {
      layout.annotations.push({ xref: "paper", x: 0, xanchor: "left", y: i - 0.5, yanchor: "top", align: "left", text: wrap(name, width - 20), showarrow: false, font: { size: 12, color: soft }, bgcolor: paper, borderpad: 0 });
      if (i) layout.shapes.push({ type: "line", layer: "below", xref: "paper", x0: 0, x1: 1, y0: i - 0.5, y1: i - 0.5, line: { color: rule, width: 1 } });
    });
    figure.data.forEach(function (trace) { trace.y = trace.y.map(function (y) { return y + 0.17; }); });
  }

  // The figure of this element for a width, its tokens resolved.
  function prepare(element, width) {
    var figure = resolve(figures.get(element)), layout = figure.layout, meta = layout.meta || {};
    var font = getComputedStyle(document.body).fontFamily;
    var narrow = width < PHONE_PX;
    pen.font = "12px " + font;
    layout.font.family = layout.hoverlabel.font.family = font;
    layout.width = width;
    if (narrow && meta.narrow) {
      layout.xaxis.tickvals = meta.narrow.tickvals;
      layout.xaxis.ticktext = meta.narrow.ticktext;
      layout.xaxis.title.text = meta.narrow.title;
    }
    if (meta.rows) {
      var room = 0.34 * width;
      if (narrow) layout.margin.l = 6;
      else {
        layout.yaxis.ticktext = meta.rows.map(function (name) { return wrap(name, room); });
        layout.margin.l = Math.min(room, Math.max.apply(null, meta.rows.map(widthOf))) + 14;
      }
      var labelRows = placeReferences(layout, width - layout.margin.l - layout.margin.r);
      if (narrow) moveNamesInside(figure, meta, width);
      layout.margin.t = 8 + 15 * labelRows;
      layout.height = layout.margin.t + layout.margin.b + meta.rows.length * (narrow ? Math.max(PHONE_ROW_PX, meta.row_px) : meta.row_px);
    }
    return figure;
  }

  function draw(element) {
    var width = printing ? (element.closest(".pair") ? PRINT_PAIR_PX : PRINT_PX) : element.clientWidth;
    var figure = prepare(element, width);
    Plotly.react(element, figure.data, figure.layout, { displayModeBar: false, responsive: false });
  }

  // A figure for a paper: the light theme's colours whatever the page has, one width, as a file.
  function save(element, form) {
    probe.style.colorScheme = "light";
    var width = (figures.get(element).layout.meta || {}).width_px || PAPER_PX, figure = prepare(element, width);
    probe.style.colorScheme = "";
    delete figure.layout.meta;
    Plotly.toImage(figure, { format: form, width: width, height: figure.layout.height, scale: form === "png" ? 3 : 1 }).then(function (address) {
      var link = document.createElement("a");
      link.href = address;
      link.download = element.dataset.figure.split("?")[0].split("/").slice(2).join("-").replace(".json", "." + form);
      link.click();
    });
  }
  // SVG and PNG are drawn here; PDF by the server, where it can.
  function offer(element) {
    var files = element.nextElementSibling;
    if (!files || !files.classList.contains("figure-files")) return;
    files.querySelectorAll("a").forEach(function (link) {
      var form = link.dataset.form;
      if (form === "pdf") {
        if (files.hidden || !link.hasAttribute("href")) link.remove();
        return;
      }
      var button = document.createElement("button");
      button.type = "button";
      button.className = "save";
      button.textContent = link.textContent;
      button.setAttribute("aria-label", link.getAttribute("aria-label"));
      button.addEventListener("click", function () { save(element, form); });
      link.replaceWith(button);
    });
    files.hidden = false;
  }

  function say(element, text) {
    var note = document.createElement("p");
    note.className = "soft small";
    note.textContent = text;
    element.replaceChildren(note);
    element.dataset.said = "";
    element.removeAttribute("role"); // it is text now, not an image
    if (element.nextElementSibling && element.nextElementSibling.classList.contains("figure-files")) element.nextElementSibling.hidden = true;
  }

  function load(element) {
    if (!window.Plotly) return say(element, "The chart needs plotly.js, which is not installed here; the table below has the same numbers.");
    fetch(element.dataset.figure).then(function (response) {
      if (!response.ok) throw new Error(response.status);
      return response.json();
    }).then(function (figure) {
      if (!figure.data.some(function (trace) { return trace.x.length; })) {
        return say(element, "Nothing to draw yet: no answer of a model has passed.");
      }
      figures.set(element, figure);
      draw(element);
      offer(element);
      element.dataset.drawn = "";
    }).catch(function () {
      say(element, "The chart could not be loaded; the table below has the same numbers.");
    });
  }

  function drawAll() { figures.forEach(function (_, element) { draw(element); }); }
  document.querySelectorAll(".plot[data-figure]").forEach(load);
  document.addEventListener("themechange", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  var timer;
  addEventListener("resize", function () { clearTimeout(timer); timer = setTimeout(drawAll, 120); });
  var theme;
  addEventListener("beforeprint", function () {
    printing = true;
    theme = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    drawAll();
  });
  addEventListener("afterprint", function () {
    printing = false;
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    drawAll();
  });
})();
