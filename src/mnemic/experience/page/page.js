"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("tree");
  const pen = canvas.getContext("2d");
  const hint = document.getElementById("hint");
  const root = document.documentElement;
  const INNER = 370, OUTER = 660, RINGS = [0, 120, 230, 340];
  const GOLDEN = 0.6180339887498949;

  // Where everything is: branches share the circle by the root of their size, so that small ones stay visible.
  const leaves = data.branches;
  const share = leaves.map((leaf) => Math.sqrt(leaf.count) + 2);
  const whole = share.reduce((sum, part) => sum + part, 0) || 1;
  const nodes = new Map();
  let angle = -Math.PI / 2;
  leaves.forEach((leaf, place) => {
    const span = (share[place] / whole) * Math.PI * 2;
    leaf.from = angle; leaf.span = span * 0.92; leaf.middle = angle + span / 2;
    angle += span;
    const parts = leaf.folder.split("/");
    parts.forEach((part, depth) => {
      const path = parts.slice(0, depth + 1).join("/");
      const node = nodes.get(path) || { path, label: part, depth: depth + 1, outcome: parts[0], count: 0, first: leaf.middle };
      node.count += leaf.count; node.last = leaf.middle;
      nodes.set(path, node);
    });
  });
  for (const node of nodes.values()) {
    node.angle = (node.first + node.last) / 2;
    node.x = Math.cos(node.angle) * RINGS[node.depth];
    node.y = Math.sin(node.angle) * RINGS[node.depth];
  }
  const labelled = [...nodes.values()].sort((one, other) => one.depth - other.depth || other.count - one.count);
  const count = data.days.length;
  const xs = new Float32Array(count), ys = new Float32Array(count);
  const span = Math.max(1, data.span);
  const placed = leaves.map(() => 0);
  for (let i = 0; i < count; i++) {
    const leaf = leaves[data.leaves[i]];
    const turn = leaf.from + (((placed[data.leaves[i]]++ * GOLDEN) % 1) * leaf.span);
    const radius = INNER + (OUTER - INNER) * Math.min(1, data.days[i] / span);
    xs[i] = Math.cos(turn) * radius;
    ys[i] = Math.sin(turn) * radius;
  }

  // A grid over the dots finds the one under the pointer.
  const CELL = 12, grid = new Map();
  const cell = (x, y) => Math.floor(x / CELL) * 4096 + Math.floor(y / CELL);
  for (let i = 0; i < count; i++) {
    const key = cell(xs[i], ys[i]);
    if (grid.has(key)) grid.get(key).push(i); else grid.set(key, [i]);
  }

  const view = { scale: 1, x: 0, y: 0 };
  let width = 0, height = 0, found = null, resting = 0, asked = false;
  const layer = document.createElement("canvas");
  const layerPen = layer.getContext("2d");
  let layerView = null;
  const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim() || "#888";
  const outcomes = [...new Set(leaves.map((leaf) => leaf.outcome))];
  const known = new Set(["success", "failure", "learning", "interaction"]);
  let colours = {};
  const byOutcome = outcomes.map((outcome) => {
    const which = [];
    for (let i = 0; i < count; i++) if (leaves[data.leaves[i]].outcome === outcome) which.push(i);
    return which;
  });

  function fit() {
    view.scale = Math.min(width, height) / (OUTER * 2.12);
    view.x = width / 2; view.y = height / 2;
  }
  function size() {
    const ratio = window.devicePixelRatio || 1;
    width = canvas.clientWidth; height = canvas.clientHeight;
    for (const one of [canvas, layer]) { one.width = Math.round(width * ratio); one.height = Math.round(height * ratio); }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    layerPen.setTransform(ratio, 0, 0, ratio, 0, 0);
  }
  function retint() {
    colours = Object.fromEntries(outcomes.map((outcome) => [outcome, colour(known.has(outcome) ? outcome : "other")]));
    Object.assign(colours, { ink: colour("ink"), soft: colour("soft"), line: colour("line"), panel: colour("panel") });
  }
  function drawDots() {
    layerPen.clearRect(0, 0, width, height);
    const dot = Math.max(1.2, Math.min(7, 2.4 * view.scale));
    const left = -view.x / view.scale, top = -view.y / view.scale;
    const right = left + width / view.scale, bottom = top + height / view.scale;
    outcomes.forEach((outcome, place) => {
      layerPen.fillStyle = colours[outcome];
      layerPen.globalAlpha = found ? 0.12 : 0.7;
      for (const i of byOutcome[place]) {
        const x = xs[i], y = ys[i];
        if (x < left || x > right || y < top || y > bottom) continue;
        layerPen.fillRect(x * view.scale + view.x - dot / 2, y * view.scale + view.y - dot / 2, dot, dot);
      }
    });
    layerPen.globalAlpha = 1;
    if (found) {
      for (const i of found) {
        layerPen.fillStyle = colours[leaves[data.leaves[i]].outcome];
        layerPen.beginPath();
        layerPen.arc(xs[i] * view.scale + view.x, ys[i] * view.scale + view.y, dot + 1.5, 0, 7);
        layerPen.fill();
      }
    }
    layerView = { ...view };
  }
  function drawBranches() {
    const biggest = Math.max(1, ...[...nodes.values()].map((node) => node.count));
    for (const node of nodes.values()) {
      const above = nodes.get(node.path.split("/").slice(0, -1).join("/")) || { x: 0, y: 0, angle: node.angle, depth: 0 };
      const bend = (RINGS[above.depth] + RINGS[node.depth]) / 2;
      pen.strokeStyle = colours[node.outcome];
      pen.globalAlpha = 0.8;
      pen.lineWidth = Math.max(1, 14 * Math.sqrt(node.count / biggest) * view.scale);
      pen.beginPath();
      pen.moveTo(above.x * view.scale + view.x, above.y * view.scale + view.y);
      pen.bezierCurveTo(
        Math.cos(above.angle) * bend * view.scale + view.x, Math.sin(above.angle) * bend * view.scale + view.y,
        Math.cos(node.angle) * bend * view.scale + view.x, Math.sin(node.angle) * bend * view.scale + view.y,
        node.x * view.scale + view.x, node.y * view.scale + view.y);
      pen.stroke();
      pen.globalAlpha = 1;
    }
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const taken = [];
    for (const node of labelled) {
      const x = node.x * view.scale + view.x, y = node.y * view.scale + view.y;
      pen.fillStyle = colours[node.outcome];
      pen.beginPath(); pen.arc(x, y, 4, 0, 7); pen.fill();
      const text = `${node.label} ${node.count.toLocaleString("en")}`;
      const wide = pen.measureText(text).width;
      const start = Math.cos(node.angle) < -0.2 ? x - wide - 8 : x + 8;
      const free = (row) => !taken.some(([left, middle, length]) =>
        Math.abs(middle - row) < 15 && start < left + length + 6 && left < start + wide + 6);
      const row = [y, y - 15, y + 15].find(free);
      if (row === undefined) continue;
      taken.push([start, row, wide]);
      pen.fillStyle = colours.panel; pen.globalAlpha = 0.82;
      pen.fillRect(start - 3, row - 8, wide + 6, 16);
      pen.globalAlpha = 1; pen.fillStyle = colours.ink;
      pen.fillText(text, start, row);
    }
  }
  function draw() {
    asked = false;
    pen.clearRect(0, 0, width, height);
    if (layerView) {
      const factor = view.scale / layerView.scale;
      pen.drawImage(layer, view.x - layerView.x * factor, view.y - layerView.y * factor, width * factor, height * factor);
    }
    drawBranches();
  }
  function ask() { if (!asked) { asked = true; requestAnimationFrame(draw); } }
  function settle() { clearTimeout(resting); resting = setTimeout(() => { drawDots(); ask(); }, 90); }
  function changed() { ask(); settle(); }
  function zoom(factor, x = width / 2, y = height / 2) {
    const scale = Math.min(40, Math.max(0.1, view.scale * factor));
    view.x = x - ((x - view.x) * scale) / view.scale;
    view.y = y - ((y - view.y) * scale) / view.scale;
    view.scale = scale;
    changed();
  }
  function move(x, y) { view.x += x; view.y += y; changed(); }
  function goTo(x, y, scale) {
    view.scale = scale; view.x = width / 2 - x * scale; view.y = height / 2 - y * scale;
    drawDots(); ask();
  }
  function showWhole() { fit(); drawDots(); ask(); }

  function nearest(px, py) {
    const x = (px - view.x) / view.scale, y = (py - view.y) / view.scale;
    const reach = Math.max(1, Math.ceil(7 / view.scale / CELL));
    let best = -1, least = (7 / view.scale) ** 2;
    if (reach > 6) return -1;
    for (let dx = -reach; dx <= reach; dx++) for (let dy = -reach; dy <= reach; dy++) {
      for (const i of grid.get(cell(x + dx * CELL, y + dy * CELL)) || []) {
        const away = (xs[i] - x) ** 2 + (ys[i] - y) ** 2;
        if (away < least) { least = away; best = i; }
      }
    }
    return best;
  }
  function day(i) {
    const when = new Date(data.start + "T00:00:00Z");
    when.setUTCDate(when.getUTCDate() + Math.floor(data.days[i]));
    return when.toISOString().slice(0, 10);
  }

  let dragged = null;
  canvas.addEventListener("pointerdown", (event) => { dragged = event; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { dragged = null; });
  canvas.addEventListener("pointercancel", () => { dragged = null; });
  canvas.addEventListener("pointerleave", () => { hint.hidden = true; });
  canvas.addEventListener("pointermove", (event) => {
    if (dragged) { move(event.clientX - dragged.clientX, event.clientY - dragged.clientY); dragged = event; return; }
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const i = nearest(x, y);
    hint.hidden = i < 0;
    if (i >= 0) {
      hint.textContent = `${data.names[i]}: ${leaves[data.leaves[i]].folder}, ${day(i)}`;
      hint.style.left = Math.min(x + 12, width - 240) + "px"; hint.style.top = y + 14 + "px";
    }
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  canvas.addEventListener("dblclick", showWhole);
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (moves[event.key]) move(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") zoom(1.3);
    else if (event.key === "-") zoom(1 / 1.3);
    else if (event.key === "0" || event.key === "Home") showWhole();
    else return;
    event.preventDefault();
  });
  document.getElementById("in").addEventListener("click", () => zoom(1.4));
  document.getElementById("out").addEventListener("click", () => zoom(1 / 1.4));
  document.getElementById("whole").addEventListener("click", showWhole);

  const query = document.getElementById("query"), told = document.getElementById("found");
  const hits = document.getElementById("hits");
  function search() {
    const words = query.value.toLowerCase().split(/[\s_]+/).filter(Boolean);
    hits.replaceChildren();
    found = null;
    if (words.length) {
      const fits = leaves.map((leaf) => words.map((word) => leaf.folder.includes(word)));
      found = [];
      for (let i = 0; i < count; i++) {
        const name = data.names[i], inFolder = fits[data.leaves[i]];
        if (words.every((word, place) => inFolder[place] || name.includes(word))) found.push(i);
      }
      for (const i of found.slice(-50).reverse()) {
        const item = document.createElement("li"), button = document.createElement("button");
        button.type = "button";
        button.textContent = `${data.names[i]} (${leaves[data.leaves[i]].folder}, ${day(i)})`;
        button.addEventListener("click", () => goTo(xs[i], ys[i], 6));
        item.append(button); hits.append(item);
      }
    }
    told.textContent = found ? `${found.length.toLocaleString("en")} of ${count.toLocaleString("en")} experiences` : "";
    drawDots(); ask();
  }
  let typing = 0;
  query.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(search, 120); });
  document.getElementById("search").addEventListener("submit", (event) => { event.preventDefault(); search(); });
  for (const button of document.querySelectorAll("button[data-folder]")) {
    button.addEventListener("click", () => {
      const leaf = leaves.find((one) => one.folder === button.dataset.folder);
      const radius = (INNER + OUTER) / 2;
      goTo(Math.cos(leaf.middle) * radius, Math.sin(leaf.middle) * radius, Math.min(width, height) / 420);
      canvas.focus(); canvas.scrollIntoView({ block: "center" });
    });
  }

  const theme = document.getElementById("theme");
  function paint(dark) {
    root.dataset.theme = dark ? "dark" : "light";
    theme.setAttribute("aria-pressed", String(dark));
    retint(); drawDots(); ask();
  }
  theme.addEventListener("click", () => paint(root.dataset.theme !== "dark"));
  window.addEventListener("resize", () => { size(); showWhole(); });

  size(); fit(); paint(matchMedia("(prefers-color-scheme: dark)").matches);
  draw();
  window.topologyView = { view, zoom, move, redraw() { drawDots(); draw(); }, count };
  root.dataset.ready = "true";
})();
