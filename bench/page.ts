/**
 * How fast the local page is, in a real Chromium.
 *
 *   npm run bench:page -- --project DIR [--runs 7] [--json]
 *
 * DIR is an initialised project with sessions in its memory, whose daemon may be started. A session of 5,000 turns and a file
 * of 50,000 lines are made up in a project of their own. Other work on the machine makes single runs slow: medians and minima
 * are what to compare. CHROMIUM_PATH names another Chromium than Debian's.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { percentile, printTable } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    project: { type: "string" },
    runs: { type: "string", default: "7" },
    json: { type: "boolean", default: false },
  },
});
if (options.project === undefined) throw new Error("--project DIR is needed");
const runs = Number(options.runs);
const program = fileURLToPath(new URL("../bin/pm.cjs", import.meta.url));

const pm = (root: string, home: string | undefined, ...args: string[]) =>
  execFileSync(process.execPath, [program, ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...(home !== undefined && { HOME: home, POMMEL_HOME: join(home, "pommel") }) },
  });

interface Figure {
  what: string;
  unit: string;
  /** One a run. */
  values: number[];
}
const figures: Figure[] = [];
function measured(what: string, unit: string, values: number[]): void {
  figures.push({ what, unit, values });
  console.error(`${what}: ${percentile(values, 50).toFixed(1)} ${unit}`);
}

/** Opens the page as `pm open` does, with an empty cache. */
async function opened(browser: Browser, root: string, home?: string) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  // tsx gives functions their names with a helper that the browser does not have.
  await page.addInitScript("globalThis.__name = (named) => named");
  const { url } = JSON.parse(pm(root, home, "open", "--no-browser", "--json")) as { url: string };
  return { page, url };
}

/**
 * From the address until Home shows what happened, until the browser has nothing left to do for it (half a second without a
 * task longer than 50 ms), and what was transferred until then.
 */
async function firstView(browser: Browser, root: string) {
  const { page, url } = await opened(browser, root);
  let transferred = 0;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
    transferred += encodedDataLength;
  });
  await page.addInitScript(() => {
    const state = { shownAt: 0, busyUntil: 0 };
    Object.assign(window, { benchmark: state });
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        state.busyUntil = Math.max(state.busyUntil, startTime + duration);
      }
    }).observe({ type: "longtask", buffered: true });
    const look = () => {
      if (document.querySelector(".happening")) state.shownAt = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(url);
  await page.locator(".happening").first().waitFor();
  const kb = transferred / 1000;
  await sleep(500);
  const { shownAt, busyUntil } = await page.evaluate(
    () => (window as never as { benchmark: { shownAt: number; busyUntil: number } }).benchmark,
  );
  await page.context().close();
  return { content: shownAt, interactive: Math.max(shownAt, busyUntil), kb };
}

/** From a click on a link until the first frame that has something. Milliseconds. */
function viewTime(page: Page, hash: string, selector: string): Promise<number> {
  return page.evaluate(
    async ([to, wanted]) => {
      location.hash = "#/nowhere";
      const frame = () => new Promise((next) => requestAnimationFrame(next));
      while (!document.querySelector("main .state")) await frame();
      await frame();
      const start = performance.now();
      location.hash = to;
      // The editor is in a shadow root.
      const isThere = () =>
        document.querySelector(wanted) ??
        [...document.querySelectorAll("main div")].some((one) => one.shadowRoot?.querySelector(wanted));
      while (!isThere()) await frame();
      return performance.now() - start;
    },
    [hash, selector] as const,
  );
}

const words = ["checkpoint", "session", "retry", "branch", "transcript", "hook", "commit", "config"];

/** From a key in the search box until other results are there. Milliseconds. */
async function searchTimes(page: Page): Promise<number[]> {
  await page.evaluate(() => {
    location.hash = "#/search?q=start";
  });
  await page.locator("main .row").first().waitFor();
  const times: number[] = [];
  for (const word of words) {
    for (const typed of [word.slice(0, -1), word]) {
      const time = await page.evaluate(async (value) => {
        const box = document.getElementById("search-box") as HTMLInputElement;
        const changed = new Promise<number>((done) => {
          const observer = new MutationObserver(() => {
            observer.disconnect();
            requestAnimationFrame(() => done(performance.now()));
          });
          const main = document.getElementById("main")!;
          observer.observe(main, { subtree: true, childList: true, characterData: true });
        });
        const start = performance.now();
        box.value = value;
        box.dispatchEvent(new InputEvent("input", { bubbles: true }));
        return (await changed) - start;
      }, typed);
      times.push(time);
      await sleep(150);
    }
  }
  return times;
}

/** The times between frames while something goes on in the page. Milliseconds. */
async function framesWhile(page: Page, run: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const frames: number[] = [];
    Object.assign(window, { frames });
    const tick = (at: number) => {
      frames.push(at);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await run();
  const frames = await page.evaluate(() => (window as never as { frames: number[] }).frames);
  return frames.slice(1).map((at, i) => at - frames[i]!);
}

/** The timeline, dragged to and fro. */
async function panFrames(page: Page): Promise<number[]> {
  await page.evaluate(() => {
    location.hash = "#/timeline";
  });
  const canvas = page.locator(".timeline canvas");
  await canvas.waitFor();
  await canvas.focus();
  // Zoomed in, so that there is somewhere to go.
  for (const key of ["+", "+", "+"]) await page.keyboard.press(key);
  await sleep(500);
  const box = (await canvas.boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return framesWhile(page, async () => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (const to of [x - 400, x + 400, x]) await page.mouse.move(to, y, { steps: 80 });
    await page.mouse.up();
  });
}

/** What the middle of the window shows, scrolled by the wheel for three seconds. */
async function scrollFrames(page: Page): Promise<number[]> {
  await page.mouse.move(900, 500);
  return framesWhile(page, async () => {
    for (const end = Date.now() + 3000; Date.now() < end; ) {
      await page.mouse.wheel(0, 120);
      await sleep(16);
    }
  });
}

/** A project with a session of 5,000 turns and a file of 50,000 lines. */
async function bigProject(home: string): Promise<string> {
  const root = join(home, "big");
  mkdirSync(join(root, "src"), { recursive: true });
  const lines = Array.from({ length: 50_000 }, (_, i) => `export const value${i} = ${i}; // line ${i + 1}`);
  writeFileSync(join(root, "src/long.ts"), `${lines.join("\n")}\n`);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root });
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "-m", "Add a long file");
  const session = "11111111-1111-4111-8111-111111111111";
  const folder = join(home, ".claude/projects", root.replaceAll(/[^a-zA-Z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  const transcript = Array.from({ length: 5000 }, (_, i) => {
    const about = {
      sessionId: session,
      cwd: root,
      gitBranch: "main",
      version: "2.1.0",
      userType: "external",
      isSidechain: false,
      timestamp: new Date(Date.UTC(2026, 2, 1) + i * 60_000).toISOString(),
    };
    const content = [{ type: "text", text: `Answer ${i}: the queue of step ${i} is empty, so it goes on.` }];
    const message = { id: `m${i}`, role: "assistant", model: "claude-x", content, usage: {} };
    return [
      {
        ...about,
        type: "user",
        uuid: `u${i}`,
        parentUuid: i === 0 ? null : `a${i - 1}`,
        message: { role: "user", content: `Question ${i}: what does step ${i} do?` },
      },
      { ...about, type: "assistant", uuid: `a${i}`, parentUuid: `u${i}`, message },
    ];
  }).flat();
  writeFileSync(
    join(folder, `${session}.jsonl`),
    `${transcript.map((line) => JSON.stringify(line)).join("\n")}\n`,
  );
  pm(root, home, "init", "--no-hooks", "--no-start");
  // The file is larger than what is indexed by default.
  pm(root, home, "start");
  pm(root, home, "import", "claude", "--yes");
  const turns = () =>
    (JSON.parse(pm(root, home, "session", "list", "--json")) as { sessions: { turns: number }[] }).sessions[0]
      ?.turns;
  while (turns() !== 5000) await sleep(1000);
  return root;
}

const root = resolve(options.project);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const home = realpathSync(mkdtempSync(join(tmpdir(), "pommel-bench-page-")));
try {
  pm(root, undefined, "start");
  for (const isCold of [false, true]) {
    const first = [];
    for (let run = 0; run < runs; run++) {
      if (isCold) pm(root, undefined, "restart");
      first.push(await firstView(browser, root));
    }
    const what = isCold ? "first view after a restart" : "first view";
    for (const [name, unit] of [
      ["content", "ms"],
      ["interactive", "ms"],
      ["kb", "kB"],
    ] as const) {
      const named = name === "kb" ? "transferred" : name;
      measured(
        `${what}: ${named}`,
        unit,
        first.map((one) => one[name]),
      );
    }
  }

  const { page, url } = await opened(browser, root);
  await page.goto(url);
  await page.locator(".happening").first().waitFor();
  const { sessions } = JSON.parse(pm(root, undefined, "session", "list", "--json")) as {
    sessions: { id: string }[];
  };
  const { results } = JSON.parse(pm(root, undefined, "search", "code", "start a session", "--json")) as {
    results: { file: string }[];
  };
  const views = [
    ["Home", "#/", ".happening"],
    ["Search", "#/search?q=retry", "main .row"],
    ["Sessions", "#/sessions", "main .row"],
    ["Session", `#/session/${sessions[0]!.id}`, ".turn"],
    ["File", `#/file/${results[0]!.file}`, ".cm-line"],
    ["Timeline", "#/timeline", ".timeline canvas"],
    ["Insights", "#/insights", ".figure svg"],
    ["Memory: decisions", "#/memory/", ".memory .row"],
    ["Memory: keeping", "#/memory/keeping", ".keeping .panel"],
    ["Settings", "#/settings/", ".setting"],
    ["Settings: health", "#/settings/health", ".check"],
  ] as const;
  for (const [name, hash, selector] of views) {
    const times = [];
    for (let run = 0; run < runs; run++) times.push(await viewTime(page, hash, selector));
    measured(`view: ${name}`, "ms", times);
  }
  measured("search: from a key to results", "ms", await searchTimes(page));
  measured("timeline: between frames while panning", "ms", await panFrames(page));
  await page.context().close();

  const big = await bigProject(home);
  const other = await opened(browser, big, home);
  await other.page.goto(other.url);
  await other.page.getByRole("navigation", { name: "Views" }).waitFor();
  const session = "#/session/11111111-1111-4111-8111-111111111111";
  for (const [name, hash, selector] of [
    ["a session of 5,000 turns", session, "#turn-1"],
    ["its turn 4,000", `${session}?turn=4000`, "#turn-4000"],
    ["a file of 50,000 lines", "#/file/src/long.ts", ".cm-line"],
    ["its line 40,000", "#/file/src/long.ts:40000", ".cm-line"],
  ] as const) {
    const times = [];
    for (let run = 0; run < runs; run++) times.push(await viewTime(other.page, hash, selector));
    measured(`open: ${name}`, "ms", times);
    measured(`scroll: ${name}`, "ms", await scrollFrames(other.page));
  }
  pm(big, home, "stop");
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}

const rounded = (value: number) => (value < 100 ? value.toFixed(1) : value.toFixed(0));
if (options.json) console.log(JSON.stringify(figures));
else {
  printTable(
    ["", "first", "median", "minimum", "p95", "unit"],
    figures.map(({ what, unit, values }) => [
      what,
      ...[values[0] ?? 0, percentile(values, 50), Math.min(...values), percentile(values, 95)].map(rounded),
      unit,
    ]),
    { markdown: true },
  );
}
