/**
 * Whether the page grows while it is left open for a day's work.
 *
 *   npm run bench:page-soak -- --source DIR --transcripts DIR [--minutes 90] [--clock-hours 8] [--json]
 *
 *   --source DIR       a git repository; a clone of it is worked in
 *   --transcripts DIR  transcripts of Claude Code; a third of them is there at the start, the others are written line by line
 *   --minutes M        how long (default: 90)
 *   --clock-hours H    meanwhile the pages' own clock passes so many hours: all timers of a day fire (default: it is the real one)
 *
 * Two browsers are open with Home, a session that goes on, a file and Insights; a fifth page goes through all views without end, and
 * `pm browse` runs. Sessions write two lines every 1.5 seconds, a commit is made every 30. Every tenth look (one a minute) the daemon is
 * restarted, every fifth the pages are hidden and shown again. The medians of the second and of the last quarter are compared; it ends
 * with 1 when something grew.
 */
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type CDPSession, chromium, type Page } from "playwright-core";
import { locateDaemonFiles, locateHome } from "../src/base/home.ts";
import { removeDirectory } from "../test/support/remove-directory.ts";
import { percentile, printTable } from "./measure.ts";
import { usageOf } from "./speed.ts";

const { values: options } = parseArgs({
  options: {
    source: { type: "string" },
    transcripts: { type: "string" },
    minutes: { type: "string", default: "90" },
    "clock-hours": { type: "string" },
    json: { type: "boolean", default: false },
  },
});
if (!options.source || !options.transcripts) {
  console.error(
    "usage: npm run bench:page-soak -- --source DIR --transcripts DIR [options, see bench/page-soak.ts]",
  );
  process.exit(2);
}
const clockHours = options["clock-hours"];
const totalMs = Number(options.minutes) * 60_000;

/** What may grow between the second quarter and the last; of a page the heap in MB and the others as counts. */
const limits = { heapMb: 1, nodes: 500, others: 200, listeners: 20, rssMb: 40, files: 8, connections: 5 };
type Sample = Record<string, number>;

const work = mkdtempSync(join(tmpdir(), "pommel-page-soak-"));
const root = join(work, "repo");
const env = { ...process.env, HOME: join(work, "home"), POMMEL_HOME: join(work, "pommel") };
const program = resolve(import.meta.dirname, "../bin/pm.cjs");
const pm = (...args: string[]) =>
  execFileSync(process.execPath, [program, ...args], {
    cwd: root,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Soak", "-c", "user.email=soak@example.com", ...args], {
    cwd: root,
    env,
  });
execFileSync("git", ["clone", "--quiet", resolve(options.source), root]);

const folder = join(env.HOME, ".claude/projects", root.replace(/[^A-Za-z0-9]/g, "-"));
mkdirSync(folder, { recursive: true });
const transcripts = readdirSync(options.transcripts)
  .map((name) => join(options.transcripts!, name))
  .filter(
    (file) => file.endsWith(".jsonl") && statSync(file).size > 60_000 && statSync(file).size < 1_000_000,
  );

/** The lines of a transcript as if it were another session, held here. */
function linesOf(file: string, session: string): string[] {
  const text = readFileSync(file, "utf8");
  const own = (name: string) => new RegExp(`"${name}":"([^"]+)"`).exec(text)?.[1];
  const [cwd, id] = [own("cwd"), own("sessionId")];
  const moved = cwd === undefined ? text : text.replaceAll(cwd, root);
  return (id === undefined ? moved : moved.replaceAll(id, session)).trim().split("\n");
}
const fileOf = (session: string) => join(folder, `${session}.jsonl`);
const before = Math.ceil(transcripts.length / 3);
for (const transcript of transcripts.slice(0, before)) {
  const session = randomUUID();
  writeFileSync(fileOf(session), `${linesOf(transcript, session).join("\n")}\n`);
}

const done = { sessions: 0, lines: 0, commits: 0, restarts: 0, views: 0, heard: 0 };
const live = transcripts.slice(before);
let current = { session: "", lines: [] as string[] };
function writeLines(count: number): void {
  for (let i = 0; i < count; i++) {
    if (current.lines.length === 0) {
      const session = randomUUID();
      current = { session, lines: linesOf(live[done.sessions++ % live.length]!, session).slice(0, 400) };
    }
    const line = current.lines
      .shift()!
      .replace(/"timestamp":"[^"]+"/, `"timestamp":"${new Date().toISOString()}"`);
    appendFileSync(fileOf(current.session), `${line}\n`);
    done.lines++;
  }
}
const sources = git("ls-files", "*.go", "*.ts", "*.py", "*.rs", "*.md").toString().trim().split("\n");
function commit(): void {
  appendFileSync(join(root, sources[done.commits % sources.length]!), `\n// Line ${done.commits}\n`);
  git("commit", "--quiet", "--all", "-m", `Line ${++done.commits}`);
}

pm("init", "--no-start", "--yes");
pm("start");
pm("import", "claude", "--yes");
writeLines(20);
await sleep(15_000);

const browse = spawn("script", ["-qfc", `exec '${process.execPath}' '${program}' browse`, "/dev/null"], {
  cwd: root,
  env: { ...env, TERM: "xterm-256color" },
  stdio: ["pipe", "ignore", "ignore"],
});
const childOf = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0] || 0);
const daemon = () =>
  JSON.parse(readFileSync(locateDaemonFiles(locateHome(env)).record, "utf8")) as {
    pid: number;
    port: number;
  };

const show = (page: Page, hash: string) =>
  page.evaluate((to) => {
    location.hash = to;
  }, hash);

interface Tab {
  name: string;
  page: Page;
  devtools: CDPSession;
}
const session = current.session;
const browsers = await Promise.all(
  [0, 1].map(() =>
    chromium.launch({
      executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    }),
  ),
);
const errors: string[] = [];
const tabs: Tab[] = [];
const left = [
  ["home", "#/"],
  ["session", `#/session/${session}`],
  ["file", `#/file/${sources[0]}`],
  ["insights", "#/insights"],
  ["all views", "#/"],
] as const;
for (const [i, [name, hash]] of left.entries()) {
  const context = await browsers[i % 2]!.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.on("pageerror", ({ message }) => errors.push(`${name}: ${message}`));
  // tsx gives functions their names with a helper that the browser does not have.
  await page.addInitScript("globalThis.__name = (named) => named");
  if (clockHours !== undefined) await page.clock.install();
  await page.goto(pm("open", "--no-browser").match(/http\S+/)![0]);
  await page.locator(".happening").first().waitFor();
  await show(page, hash);
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  devtools.on("Network.eventSourceMessageReceived", () => done.heard++);
  tabs.push({ name, page, devtools });
}

const walker = tabs.at(-1)!.page;
const walk = [
  "#/",
  "#/search?q=retry",
  "#/sessions",
  `#/session/${session}`,
  "#/file/",
  `#/file/${sources[1]}`,
  "#/review/HEAD",
  "#/commit/HEAD",
  "#/commands",
  "#/insights",
  "#/memory/",
  "#/memory/keeping",
  "#/settings/",
];

/** What a page holds once all garbage is collected; `others`: nodes that the browser makes in controls, or that are held though gone. */
async function lookAt({ name, page, devtools }: Tab): Promise<Sample> {
  for (let i = 0; i < 3; i++) await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await devtools.send("Memory.getDOMCounters");
  const shown = await page.evaluate(() => {
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    let count = 1;
    while (walker.nextNode()) count++;
    return count;
  });
  const figures = { heapMb: usedSize / 1e6, nodes, others: nodes - shown, listeners: jsEventListeners };
  return Object.fromEntries(Object.entries(figures).map(([key, value]) => [`${name}: ${key}`, value]));
}

async function look(): Promise<Sample> {
  // The page that goes through the views is compared at the same view each time.
  await show(walker, "#/");
  await sleep(3000);
  const { pid, port } = daemon();
  const open = execFileSync("ss", ["-Htn", "state", "established", `sport = :${port}`], { encoding: "utf8" });
  const seen = await Promise.all(tabs.map(lookAt));
  return Object.assign({}, ...seen, {
    "daemon: rssMb": usageOf(pid).rssMb,
    "daemon: files": readdirSync(`/proc/${pid}/fd`).length,
    "daemon: connections": open.trim().split("\n").filter(Boolean).length,
    "browse: rssMb": usageOf(childOf(browse.pid!)).rssMb,
  }) as Sample;
}

const samples: Sample[] = [];
const started = Date.now();
let [lookAtMs, commitAtMs, stepped] = [started, started + 30_000, started];
while (Date.now() - started < totalMs) {
  writeLines(2);
  await show(walker, walk[done.views++ % walk.length]!);
  if (clockHours !== undefined) {
    const passed = ((Date.now() - stepped) * Number(clockHours) * 3_600_000) / totalMs;
    stepped = Date.now();
    await Promise.all(tabs.map(({ page }) => page.clock.runFor(Math.round(passed))));
  }
  await sleep(1500);
  if (Date.now() > commitAtMs) {
    commit();
    commitAtMs += 30_000;
  }
  if (Date.now() < lookAtMs) continue;
  lookAtMs += 60_000;
  samples.push(await look());
  console.error(
    `${Math.round((Date.now() - started) / 60_000)} min ${JSON.stringify(done)} ${JSON.stringify(samples.at(-1))}`,
  );
  if (samples.length % 10 === 0) {
    pm("restart");
    done.restarts++;
  }
  if (samples.length % 5 !== 0) continue;
  for (const state of ["hidden", "visible"]) {
    for (const { page } of tabs) {
      await page.evaluate((shown) => {
        Object.defineProperty(document, "visibilityState", { value: shown, configurable: true });
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
      }, state);
    }
    await sleep(1000);
  }
}
browse.kill();
for (const browser of browsers) await browser.close();
pm("stop");
removeDirectory(work);

const quarter = Math.floor(samples.length / 4);
const medianOf = (key: string, from: number, to?: number) =>
  percentile(
    samples.slice(from, to).map((one) => one[key]!),
    50,
  );
const rows = Object.keys(samples[0]!).map((key) => {
  const [first, earlier, lately] = [
    samples[0]![key]!,
    medianOf(key, quarter, 2 * quarter),
    medianOf(key, 3 * quarter),
  ];
  const most = Math.max(...samples.map((one) => one[key]!));
  const isFlat = lately - earlier <= limits[key.split(": ")[1] as keyof typeof limits];
  return { key, first, earlier, lately, most, isFlat };
});
const report = { minutes: (Date.now() - started) / 60_000, clockHours, done, errors, rows };
if (options.json) console.log(JSON.stringify(report, null, 2));
else {
  console.log(
    `${report.minutes.toFixed(0)} minutes, ${clockHours ?? "no"} hours of the pages' clock, ${JSON.stringify(done)}`,
  );
  printTable(
    ["", "first", "second quarter", "last quarter", "most", ""],
    rows.map(({ key, isFlat, ...figures }) => [
      key,
      ...Object.values(figures).map((value) => value.toFixed(1)),
      isFlat ? "flat" : "GREW",
    ]),
    { markdown: false },
  );
  for (const error of errors) console.log(error);
}
process.exitCode = errors.length > 0 || rows.some(({ isFlat }) => !isFlat) ? 1 : 0;
