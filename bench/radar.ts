/**
 * Whether two agents that meet at a function are told so in time, and whether others are left in peace.
 *
 *   npm run bench:radar -- --repositories DIR [--pairs 20] [--loops 8] [--wait 2] [--minutes 60] [--markdown]
 *
 *   --repositories DIR  clones of public repositories, each a folder; what they have at HEAD is used
 *   --pairs N           pairs of agents that meet, of each repository; those that do not are twice as many (default: 20)
 *   --loops N           busy loops beside it (default: 0)
 *   --wait S            how long after one agent's write the other one edits. Seconds (default: 2)
 *   --minutes M         begin no pair later (default: 60)
 *
 * Each pair is two sessions of Claude Code as the client would run them: transcripts, files and the hooks of the built program, in two
 * worktrees or two clones of the repository. Functions are found by how their first lines look, not by Pommel's parser. What is
 * printed: of the pairs that meet how many were told at the first edit, and how long it took until it was ready for hooks; of those
 * that do not meet how many were told of one. Only the radar's own sentences count: that another session changed the same file, which
 * automatic context says after an edit, is no warning of an overlap.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Edit, ScriptedAgent } from "../test/support/scripted-agent.ts";
import { percentile, printTable, scratchDir } from "./measure.ts";
import { listPlainFunctions, type PlainFunction, renameIn } from "./radar/functions.ts";
import { runPm } from "./speed.ts";

const { values: options } = parseArgs({
  options: {
    repositories: { type: "string" },
    pairs: { type: "string", default: "20" },
    loops: { type: "string", default: "0" },
    wait: { type: "string", default: "2" },
    minutes: { type: "string", default: "60" },
    markdown: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});
if (options.repositories === undefined) {
  console.error("usage: npm run bench:radar -- --repositories DIR [options, see bench/radar.ts]");
  process.exit(2);
}
const [pairs, waitMs] = [Number(options.pairs), Number(options.wait) * 1000];
const work = scratchDir("radar");
const home = join(work, "home");
Object.assign(process.env, { HOME: home, POMMEL_HOME: join(work, "pommel") });
mkdirSync(home);
const git = (dir: string, ...args: string[]) =>
  execFileSync("git", ["-C", dir, "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });

/** The checkouts of one repository, and what happens in them. */
interface Ground {
  name: string;
  main: string;
  worktree: string;
  clone: string;
  functions: PlainFunction[];
}

function prepare(source: string): Ground {
  const name = basename(source);
  const [main, worktree, clone] = ["main", "fix-42", "clone"].map((one) => join(work, name, one)) as [
    string,
    string,
    string,
  ];
  git(work, "clone", "--quiet", "--depth", "1", `file://${source}`, main);
  git(main, "remote", "set-url", "origin", `https://git.example.test/${name}.git`);
  git(main, "worktree", "add", "--quiet", "-b", "fix-42", worktree);
  git(work, "clone", "--quiet", main, clone);
  git(clone, "remote", "set-url", "origin", `https://git.example.test/${name}.git`);
  for (const root of [main, worktree, clone]) runPm(root, "init", "--yes", "--no-hooks", "--no-import");
  for (const root of [main, worktree, clone]) runPm(root, "start", "--wait");
  return { name, main, worktree, clone, functions: listPlainFunctions(main) };
}

/** A model thinks for some seconds at the least between reading a file and editing it. Milliseconds. */
const thinkMs = 3000;

let count = 0;
const replace = (path: string, old_string: string, new_string: string): Edit => ({
  path,
  input: { old_string, new_string },
});

/** Ways in which an agent changes a function. */
const changes = {
  renames: ({ path, body }: PlainFunction, at: number): Edit =>
    replace(path, body[at % body.length]!, renameIn(body[at % body.length]!)),
  inserts: ({ path, header, body, style }: PlainFunction): Edit => {
    const indent = /^\s*/.exec(body[0]!)![0];
    return replace(path, header, `${header}\n${indent}${style.statement(++count)}`);
  },
  extends: ({ path, header, parameters, style }: PlainFunction): Edit =>
    replace(path, header, header.replace(`(${parameters})`, `(${style.parameter(parameters, ++count)})`)),
  comments: ({ path, body, style }: PlainFunction, at: number): Edit => {
    const line = body[at % body.length]!;
    const indent = /^\s*/.exec(line)![0];
    return replace(path, line, `${indent}${style.comment} Scripted ${++count}.\n${line}`);
  },
  spaces: ({ path, body }: PlainFunction, at: number): Edit =>
    replace(path, body[at % body.length]!, `\n${body[at % body.length]!}  `),
};

/** The whole file with an edit made. */
function asWrite(root: string, { path, input }: Edit): Edit {
  if ("content" in input) return { path, input };
  const text = readFileSync(join(root, path), "utf8");
  return { path, input: { content: text.replace(input.old_string, () => input.new_string) } };
}

interface Script {
  /** What one agent does, and the other one right after it. */
  first: Edit;
  second: Edit;
  /** The other one is in a clone, not in a worktree. */
  inClone?: boolean;
  /** What happens before the other one edits. */
  between?: (ground: Ground, first: ScriptedAgent) => unknown;
}

/** null: no such function is there. */
type Write = (ground: Ground, at: number) => Script | null;

const pick = (ground: Ground, at: number): PlainFunction =>
  ground.functions[(at * 7919) % ground.functions.length]!;
const other = (
  ground: Ground,
  one: PlainFunction,
  isWanted: (f: PlainFunction) => boolean,
): PlainFunction | undefined => ground.functions.find((f) => f !== one && isWanted(f));
const callsOf = (name: string) => new RegExp(`(?<![\\w.])(?:self\\.|this\\.)?${name}\\(`);

/** A function that calls another one, whose name nobody else has. */
function pickCall(ground: Ground, at: number): { called: PlainFunction; caller: PlainFunction } | null {
  const calls = ground.functions.flatMap((called) => {
    if (ground.functions.filter(({ name }) => name === called.name).length > 1) return [];
    const caller = other(
      ground,
      called,
      (f) => callsOf(called.name).test(f.text) && !f.text.includes(called.header),
    );
    return caller === undefined || called.text.includes(caller.header) ? [] : [{ called, caller }];
  });
  return calls[at % calls.length] ?? null;
}

const meeting: Readonly<Record<string, Write>> = {
  "the same function, two worktrees": (ground, at) => {
    const one = pick(ground, at);
    return { first: changes.inserts(one), second: changes.renames(one, at) };
  },
  "the same function, two clones": (ground, at) => {
    const one = pick(ground, at + 1);
    return { first: changes.renames(one, 0), second: changes.renames(one, at + 1), inClone: true };
  },
  "the same function, the whole file written": (ground, at) => {
    const one = pick(ground, at + 2);
    return { first: changes.renames(one, at), second: asWrite(ground.worktree, changes.inserts(one)) };
  },
  "its signature changed": (ground, at) => {
    const one = pick(ground, at + 3);
    return { first: changes.extends(one), second: changes.renames(one, at) };
  },
  "a caller of one whose signature changed": (ground, at) => {
    const call = pickCall(ground, at);
    return (
      call && {
        first: changes.extends(call.called),
        second: changes.renames(call.caller, at),
        inClone: at % 2 === 1,
      }
    );
  },
};

const apart: Readonly<Record<string, Write>> = {
  "another function of the file": (ground, at) => {
    const one = pick(ground, at);
    const apart = other(
      ground,
      one,
      (f) => f.path === one.path && !one.text.includes(f.header) && !f.text.includes(one.header),
    );
    return apart === undefined
      ? null
      : { first: changes.renames(one, at), second: changes.renames(apart, at), inClone: at % 2 === 1 };
  },
  "only comments or layout changed by the first": (ground, at) => {
    const one = pick(ground, at + 1);
    return {
      first: at % 2 ? changes.comments(one, at) : changes.spaces(one, at),
      second: changes.renames(one, at),
    };
  },
  "only comments or layout changed by the second": (ground, at) => {
    const one = pick(ground, at + 2);
    return {
      first: changes.renames(one, at),
      second: at % 2 ? changes.comments(one, at) : changes.spaces(one, at),
    };
  },
  "a function of that name in another file": (ground, at) => {
    const named = ground.functions.filter(
      (f) => other(ground, f, (g) => g.name === f.name && g.path !== f.path) !== undefined,
    );
    const one = named[at % named.length];
    const same = one && other(ground, one, (g) => g.name === one.name && g.path !== one.path);
    return same === undefined ? null : { first: changes.inserts(one!), second: changes.renames(same, at) };
  },
  "committed and merged": (ground, at) => {
    const one = pick(ground, at + 3);
    return {
      first: changes.renames(one, at),
      second: changes.inserts(one),
      between: ({ main, worktree }) => {
        git(main, "commit", "--quiet", "--all", "--message", "Change");
        git(worktree, "merge", "--quiet", "--ff-only", git(main, "rev-parse", "HEAD").trim());
      },
    };
  },
  "the session has ended": (ground, at) => {
    const one = pick(ground, at + 4);
    return {
      first: changes.inserts(one),
      second: changes.renames(one, at),
      between: (_, first) => first.end(),
    };
  },
  "taken back": (ground, at) => {
    const one = pick(ground, at + 5);
    return {
      first: changes.inserts(one),
      second: changes.renames(one, at),
      between: ({ main }) => git(main, "checkout", "--quiet", "--", "."),
    };
  },
  "a caller of one whose body changed": (ground, at) => {
    const call = pickCall(ground, at);
    return call && { first: changes.inserts(call.called), second: changes.renames(call.caller, at) };
  },
};

interface Outcome {
  kind: string;
  said: string;
  /** The radar said that they meet. */
  isTold: boolean;
  /** Until what was written was ready for the other one; null: it never was. */
  readyMs: number | null;
}

/** The radar names the session in brackets. */
const radarSentence = /Another session \[[0-9a-f]{8}\]/;

/** Runs a pair. */
async function run(ground: Ground, kind: string, script: Script): Promise<Outcome> {
  const root = script.inClone ? ground.clone : ground.worktree;
  const [first, second] = [new ScriptedAgent(ground.main, home), new ScriptedAgent(root, home)];
  const bases = [ground.main, ground.worktree, ground.clone].map(
    (dir) => [dir, git(dir, "rev-parse", "HEAD").trim()] as const,
  );
  await first.start();
  await second.start();
  first.read(script.first.path);
  second.read(script.second.path);
  await sleep(thinkMs);
  let readiness: Promise<number | null> = Promise.resolve(null);
  const { writtenAt } = await first.edit(script.first, (at) => {
    readiness = timeReadiness(root, first.session, at);
  });
  await script.between?.(ground, first);
  const from = script.between === undefined ? writtenAt : performance.now();
  await sleep(Math.max(0, from + waitMs - performance.now()));
  const readyMs = await readiness;
  const { before, after } = await second.edit(script.second);
  await Promise.all([first.end(), second.end()]);
  for (const [dir, base] of bases) git(dir, "reset", "--quiet", "--hard", base);
  return { kind, said: before + after, isTold: radarSentence.test(before + after), readyMs };
}

/** How long after a write hooks in a checkout can tell of it; null: not within the wait. */
async function timeReadiness(root: string, session: string, writtenAt: number): Promise<number | null> {
  while (performance.now() - writtenAt < waitMs) {
    if (isReady(root, session)) return performance.now() - writtenAt;
    await sleep(20);
  }
  return null;
}

/** Whether hooks in a checkout could tell of a session. */
function isReady(root: string, session: string): boolean {
  const dir = join(work, "pommel/cache/context");
  const names = existsSync(dir) ? readdirSync(dir) : [];
  return names
    .filter((name) => name.endsWith(".radar.json"))
    .map((name) => readFileSync(join(dir, name), "utf8"))
    .some((text) => text.includes(JSON.stringify(root)) && text.includes(session));
}

/** Pairs of both sorts of one repository, one after the other: they share its checkouts. */
async function runAll(ground: Ground): Promise<void> {
  const next = (kinds: Readonly<Record<string, Write>>) => {
    const names = Object.keys(kinds);
    let at = 0;
    return () => {
      for (const last = at + 4 * names.length; at < last; ) {
        const kind = names[at % names.length]!;
        const script = kinds[kind]!(ground, Math.floor(at++ / names.length));
        if (script !== null) return { kind, script };
      }
      return null;
    };
  };
  const [nextMeeting, nextApart] = [next(meeting), next(apart)];
  for (let done = 0; done < 3 * pairs && performance.now() < until; done++) {
    const [outcomes, pair] = done % 3 === 0 ? [met, nextMeeting()] : [parted, nextApart()];
    if (pair === null) continue;
    const outcome = await run(ground, pair.kind, pair.script);
    outcomes.push(outcome);
    if (options.verbose)
      console.error(ground.name, pair.kind, JSON.stringify(pair.script), outcome.readyMs, outcome.said);
  }
}

writeFileSync(join(home, ".gitconfig"), "[maintenance]\n\tauto = false\n");
mkdirSync(join(work, "first"));
git(join(work, "first"), "init", "--quiet");
runPm(join(work, "first"), "config", "set", "--global", "radar.warn", "true");
const sources = readdirSync(resolve(options.repositories), { withFileTypes: true }).filter((entry) =>
  entry.isDirectory(),
);
const grounds = sources.map(({ name }) => prepare(join(resolve(options.repositories!), name)));
for (const { name, functions } of grounds) console.error(`${name}: ${functions.length} functions`);
runPm(grounds[0]!.main, "start", "--wait");
/** Programs that wanted a processor at once, as the system counts them each minute. */
const loads: number[] = [];
const measuring = setInterval(() => loads.push(loadavg()[0]!), 10_000).unref();
const beside: ChildProcess[] = [];
for (let i = 0; i < Number(options.loops); i++)
  beside.push(spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
const met: Outcome[] = [];
const parted: Outcome[] = [];
const until = performance.now() + Number(options.minutes) * 60_000;
try {
  await Promise.all(grounds.map(runAll));
} finally {
  for (const one of beside) one.kill();
  clearInterval(measuring);
  runPm(grounds[0]!.main, "stop");
}

const [lowest, highest] = [Math.min(...loads), Math.max(...loads)];
console.log(`load ${lowest.toFixed(0)} to ${highest.toFixed(0)} on ${availableParallelism()} processors\n`);
const share = (part: number, all: number) => (all === 0 ? "-" : (part / all).toFixed(2));
const told = (outcomes: readonly Outcome[]) => outcomes.filter(({ isTold }) => isTold).length;
const rowOf = (kind: string, outcomes: readonly Outcome[]) => {
  const own = outcomes.filter((one) => one.kind === kind);
  return [kind, `${own.length}`, `${told(own)}`];
};
printTable(
  ["pairs that meet", "pairs", "told"],
  Object.keys(meeting).map((kind) => rowOf(kind, met)),
  options,
);
const times = met.flatMap(({ readyMs }) => readyMs ?? []);
console.log(
  `\ntold: ${told(met)} of ${met.length}, ${share(told(met), met.length)}; ready after ${percentile(times, 50).toFixed(0)} ms (p50), ${percentile(times, 95).toFixed(0)} ms (p95)\n`,
);
printTable(
  ["pairs that do not", "pairs", "told"],
  Object.keys(apart).map((kind) => rowOf(kind, parted)),
  options,
);
console.log(`\ntold: ${told(parted)} of ${parted.length}, ${share(told(parted), parted.length)}`);
