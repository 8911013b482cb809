// The form and what becomes of it: each question is a worker of its own, so that the page stays alive and a button ends it.

const element = (id) => document.getElementById(id);
const worker = URL.createObjectURL(new Blob([element("worker").textContent], { type: "text/javascript" }));
let module;
let running;

async function unpacked() {
  const packed = Uint8Array.from(atob(element("wasm").textContent.trim()), (character) => character.charCodeAt(0));
  const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(bytes).arrayBuffer());
}

function state(text) {
  element("state").textContent = text;
}

function idle(text) {
  running?.terminate();
  running = undefined;
  element("check").disabled = module === undefined;
  element("stop").disabled = true;
  state(text);
}

function wrong({ text, places }) {
  element("wrong").textContent = text;
  element("wrong").hidden = false;
  // It is about another text.
  element("answer").hidden = true;
  if (places.length > 0) {
    element("text").focus();
    element("text").setSelectionRange(...places[0]);
  }
}

function answered(answer, began) {
  const seconds = ((performance.now() - began) / 1000).toFixed(2);
  idle(`${seconds} s`);
  if (answer.wrong) {
    wrong(answer.wrong);
  } else {
    const frame = element("answer");
    frame.hidden = false;
    frame.srcdoc = answer.page;
  }
}

function check(event) {
  event?.preventDefault();
  if (module === undefined || running) return;
  const question = {
    name: element("name").value.trim(),
    text: element("text").value,
    properties: element("properties").value,
    seconds: Number(element("seconds").value) || 20,
  };
  const began = performance.now();
  element("wrong").hidden = true;
  element("check").disabled = true;
  element("stop").disabled = false;
  state("Checking …");
  running = new Worker(worker);
  running.onmessage = ({ data }) => answered(data, began);
  running.onerror = (event) => answered({ wrong: { text: event.message ?? "the worker ended", places: [] } }, began);
  running.postMessage({ module, question: JSON.stringify(question) });
}

function show(example) {
  element("name").value = example.dataset.name;
  element("properties").value = example.dataset.properties.replaceAll("; ", "\n");
  element("text").value = example.textContent.replace(/^\n/, "");
}

const examples = [...document.querySelectorAll("script.example")];
for (const [index, example] of examples.entries()) {
  element("example").add(new Option(example.dataset.name, String(index)));
}
element("example").addEventListener("change", () => show(examples[Number(element("example").value)]));
element("question").addEventListener("submit", check);
element("stop").addEventListener("click", () => idle("Stopped."));
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check();
});
show(examples[0]);
unpacked().then(
  (compiled) => {
    module = compiled;
    idle("Ready. Ctrl+Enter checks.");
  },
  (error) => idle(`This browser cannot run it: ${error.message}`),
);
