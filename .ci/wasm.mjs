// Runs an example that was built for WebAssembly without a system: `node .ci/wasm.mjs FILE.wasm`.
//
// Whatever it would ask of its surroundings (random numbers, by way of a dependency) fails when it asks. A panic is a trap, so
// that this ends with an error.

import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const imports = {};
for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
  if (kind !== "function") {
    throw new Error(`it wants a ${kind}, ${from}.${name}`);
  }
  imports[from] ??= {};
  imports[from][name] = () => {
    throw new Error(`it asks for ${from}.${name}`);
  };
}
const { exports } = new WebAssembly.Instance(module, imports);
const code = exports.main(0, 0);
if (code !== 0) {
  throw new Error(`it ends with ${code}`);
}
console.log(`${process.argv[2]} runs`);
