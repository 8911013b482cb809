// Runs one question in WebAssembly: the program reads it from standard input and answers on standard output. What a program
// needs of a system (WASI, preview 1) is here as far as this one needs it; files, arguments and surroundings there are none.

"use strict";

class Exit extends Error {
  constructor(code) {
    super(`it ended with ${code}`);
    this.code = code;
  }
}

function run(module, question) {
  const input = new TextEncoder().encode(question);
  const output = [];
  const errors = [];
  let read = 0;
  let memory;
  const view = () => new DataView(memory.buffer);
  const SUCCESS = 0, BAD_FILE = 8, UNKNOWN = 52;
  // Pieces of memory that are to be written or filled.
  const pieces = (list, count) => {
    const data = view();
    const at = (n) => new Uint8Array(memory.buffer, data.getUint32(list + 8 * n, true), data.getUint32(list + 8 * n + 4, true));
    return Array.from({ length: count }, (_, n) => at(n));
  };
  const system = {
    fd_read(file, list, count, done) {
      if (file !== 0) return BAD_FILE;
      let filled = 0;
      for (const piece of pieces(list, count)) {
        const part = input.subarray(read, read + piece.length);
        piece.set(part);
        read += part.length;
        filled += part.length;
      }
      view().setUint32(done, filled, true);
      return SUCCESS;
    },
    fd_write(file, list, count, done) {
      if (file !== 1 && file !== 2) return BAD_FILE;
      let written = 0;
      for (const piece of pieces(list, count)) {
        (file === 1 ? output : errors).push(piece.slice());
        written += piece.length;
      }
      view().setUint32(done, written, true);
      return SUCCESS;
    },
    fd_close: () => SUCCESS,
    clock_time_get(clock, precision, at) {
      const now = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
      return SUCCESS;
    },
    random_get(at, length) {
      // Nothing that is random shows in an answer; the same numbers each time are as good.
      new Uint8Array(memory.buffer, at, length).fill(7);
      return SUCCESS;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    args_sizes_get(count, size) {
      return system.environ_sizes_get(count, size);
    },
    args_get: () => SUCCESS,
    sched_yield: () => SUCCESS,
    proc_exit(code) {
      throw new Exit(code);
    },
  };
  const wanted = WebAssembly.Module.imports(module).filter(({ kind }) => kind === "function");
  const imports = {};
  for (const { module: from, name } of wanted) {
    imports[from] ??= {};
    imports[from][name] = system[name] ?? (() => UNKNOWN);
  }
  const text = async (parts) => new TextDecoder().decode(await new Blob(parts).arrayBuffer());
  const { exports } = new WebAssembly.Instance(module, imports);
  memory = exports.memory;
  try {
    exports._start();
  } catch (error) {
    if (!(error instanceof Exit) || error.code !== 0) {
      return text(errors).then((told) => ({ wrong: { text: `${error.message}\n${told}`.trim(), places: [] } }));
    }
  }
  return text(output).then((answer) => JSON.parse(answer));
}

if (typeof self !== "undefined" && typeof self.postMessage === "function") {
  self.onmessage = async ({ data: { module, question } }) => {
    try {
      self.postMessage(await run(module, question));
    } catch (error) {
      self.postMessage({ wrong: { text: String(error.message ?? error), places: [] } });
    }
  };
}

if (typeof module !== "undefined") {
  module.exports = { run };
}
