// The explorer: tabs of properties, the run, and what holds at its present step.

const HELP = [
  ["↓ j", "a row down"], ["↑ k", "a row up"], ["→", "unfold, or step into"], ["←", "fold, or back to the caller"],
  ["s", "step, also into a folded call"], ["b", "step back"], ["n", "step over"], ["u", "out, to after the call"],
  ["Home End", "first and last step"], ["+ −", "unfold and fold all"], ["w", "new watch expression"],
  ["c C", "next and previous change of the first watch"], ["?", "this list"],
];

class Explorer {
  constructor() {
    this.tab = 0;
    this.turn = 0;
    this.row = 0;
    this.watches = [];
    this.runs = data.results.map(() => null);
    this.tree = new Tree(this);
    this.live = element("p", { className: "aside", "aria-live": "polite", role: "status" });
    this.build();
    this.select(Math.max(0, data.results.findIndex(result => result.trace)));
  }
  get result() { return data.results[this.tab]; }
  get run() {
    if (!this.result.trace) return null;
    return this.runs[this.tab] ??= new Run(this.result.trace);
  }

  build() {
    this.tabs = element("div", { className: "tabs", role: "tablist", "aria-label": "Properties" });
    data.results.forEach((result, index) => this.tabs.append(element("button", {
      id: `tab-${index}`, type: "button", role: "tab", "aria-controls": "run", onclick: () => this.select(index),
    }, element("span", { className: `dot ${result.verdict}`, "aria-hidden": "true" }), ` ${result.property} `,
    element("span", { className: "verdict" }, result.verdict))));
    this.tabs.addEventListener("keydown", event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.select((this.tab + step + data.results.length) % data.results.length);
      this.tabs.children[this.tab].focus();
    });
    const button = (label, title, action) =>
      element("button", { type: "button", title, "aria-label": title, onclick: () => { action(); this.tree.box.focus(); } }, label);
    this.bar = element("div", { className: "bar", role: "toolbar", "aria-label": "Steps" },
      button("|◀", "First step (Home)", () => this.go(0)),
      button("◀", "Step back (b)", () => this.back()),
      button("▶", "Step (s)", () => this.step()),
      button("over", "Step over (n)", () => this.over()),
      button("out", "Step out (u)", () => this.out()),
      button("▶|", "Last step (End)", () => this.go(this.run.length - 1)),
      button("+", "Unfold all calls (+)", () => this.foldAll(false)),
      button("−", "Fold all calls (-)", () => this.foldAll(true)),
      button("?", "Keys (?)", () => this.help()));
    this.where = element("p", { className: "where" });
    this.lasso = element("div", { className: "lasso" });
    this.valuesBox = element("section", { className: "values", "aria-label": "Values" });
    this.watchBox = element("section", { className: "watch", "aria-label": "Watch expressions" });
    this.inputBox = element("section", { className: "inputs", "aria-label": "Inputs" });
    this.stackBox = element("section", { className: "stack", "aria-label": "Call stack" });
    this.keys = element("dl", { className: "keys", hidden: true }, ...HELP.flatMap(([keys, text]) =>
      [element("dt", {}, ...keys.split(" ").map(key => element("kbd", {}, key))), element("dd", {}, text)]));
    this.about = element("p", { className: "about" });
    this.panel = element("div", { id: "run", role: "tabpanel" }, this.about, this.bar, this.keys,
      element("div", { className: "panes" }, this.tree.box,
        element("div", { className: "side" }, this.where, this.lasso, this.valuesBox, this.inputBox, this.watchBox, this.stackBox)), this.live);
    document.getElementById("explorer").append(this.tabs, this.panel);
    this.buildWatches();
    this.tree.box.addEventListener("keydown", event => this.key(event));
    document.getElementById("source").addEventListener("click", event => this.lineClicked(event));
  }

  select(tab) {
    this.tab = tab;
    this.turn = 0;
    [...this.tabs.children].forEach((button, index) => {
      button.setAttribute("aria-selected", index === tab);
      button.tabIndex = index === tab ? 0 : -1;
    });
    this.panel.setAttribute("aria-labelledby", `tab-${tab}`);
    const { result, run } = this;
    this.about.textContent = [
      `${result.property}: ${result.verdict}`, result.reason && `(${result.reason})`,
      run && `${run.trace.steps} step${run.trace.steps === "1" ? "" : "s"}`, run && run.trace.end, ...result.notes,
    ].filter(Boolean).join(" · ");
    for (const part of [this.bar, this.tree.box, this.where, this.lasso, this.valuesBox, this.watchBox, this.stackBox]) part.hidden = !run;
    this.showInputs();
    if (run) this.markRun();
    else document.querySelectorAll(".line.here, .line.run").forEach(line => line.classList.remove("here", "run"));
    if (run) this.go(run.cycle ? 0 : run.length - 1);
  }

  /** Goes to a row, and tells what is there. */
  go(row, turn = this.turn) {
    const { run } = this;
    if (!run.length) return;
    row = Math.max(0, Math.min(run.length - 1, row));
    if (!run.lists[row]) row += row < this.row ? -1 : 1;
    if (row < 0 || row >= run.length) row = this.row;
    this.row = row;
    this.turn = run.cycle && row > run.first ? turn : 0;
    this.tree.reveal();
    this.showStep();
  }
  step() {
    const { run, row } = this, list = run.lists[row], i = run.at[row];
    if (list.folds(i) && !list.isOpen(i)) this.toggle(row);
    if (row + 1 < run.length) this.go(row + 1);
    else if (run.cycle) this.go(run.first + 1, this.turn + 1);
  }
  back() {
    const before = this.run.previous(this.row, this.turn);
    if (before < 0) return;
    const wraps = before > this.row;
    this.go(before, wraps ? this.turn - 1 : this.turn);
  }
  depthAt(row) { return this.run.lists[row] ? this.run.lists[row].depth(this.run.at[row]) : -1; }
  /** The next row that is not deeper than so. */
  until(depth) {
    let row = this.row + 1;
    while (row < this.run.length && this.run.lists[row] && this.depthAt(row) > depth) row++;
    if (row < this.run.length) this.go(row);
    else if (this.run.cycle) this.go(this.run.first + 1, this.turn + 1);
    else this.go(this.run.length - 1);
  }
  over() { this.until(this.depthAt(this.row)); }
  out() { this.until(this.depthAt(this.row) - 1); }
  caller() {
    const frames = this.run.frames(this.row, 2);
    if (frames[1]) this.go(this.run.row(...frames[1]));
  }

  toggle(row) {
    const { run } = this, list = run.lists[row], i = run.at[row];
    const [here, at] = [run.lists[this.row], run.at[this.row]];
    list.shut.set(i, list.isOpen(i));
    run.listed();
    const again = run.row(here, at);
    this.row = again >= 0 ? again : run.row(list, i);
    this.tree.reveal();
    this.showStep();
  }
  foldAll(shut) {
    const { run } = this;
    if (!shut && run.trace.size > 1e6) {
      this.live.textContent = `The run has ${run.trace.steps} steps: unfold its calls one by one.`;
      return;
    }
    let [list, i] = [run.lists[this.row], run.at[this.row]];
    if (shut) {
      while (list.up) [list, i] = [list.up, list.at];
      for (let below = list.part.order.below[i]; below >= 0; below = list.part.order.below[i]) i = below;
    }
    run.openAll = !shut;
    for (const root of [run.stem, run.cycle]) if (root) [root.kids, root.shut] = [new Map(), new Map()];
    run.listed();
    this.row = Math.max(0, run.row(list, i));
    this.tree.reveal();
    this.showStep();
  }

  lassoInWords() {
    const { run } = this, { growth, closes_on: closes } = run.trace;
    const stack = growth ? `each turn leaves the stack ${growth} frame${growth > 1 ? "s" : ""} higher` : "the stack is the same after each turn";
    const values = !closes ? "" : closes.length ? `; ${closes.join(", ")} repeat, other variables may differ in each turn`
      : "; variables may differ in each turn: nothing in the cycle depends on them";
    return `${run.cycle.part.length} steps repeat for ever; ${stack}${values}`;
  }

  showStep() {
    const { run, row } = this, list = run.lists[row], i = run.at[row], symbol = list.part.symbol(i);
    const frame = data.frames[symbol.frame];
    const grown = (run.trace.growth || 0) * this.turn, depth = list.depth(i) + grown;
    const branch = list.part.branch(i);
    const words = [`Row ${row + 1} of ${run.length}`, frame && frame.name, place(symbol), `depth ${depth}`,
      branch && `way ${branch} is taken`, grown && `turn ${this.turn + 1}: the stack is ${grown} higher than on the first`];
    this.where.textContent = words.filter(Boolean).join(" · ");
    this.lasso.replaceChildren(...(run.cycle ? [ring(this), element("p", {}, this.lassoInWords())] : []));
    // What a pointer points to is there only while it points somewhere.
    const values = run.values(row, this.turn).filter(({ value, was }) => value !== null || (was ?? null) !== null);
    this.showValues(values, frame);
    this.showWatches();
    this.showStack();
    this.showLine(symbol);
    const changed = values.filter(({ value, was }) => was !== undefined && !same(value, was));
    this.live.textContent = `${place(symbol)}, ${code(symbol).replace(/;$/, "")}, depth ${depth}`
      + (changed.length ? `; changed: ${changed.slice(0, 10).map(({ name, value }) => `${name} is ${shown(value)}`).join(", ")}` : "");
  }
  showValues(values, frame) {
    const fact = this.factAt();
    const row = ({ name, value, was }) => {
      const changed = was !== undefined && !same(value, was);
      return element("tr", { className: changed ? "changed" : "" }, element("th", { scope: "row" }, name),
        element("td", {}, ...cells(value, was)), element("td", { className: "was" }, changed ? `was ${shown(was)}` : ""));
    };
    const group = (title, all) => all.length ? [element("tr", {}, element("th", { colSpan: 3, className: "group" }, title)), ...all.map(row)] : [];
    this.valuesBox.replaceChildren(element("h3", {}, "Values"), element("table", {}, element("tbody", {},
      ...group("global", values.filter(value => !value.local)),
      ...group(frame ? `in ${frame.name}` : "local", values.filter(value => value.local)))),
      ...(fact ? [element("p", { className: "fact" }, `Runs come here ${data.abstraction ? "only " : ""}with: `, element("code", {}, fact))] : []));
  }
  /** The inputs of a C program, each with a way to the step that asks for it. */
  showInputs() {
    const inputs = this.run?.trace.inputs ?? [];
    this.inputBox.hidden = !inputs.length;
    const { run } = this, once = run && run.stem.part.length;
    const row = step => run.row(...(step < once ? [run.stem, step] : [run.cycle, step - once]));
    const go = step => {
      if (row(step) < 0) this.foldAll(false);
      this.go(row(step));
    };
    this.inputBox.replaceChildren(element("h3", {}, "Inputs"), element("ol", {}, ...inputs.map(({ call, line, value, step }) =>
      element("li", {}, element("button", { type: "button", onclick: () => go(step) },
        `line ${line}: ${call ? `${call}()` : "a value that nobody has assigned"} = ${value}`)))));
  }
  factAt() {
    const symbol = this.run.lists[this.row].part.symbol(this.run.at[this.row]);
    return symbol.fact;
  }

  buildWatches() {
    this.entry = element("input", { type: "text", "aria-label": "New watch expression", placeholder: "x + 1 < f.y", spellcheck: false });
    const form = element("form", {}, this.entry, element("button", { type: "submit" }, "Watch"));
    form.addEventListener("submit", event => {
      event.preventDefault();
      const text = this.entry.value.trim();
      if (!text) return;
      try {
        this.watches.push({ text, postfix: compiled(text) });
        this.entry.value = "";
        if (this.run) this.showWatches();
      } catch (error) {
        this.live.textContent = `No watch: ${error.message}.`;
      }
    });
    this.watchRows = element("tbody");
    this.watchBox.append(element("h3", {}, "Watch"), element("table", {}, this.watchRows), form);
  }
  watched(watch, row) { return this.run.lists[row] ? evaluated(watch.postfix, scope(this.run, row)) : undefined; }
  showWatches() {
    this.watchRows.replaceChildren(...this.watches.map((watch, index) => {
      const value = this.watched(watch, this.row), before = this.run.previous(this.row, this.turn);
      const was = before >= 0 ? this.watched(watch, before) : undefined;
      const changed = was !== undefined && !same(was, value);
      const button = (label, title, action) => element("button", { type: "button", title, "aria-label": `${title}: ${watch.text}`, onclick: action }, label);
      return element("tr", { className: changed ? "changed" : "" }, element("th", { scope: "row" }, watch.text),
        element("td", {}, value === undefined ? "—" : shown(value)),
        element("td", {}, button("◂", "Previous change", () => this.seek(watch, -1)), button("▸", "Next change", () => this.seek(watch, 1)),
          button("×", "Remove", () => { this.watches.splice(index, 1); this.showWatches(); })));
    }));
  }
  /** Goes to where the value of a watch is another one. */
  seek(watch, way) {
    const { run } = this, now = this.watched(watch, this.row);
    for (let row = this.row + way; row >= 0 && row < run.length; row += way) {
      const value = run.lists[row] ? this.watched(watch, row) : undefined;
      if (value !== undefined && (now === undefined || !same(value, now))) return this.go(row);
    }
    this.live.textContent = `${watch.text} does not change ${way > 0 ? "after" : "before"} this.`;
  }

  showStack() {
    const MOST = 100;
    const frames = this.run.frames(this.row, MOST), more = this.depthAt(this.row) + 1 - frames.length;
    this.stackBox.replaceChildren(element("h3", {}, "Call stack"), element("ol", {}, ...frames.map(([list, i], n) => {
      const symbol = list.part.symbol(i), frame = data.frames[symbol.frame];
      return element("li", {}, element("button", {
        type: "button", className: n ? "" : "top", onclick: () => { const row = this.run.row(list, i); if (row >= 0) this.go(row); },
      }, `${frame ? frame.name : symbol.name}, ${place(symbol)}`));
    })), ...(more > 0 ? [element("p", { className: "aside" }, `and ${more} frames below`)] : []));
  }

  // The source.

  line(symbol) { return symbol.line ? document.getElementById(`L${symbol.file}-${symbol.line}`) : null; }
  showLine(symbol) {
    document.querySelectorAll(".line.here").forEach(line => { line.classList.remove("here"); line.removeAttribute("aria-current"); });
    const line = this.line(symbol);
    if (!line) return;
    line.classList.add("here");
    line.setAttribute("aria-current", "step");
    const box = line.closest(".file").querySelector(".text");
    const top = line.offsetTop - box.offsetTop;
    if (top < box.scrollTop + 30 || top > box.scrollTop + box.clientHeight - 60) box.scrollTop = top - box.clientHeight / 2;
  }
  markRun() {
    document.querySelectorAll(".line.run").forEach(line => line.classList.remove("run"));
    const { trace } = this.run, met = new Set();
    for (const flat of [trace.stem, trace.cycle || [], ...trace.calls.map(call => call.steps)]) {
      for (let at = 0; at < flat.length; at += STEP) met.add(flat[at]);
    }
    for (const symbol of met) this.line(data.symbols[symbol])?.classList.add("run");
  }
  /** A click on the number of a line goes to the next step there, round the run. */
  lineClicked(event) {
    const line = event.target.closest("a") && event.target.closest(".line");
    if (!line || !this.run) return;
    const { run } = this;
    for (let n = 1; n <= run.length; n++) {
      const row = (this.row + n) % run.length, list = run.lists[row];
      if (list && this.line(list.part.symbol(run.at[row])) === line) {
        event.preventDefault();
        this.go(row);
        return;
      }
    }
    this.live.textContent = "This run shows no step on this line (calls may be folded).";
  }

  help() {
    this.keys.hidden = !this.keys.hidden;
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.run) return;
    const { run, row } = this, list = run.lists[row], i = run.at[row], folds = list.folds(i);
    const page = Math.max(1, Math.floor(this.tree.box.clientHeight / ROW) - 2);
    const actions = {
      ArrowDown: () => this.go(row + 1), j: () => this.go(row + 1), ArrowUp: () => this.go(row - 1), k: () => this.go(row - 1),
      PageDown: () => this.go(row + page), PageUp: () => this.go(row - page),
      Home: () => this.go(0), End: () => this.go(run.length - 1),
      ArrowRight: () => folds && !list.isOpen(i) ? this.toggle(row) : this.step(),
      ArrowLeft: () => folds && list.isOpen(i) ? this.toggle(row) : this.caller(),
      Enter: () => folds && this.toggle(row), " ": () => folds && this.toggle(row),
      s: () => this.step(), b: () => this.back(), n: () => this.over(), u: () => this.out(),
      "+": () => this.foldAll(false), "-": () => this.foldAll(true), w: () => this.entry.focus(),
      c: () => this.watches[0] && this.seek(this.watches[0], 1), C: () => this.watches[0] && this.seek(this.watches[0], -1),
      "?": () => this.help(),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  }
}

/** A value as text; of an array, the cells that changed stand out. */
function cells(value, was) {
  if (!Array.isArray(value)) return [shown(value)];
  const pieces = ["["];
  value.forEach((cell, n) => {
    if (n) pieces.push(", ");
    const changed = Array.isArray(was) && was[n] !== cell;
    pieces.push(changed ? element("strong", { title: `[${n + (value.first ?? 0)}] was ${shown(was[n])}` }, shown(cell)) : shown(cell));
  });
  return [...pieces, "]"];
}

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
});
document.documentElement.classList.add("scripted");
window.explorer = new Explorer();
