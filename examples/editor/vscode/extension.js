// Starts `puch lsp` and lets it speak with the editor.

"use strict";

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["boolean-program", "remopla", "moped-pds", "spds"];

let client;

function activate() {
  const command = workspace.getConfiguration("puch").get("command");
  const server = { command, args: ["lsp"] };
  const documentSelector = LANGUAGES.map((language) => ({ language }));
  client = new LanguageClient("puch", "puch", server, { documentSelector });
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
