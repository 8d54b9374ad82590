/** Findings through `signalbox lsp`, and the canvas of the folder through `signalbox open`. */

const { spawn } = require("node:child_process");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** Opens a real browser in a tab. An older editor has only frames, which the server refuses. */
const BROWSER_TAB = "workbench.action.browser.open";

let client;
/** Folder → the address of its server, once it is ready. */
const servers = new Map();

async function activate(context) {
  context.subscriptions.push(vscode.commands.registerCommand("signalbox.open", open));
  const [command, ...args] = program();
  client = new LanguageClient(
    "signalbox",
    "Signalbox",
    { command, args: [...args, "lsp"] },
    { documentSelector: [{ scheme: "file" }], diagnosticCollectionName: "signalbox" },
  );
  try {
    await client.start();
  } catch (error) {
    void vscode.window.showErrorMessage(
      `Signalbox shows no findings: ${error.message}. ` +
        "Install it with `pip install 'signalboxd[lsp]'`, or set signalbox.command.",
    );
  }
}

async function deactivate() {
  for (const { child } of servers.values()) child.kill("SIGINT");
  if (client?.isRunning()) await client.stop();
}

async function open() {
  const file = vscode.window.activeTextEditor?.document.uri;
  const folder =
    (file && vscode.workspace.getWorkspaceFolder(file)) ?? vscode.workspace.workspaceFolders?.[0];
  if (!folder) {
    void vscode.window.showErrorMessage("Open the folder with the workflows first.");
    return;
  }
  try {
    await show(await address(folder.uri.fsPath));
  } catch (error) {
    void vscode.window.showErrorMessage(`The canvas cannot be opened: ${error.message}`);
  }
}

async function show(link) {
  const commands = await vscode.commands.getCommands();
  if (commands.includes(BROWSER_TAB)) await vscode.commands.executeCommand(BROWSER_TAB, link);
  else await vscode.env.openExternal(vscode.Uri.parse(link));
}

/** The sign-in link of a folder's server, which signs in once; later the address without it. */
async function address(folder) {
  const running = servers.get(folder);
  if (running) return new URL("/", await running.link).href;
  const [command, ...args] = program();
  const child = spawn(command, [...args, "open", folder, "--no-browser"]);
  const link = new Promise((resolve, reject) => {
    let said = "";
    const read = (text) => {
      said += text;
      const found = /^Sign in: (\S+)/m.exec(said);
      if (found) resolve(found[1]);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    child.on("error", reject);
    child.on("exit", () => {
      servers.delete(folder);
      reject(new Error(said.trim() || "signalbox ended without a message."));
    });
  });
  servers.set(folder, { child, link });
  return link;
}

function program() {
  return vscode.workspace.getConfiguration("signalbox").get("command");
}

module.exports = { activate, deactivate };
