/**
 * Hours of work in one project, and whether the daemon stays as small as it was.
 *
 *   npm run soak -- --source DIR [--hours 2] [--pause 400] [--every 15] [--json]
 *
 *   --source DIR   a git repository; a clone of it is worked in
 *   --hours H      how long (default: 2)
 *   --pause MS     between two things that happen (default: 400)
 *   --every S      between two samples (default: 15)
 *   --pm FILE      another installation's bin/pm.cjs
 *
 * Files are edited, committed and branches switched, sessions grow line by line, searches and hooks run as processes. Every sample
 * has the daemon's resident memory, open files, children and the sizes of both logs. The medians of the second and of
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
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { daemonFiles, homeOf } from "../src/project/home.ts";
import { projectAt } from "../src/project/paths.ts";
import { transcript } from "../test/support/transcript-fixture.ts";
import { percentile } from "./measure.ts";
import { printTable } from "./table.ts";

const { values: options } = parseArgs({
  options: {
    source: { type: "string" },
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
const root = join(work, "repo");
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

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Soak", "-c", "user.email=soak@example.com", ...args], {
    cwd: root,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

function pm(args: string[], input = "", accepted = [0]): Promise<void> {
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

execFileSync("git", ["clone", "--quiet", resolve(options.source), root], { env, stdio: "ignore" });
const sources = git("ls-files")
  .split("\n")
  .filter((file) => /\.(ts|tsx|js|py|go|rs|java|c|cpp|rb)$/.test(file));
spawnSync(process.execPath, [options.pm, "init"], { cwd: root, env });
await pm(["start", "--wait"]);
const { pid } = JSON.parse(readFileSync(daemonFiles(homeOf(env)).record, "utf8")) as { pid: number };

const transcripts = join(env.HOME, ".claude/projects", root.replace(/[^A-Za-z0-9]/g, "-"));
mkdirSync(transcripts, { recursive: true });
const newSession = (n: number) => {
  const session = `${String(n).padStart(8, "0")}-1111-4111-8111-111111111111`;
  return { built: transcript({ session, cwd: root, start: new Date().toISOString() }), written: 0, session };
};
let session = newSession(1);
let sessions = 1;

/** Adds a turn to the session, as a client writes it: some lines at a time. */
function turn(): void {
  const { built } = session;
  const file = sources[random(sources.length)] ?? "README.md";
  built.prompt(`Please look at ${file} and make number ${random(100_000)} work.`);
  built.bash(`npm test ${file}`, `ok ${random(100_000)}\n`.repeat(random(200)));
  built.edit(join(root, file), `const a${random(1000)} = 1;`, `const a${random(1000)} = 2;`);
  built.reply(
    `I changed ${file} because number ${random(100_000)} was wrong. ${"It works. ".repeat(random(80))}`,
  );
  const lines = built
    .text()
    .split("\n")
    .filter((line) => line !== "");
  appendFileSync(
    join(transcripts, `${session.session}.jsonl`),
    `${lines.slice(session.written).join("\n")}\n`,
  );
  session.written = lines.length;
  if (lines.length > 400) session = newSession(++sessions);
}

const actions: [weight: number, name: string, act: () => Promise<void> | void][] = [
  [
    40,
    "edit",
    () => appendFileSync(join(root, sources[random(sources.length)] ?? "README.md"), `\n// ${random(1e9)}\n`),
  ],
  [20, "turn", turn],
  [
    12,
    "search",
    () =>
      pm(
        ["search", ["parse request", "error handling", "number wrong", "route"][random(4)]!, "--json"],
        "",
        [0, 5],
      ),
  ],
  [6, "why", () => pm(["why", sources[random(sources.length)] ?? "README.md", "--json"], "", [0, 5])],
  [
    8,
    "hook",
    () => {
      const file = join(transcripts, `${session.session}.jsonl`);
      const payload = {
        session_id: session.session,
        transcript_path: file,
        cwd: root,
        hook_event_name: "Stop",
      };
      return pm(["hook", "stop"], JSON.stringify(payload));
    },
  ],
  [
    4,
    "commit",
    () => {
      git("add", "-A");
      git("commit", "--quiet", "--allow-empty", "-m", `Number ${random(100_000)}`);
    },
  ],
  [
    2,
    "branch",
    () => {
      git("add", "-A");
      git("commit", "--quiet", "--allow-empty", "-m", "Before the switch");
      git("checkout", "--quiet", "-B", `topic-${random(5)}`, `HEAD~${random(4)}`);
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
  const { memoryDb, indexDb } = projectAt(root, homeOf(env));
  const mb = (file: string) => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) / 1e6;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kinds = openFiles();
  kindsOpen.push(kinds);
  return {
    rssMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024,
    files: [...kinds.values()].reduce((sum, count) => sum + count, 0),
    children: readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).length,
    memoryLogMb: mb(memoryDb),
    indexLogMb: mb(indexDb),
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
    await act();
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
await pm(["stop"]);
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
rmSync(work, { recursive: true, force: true, maxRetries: 5 });
process.exitCode = failures.length > 0 ? 1 : 0;
