/**
 * Hours of work in some projects, and whether the daemon stays as small as it was.
 *
 *   npm run soak -- --source DIR [--projects 1] [--hours 2] [--pause 400] [--every 15] [--json]
 *
 *   --source DIR   a git repository; clones of it are worked in
 *   --projects N   how many, each a project of its own; Claude Code and Codex work in them by turns (default: 1)
 *   --hours H      how long (default: 2)
 *   --pause MS     between two things that happen (default: 400)
 *   --every S      between two samples (default: 15)
 *   --pm FILE      another installation's bin/pm.cjs
 *
 * Files are edited, committed and branches switched, sessions of both agents grow line by line, searches and hooks run as processes.
 * Every sample has the daemon's resident memory, open files, children and the sizes of both logs of the project that has the most. The medians of the second and of
 * the last quarter are compared (the first one warms up); it ends with 1 when something grew, or anything failed. Of open files that
 * grew it names the kinds.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { locateDaemonFiles, locateHome } from "../src/base/home.ts";
import { makeNewProject } from "../src/base/paths.ts";
import { removeDirectory } from "../test/support/remove-directory.ts";
import { rollout, threadId } from "../test/support/rollout-fixture.ts";
import { transcript } from "../test/support/transcript-fixture.ts";
import { percentile, printTable } from "./measure.ts";
import { usageOf } from "./speed.ts";

const { values: options } = parseArgs({
  options: {
    source: { type: "string" },
    projects: { type: "string", default: "1" },
    hours: { type: "string", default: "2" },
    pause: { type: "string", default: "400" },
    every: { type: "string", default: "15" },
    pm: { type: "string", default: resolve(import.meta.dirname, "../bin/pm.cjs") },
    json: { type: "boolean", default: false },
  },
});
if (options.source === undefined) {
  console.error("usage: npm run soak -- --source DIR [options, see bench/soak.ts]");
  process.exit(2);
}

/** What may grow between the second quarter and the last. */
const limits = { rssMb: 40, files: 8, children: 0, memoryLogMb: 8, indexLogMb: 24 };

interface Sample {
  rssMb: number;
  files: number;
  children: number;
  memoryLogMb: number;
  indexLogMb: number;
}

const work = mkdtempSync(join(tmpdir(), "pommel-soak-"));
const roots = Array.from({ length: Number(options.projects) }, (_, i) => join(work, `repo${i}`));
const env = {
  ...process.env,
  HOME: join(work, "home"),
  POMMEL_HOME: join(work, "pommel"),
  POMMEL_DAEMON_AUTOSTART: "false",
};
mkdirSync(env.HOME);
const failures: string[] = [];
const counts: Record<string, number> = {};
/** The same sequence in every run. */
let seed = 42;
const random = (below: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor((seed / 2 ** 31) * below);
};

const git = (root: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Soak", "-c", "user.email=soak@example.com", ...args], {
    cwd: root,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

function pm(root: string, args: string[], input = "", accepted = [0]): Promise<void> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [options.pm, ...args], { cwd: root, env, stdio: "pipe" });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      // With --json errors are on stdout; of answers the end is enough.
      stream.on("data", (text) => (said = (said + text).slice(-500)));
    }
    child.stdin.on("error", () => {}).end(input);
    child.on("close", (code) => {
      if (!accepted.includes(code ?? -1)) failures.push(`pm ${args.join(" ")}: ${code} ${said}`);
      done();
    });
  });
}

for (const [i, root] of roots.entries()) {
  execFileSync("git", ["clone", "--quiet", resolve(options.source), root], { env, stdio: "ignore" });
  // Clones of one repository are one project, unless they have remotes of their own.
  git(root, "remote", "set-url", "origin", `https://example.com/project${i}.git`);
  spawnSync(process.execPath, [options.pm, "init"], { cwd: root, env });
}
const sources = git(roots[0]!, "ls-files")
  .split("\n")
  .filter((file) => /\.(ts|tsx|js|py|go|rs|java|c|cpp|rb)$/.test(file));
await pm(roots[0]!, ["start", "--wait"]);
// All are open before anything is compared: a project that is opened later would count as growth.
for (const root of roots) {
  await pm(root, ["search", "error handling", "--json"], "", [0, 5]);
  await pm(root, ["note", "Where the work begins."]);
}
const { pid } = JSON.parse(readFileSync(locateDaemonFiles(locateHome(env)).record, "utf8")) as {
  pid: number;
};

/** A session of an agent in a project, and what of it is in its file. */
interface Session {
  root: string;
  built: ReturnType<typeof transcript> | ReturnType<typeof rollout>;
  file: string;
  written: number;
}
let sessions = 0;
function newSession(root: string, isCodex: boolean): Session {
  const n = String(++sessions).padStart(8, "0");
  const start = new Date().toISOString();
  if (isCodex) {
    const built = rollout({ session: threadId(n), cwd: root, start });
    return { root, built, file: join(env.HOME, ".codex", built.path()), written: 0 };
  }
  const session = `${n}-1111-4111-8111-111111111111`;
  const dir = join(env.HOME, ".claude/projects", root.replace(/[^A-Za-z0-9]/g, "-"));
  return {
    root,
    built: transcript({ session, cwd: root, start }),
    file: join(dir, `${session}.jsonl`),
    written: 0,
  };
}
const open = roots.map((root, i) => newSession(root, i % 2 === 1));

/** Adds a turn to the session of a project, as a client writes it: some lines at a time. */
function turn(at: number): void {
  const session = open[at]!;
  const { built, root } = session;
  const source = sources[random(sources.length)] ?? "README.md";
  const path = join(root, source);
  if ("turn" in built) built.turn();
  built.prompt(`Please look at ${source} and make number ${random(100_000)} work.`);
  built.bash(`npm test ${source}`, `ok ${random(100_000)}\n`.repeat(random(200)));
  const [before, after] = [`const a${random(1000)} = 1;`, `const a${random(1000)} = 2;`];
  if ("patch" in built) {
    const change = `@@ -1 +1 @@\n-${before}\n+${after}\n`;
    built.patch(`*** Begin Patch\n*** Update File: ${path}\n${change}*** End Patch`, {
      [path]: { type: "update", unified_diff: change, move_path: null },
    });
  } else built.edit(path, before, after);
  built.reply(
    `I changed ${source} because number ${random(100_000)} was wrong. ${"It works. ".repeat(random(80))}`,
  );
  const lines = built
    .text()
    .split("\n")
    .filter((line) => line !== "");
  mkdirSync(dirname(session.file), { recursive: true });
  appendFileSync(session.file, `${lines.slice(session.written).join("\n")}\n`);
  session.written = lines.length;
  if (lines.length > 400) open[at] = newSession(root, "patch" in built);
}

const actions: [weight: number, name: string, act: (root: string, at: number) => Promise<void> | void][] = [
  [
    40,
    "edit",
    (root) =>
      appendFileSync(join(root, sources[random(sources.length)] ?? "README.md"), `\n// ${random(1e9)}\n`),
  ],
  [20, "turn", (_, at) => turn(at)],
  [
    12,
    "search",
    (root) =>
      pm(
        root,
        ["search", ["parse request", "error handling", "number wrong", "route"][random(4)]!, "--json"],
        "",
        [0, 5],
      ),
  ],
  [
    6,
    "why",
    (root) => pm(root, ["why", sources[random(sources.length)] ?? "README.md", "--json"], "", [0, 5]),
  ],
  [
    8,
    "hook",
    (root, at) => {
      const { built, file } = open[at]!;
      const payload = {
        session_id: built.session,
        transcript_path: file,
        cwd: root,
        hook_event_name: "Stop",
      };
      const agent = "patch" in built ? ["--agent", "codex"] : [];
      return pm(root, ["hook", ...agent, "stop"], JSON.stringify(payload));
    },
  ],
  [
    4,
    "commit",
    (root) => {
      git(root, "add", "-A");
      git(root, "commit", "--quiet", "--allow-empty", "-m", `Number ${random(100_000)}`);
    },
  ],
  [
    2,
    "branch",
    (root) => {
      git(root, "add", "-A");
      git(root, "commit", "--quiet", "--allow-empty", "-m", "Before the switch");
      git(root, "checkout", "--quiet", "-B", `topic-${random(5)}`, `HEAD~${random(4)}`);
    },
  ],
];
/** How many files the daemon has open, by kind: their names without numbers and without the directory of this run. */
function openFiles(): Map<string, number> {
  const kinds = new Map<string, number>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const kind = readlinkSync(`/proc/${pid}/fd/${name}`)
        .replace(work, "")
        .replace(/\d{3,}/g, "N");
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    } catch {
      // Closed meanwhile.
    }
  }
  return kinds;
}

const all = actions.flatMap(([weight, ...action]) => Array<typeof action>(weight).fill(action));

function sample(): Sample {
  const projects = roots.map((root) => makeNewProject(root, locateHome(env)));
  const logMb = (file: string) => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) / 1e6;
  const kinds = openFiles();
  kindsOpen.push(kinds);
  return {
    rssMb: usageOf(pid).rssMb,
    files: [...kinds.values()].reduce((sum, count) => sum + count, 0),
    children: readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).length,
    memoryLogMb: Math.max(...projects.map(({ memoryDb }) => logMb(memoryDb))),
    indexLogMb: Math.max(...projects.map(({ indexDb }) => logMb(indexDb))),
  };
}

const started = Date.now();
const until = started + Number(options.hours) * 3_600_000;
const samples: Sample[] = [];
const kindsOpen: Map<string, number>[] = [];
let nextSample = started;
try {
  while (Date.now() < until) {
    const [name, act] = all[random(all.length)]!;
    const at = random(roots.length);
    await act(roots[at]!, at);
    counts[name] = (counts[name] ?? 0) + 1;
    if (Date.now() >= nextSample) {
      samples.push(sample());
      nextSample += Number(options.every) * 1000;
    }
    await sleep(Number(options.pause));
  }
} catch (error) {
  // A daemon that is gone has no /proc.
  failures.push(String(error));
}

const quarter = Math.floor(samples.length / 4);
const earlier = [quarter, 2 * quarter] as const;
const lately = [3 * quarter, samples.length] as const;
const medianOf = (key: keyof Sample, [from, to]: readonly [number, number]) =>
  percentile(
    samples.slice(from, to).map((one) => one[key]),
    50,
  );
const openOf = (kind: string, [from, to]: readonly [number, number]) =>
  percentile(
    kindsOpen.slice(from, to).map((kinds) => kinds.get(kind) ?? 0),
    50,
  );
/** The kinds of open files of which there are more than earlier. */
function kindsThatGrew(): string {
  const kinds = [...new Set(kindsOpen.flatMap((one) => [...one.keys()]))];
  return kinds
    .map((kind) => ({ kind, before: openOf(kind, earlier), after: openOf(kind, lately) }))
    .filter(({ before, after }) => after > before)
    .map(({ kind, before, after }) => `${kind} ${before} to ${after}`)
    .join(", ");
}
const rows = (Object.keys(limits) as (keyof Sample)[]).map((key) => {
  const [before, after] = [medianOf(key, earlier), medianOf(key, lately)];
  const most = Math.max(...samples.map((one) => one[key]));
  const isFlat = after - before <= limits[key];
  const of = key === "files" ? `: ${kindsThatGrew()}` : "";
  if (!isFlat) failures.push(`${key} grew from ${before.toFixed(1)} to ${after.toFixed(1)}${of}`);
  return { key, before, after, most, isFlat };
});
await pm(roots[0]!, ["stop"]);
const report = { minutes: (Date.now() - started) / 60_000, samples: samples.length, counts, rows, failures };
if (options.json) console.log(JSON.stringify(report, null, 2));
else {
  console.log(`${report.minutes.toFixed(0)} minutes, ${samples.length} samples, ${JSON.stringify(counts)}`);
  printTable(
    ["", "second quarter", "last quarter", "most", ""],
    rows.map(({ key, before, after, most, isFlat }) => [
      key,
      before.toFixed(1),
      after.toFixed(1),
      most.toFixed(1),
      isFlat ? "flat" : "GREW",
    ]),
    { markdown: false },
  );
  for (const failure of failures) console.log(failure);
}
removeDirectory(work);
process.exitCode = failures.length > 0 ? 1 : 0;
