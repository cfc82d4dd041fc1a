const common = {
  font: { family: "system-ui, sans-serif", size: 12, color: "#334155" },
  margin: { l: 60, r: 20, t: 20, b: 45 },
  paper_bgcolor: "white", plot_bgcolor: "white", hovermode: "closest",
};
charts.forEach((chart, number) => {
  Plotly.newPlot(`chart-${number}`, chart.data, { ...common, ...chart.layout },
    { responsive: true, displaylogo: false });
});

// A click on a header sorts the table; a second one the other way. Empty cells stay last.
document.querySelectorAll("th").forEach((header, column) => {
  let direction = 1;
  header.addEventListener("click", () => {
    const body = header.closest("table").querySelector("tbody");
    const key = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const rows = [...body.rows].sort((one, other) => {
      const [left, right] = [key(one), key(other)];
      if (left === "" || right === "") return (left === "") - (right === "");
      const numeric = !isNaN(left) && !isNaN(right);
      return direction * (numeric ? left - right : left.localeCompare(right));
    });
    body.append(...rows);
    direction = -direction;
  });
});
