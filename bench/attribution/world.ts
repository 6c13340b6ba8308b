import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { computeLineKey, plainLines } from "../../src/attribution/lines/line-keys.ts";
import type { AgentSession } from "./agent.ts";
import type { History } from "./history.ts";
import type { Keeper } from "./keeper.ts";
import { type Line, type Tree, textsOf } from "./lines.ts";
import type { Random } from "./random.ts";
import type { Habits, Seconds } from "./situations/habits.ts";

/** How files end their lines: in the working tree alone, or in the repository as well. */
export type LineEnds = "lf" | "autocrlf" | "crlf";

/** A working tree and its content. */
export interface Checkout {
  dir: string;
  files: Map<string, readonly Line[]>;
  /** When each was written last. */
  mtimes: Map<string, number>;
  /** Whether the daemon watches it. */
  isWatched: boolean;
}

/** One repository with everybody who works in it. */
export interface World {
  random: Random;
  /** Milliseconds since the epoch. Never decreases. */
  now: number;
  scratch: string;
  ends: LineEnds;
  habits: Habits;
  main: Checkout;
  sessions: AgentSession[];
  history: History;
  /** The keepers of a memory. None before Pommel is installed. */
  keepers: Keeper[];
  /** No daemon runs until then. */
  downUntil: number;
  /** Hooks of other tools run, after a call and before its result is written. */
  duringHooks(session: AgentSession, seconds: Seconds): Promise<void> | void;
  /** Who took a line out, by its id. */
  removers: Map<number, string>;
  /** Lines of agents that somebody removed. */
  removed: { path: string; lines: readonly Line[] }[];
  /** What happened, in order. */
  story: string[];
}

export function tell(world: World, what: string): void {
  world.story.push(`${new Date(world.now).toISOString().slice(5, 19)} ${what}`);
}

/** Time passes. Seconds. */
export function pass(world: World, from: number, to: number): void {
  world.now += world.random.int(from * 1000, to * 1000);
}

/** Runs git as the user, or the agent, would at this time. */
export function git(
  world: World,
  { dir }: Pick<Checkout, "dir">,
  args: readonly string[],
  {
    input,
    mayFail = false,
    env = {},
  }: { input?: string | Buffer; mayFail?: boolean; env?: NodeJS.ProcessEnv } = {},
): string {
  const date = `@${Math.floor(world.now / 1000)} +0000`;
  const { stdout, stderr, status } = spawnSync("git", args, {
    cwd: dir,
    input,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: process.env.PATH,
      HOME: world.scratch,
      LC_ALL: "C",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Dev",
      GIT_AUTHOR_EMAIL: "dev@example.com",
      GIT_COMMITTER_NAME: "Dev",
      GIT_COMMITTER_EMAIL: "dev@example.com",
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
      GIT_EDITOR: "true",
      GIT_MERGE_AUTOEDIT: "no",
      ...env,
    },
  });
  if (status !== 0 && !mayFail) throw new Error(`git ${args.join(" ")}: ${stderr}${stdout}`);
  return status === 0 ? stdout : `${stdout}${stderr}`;
}

/** The content of a file in the working tree. */
export function contentOf(world: World, lines: readonly Line[]): string {
  const end = world.ends === "lf" ? "\n" : "\r\n";
  return textsOf(lines)
    .map((text) => text + end)
    .join("");
}

/** The content of a file as git stores it. */
export function blobOf(world: World, lines: readonly Line[]): string {
  const end = world.ends === "crlf" ? "\r\n" : "\n";
  return textsOf(lines)
    .map((text) => text + end)
    .join("");
}

export interface SaveOptions {
  /** Who does it, for the lines that go: a session, or "human". */
  by: string;
  /** Another save follows before the watcher looks. */
  isFollowed?: boolean;
  /** The file's time, where it is not now. */
  mtime?: number;
}

/** Writes files as a program does, now; null removes one. */
export function save(
  world: World,
  checkout: Checkout,
  path: string,
  lines: readonly Line[] | null,
  { by, isFollowed = false, mtime = world.now }: SaveOptions,
): void {
  const before = checkout.files.get(path) ?? [];
  const kept = new Set(lines?.map(({ id }) => id));
  const gone = before.filter(({ id }) => !kept.has(id));
  for (const { id } of gone) world.removers.set(id, by);
  const wereAgents = gone.filter(({ owner }) => owner.kind === "agent");
  if (wereAgents.length > 0) world.removed.push({ path, lines: wereAgents });
  const file = join(checkout.dir, path);
  if (lines === null) {
    checkout.files.delete(path);
    rmSync(file);
    return;
  }
  checkout.files.set(path, lines);
  checkout.mtimes.set(path, Math.floor(mtime));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, contentOf(world, lines));
  if (!isFollowed) look(world, checkout);
}

/** The watcher sees what changed since it last looked. */
function look(world: World, checkout: Checkout): void {
  for (const keeper of world.keepers) keeper.look(checkout);
}

/** git has put other files there. */
export function reload(world: World, checkout: Checkout, tree: Tree): void {
  for (const [path, lines] of tree) {
    if (checkout.files.get(path) !== lines) checkout.mtimes.set(path, Math.floor(world.now));
  }
  checkout.files = new Map(tree);
  look(world, checkout);
}

/** Keys in a version of a file that the previous one did not have. */
export function newKeys(path: string, before: readonly Line[], after: readonly Line[]): number[] {
  const keysOf = (lines: readonly Line[]) => plainLines(path, textsOf(lines)).map(keyOf);
  const counts = new Map<number, number>();
  for (const key of keysOf(before)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const keys: number[] = [];
  for (const key of keysOf(after)) {
    const left = counts.get(key) ?? 0;
    if (left > 0) counts.set(key, left - 1);
    else if (key !== 0) keys.push(key);
  }
  return keys;
}

const keys = new Map<string, number>();

function keyOf(line: string): number {
  let key = keys.get(line);
  if (key === undefined) {
    key = computeLineKey(line);
    keys.set(line, key);
  }
  return key;
}
