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
// The metric chosen above the table decides which of the tables is seen.
const choice = document.getElementById("metric");
function showMetric() {
  for (const part of document.querySelectorAll("[data-metric]")) part.hidden = part.dataset.metric !== choice.value;
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
