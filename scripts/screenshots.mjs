/**
 * Makes the pictures in docs/images. Those of a terminal: runs `pm` on this very repository, or a made-up project
 * (demo-project.mjs), and draws what it prints as SVG, which follows the reader's light or dark mode; needs `script` of
 * util-linux for a terminal of its own. Those of the page, of files to hand on and of VS Code: shoots the made-up project in
 * Chromium, light and dark. VS Code needs `code-server` (POMMEL_CODE_SERVER), and is left out without it.
 *
 *   npm run docs:images [-- terminal | demo | checks | page | files | vscode]
 */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { renderMarkdownAsHtml } from "../src/base/text/markdown/html.ts";
import { storyDay } from "../src/features/demo/story.ts";
import { codeServerFile, openEditor, packExtension } from "../test/support/code-server.ts";
import { makeDemoProject } from "./demo-project.mjs";
import { drawTerminal } from "./draw-terminal.ts";

const which = process.argv[2] ?? "all";
const root = fileURLToPath(new URL("..", import.meta.url));
const images = join(root, "docs/images");
const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

const pictures = {
  "search-code": ["search", "code", "how a port is chosen for the daemon", "-n", "3"],
  "search-exact": ["search", "code", "--exact", "already running", "--path", "src", "-n", "2"],
};

/** In pictures of the made-up project it is the day of its story, so that they show the same days whenever they are made. */
const clockShiftMs = storyDay - Date.now();
const otherTime = join(root, "test/support/preloads/other-time.cjs");
const storyClock = {
  NODE_OPTIONS: `--require "${otherTime}"`,
  POMMEL_TEST_CLOCK_MS: String(clockShiftMs),
};
let clock = {};

const home = mkdtempSync(join(tmpdir(), "pommel-screenshots-"));
const clone = join(home, "pommel");
/** Runs a program with a home of its own; ends the script if it fails. */
function run(program, args, cwd, more = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: makeEnv(more), encoding: "utf8" });
  // 5: nothing found, which is worth a picture.
  if (status !== 0 && status !== 5) throw new Error(`${program} ${args.join(" ")} failed: ${stderr}`);
  return stdout;
}

function makeEnv(more = {}) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    FORCE_COLOR: "1",
    POMMEL_PAGER: "",
    TERM: "xterm-256color",
    POMMEL_DAEMON_AUTOSTART: "false",
    TZ: "UTC",
    ...clock,
    ...more,
  };
}

try {
  mkdirSync(images, { recursive: true });
  if (which === "terminal" || which === "all") drawOwnRepository();
  if (which !== "terminal") await showDemo();
} finally {
  rmSync(home, { recursive: true, force: true });
}

function drawOwnRepository() {
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
  const output = runAtTerminal(typed, { cwd, columns, env });
  writeFileSync(join(images, `${name}.svg`), drawTerminal(`pm ${typed}`, output, columns));
}

function runAtTerminal(typed, { cwd, columns = 80, env = {} }) {
  const command = `stty cols ${columns}; ${process.execPath} ${join(root, "bin/pm.cjs")} ${typed} 2> /dev/null`;
  return run("script", ["--quiet", "--command", command, "/dev/null"], cwd, env).replaceAll("\r", "");
}

async function showDemo() {
  clock = storyClock;
  const pm = (cwd, ...args) => run(process.execPath, [join(root, "bin/pm.cjs"), ...args], cwd);
  // `pm start` would leave NODE_OPTIONS out.
  spawn(process.execPath, [join(root, "bin/pommeld.cjs"), "--foreground"], {
    cwd: home,
    env: makeEnv(),
    stdio: "ignore",
  });
  while (!existsSync(join(home, ".local/state/pommel/daemon.json"))) await sleep(50);
  const demo = makeDemoProject(home, pm, (cwd, typed) => runAtTerminal(typed, { cwd }));
  try {
    const is = (name) => which === name || which === "all";
    if (is("page")) await shootPage(pm, demo);
    if (is("files")) await shootFiles(pm, demo);
    if (is("vscode")) await shootEditor(demo);
    // Adds to the project.
    if (is("demo")) drawDemo(pm, demo);
    if (is("checks")) drawChecks(demo);
  } finally {
    pm(demo.root, "stop");
  }
}

/** What a person sees in a terminal, and what a colleague sees there. */
function drawDemo(pm, { root: demo, session, addSession }) {
  const columns = 100;
  addSession();
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

/** What agents are told before they act, and what is taken back. */
function drawChecks({ root: demo, session, addWork }) {
  const columns = 100;
  drawCommand("undo", `undo ${session.slice(0, 8)}`, { cwd: demo, columns });
  addWork();
  const never = 'rules add "never push to main" --command "git push main" --mode deny';
  drawCommand("rules", never, { cwd: demo, columns });
  drawCommand("dead-ends", "dead-ends --kind command", { cwd: demo, columns });
  drawCommand("radar", "radar", { cwd: demo, columns });
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
    digest: ["/digest?since=1%20year%20ago", ".document"],
  };
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    for (const colorScheme of ["light", "dark"]) {
      const size = { width: 1360, height: 800 };
      const page = await (await browser.newContext({ viewport: size, colorScheme })).newPage();
      await page.clock.install({ time: Date.now() + clockShiftMs });
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
  writeFileSync(
    pm,
    `#!/bin/sh\nexec "${process.execPath}" --require "${otherTime}" "${join(root, "bin/pm.cjs")}" "$@"\n`,
  );
  chmodSync(pm, 0o755);
  const env = { PATH: process.env.PATH, HOME: home, TZ: "UTC", ...storyClock };
  const viewport = { width: 1180, height: 700 };
  for (const theme of ["Light", "Dark"]) {
    const settings = { "workbench.colorTheme": `Default ${theme} Modern` };
    const options = {
      codeServer,
      browserFile: executablePath,
      vsix,
      folder,
      pm,
      env,
      settings,
      viewport,
      preload: otherTime,
    };
    const { page, open, showPanel, close } = await openEditor(options);
    try {
      await open("retry.ts");
      await showPanel();
      await page
        .locator(".pane-body .monaco-list-row", { hasText: "Back off exponentially" })
        .first()
        .waitFor();
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
