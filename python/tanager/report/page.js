"use strict";
// Sorting: a click on a heading sorts its table by that column; numbers by value, everything else by text.
function sortTable(heading) {
  const table = heading.closest("table");
  const column = [...heading.parentNode.children].indexOf(heading);
  const ascending = heading.getAttribute("aria-sort") === "descending"
    || (heading.getAttribute("aria-sort") === null && column === 0);
  for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const value = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const numeric = rows.every(row => value(row) === "" || !Number.isNaN(Number(value(row))));
  rows.sort((a, b) => {
    const x = value(a), y = value(b);
    if (numeric) {
      if (x === "" || y === "") return (x === "") - (y === "");
      return (Number(x) - Number(y)) * (ascending ? 1 : -1);
    }
    return x.localeCompare(y) * (ascending ? 1 : -1);
  });
  body.append(...rows);
}
for (const button of document.querySelectorAll("table.sortable thead th button")) {
  button.addEventListener("click", () => sortTable(button.closest("th")));
}
// The measure chosen above decides which tables, tests and plots are seen.
const choice = document.getElementById("metric");
function showMetric() {
  for (const part of document.querySelectorAll("[data-metric],[data-follows]")) {
    part.hidden = (part.dataset.metric ?? part.dataset.follows) !== choice.value;
  }
}
if (choice) { choice.addEventListener("change", showMetric); showMetric(); }
// Light, dark, or as the system says.
const theme = document.getElementById("theme");
theme.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark"
    : window.matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
// Networks: the view box is what is seen of a drawing; moving and zooming change nothing else.
function explore(frame) {
  const svg = frame.querySelector("svg.network"), tip = frame.querySelector(".tip");
  const tables = JSON.parse(frame.querySelector("script").textContent);
  const wide = svg.viewBox.baseVal.width, high = svg.viewBox.baseVal.height;
  const least = 0.85; // a smaller scale could not be read
  let view = null;
  const show = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  function fit(readable) {
    const box = frame.clientWidth || wide;
    const scale = Math.min(1.2, readable ? Math.max(box / wide, least) : box / wide);
    const tall = Math.min(high * scale, window.innerHeight * 0.75);
    svg.style.height = `${tall}px`;
    view = {x: 0, y: 0, w: box / scale, h: tall / scale};
    if (view.w > wide) view.x = (wide - view.w) / 2;
    show();
  }
  function zoom(factor, px, py) {
    const area = svg.getBoundingClientRect();
    const fx = px === undefined ? 0.5 : (px - area.left) / area.width;
    const fy = py === undefined ? 0.5 : (py - area.top) / area.height;
    const w = Math.min(Math.max(view.w / factor, 80), 6 * wide), h = view.h * w / view.w;
    view = {x: view.x + (view.w - w) * fx, y: view.y + (view.h - h) * fy, w, h};
    show();
  }
  for (const button of frame.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => button.dataset.zoom === "0" ? fit(false) : zoom(Number(button.dataset.zoom)));
  }
  svg.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 0.87, event.clientX, event.clientY);
  }, {passive: false});
  const fingers = new Map();
  let moved = 0;
  svg.addEventListener("pointerdown", event => { fingers.set(event.pointerId, event); moved = 0; });
  svg.addEventListener("pointermove", event => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const scale = view.w / svg.getBoundingClientRect().width;
    if (fingers.size === 2) {
      const other = [...fingers.values()].find(finger => finger.pointerId !== event.pointerId);
      const gap = finger => Math.hypot(finger.clientX - other.clientX, finger.clientY - other.clientY);
      zoom(gap(event) / Math.max(gap(before), 1), (event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2);
    } else {
      moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
      view.x -= (event.clientX - before.clientX) * scale;
      view.y -= (event.clientY - before.clientY) * scale;
      frame.classList.add("moving");
      show();
    }
    fingers.set(event.pointerId, event);
  });
  const lift = event => { fingers.delete(event.pointerId); frame.classList.remove("moving"); };
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) svg.addEventListener(name, lift);
  // Hovering shows the table of an attribute, clicking shows its neighbours alone.
  const label = node => node.dataset.name;
  const tableOf = node => tables.find(table => table.names.join(" × ") === label(node));
  function say(node) {
    const found = tableOf(node);
    tip.replaceChildren(Object.assign(document.createElement("b"), {textContent: label(node)}));
    if (found) {
      const table = document.createElement("table");
      for (const row of [found.header, ...found.rows]) {
        const line = table.insertRow();
        for (const text of row) line.insertCell().textContent = text;
      }
      tip.append(table);
    } else tip.append("its table is too large to be shown here");
    tip.hidden = false;
    const area = frame.getBoundingClientRect(), box = node.getBoundingClientRect();
    const below = box.bottom - area.top + 6;
    const left = Math.min(Math.max(box.left - area.left, 4), Math.max(area.width - tip.offsetWidth - 8, 4));
    const fits = below + tip.offsetHeight < area.height;
    tip.style.left = `${left}px`;
    tip.style.top = `${fits ? below : Math.max(box.top - area.top - tip.offsetHeight - 6, 4)}px`;
  }
  const hush = () => { if (!tip.classList.contains("pinned")) tip.hidden = true; };
  function focusOn(node) {
    const name = node && label(node), again = node && node.classList.contains("chosen");
    for (const part of svg.querySelectorAll(".near,.chosen")) part.classList.remove("near", "chosen");
    const on = Boolean(node) && !again;
    frame.classList.toggle("focused", on);
    tip.classList.toggle("pinned", on);
    if (!on) { tip.hidden = true; return; }
    const near = new Set([name]);
    for (const arc of svg.querySelectorAll(".edge")) {
      if (arc.dataset.from !== name && arc.dataset.to !== name) continue;
      near.add(arc.dataset.from).add(arc.dataset.to);
      arc.classList.add("near");
      arc.nextElementSibling.classList.add("near"); // its head
    }
    for (const other of svg.querySelectorAll(".node")) if (near.has(label(other))) other.classList.add("near");
    node.classList.add("chosen");
    say(node);
  }
  for (const node of svg.querySelectorAll(".node")) {
    node.querySelector("title").remove(); // the table says more
    node.setAttribute("tabindex", "0");
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", label(node));
    node.addEventListener("pointerenter", () => { if (!frame.classList.contains("focused")) say(node); });
    node.addEventListener("pointerleave", hush);
    node.addEventListener("focus", () => say(node));
    node.addEventListener("blur", hush);
    node.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); focusOn(node); } });
  }
  svg.addEventListener("click", event => { if (moved < 5) focusOn(event.target.closest(".node")); });
  frame.addEventListener("keydown", event => { if (event.key === "Escape") focusOn(null); });
  frame.closest("details").addEventListener("toggle", () => fit(true));
  fit(true);
}
for (const frame of document.querySelectorAll(".viewport")) explore(frame);
