/**
 * How fast the local page is, in a real Chromium.
 *
 *   npm run bench:page -- [--project DIR] [--runs 20] [--only first,views,search,shifts,big,import] [--seconds 60] [--transcripts DIR]
 *                         [--loops 0] [--json]
 *
 * DIR is an initialised project with sessions in its memory, whose daemon may be started; without it one is made up, as the tests
 * of the page do. A session of 5,000 turns and a file of 50,000 lines are made up in a project of their own, and so are the 300
 * sessions of 30 turns that are imported while somebody goes from view to view for a minute, unless --transcripts names a directory
 * of real ones. Beside the import, --loops processes compute without a pause. Other work on the machine makes single runs slow:
 * medians and minima are what to compare. CHROMIUM_PATH names another Chromium than Debian's.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page, type Request } from "playwright-core";
import { removeDirectory } from "../test/support/remove-directory.ts";
import { makeRichMemory } from "../test/support/rich-memory.ts";
import { idOf, transcript } from "../test/support/transcript-fixture.ts";
import { percentile, printTable } from "./measure.ts";

const { values: options } = parseArgs({
  options: {
    project: { type: "string" },
    runs: { type: "string", default: "20" },
    seconds: { type: "string", default: "60" },
    only: { type: "string", default: "first,views,search,shifts,big,import" },
    transcripts: { type: "string" },
    loops: { type: "string", default: "0" },
    json: { type: "boolean", default: false },
  },
});
const isWanted = (part: string) => options.only.split(",").includes(part);
const runs = Number(options.runs);
const program = fileURLToPath(new URL("../bin/pm.cjs", import.meta.url));

/** Where a home is given, what is the user's own is not seen. */
const environmentAt = (home: string | undefined) => ({
  ...process.env,
  ...(home !== undefined && { HOME: home, POMMEL_HOME: join(home, "pommel") }),
});

const pm = (root: string, home: string | undefined, ...args: string[]) =>
  execFileSync(process.execPath, [program, ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: environmentAt(home),
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
async function firstView(browser: Browser, root: string, home: string | undefined) {
  const { page, url } = await opened(browser, root, home);
  let transferred = 0;
  const script = { sent: 0, raw: 0 };
  const scripts = new Set<string>();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  devtools.on(
    "Network.requestWillBeSent",
    ({ requestId, type }) => type === "Script" && scripts.add(requestId),
  );
  devtools.on("Network.dataReceived", ({ requestId, dataLength }) => {
    if (scripts.has(requestId)) script.raw += dataLength;
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    transferred += encodedDataLength;
    if (scripts.has(requestId)) script.sent += encodedDataLength;
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
  const sizes = { kb: transferred / 1000, sentKb: script.sent / 1000, rawKb: script.raw / 1000 };
  await sleep(500);
  const { shownAt, busyUntil } = await page.evaluate(
    () => (window as never as { benchmark: { shownAt: number; busyUntil: number } }).benchmark,
  );
  await page.context().close();
  return { content: shownAt, interactive: Math.max(shownAt, busyUntil), ...sizes };
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

/** Views that are gone to, and what shows that they are there. */
function listViews(root: string, home: string | undefined) {
  const { sessions } = JSON.parse(pm(root, home, "session", "list", "--json")) as {
    sessions: { id: string }[];
  };
  const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
  const file = files.find((name) => /\.(?:ts|go|py|rs|js)$/.test(name)) ?? files[0];
  return [
    ["Now", "#/", ".happening"],
    ["Search", "#/search?q=retry", "main .row"],
    ["Sessions", "#/sessions", "main .row"],
    ["Session", `#/session/${sessions[0]!.id}`, ".turn"],
    ["File", `#/file/${file}`, ".cm-line"],
    ["Review", "#/commit/HEAD", ".file-diff"],
    ["Insights", "#/insights", ".insights .panel"],
    ["Memory: decisions", "#/memory/", ".memory .row"],
    ["Memory: keeping", "#/memory/keeping", ".keeping .panel"],
    ["Settings", "#/settings/", ".setting"],
    ["Settings: health", "#/settings/health", ".check"],
  ] as const;
}

/** Shifts further apart than this are of different sessions, and a view never shifts for longer than `max`. Milliseconds. */
const shiftSession = { gap: 1000, max: 5000 };

/**
 * How far what is seen moves by itself while a view loads: "cumulative layout shift", where .1 is what people do not mind. Each
 * view is loaded by its address, as from a link.
 */
async function measureShifts(root: string, home: string | undefined): Promise<void> {
  const { page, url } = await opened(browser, root, home);
  await page.addInitScript(() => {
    const shifts: { at: number; value: number }[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const one of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      })[])
        if (!one.hadRecentInput) shifts.push({ at: one.startTime, value: one.value });
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(url);
  await page.locator(".happening").first().waitFor();
  for (const [name, hash, selector] of [...listViews(root, home), ...listLinkedViews(root, home)]) {
    const sums: number[] = [];
    for (let run = 0; run < Math.min(runs, 5); run++) {
      await page.goto(new URL(`/${hash}`, url).href);
      await page.reload();
      await page.locator(selector).first().waitFor();
      await waitUntilStill(page);
      sums.push(largestShift(await page.evaluate(() => (window as never as { shifts: Shift[] }).shifts)));
    }
    measured(`layout shift: ${name}`, "", sums);
  }
  await page.context().close();
}

interface Shift {
  at: number;
  value: number;
}

/** The largest sum of shifts that follow one another, as browsers count it. */
function largestShift(shifts: readonly Shift[]): number {
  const sessions: { first: number; last: number; sum: number }[] = [];
  for (const { at, value } of shifts) {
    const open = sessions.at(-1);
    if (open === undefined || at - open.last > shiftSession.gap || at - open.first > shiftSession.max)
      sessions.push({ first: at, last: at, sum: value });
    else Object.assign(open, { last: at, sum: open.sum + value });
  }
  return Math.max(0, ...sessions.map(({ sum }) => sum));
}

/** Until nothing is loaded any more, and the view has been the same for a second. */
async function waitUntilStill(page: Page): Promise<void> {
  const look = () =>
    page.evaluate(
      () =>
        `${document.querySelectorAll("[aria-busy=true], .skeleton").length} ${document.getElementById("main")?.innerHTML.length}`,
    );
  for (let [before, same] = ["", 0]; same < 5; ) {
    await sleep(200);
    const now = await look();
    same = now === before && now.startsWith("0 ") ? same + 1 : 0;
    before = now;
  }
}

/** Views that a link opens at a place: a turn in the middle of the longest session, two sessions, a commit side by side. */
function listLinkedViews(root: string, home: string | undefined) {
  const { sessions } = JSON.parse(pm(root, home, "session", "list", "--json")) as {
    sessions: { id: string; turns: number }[];
  };
  const [longest, second] = sessions.toSorted((a, b) => b.turns - a.turns);
  const turn = Math.ceil(longest!.turns / 2);
  return [
    ["a turn", `#/session/${longest!.id}?turn=${turn}`, `#turn-${turn}`],
    ["two sessions", `#/compare/${longest!.id}?with=${second!.id}`, ".compared"],
    ["Review, side by side", "#/commit/HEAD?as=split", ".file-diff"],
  ] as const;
}

async function measureFirstView(root: string, home: string | undefined): Promise<void> {
  const names = {
    content: ["content", "ms"],
    interactive: ["interactive", "ms"],
    kb: ["transferred", "kB"],
    sentKb: ["script, as sent", "kB"],
    rawKb: ["script, as run", "kB"],
  } as const;
  for (const isCold of [false, true]) {
    const first = [];
    for (let run = 0; run < Math.min(runs, 7); run++) {
      if (isCold) pm(root, home, "restart");
      first.push(await firstView(browser, root, home));
    }
    for (const [key, [name, unit]] of Object.entries(names))
      measured(
        `first view${isCold ? " after a restart" : ""}: ${name}`,
        unit,
        first.map((one) => one[key as keyof typeof names]),
      );
  }
}

async function measureBig(): Promise<void> {
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
}

/** So long somebody goes from view to view while sessions are imported. Milliseconds. */
const importMs = Number(options.seconds) * 1000;

/** Goes from view to view while many sessions are read for the first time. */
async function measureWhileImporting(): Promise<void> {
  const root = await richProject("harbor-importing");
  const folder = join(home, ".claude/projects", root.replaceAll(/[^a-zA-Z0-9]/g, "-"));
  if (options.transcripts === undefined) writeManySessions(root, folder);
  else copyTranscripts(options.transcripts, root, folder);
  await clickWhileImporting(root);
}

/** As if each session had been in this project. */
function copyTranscripts(from: string, root: string, to: string): void {
  const names = readdirSync(from).filter((name) => name.endsWith(".jsonl"));
  for (const name of names)
    writeFileSync(
      join(to, name),
      readFileSync(join(from, name), "utf8").replaceAll(/"cwd":"[^"]*"/g, `"cwd":${JSON.stringify(root)}`),
    );
}

function writeManySessions(root: string, folder: string): void {
  const log = Array.from(
    { length: 60 },
    (_, i) => `${i} GET /v1/payments/${"0123456789".repeat(10)} 200`,
  ).join("\n");
  for (let i = 0; i < 300; i++) {
    const start = new Date(Date.now() - (i + 100) * 3_600_000).toISOString();
    const told = transcript({ session: idOf(`many ${i}`), cwd: root, start });
    for (let turn = 1; turn <= 30; turn++) {
      told.prompt(`Question ${turn} of session ${i}: what does step ${turn} do with the queue?`);
      told.bash(`npm run step -- ${turn}`, log);
      told.reply(`Answer ${turn}: step ${turn} of ${i} waits for the queue, because it is read in order.`);
    }
    told.writeTo(folder);
  }
}

async function clickWhileImporting(root: string): Promise<void> {
  const views = listViews(root, home);
  const { page, url } = await opened(browser, root, home);
  const requests: { path: string; ms: number }[] = [];
  const askedAt = new Map<Request, number>();
  page.on("request", (request) => askedAt.set(request, Date.now()));
  // One that is given up after so long took so long, too.
  const note = (request: Request) => {
    const at = askedAt.get(request);
    const { pathname } = new URL(request.url());
    if (at !== undefined && pathname !== "/live") requests.push({ path: pathname, ms: Date.now() - at });
    askedAt.delete(request);
  };
  page.on("requestfinished", note);
  page.on("requestfailed", note);
  await page.goto(url);
  await page.locator(".happening").first().waitFor();
  const count = () => (JSON.parse(pm(root, home, "session", "list", "--json")) as { total: number }).total;
  const env = environmentAt(home);
  const importing = spawn(process.execPath, [program, "import", "claude", "--yes"], {
    cwd: root,
    env,
    stdio: "ignore",
  });
  const loops = Array.from({ length: Number(options.loops) }, () =>
    spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  const paints: number[] = [];
  let clicks = 0;
  for (const end = Date.now() + importMs; Date.now() < end; clicks++) {
    const [, hash, selector] = views[clicks % views.length]!;
    const time = await viewTime(page, hash, selector);
    // What was seen before is in the page's cache.
    if (clicks >= views.length) paints.push(time);
  }
  for (const request of askedAt.keys()) note(request);
  const wasRunning = importing.exitCode === null;
  importing.kill();
  for (const loop of loops) loop.kill();
  console.error(
    `${clicks} clicks; ${count()} sessions at the end${wasRunning ? ", still importing" : ", the import had ended"}`,
  );
  for (const { path, ms } of requests.filter(({ ms }) => ms > 2000))
    console.error(`${path}: ${ms.toFixed(0)} ms`);
  measured("while importing: a view seen before", "ms", paints);
  measured(
    "while importing: a request",
    "ms",
    requests.map(({ ms }) => ms),
  );
  measured("while importing: the longest request", "ms", [Math.max(...requests.map(({ ms }) => ms))]);
}

async function richProject(name: string): Promise<string> {
  const root = join(home, name);
  await makeRichMemory({ root, home, now: Date.now() }, async (...args) => pm(root, home, ...args));
  return root;
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const home = realpathSync(mkdtempSync(join(tmpdir(), "pommel-bench-page-")));
const own = options.project === undefined ? home : undefined;
try {
  if (["first", "views", "search", "shifts"].some(isWanted)) {
    const root = options.project === undefined ? await richProject("harbor") : resolve(options.project);
    pm(root, own, "start");
    if (isWanted("first")) await measureFirstView(root, own);
    const { page, url } = await opened(browser, root, own);
    await page.goto(url);
    await page.locator(".happening").first().waitFor();
    if (isWanted("views"))
      for (const [name, hash, selector] of listViews(root, own)) {
        const times = [];
        for (let run = 0; run < runs; run++) times.push(await viewTime(page, hash, selector));
        measured(`view: ${name}`, "ms", times);
      }
    if (isWanted("shifts")) await measureShifts(root, own);
    if (isWanted("search")) measured("search: from a key to results", "ms", await searchTimes(page));
    await page.context().close();
  }
  if (isWanted("big")) await measureBig();
  if (isWanted("import")) await measureWhileImporting();
} finally {
  await browser.close();
  try {
    pm(home, home, "stop");
  } catch {
    // None was started in this home.
  }
  removeDirectory(home);
}

const rounded = (value: number, unit: string) =>
  unit === "" ? value.toFixed(3) : value < 100 ? value.toFixed(1) : value.toFixed(0);
if (options.json) console.log(JSON.stringify(figures));
else {
  printTable(
    ["", "first", "median", "minimum", "p95", "unit"],
    figures.map(({ what, unit, values }) => [
      what,
      ...[values[0] ?? 0, percentile(values, 50), Math.min(...values), percentile(values, 95)].map((value) =>
        rounded(value, unit),
      ),
      unit,
    ]),
    { markdown: true },
  );
}
