/**
 * Makes the pictures in docs/images. Those of a terminal: runs `pm` on this very repository, or a made-up project
 * (demo-project.mjs), and draws what it prints as SVG, which follows the reader's light or dark mode; needs `script` of
 * util-linux for a terminal of its own. Those of the page, of files to hand on and of VS Code: shoots the made-up project in
 * Chromium, light and dark. VS Code needs `code-server` (POMMEL_CODE_SERVER), and is left out without it.
 *
 *   npm run docs:images [-- terminal | demo | page | files | vscode]
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import stringWidth from "fast-string-width";
import { chromium } from "playwright-core";
import { renderMarkdownAsHtml } from "../src/base/text/markdown/html.ts";
import { codeServerFile, openEditor, packExtension } from "../test/support/code-server.ts";
import { makeDemoProject } from "./demo-project.mjs";

const which = process.argv[2] ?? "all";
const root = fileURLToPath(new URL("..", import.meta.url));
const images = join(root, "docs/images");
const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

const pictures = {
  "search-code": ["search", "code", "how a port is chosen for the daemon", "-n", "3"],
  "search-exact": ["search", "code", "--exact", "already running", "--path", "src", "-n", "2"],
};

const cell = { width: 8.4, height: 18 };
const margin = 16;
/** Select Graphic Rendition: the class of each number that `pm` uses, and what ends it. */
const styles = {
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
  34: "blue",
  35: "magenta",
  36: "cyan",
  90: "dim",
};
const ends = { 22: ["bold", "dim"], 39: ["red", "green", "yellow", "blue", "magenta", "cyan", "dim"] };

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** A line's text with its styles, as spans that each stand in their own column. */
function spansOf(line) {
  const spans = [];
  const active = new Set();
  let column = 0;
  for (const [, code, text] of line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)) {
    if (text === undefined) {
      for (const one of (code || "0").split(";")) {
        if (styles[one]) active.add(styles[one]);
        else for (const style of ends[one] ?? [...active]) active.delete(style);
      }
      continue;
    }
    const x = (margin + column * cell.width).toFixed(1);
    spans.push(`<tspan x="${x}" class="${[...active].join(" ")}">${escaped(text)}</tspan>`);
    column += stringWidth(text);
  }
  return spans.join("");
}

function drawing(command, output, columns) {
  const lines = [`\x1b[2m$\x1b[22m \x1b[1m${command}\x1b[22m`, ...output.trimEnd().split("\n")];
  const width = Math.round(columns * cell.width + 2 * margin);
  const height = lines.length * cell.height + 2 * margin;
  const text = lines.map((line, i) => `<text y="${margin + 13 + i * cell.height}">${spansOf(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(command).replaceAll('"', "&quot;")}">
<style>
svg { background: #fff; color: #1f2328; font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
text { fill: currentColor; white-space: pre; }
.bold { font-weight: 600; } .dim { fill: #6e7781; } .red { fill: #cf222e; } .green { fill: #116329; }
.yellow { fill: #7d4e00; } .blue { fill: #0550ae; } .magenta { fill: #8250df; } .cyan { fill: #1b7c83; }
@media (prefers-color-scheme: dark) {
svg { background: #0d1117; color: #e6edf3; }
.dim { fill: #8b949e; } .red { fill: #ff7b72; } .green { fill: #3fb950; } .yellow { fill: #d29922; }
.blue { fill: #79c0ff; } .magenta { fill: #d2a8ff; } .cyan { fill: #39c5cf; }
}
</style>
${text.join("\n")}
</svg>
`;
}

const home = mkdtempSync(join(tmpdir(), "pommel-screenshots-"));
const clone = join(home, "pommel");
/** Runs a program with a home of its own; ends the script if it fails. */
function run(program, args, cwd, more = {}) {
  const { PATH } = process.env;
  const env = {
    PATH,
    HOME: home,
    FORCE_COLOR: "1",
    POMMEL_PAGER: "",
    TERM: "xterm-256color",
    POMMEL_DAEMON_AUTOSTART: "false",
    ...more,
  };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8" });
  // 5: nothing found, which is worth a picture.
  if (status !== 0 && status !== 5) throw new Error(`${program} ${args.join(" ")} failed: ${stderr}`);
  return stdout;
}

try {
  mkdirSync(images, { recursive: true });
  if (which === "terminal" || which === "all") drawTerminal();
  if (which !== "terminal") await showDemo();
} finally {
  rmSync(home, { recursive: true, force: true });
}

function drawTerminal() {
  run("git", ["clone", "--quiet", "--depth", "1", `file://${root}`, clone], home);
  const pm = (...args) => run(process.execPath, [join(root, "bin/pm.cjs"), ...args], clone);
  pm("init", "--no-hooks", "--no-start");
  pm("reindex");
  for (const [name, args] of Object.entries(pictures)) {
    const typed = args.map((arg) => (/\s/.test(arg) ? JSON.stringify(arg) : arg)).join(" ");
    drawCommand(name, typed, { cwd: clone });
  }
}

/** Draws what `pm` prints, in a terminal: only there does it know how wide lines may be. */
function drawCommand(name, typed, { cwd, columns = 80, env = {} }) {
  const command = `stty cols ${columns}; ${process.execPath} ${join(root, "bin/pm.cjs")} ${typed} 2> /dev/null`;
  const output = run("script", ["--quiet", "--command", command, "/dev/null"], cwd, env).replaceAll("\r", "");
  writeFileSync(join(images, `${name}.svg`), drawing(`pm ${typed}`, output, columns));
}

async function showDemo() {
  const pm = (cwd, ...args) => run(process.execPath, [join(root, "bin/pm.cjs"), ...args], cwd);
  const demo = makeDemoProject(home, pm);
  try {
    const is = (name) => which === name || which === "all";
    if (is("page")) await shootPage(pm, demo);
    if (is("files")) await shootFiles(pm, demo);
    if (is("vscode")) await shootEditor(demo);
    // Adds to the project.
    if (is("demo")) drawDemo(pm, demo);
  } finally {
    pm(demo.root, "stop");
  }
}

/** What a person sees in a terminal, and what a colleague sees there. */
function drawDemo(pm, { root: demo, session, addSession }) {
  const columns = 100;
  addSession();
  drawCommand("blame", "blame src/http/retry.ts:4-12", { cwd: demo, columns });
  drawCommand("topics", "session list --topic webhook", { cwd: demo, columns });
  const given = join(demo, ".git/session.json");
  writeFileSync(given, JSON.stringify({ session_id: session, cwd: demo }));
  drawCommand("statusline", "statusline < .git/session.json", { cwd: demo });
  run("git", ["init", "--quiet", "--bare", join(home, "harbor.git")], home);
  run("git", ["remote", "add", "origin", join(home, "harbor.git")], demo);
  run("git", ["push", "--quiet", "origin", "fix/backoff"], demo);
  pm(demo, "sync");
  const colleague = join(home, "kim");
  run("git", ["clone", "--quiet", "--branch", "fix/backoff", join(home, "harbor.git"), colleague], home);
  run("git", ["config", "user.email", "kim@example.com"], colleague);
  const env = { POMMEL_HOME: join(home, "kim-pommel") };
  const theirs = (...args) => run(process.execPath, [join(root, "bin/pm.cjs"), ...args], colleague, env);
  theirs("init", "--no-hooks", "--no-start");
  theirs("pull");
  drawCommand("shared", "search sessions why jitter --team -n 1", { cwd: colleague, columns, env });
}

/** Files to hand on: a session as a page, and the comment on a pull request as a forge shows it. */
async function shootFiles(pm, { root: demo, session }) {
  pm(demo, "share", "session", session, "--to", join(home, "session.html"));
  const comment = pm(demo, "review", "main..fix/backoff", "--format", "markdown");
  writeFileSync(join(home, "comment.html"), commentPage(renderMarkdownAsHtml(comment)));
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    for (const colorScheme of ["light", "dark"]) {
      const page = await (await browser.newContext({ colorScheme })).newPage();
      for (const [name, file, size] of [
        ["shared-session", "session.html", { width: 1000, height: 720 }],
        ["pull-request", "comment.html", { width: 820, height: 560 }],
      ]) {
        await page.setViewportSize(size);
        await page.goto(`file://${join(home, file)}`);
        await page.screenshot({ path: join(images, `${name}-${colorScheme}.png`), animations: "disabled" });
      }
    }
  } finally {
    await browser.close();
  }
}

/** A forge's frame around a comment. */
function commentPage(html) {
  return `<!doctype html><meta charset="utf-8"><style>
:root { color-scheme: light dark; --line: #d1d9e0; --soft: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --line: #3d444d; --soft: #151b23; } }
body { margin: 24px; font: 14px/1.5 system-ui, sans-serif; }
article { border: 1px solid var(--line); border-radius: 6px; }
header { padding: 8px 16px; border-bottom: 1px solid var(--line); background: var(--soft); }
main { padding: 0 16px 8px; }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: 4px 12px; }
</style><article><header><b>github-actions</b> bot commented</header><main>${html}</main></article>`;
}

async function shootPage(pm, { root: demo, session }) {
  /** The address of each view, and what shows that it is all there. */
  const views = {
    home: ["/", "[aria-label='Decisions in force'] li"],
    session: [`/session/${session}`, ".turn .said"],
    file: ["/file/src/http/retry.ts:15", ".cm-line .tok-keyword"],
    review: ["/commit/HEAD", ".file-diff .tok-keyword"],
    memory: ["/memory/", ".row"],
    digest: ["/digest?since=1%20year%20ago", ".row"],
  };
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    for (const colorScheme of ["light", "dark"]) {
      const size = { width: 1360, height: 800 };
      const page = await (await browser.newContext({ viewport: size, colorScheme })).newPage();
      const { url } = JSON.parse(pm(demo, "open", "--no-browser", "--json"));
      await page.goto(url);
      for (const [name, [path, content]] of Object.entries(views)) {
        await page.goto(`${new URL(url).origin}/#${path}`);
        await page.locator(`main ${content}`).first().waitFor();
        await page.locator(".latest a").first().waitFor();
        // Whatever is still on its way would be a grey block in the picture.
        await page.waitForFunction(() => document.querySelector(".skeleton") === null);
        await page.screenshot({
          path: join(images, `page-${name}-${colorScheme}.png`),
          animations: "disabled",
        });
      }
    }
  } finally {
    await browser.close();
  }
}

async function shootEditor({ root: folder }) {
  const codeServer = codeServerFile();
  if (codeServer === null) {
    console.warn("No picture of VS Code: no code-server. Name it in POMMEL_CODE_SERVER.");
    return;
  }
  const vsix = packExtension();
  const pm = join(home, "pm");
  writeFileSync(pm, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "bin/pm.cjs")}" "$@"\n`);
  chmodSync(pm, 0o755);
  const env = { PATH: process.env.PATH, HOME: home };
  const viewport = { width: 1180, height: 700 };
  for (const theme of ["Light", "Dark"]) {
    const settings = { "workbench.colorTheme": `Default ${theme} Modern` };
    const options = { codeServer, browserFile: executablePath, vsix, folder, pm, env, settings, viewport };
    const { page, open, showPanel, close } = await openEditor(options);
    try {
      await open("retry.ts");
      await showPanel();
      await page.locator(".pane-body .monaco-list-row", { hasText: "provider banned" }).first().waitFor();
      await page.locator(".glyph-margin-widgets .cgmr").first().waitFor();
      await page.locator(".view-line", { hasText: "jitter = " }).hover({ position: { x: 120, y: 8 } });
      await page.locator(".monaco-hover a", { hasText: "Open the session" }).waitFor();
      // VS Code's own messages.
      await page.addStyleTag({ content: ".notifications-toasts { display: none !important; }" });
      const path = join(images, `vscode-${theme.toLowerCase()}.png`);
      await page.screenshot({ path, animations: "disabled" });
    } finally {
      await close();
    }
  }
}
