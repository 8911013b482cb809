// Watch expressions: operators of C and of Boolean programs over the variables in scope; exact integers.

const BINARY = new Map([
  ["<->", 1], ["->", 2], ["=>", 2], ["||", 3], ["&&", 4], ["|", 5], ["^", 6], ["&", 7],
  ["==", 8], ["!=", 8], ["=", 8], ["<", 9], [">", 9], ["<=", 9], [">=", 9],
  ["<<", 10], [">>", 10], ["+", 11], ["-", 11], ["*", 12], ["/", 12], ["%", 12],
]);
const SIGNS = /(<->|->|=>|\|\||&&|==|!=|<=|>=|<<|>>|[-+*\/%|^&=<>!()\[\]~])/u;
// In C a member of a structure is a part of a name, and so is a constant index.
const NAME = data.c
  ? /([\p{L}_$][\p{L}\p{N}_$@]*(?:(?:\.|->)[\p{L}_$][\p{L}\p{N}_$]*|\[\d+\])*|::[\p{L}_$][\p{L}\p{N}_$.]*)/u
  : /(\{[^{}]*\}|(?:::)?[\p{L}_$@~][\p{L}\p{N}_$.~]*)/u;
const TOKEN = new RegExp(`\\s*(?:(\\d+)|${NAME.source}|${SIGNS.source})`, "uy");

/** An expression in postfix form; throws a sentence where it is none. */
function compiled(text) {
  const out = [], signs = [];
  let operand = true;
  TOKEN.lastIndex = 0;
  const flush = least => {
    while (signs.length && signs.at(-1).strength >= least) {
      const done = signs.pop();
      if (done.sign !== "u*") { out.push(done); continue; }
      if (!out.at(-1).name) throw new Error("only what a variable points to can be watched");
      out.push({ name: "*" + out.pop().name });
    }
  };
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex, token = TOKEN.exec(text);
    if (!token) throw new Error(`“${text.slice(at).trim()}” is not understood`);
    const [, number, name, sign] = token;
    if (number || name) {
      if (!operand) throw new Error(`an operator is missing before “${number || name}”`);
      out.push(number ? { number: BigInt(number) } : { name });
      operand = false;
    } else if (operand) {
      if (sign === "(") signs.push({ sign, strength: -1 });
      else if (sign === "!" || sign === "~" || sign === "-" || (data.c && sign === "*")) signs.push({ sign: "u" + sign, strength: 20 });
      else throw new Error(`a value is missing before “${sign}”`);
    } else if (sign === ")" || sign === "]") {
      flush(0);
      const open = signs.pop();
      if (!open || open.sign !== (sign === ")" ? "(" : "[")) throw new Error(`“${sign}” closes nothing`);
      if (sign === "]") out.push({ sign: "[]" });
    } else if (sign === "[") {
      flush(21);
      signs.push({ sign, strength: -1 });
      operand = true;
    } else {
      const strength = BINARY.get(sign);
      if (strength === undefined) throw new Error(`“${sign}” is not understood here`);
      flush(strength === 2 ? 3 : strength);
      signs.push({ sign, strength });
      operand = true;
    }
  }
  if (operand) throw new Error("a value is missing at the end");
  flush(0);
  if (signs.length) throw new Error(`“${signs.at(-1).sign}” is not closed`);
  return out;
}

/** A value as an exact integer; undefined where it is none: of pointers NULL alone is. */
function number(value) {
  if (typeof value === "bigint") return value;
  if (typeof value !== "string") return BigInt(value);
  return value === "NULL" ? 0n : /^-?\d+$/.test(value) ? BigInt(value) : undefined;
}
const bit = condition => condition ? 1n : 0n;

/** Its value, where `lookup` knows variables and where arrays begin; undefined where a name is not in scope. */
function evaluated(postfix, lookup) {
  const stack = [];
  for (const item of postfix) {
    if (item.number !== undefined) { stack.push(item.number); continue; }
    if (item.name !== undefined) { stack.push(lookup(item.name)); continue; }
    const b = stack.pop();
    if (item.sign[0] === "u") {
      if (b === undefined || b === null) { stack.push(undefined); continue; }
      const n = number(b);
      stack.push(n === undefined ? undefined : item.sign === "u-" ? -n : data.c && item.sign === "u~" ? ~n : bit(n === 0n));
      continue;
    }
    const a = stack.pop();
    if (a === undefined || b === undefined || a === null || b === null) { stack.push(undefined); continue; }
    if (item.sign === "[]") {
      stack.push(Array.isArray(a) ? a[Number(number(b)) - (a.first ?? 0)] : undefined);
      continue;
    }
    if (Array.isArray(a) || Array.isArray(b)) {
      const equal = same(a, b);
      stack.push(item.sign === "==" || item.sign === "=" ? bit(equal) : item.sign === "!=" ? bit(!equal) : undefined);
      continue;
    }
    const [x, y] = [number(a), number(b)];
    stack.push(x === undefined || y === undefined ? ofWords(item.sign, a, b) : applied(item.sign, x, y));
  }
  return stack[0];
}

/** Pointers are equal if they are to the same; what is any value, or unknown, is not compared. */
function ofWords(sign, a, b) {
  const known = value => typeof value === "string" && value !== "any" && value !== "?";
  if (!known(a) && typeof a !== "bigint" && typeof a !== "number") return undefined;
  if (!known(b) && typeof b !== "bigint" && typeof b !== "number") return undefined;
  return sign === "==" || sign === "=" ? bit(a === b) : sign === "!=" ? bit(a !== b) : undefined;
}

function applied(sign, a, b) {
  switch (sign) {
    case "<->": return bit((a !== 0n) === (b !== 0n));
    case "->": case "=>": return bit(a === 0n || b !== 0n);
    case "||": return bit(a !== 0n || b !== 0n);
    case "&&": return bit(a !== 0n && b !== 0n);
    case "|": return a | b;
    case "^": return a ^ b;
    case "&": return a & b;
    case "==": case "=": return bit(a === b);
    case "!=": return bit(a !== b);
    case "<": return bit(a < b);
    case ">": return bit(a > b);
    case "<=": return bit(a <= b);
    case ">=": return bit(a >= b);
    case "<<": return b >= 0n && b <= 64n ? a << b : undefined;
    case ">>": return b >= 0n && b <= 64n ? a >> b : undefined;
    case "+": return a + b;
    case "-": return a - b;
    case "*": return a * b;
    case "/": return b === 0n ? undefined : a / b;
    case "%": return b === 0n ? undefined : a % b;
  }
  return undefined;
}

/** A name in C that is no variable by itself: NULL, or an element of an array. */
function ofC(known, name) {
  if (name === "NULL") return "NULL";
  const element = /^(.*)\[(\d+)\]$/u.exec(name), array = element && known.get(element[1]);
  return Array.isArray(array) ? array[Number(element[2])] : undefined;
}

/** What names mean at a row: in scope there, or `proc.x` in the topmost frame of proc. */
function scope(run, row) {
  const known = new Map();
  for (const { name, value } of run.values(row, 0)) known.set(name, value);
  return name => {
    const bare = name.startsWith("{") && !known.has(name) ? name.slice(1, -1) : name;
    if (known.has(bare)) return known.get(bare);
    if (data.c) return ofC(known, bare);
    const [procedure, local] = bare.split(".");
    if (local === undefined) return undefined;
    for (const [list, i] of run.frames(row)) {
      const frame = data.frames[list.part.symbol(i).frame];
      if (!frame || frame.name !== procedure) continue;
      const index = frame.variables.findIndex(variable => variable.name === local);
      return index < 0 ? undefined : indexed(frame.variables[index], list.part.locals(i)[index]);
    }
    return undefined;
  };
}
