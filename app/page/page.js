"use strict";

// chart shows the values under the pointer, or those that the arrow keys reach, and lets the
// buttons of the legend hide series.
function chart(figure) {
	const svg = figure.querySelector(".plot > svg"), tip = figure.querySelector(".tip"), mark = svg.querySelector(".mark");
	const { width, height } = svg.viewBox.baseVal;
	const series = [...svg.querySelectorAll("g[data-points]")].map(g => ({ g, name: g.dataset.name, points: JSON.parse(g.dataset.points) }));
	const visible = () => series.filter(s => s.g.style.display !== "none");
	let at = -1; // place among the visible points, from the left

	const hide = () => { tip.hidden = true; mark.setAttribute("visibility", "hidden"); at = -1; };
	const line = (text, name) => {
		const e = document.createElement(name);
		e.textContent = text;
		tip.append(e);
		return e;
	};
	const show = (near, point) => {
		const [x, y, across] = point;
		tip.replaceChildren();
		line(across, "b");
		for (const s of near.g.dataset.dots === undefined ? visible() : [near]) {
			for (const p of s === near ? [point] : s.points.filter(p => p[0] === x).slice(0, 1)) {
				line(s.name + ": " + p[3], "div").className = s === near ? "near" : "";
			}
		}
		mark.setAttribute("cx", x);
		mark.setAttribute("cy", y);
		mark.setAttribute("visibility", "visible");
		tip.hidden = false;
		const scale = svg.clientWidth / width, left = x * scale, top = y * scale;
		tip.style.left = Math.max(0, Math.min(left + 12, svg.clientWidth - tip.offsetWidth)) + "px";
		tip.style.top = (top > tip.offsetHeight + 12 ? top - tip.offsetHeight - 12 : top + 12) + "px";
	};
	const nearest = event => {
		const box = svg.getBoundingClientRect();
		const x = (event.clientX - box.left) * width / box.width, y = (event.clientY - box.top) * height / box.height;
		let best = Infinity, found;
		for (const s of visible()) {
			for (const p of s.points) {
				const d = Math.hypot(p[0] - x, p[1] - y);
				if (d < best) [best, found] = [d, [s, p]];
			}
		}
		if (found && best < 60) show(...found);
		else hide();
	};
	svg.addEventListener("pointermove", nearest);
	svg.addEventListener("pointerdown", nearest);
	svg.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") hide(); });
	svg.addEventListener("blur", hide);
	svg.addEventListener("keydown", event => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (event.key === "Escape") hide();
		if (!step) return;
		event.preventDefault();
		const all = visible().flatMap(s => s.points.map(p => [s, p])).sort((a, b) => a[1][0] - b[1][0]);
		if (all.length === 0) return;
		at = (at + step + all.length) % all.length;
		show(...all[at]);
	});
	for (const button of figure.querySelectorAll(".legend button")) {
		button.addEventListener("click", () => {
			const on = button.getAttribute("aria-pressed") === "false";
			button.setAttribute("aria-pressed", on);
			for (const s of series) if (s.name === button.value) s.g.style.display = on ? "" : "none";
			hide();
		});
	}
}

// sortable sorts the rows of a table by the column whose head is clicked: numbers as numbers,
// and cells without a number after those that have one.
function sortable(table) {
	const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
	const compare = (a, b) => {
		const [x, y] = [a.dataset.sort, b.dataset.sort];
		if (x !== undefined && y !== undefined) return x - y;
		if (x !== undefined || y !== undefined) return 0;
		return a.textContent.localeCompare(b.textContent);
	};
	heads.forEach((head, k) => head.querySelector("button").addEventListener("click", () => {
		const down = head.getAttribute("aria-sort") === "ascending";
		heads.forEach(h => h.removeAttribute("aria-sort"));
		head.setAttribute("aria-sort", down ? "descending" : "ascending");
		const last = row => body.querySelector("td[data-sort]") && [...body.rows].some(r => r.cells[k].dataset.sort !== undefined) && row.cells[k].dataset.sort === undefined;
		const rows = [...body.rows].map(row => ({ row, last: last(row) }));
		rows.sort((a, b) => a.last - b.last || (down ? -1 : 1) * compare(a.row.cells[k], b.row.cells[k]));
		body.append(...rows.map(r => r.row));
	}));
}

document.querySelectorAll("figure:has(.plot)").forEach(chart);
document.querySelectorAll("table").forEach(sortable);
