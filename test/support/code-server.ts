import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { removeDirectory } from "./remove-directory.ts";

/** VS Code in a browser: `POMMEL_CODE_SERVER`, or what is on the PATH; null where there is none. */
export function codeServerFile(): string | null {
  const file = process.env.POMMEL_CODE_SERVER ?? "code-server";
  return spawnSync(file, ["--version"]).status === 0 ? file : null;
}

/** Packs the extension (`npm run package:vscode`), which takes `vsce` from npm. @returns the .vsix */
export function packExtension(): string {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync("npm", ["run", "--silent", "package:vscode"], { cwd: root, stdio: "pipe" });
  return join(root, "editors/vscode/dist/pommel.vsix");
}

export interface Editor {
  page: Page;
  /** Opens a file of the folder by its name. */
  open(file: string): Promise<void>;
  /** Runs a command of the palette. */
  run(command: string): Promise<void>;
  /** Opens Pommel's panel. */
  showPanel(): Promise<void>;
  close(): Promise<void>;
}

interface EditorOptions {
  codeServer: string;
  browserFile: string;
  vsix: string;
  folder: string;
  /** Started as the extension starts `pm`. */
  pm: string;
  /** Default: those of this process. */
  env?: NodeJS.ProcessEnv;
  settings?: Record<string, unknown>;
  viewport?: { width: number; height: number };
  /** A module that VS Code's process for extensions loads before ours: it leaves NODE_OPTIONS out. */
  preload?: string;
}

/** What would be in the way. */
const quiet = {
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Light Modern",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.layoutControl.enabled": false,
  "chat.disableAIFeatures": true,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "remote.autoForwardPorts": false,
  "editor.minimap.enabled": false,
  "git.blame.statusBarItem.enabled": false,
};

/** Starts VS Code with the extension, in a browser of its own. */
export async function openEditor(options: EditorOptions): Promise<Editor> {
  const { codeServer, browserFile, vsix, folder, pm, env = process.env, settings = {} } = options;
  const home = mkdtempSync(join(tmpdir(), "pommel-code-server-"));
  const write = (where: string, given: object) => {
    mkdirSync(join(home, where));
    writeFileSync(join(home, where, "settings.json"), JSON.stringify(given));
  };
  write("User", { ...quiet, ...settings });
  // Where `pm` is depends on the machine.
  write("Machine", { "pommel.path": pm });
  const args = ["--user-data-dir", home, "--extensions-dir", join(home, "extensions"), "--disable-telemetry"];
  execFileSync(codeServer, [...args, "--install-extension", vsix], { env, stdio: "pipe" });
  if (options.preload !== undefined) loadFirst(options.preload, join(home, "extensions"));
  const server = spawn(
    codeServer,
    [
      ...args,
      "--disable-update-check",
      "--disable-workspace-trust",
      "--auth",
      "none",
      "--bind-addr",
      "127.0.0.1:0",
    ],
    { env, stdio: ["ignore", "pipe", "inherit"] },
  );
  let browser: Browser | undefined;
  const close = async () => {
    await browser?.close();
    server.kill();
    removeDirectory(home);
  };
  try {
    const address = await addressOf(server);
    browser = await chromium.launch({ executablePath: browserFile, args: ["--no-sandbox"] });
    const page = await browser.newPage({ viewport: options.viewport ?? { width: 1280, height: 800 } });
    page.setDefaultTimeout(120_000);
    await page.goto(`${address}/?folder=${encodeURIComponent(folder)}`);
    await page.locator('.activitybar [aria-label^="Pommel"]').first().waitFor();
    return { page, close, ...deedsIn(page) };
  } catch (error) {
    await close();
    throw error;
  }
}

function loadFirst(module: string, extensions: string): void {
  const [extension] = readdirSync(extensions).filter((name) => name.includes("pommel"));
  const file = join(extensions, extension!, "dist/extension.cjs");
  writeFileSync(file, `require(${JSON.stringify(module)});\n${readFileSync(file, "utf8")}`);
}

async function addressOf(server: ChildProcess): Promise<string> {
  let printed = "";
  server.stdout!.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  for (;;) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
    if (address !== undefined) return address;
    if (server.exitCode !== null) throw new Error(`code-server ended: ${printed}`);
    await sleep(100);
  }
}

function deedsIn(page: Page): Pick<Editor, "open" | "run" | "showPanel"> {
  /** Types into the box at the top, and takes what it offers first. */
  const choose = async (key: string, text: string) => {
    await page.keyboard.press(key);
    const box = page.locator(".quick-input-widget input[type=text]");
    await box.waitFor();
    await page.keyboard.type(text);
    await page
      .locator(".quick-input-list .monaco-list-row", { hasText: text.split("/").at(-1)! })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
  };
  return {
    async open(file) {
      await choose("Control+p", file);
      await page.locator(".tab.active", { hasText: file.split("/").at(-1)! }).waitFor();
    },
    run: (command) => choose("F1", command),
    async showPanel() {
      await page.locator('.activitybar [aria-label^="Pommel"]').first().click();
      await page.locator(".pane-header", { hasText: "This File" }).waitFor();
    },
  };
}
