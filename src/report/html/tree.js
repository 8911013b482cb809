// The run as a tree of calls: only the rows in sight are in the document.

const ROW = 24;
/** Browsers cannot scroll further than some ten million pixels. */
const TALLEST = 8e6;
const DEEPEST = 20;

const element = (name, properties = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && key !== "list" && !key.startsWith("aria-")) made[key] = value;
    else if (value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
};

class Tree {
  constructor(explorer) {
    this.explorer = explorer;
    this.space = element("div", { className: "space" });
    this.rows = element("div", { className: "rows" });
    this.box = element("div", {
      className: "tree", tabIndex: 0, role: "tree", "aria-label": "Steps of the run",
    }, this.space, this.rows);
    this.box.addEventListener("scroll", () => this.paint());
    this.rows.addEventListener("click", event => this.clicked(event));
    new ResizeObserver(() => this.paint()).observe(this.box);
  }
  get run() { return this.explorer.run; }
  /** Pixels of the whole, and how many of them one pixel of the scroll bar stands for. */
  get scale() {
    const all = this.run.length * ROW, view = this.box.clientHeight;
    const tall = Math.min(all, TALLEST);
    return { tall, factor: tall > view ? (all - view) / (tall - view) : 1 };
  }
  paint() {
    if (!this.run) return;
    const { tall, factor } = this.scale, top = this.box.scrollTop * factor;
    const first = Math.max(0, Math.floor(top / ROW) - 4);
    const last = Math.min(this.run.length, Math.ceil((top + this.box.clientHeight) / ROW) + 4);
    this.space.style.height = `${tall}px`;
    this.rows.style.transform = `translateY(${this.box.scrollTop - (top - first * ROW)}px)`;
    const painted = [];
    for (let row = first; row < last; row++) painted.push(this.painted(row));
    this.rows.replaceChildren(...painted);
    const current = this.explorer.row;
    if (current >= first && current < last) this.box.setAttribute("aria-activedescendant", `step-${current}`);
    else this.box.removeAttribute("aria-activedescendant");
  }
  painted(row) {
    const list = this.run.lists[row];
    if (!list) return element("div", { className: "row apart", role: "none" }, "then for ever:");
    const i = this.run.at[row], part = list.part, symbol = part.symbol(i), depth = list.depth(i);
    const folds = list.folds(i), open = folds && list.isOpen(i);
    const current = row === this.explorer.row;
    const line = element("div", {
      id: `step-${row}`, className: current ? "row current" : "row", role: "treeitem",
      "aria-level": depth + 1, "aria-selected": current, "aria-expanded": folds ? open : null,
    });
    line.dataset.row = row;
    line.append(element("span", { className: "number" }, symbol.line ? String(symbol.line) : ""));
    const indent = element("span", { className: "indent" });
    indent.style.width = `${Math.min(depth, DEEPEST) * 1.1}em`;
    line.append(indent, element("span", { className: folds ? "fold" : "fold none", "aria-hidden": "true" }, folds ? (open ? "▾" : "▸") : ""));
    if (depth > DEEPEST) line.append(element("span", { className: "deep" }, `[depth ${depth}] `));
    line.append(element("code", {}, code(symbol)));
    const then = part.then(i);
    if (then < 0) line.append(element("span", { className: "badge" }, `× ${this.run.trace.leaps[-then - 1]} turns`));
    if (then > 0 && !open) {
      const steps = this.run.trace.calls[then - 1].size;
      line.append(element("span", { className: "badge" }, `${steps} steps inside`));
    }
    const changed = this.run.values(row, this.explorer.turn).filter(({ value, was }) => was !== undefined && !same(value, was));
    const text = changed.slice(0, 6).map(({ name, value }) => `${name}=${shown(value)}`).join("  ");
    line.append(element("span", { className: "changes" }, text + (changed.length > 6 ? "  …" : "")));
    return line;
  }
  reveal() {
    const { tall, factor } = this.scale, top = this.explorer.row * ROW, view = this.box.clientHeight;
    // Nothing scrolls further than there is space.
    this.space.style.height = `${tall}px`;
    const seen = this.box.scrollTop * factor;
    if (top < seen + ROW) this.box.scrollTop = Math.max(0, top - ROW * 3) / factor;
    else if (top + 2 * ROW > seen + view) this.box.scrollTop = (top - view + 4 * ROW) / factor;
    this.paint();
  }
  clicked(event) {
    const line = event.target.closest("[data-row]");
    if (!line) return;
    const row = Number(line.dataset.row);
    if (event.target.closest(".fold") && this.run.lists[row].folds(this.run.at[row])) this.explorer.toggle(row);
    else this.explorer.go(row);
    this.box.focus();
  }
}

/** Draws the lasso: what comes once, and the ring of what repeats, with the present step. */
function ring(explorer) {
  const { run } = explorer, cycle = run.cycle, svg = (name, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const n = cycle.part.length, radius = 46, x = 150, y = 58;
  const spot = i => {
    const angle = Math.PI + 2 * Math.PI * i / n;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  };
  const [list, at] = [run.lists[explorer.row], run.at[explorer.row]];
  let inside = list, index = at;
  while (inside && inside.up) [inside, index] = [inside.up, inside.at];
  const stem = run.stem.part.length, onStem = inside !== cycle;
  const parts = [
    svg("title", {}, explorer.lassoInWords()),
    svg("line", { x1: 8, y1: y, x2: x - radius, y2: y, class: "path" }),
    svg("circle", { cx: x, cy: y, r: radius, class: "path" }),
    svg("path", { d: `M ${x - 5} ${y - radius - 5} l 10 5 l -10 5 z`, class: "arrow" }),
  ];
  for (let i = 0; i < n && n <= 60; i++) {
    const [cx, cy] = spot(i), symbol = cycle.part.symbol(i);
    const tick = svg("circle", { cx, cy, r: 4.5, class: "tick" }, svg("title", {}, `${place(symbol)}: ${code(symbol)}`));
    tick.addEventListener("click", () => explorer.go(run.row(cycle, i)));
    parts.push(tick);
  }
  const [cx, cy] = onStem ? [8 + (x - radius - 8) * (index / Math.max(1, stem)), y] : spot(index);
  parts.push(svg("circle", { cx, cy, r: 7, class: "here" }));
  const growth = run.trace.growth;
  parts.push(svg("text", { x, y: y - 4, class: "turn" }, `turn ${explorer.turn + 1}`));
  parts.push(svg("text", { x, y: y + 14, class: "grows" }, growth ? `+${growth} frame${growth > 1 ? "s" : ""}` : "same stack"));
  return svg("svg", { viewBox: "0 0 210 116", role: "img", class: "ring" }, ...parts);
}
