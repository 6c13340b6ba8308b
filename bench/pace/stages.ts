/**
 * Which stage of the work takes the time of each thread, by V8's profiles of a build that is not minified. They count time by the
 * clock: what waits for a lock within SQLite counts as work.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Microseconds. */
const sampleEveryUs = 500;

/** What V8 does by itself, by the name that its profiles have for it. */
const ofV8 = new Map([
  ["(garbage collector)", "collecting garbage"],
  ["(program)", "outside JavaScript"],
  ["(root)", "outside JavaScript"],
]);
/** Node's functions that read and compile modules; what modules do when they are loaded counts as theirs. */
const loadsModules = /^(?:wrapSafe|compileForInternalLoader|compileSourceTextModule|internalBinding)$/;
/** Calls into tree-sitter, by the name of its function. */
const ofTreeSitter = new Map([
  ["Query", "compiling queries"],
  ["parse", "parsing"],
  ["matches", "running queries"],
  ["load", "loading grammars"],
]);
/** Rooms that help others: their time is that of whoever called them. */
const helpers = /^(?:base\/|store\/sqlite\/)/;
/** Parts of a path that name a stage: `code/chunk`, `store/index`. */
const stageDepth = 2;

/** The threads by the file that each starts with. */
const threadsByFile = new Map([
  ["parse-worker", "pm-parse"],
  ["index-worker", "pm-index"],
  ["job-thread", "pm-sessions"],
  ["care-worker", "pm-care"],
]);

interface Profile {
  nodes: ProfileNode[];
  samples: number[];
  /** Microseconds. */
  timeDeltas: number[];
}

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: number[];
}

/** By thread: how its time is divided between stages, in seconds of the clock. */
export type Stages = Map<string, Map<string, number>>;

/** A copy of a build whose functions have names, and say which source file they are from. */
export function buildReadable(program: string, at: string): string {
  for (const name of ["bin", "models", "package.json"])
    cpSync(join(program, name), join(at, name), { recursive: true });
  mkdirSync(join(at, "dist"));
  for (const name of readdirSync(join(program, "dist"))) {
    const isCode = [".cjs", ".mjs", ".js"].includes(extname(name));
    if (!isCode) cpSync(join(program, "dist", name), join(at, "dist", name), { recursive: true });
  }
  if (existsSync(join(program, "node_modules")))
    symlinkSync(join(program, "node_modules"), join(at, "node_modules"));
  const bundle = [
    "tsdown",
    "--no-minify",
    "--no-clean",
    "--logLevel",
    "error",
    "--out-dir",
    join(at, "dist"),
  ];
  execFileSync("npx", bundle, { cwd: program, stdio: ["ignore", "ignore", "inherit"] });
  return at;
}

/** Starts the daemon of a readable build, which writes the profiles of all its threads when it ends. */
export function startProfiled(program: string, profiles: string): ChildProcess {
  const flags = ["--cpu-prof", `--cpu-prof-dir=${profiles}`, `--cpu-prof-interval=${sampleEveryUs}`];
  const args = [...flags, join(program, "dist/pommeld.cjs"), "--foreground"];
  return spawn(process.execPath, args, { stdio: "ignore" });
}

/** Threads of one kind count together. */
export function readStages(profiles: string): Stages {
  const stages: Stages = new Map();
  const sources = new SourceFiles();
  for (const name of readdirSync(profiles)) {
    const profile = JSON.parse(readFileSync(join(profiles, name), "utf8")) as Profile;
    const thread = nameThreadOf(profile);
    const sums = stages.get(thread) ?? new Map<string, number>();
    stages.set(thread, sums);
    for (const [stage, seconds] of sumStages(profile, sources))
      sums.set(stage, (sums.get(stage) ?? 0) + seconds);
  }
  return stages;
}

function nameThreadOf({ nodes }: Profile): string {
  for (const { callFrame } of nodes) {
    const thread = threadsByFile.get(basename(callFrame.url).replace(/\.[cm]js$/, ""));
    if (thread !== undefined) return thread;
  }
  return "main";
}

function sumStages({ nodes, samples, timeDeltas }: Profile, sources: SourceFiles): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const known = new Map<number, string | null>();
  const sums = new Map<string, number>();
  for (const [i, sample] of samples.entries()) {
    let stage = known.get(sample);
    if (stage === undefined) {
      const frames: ProfileNode["callFrame"][] = [];
      for (let id: number | undefined = sample; id !== undefined; id = parents.get(id))
        frames.push(byId.get(id)!.callFrame);
      stage = nameStage(frames, sources);
      known.set(sample, stage);
    }
    if (stage !== null) sums.set(stage, (sums.get(stage) ?? 0) + timeDeltas[i]! / 1e6);
  }
  return sums;
}

/** @param frames the innermost first; @returns null for a thread that waits */
function nameStage(frames: readonly ProfileNode["callFrame"][], sources: SourceFiles): string | null {
  const [{ functionName }] = frames as [ProfileNode["callFrame"]];
  if (functionName === "(idle)") return null;
  const own = ofV8.get(functionName);
  if (own !== undefined) return own;
  let helper: string | null = null;
  for (const frame of frames) {
    if (loadsModules.test(frame.functionName)) return "loading modules";
    const file = sources.find(frame);
    if (file === null) continue;
    // A file's own code, outside of its functions.
    if (frame.functionName === "" && frame.lineNumber <= 0) return "loading modules";
    const call = file.includes("web-tree-sitter") ? ofTreeSitter.get(frame.functionName) : undefined;
    if (call !== undefined) return call;
    if (!file.startsWith("src/")) continue;
    const path = file.slice("src/".length);
    const stage = path.split("/").slice(0, -1).slice(0, stageDepth).join("/");
    if (!helpers.test(path)) return stage;
    helper ??= stage;
  }
  return helper ?? "node itself";
}

/** Bundles name the source files of which they consist. */
class SourceFiles {
  private readonly byBundle = new Map<string, (string | null)[]>();

  /** The file that a function is from; null where that is none of a bundle's. */
  find({ url, lineNumber }: ProfileNode["callFrame"]): string | null {
    if (!url.startsWith("file:") && !url.startsWith("/")) return null;
    const path = url.startsWith("file:") ? fileURLToPath(url) : url;
    let lines = this.byBundle.get(path);
    if (lines === undefined) {
      lines = existsSync(path) ? this.read(path) : [];
      this.byBundle.set(path, lines);
    }
    return lineNumber <= 0 ? path : (lines[lineNumber] ?? null);
  }

  private read(path: string): (string | null)[] {
    const open: string[] = [];
    return readFileSync(path, "utf8")
      .split("\n")
      .map((line) => {
        const begun = /^\s*\/\/#region (.+)/.exec(line)?.[1];
        if (begun !== undefined) open.push(begun);
        const file = open.at(-1) ?? null;
        if (/^\s*\/\/#endregion/.test(line)) open.pop();
        return file;
      });
  }
}
