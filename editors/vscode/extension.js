// Starts "astrolabe lsp" for scripts. All that is known of them is known there.
const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const command = workspace.getConfiguration("astrolabe").get("path");
  client = new LanguageClient(
    "astrolabe",
    { command, args: ["lsp"] },
    { documentSelector: [{ language: "astrolabe" }] }
  );
  try {
    await client.start();
  } catch (err) {
    window.showErrorMessage(`${command} lsp does not start: ${err.message}. The setting astrolabe.path names the program.`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old && old.needsStop()) {
    await old.stop();
  }
}

exports.activate = async (context) => {
  context.subscriptions.push(
    commands.registerCommand("astrolabe.restart", async () => {
      await stop();
      await start();
    })
  );
  await start();
};

exports.deactivate = stop;
