// The data of the page. A list of steps is one flat array with STEP numbers to a step; values and symbols are shared.

const STEP = 7;
const data = JSON.parse(document.getElementById("data").textContent);

/** A list of steps: the stem, the cycle, or the part of a call. */
class Part {
  constructor(flat, procedure) {
    this.flat = flat;
    this.procedure = procedure;
    this.length = flat.length / STEP;
  }
  symbol(i) { return data.symbols[this.flat[i * STEP]]; }
  control(i) { return this.flat[i * STEP + 1]; }
  depth(i) { return this.flat[i * STEP + 2]; }
  globals(i) { return data.rows[this.flat[i * STEP + 3]]; }
  locals(i) { return data.rows[this.flat[i * STEP + 4]]; }
  /** 0: a step; n > 0: a call that returns, whose part is n - 1; n < 0: a leap over turns of a loop. */
  then(i) { return this.flat[i * STEP + 5]; }
  branch(i) { return this.flat[i * STEP + 6]; }

  /** For each step: the one before it in the same frame, the last one of the frame below, and where its callees end. */
  get order() {
    if (this.known) return this.known;
    const n = this.length;
    const before = new Int32Array(n).fill(-1), below = new Int32Array(n).fill(-1), end = new Int32Array(n).fill(n);
    const open = [];
    for (let i = 0; i < n; i++) {
      const depth = this.depth(i);
      for (let d = open.length - 1; d >= depth; d--) if (open[d] !== undefined) end[open[d]] = i;
      if (open.length > depth && open[depth] !== undefined) before[i] = open[depth];
      if (depth > 0 && open[depth - 1] !== undefined) below[i] = open[depth - 1];
      open.length = depth + 1;
      open[depth] = i;
    }
    return this.known = { before, below, end };
  }
  /** Whether steps of a callee follow in the same list: a call that does not return, or one that is not folded. */
  enters(i) { return i + 1 < this.length && this.then(i) === 0 && this.depth(i + 1) > this.depth(i); }
}

/** One occurrence of a list in the run: calls that are equal share a part, not what is folded in them. */
class List {
  constructor(run, part, up, at) {
    Object.assign(this, { run, part, up, at, kids: new Map(), shut: new Map() });
    this.base = up ? up.base + up.part.depth(at) + 1 : 0;
  }
  depth(i) { return this.base + this.part.depth(i); }
  folds(i) { return this.part.then(i) > 0 || this.part.enters(i); }
  isOpen(i) {
    const own = this.shut.get(i);
    return own === undefined ? this.run.openAll : !own;
  }
  kid(i) {
    let kid = this.kids.get(i);
    if (!kid) this.kids.set(i, kid = new List(this.run, this.run.calls[this.part.then(i) - 1], this, i));
    return kid;
  }
}

/** More configurations than this are not unfolded from the beginning. */
const OPEN_AT_FIRST = 20000;

class Run {
  constructor(trace) {
    this.trace = trace;
    this.calls = trace.calls.map(call => new Part(call.steps, call.procedure));
    this.stem = new List(this, new Part(trace.stem), null, 0);
    this.cycle = trace.cycle && new List(this, new Part(trace.cycle), null, 0);
    this.openAll = trace.size <= OPEN_AT_FIRST;
    this.listed();
  }

  /** Lists what is not folded, in order of time: without recursion, calls nest as deep as they like. */
  listed() {
    const lists = [], at = [];
    for (const root of [this.stem, this.cycle]) {
      if (!root) continue;
      if (root === this.cycle) { lists.push(null); at.push(0); }
      const stack = [{ list: root, i: 0 }];
      while (stack.length) {
        const top = stack[stack.length - 1], { list, i } = top;
        if (i >= list.part.length) { stack.pop(); continue; }
        lists.push(list);
        at.push(i);
        top.i = i + 1;
        if (list.part.then(i) > 0) {
          if (list.isOpen(i)) stack.push({ list: list.kid(i), i: 0 });
        } else if (list.part.enters(i) && !list.isOpen(i)) {
          top.i = list.part.order.end[i];
        }
      }
    }
    this.lists = lists;
    this.at = at;
    this.first = this.cycle ? lists.indexOf(null) : -1;
  }
  get length() { return this.lists.length; }
  row(list, i) {
    for (let row = 0; row < this.length; row++) if (this.lists[row] === list && this.at[row] === i) return row;
    return -1;
  }

  /** The row before, in time: on a later turn the first of the cycle follows the last. */
  previous(row, turn) {
    if (row === this.first + 1 && this.cycle && turn > 0) return this.length - 1;
    const before = row - 1;
    return before >= 0 && !this.lists[before] ? before - 1 : before;
  }

  /** The frames of the stack at a row, topmost first: pairs of a list and an index. At most `most`. */
  frames(row, most = Infinity) {
    let list = this.lists[row], i = this.at[row];
    const frames = [];
    while (list && frames.length < most) {
      frames.push([list, i]);
      const below = list.part.order.below[i];
      if (below >= 0) i = below;
      else if (list.up) [list, i] = [list.up, list.at];
      else if (list === this.cycle && list.part.depth(i) > 0) [list, i] = this.belowCycle(list.part.depth(i) - 1);
      else list = null;
    }
    return frames;
  }
  belowCycle(depth) {
    let i = this.stem.part.length - 1;
    while (i >= 0 && this.stem.part.depth(i) > depth) {
      const below = this.stem.part.order.below[i];
      i = below >= 0 ? below : -1;
    }
    return i >= 0 && this.stem.part.depth(i) === depth ? [this.stem, i] : [null, 0];
  }

  /** The variables in scope at a row, each with its value and the one that it had before. */
  values(row, turn) {
    const list = this.lists[row], i = this.at[row], symbol = list.part.symbol(i);
    const before = this.previous(row, turn);
    const then = before >= 0 && this.lists[before];
    const all = [];
    const globals = list.part.globals(i), earlier = then && then.part.globals(this.at[before]);
    const frame = data.frames[symbol.frame];
    data.globals.forEach((variable, n) => {
      const hidden = frame && frame.variables.some(local => local.name === variable.name);
      const name = hidden ? "::" + variable.name : variable.name;
      all.push({ name, value: indexed(variable, globals[n]), was: earlier ? earlier[n] : undefined, local: false });
    });
    if (frame) {
      const locals = list.part.locals(i);
      const same = this.sameFrame(row, turn);
      frame.variables.forEach((variable, n) => all.push({
        name: variable.name, value: indexed(variable, locals[n]), was: same ? same[n] : undefined, local: true,
      }));
    }
    return all;
  }
  /** The locals that the same frame had last. */
  sameFrame(row, turn) {
    const list = this.lists[row], i = this.at[row], before = list.part.order.before[i];
    const frame = list.part.symbol(i).frame;
    if (before >= 0) return list.part.symbol(before).frame === frame ? list.part.locals(before) : undefined;
    const last = this.previous(row, turn);
    const other = list === this.cycle && i === 0 && last >= 0 && this.lists[last];
    if (!other || other.depth(this.at[last]) !== list.depth(i)) return undefined;
    return other.part.symbol(this.at[last]).frame === frame ? other.part.locals(this.at[last]) : undefined;
  }
}

/** The value of an array knows its first index. */
function indexed(variable, value) {
  if (Array.isArray(value)) value.first = variable.first;
  return value;
}

const same = (a, b) => a === b || (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => x === b[i]));
const shown = value => Array.isArray(value) ? `[${value.join(",")}]` : value === true ? "1" : value === false ? "0" : value === null ? "—" : String(value);
const code = symbol => symbol.labels.map(label => label + ": ").join("") + (symbol.statement ?? symbol.name);
const place = symbol => symbol.line ? `line ${symbol.line}` : symbol.name;
