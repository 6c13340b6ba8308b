import { writeAuthorshipLog } from "../../attribution/foreign/git-ai.ts";
import type { AttributedLines } from "../../attribution/foreign/types.ts";
import type { CommitInfo } from "../../git/diff/changes-types.ts";
import { patchIdsOf } from "../../git/diff/patch-id.ts";
import { gitTextIfAny } from "../../git/git.ts";
import { readCommits } from "../../git/history/commits.ts";
import { commitNamed, commonAncestor } from "../../git/history/history.ts";
import { PommelError } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { version } from "../../project/version.ts";
import { type GitAiExport, writeLogs } from "./export-git-ai.ts";
import { type AuthoredLine, type AuthoredLines, authorsCarried, authorsOfAdded } from "./line-authors.ts";

export interface CiRequest {
  /** `base..head`; null: what the environment names (`defaultRange`). */
  range: string | null;
  /** The commit that a merge on the server made of the range; null: nothing to carry. */
  mergedAs: string | null;
  /** Write no notes. */
  dryRun: boolean;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
}

/** Numbers of lines. */
export interface Authored {
  lines: number;
  agent: number;
  human: number;
  unknown: number;
}

export interface CiReport {
  /** Hashes; base is where the two histories parted. */
  base: string;
  head: string;
  total: Authored;
  /** The most lines first; null: an agent, but nobody says which. */
  agents: { agent: string | null; models: string[]; lines: number }[];
  files: ({ path: string } & Authored)[];
  /** The commits that added the lines, by where their attribution was found. */
  commits: AuthoredLines["commits"];
  /** null: nothing was to be carried. */
  carried: (GitAiExport & { onto: string[] }) | null;
  notes: string[];
}

/**
 * Who wrote the lines that a range of commits added, and carries it to the commits that a merge on the server made of them.
 * Needs a checkout with the commits, and the shared memory's branch or notes; no daemon or memory.
 * @throws PommelError `usage` without a repository or range, `not_found` for revisions that git does not have
 */
export async function attributionForCi(
  project: Project,
  { range, mergedAs, dryRun, env = process.env, signal }: CiRequest,
): Promise<CiReport> {
  const { root } = project;
  const top = await gitTextIfAny(root, ["rev-parse", "--show-toplevel"], signal);
  if (top === null || top === "")
    throw new PommelError("usage", `${root} is not in a git repository.`, "Run it in a checkout.");
  const { base, head } = await endsOf(top, range ?? (await defaultRange(top, env)));
  const authored = await authorsOfAdded(project, top, { from: base, to: head }, signal);
  const notes = [...authored.notes];
  const carried =
    mergedAs === null
      ? null
      : await carry({ project, top, base, head, signal }, mergedAs, dryRun, (note) => notes.push(note));
  return { base, head, ...summed(authored.lines), commits: authored.commits, carried, notes };
}

/** Where CI services name the branch that a change is to go to. */
const targetVariables = ["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CHANGE_TARGET"];

async function defaultRange(top: string, env: NodeJS.ProcessEnv): Promise<string> {
  const target = targetVariables.map((name) => env[name]).find((name) => name);
  const base = `origin/${target ?? "HEAD"}`;
  if ((await commitNamed(top, base)) !== null) return `${base}..HEAD`;
  throw new PommelError(
    "usage",
    `There is no ${base} to compare with.`,
    "Name the range: origin/main..HEAD.",
  );
}

async function endsOf(top: string, range: string): Promise<{ base: string; head: string }> {
  const [from, to, ...more] = range.split(/\.{2,3}/);
  if (from === undefined || to === undefined || more.length > 0)
    throw new PommelError("usage", `${range} is no range.`, "Name one with both ends: origin/main..HEAD.");
  const [start, head] = [await hashOf(top, from || "HEAD"), await hashOf(top, to || "HEAD")];
  const base = await commonAncestor(top, start, head);
  if (base !== null) return { base, head };
  throw new PommelError(
    "not_found",
    `git knows no common ancestor of ${from} and ${to}.`,
    "A shallow clone lacks it: fetch the whole history (fetch-depth: 0).",
  );
}

async function hashOf(top: string, name: string): Promise<string> {
  const hash = name.startsWith("-") ? null : await commitNamed(top, name);
  if (hash !== null) return hash;
  throw new PommelError("not_found", `git knows no commit ${name}.`, "Fetch it first; see fetch-depth.");
}

function summed(lines: readonly AuthoredLine[]): Pick<CiReport, "total" | "agents" | "files"> {
  const none = () => ({ lines: 0, agent: 0, human: 0, unknown: 0 });
  const total = none();
  const files = new Map<string, Authored>();
  const agents = new Map<string | null, { lines: number; models: Set<string> }>();
  for (const { path, by } of lines) {
    const file = files.get(path) ?? none();
    files.set(path, file);
    for (const sum of [total, file]) {
      sum.lines++;
      sum[by?.author ?? "unknown"]++;
    }
    if (by?.author !== "agent") continue;
    const agent = agents.get(by.tool) ?? { lines: 0, models: new Set<string>() };
    agents.set(by.tool, agent);
    agent.lines++;
    if (by.model !== null) agent.models.add(by.model);
  }
  return {
    total,
    agents: [...agents]
      .map(([agent, { lines, models }]) => ({ agent, models: [...models], lines }))
      .sort((a, b) => b.lines - a.lines),
    files: [...files].map(([path, authored]) => ({ path, ...authored })),
  };
}

interface Place {
  project: Project;
  top: string;
  base: string;
  head: string;
  signal: AbortSignal | undefined;
}

async function carry(
  place: Place,
  mergedAs: string,
  dryRun: boolean,
  note: (text: string) => void,
): Promise<CiReport["carried"]> {
  const { project, top, signal } = place;
  const pairs = await counterparts(place, await hashOf(top, mergedAs));
  if (pairs.length === 0)
    note(`Nothing to carry: ${mergedAs} is a merge that keeps the commits, or one of them.`);
  const logs = new Map<string, string>();
  let unknown = 0;
  for (const { info, from } of pairs) {
    const { lines } = await authorsCarried(project, top, { from, to: info.hash }, signal);
    const person = `${info.author} <${info.authorEmail}>`.replace(/\s+/g, " ");
    const log = writeAuthorshipLog({ hash: info.hash, person, lines: lines.flatMap(asRange), version });
    if (log === null) unknown++;
    else logs.set(info.hash, log);
  }
  const written = await writeLogs(top, logs, { force: false, dryRun, unknown });
  return { ...written, onto: pairs.map(({ info }) => info.hash) };
}

const asRange = ({ path, line, by }: AuthoredLine): AttributedLines[] =>
  by === null ? [] : [{ ...by, path, first: line, last: line }];

/**
 * The commits that the server made, each with the one whose history says who wrote its lines. A rebase makes a copy with
 * the same patch of each commit, in their order; a squash makes one of all.
 */
async function counterparts(
  { top, base, head, signal }: Place,
  merged: string,
): Promise<{ info: CommitInfo; from: string }[]> {
  const originals: string[] = [];
  for await (const { hash } of readCommits(top, [`${base}..${head}`, "--no-merges"], { signal }))
    originals.push(hash);
  const made: CommitInfo[] = [];
  const revisions = [merged, "--first-parent"];
  for await (const info of readCommits(top, revisions, { limit: Math.max(originals.length, 1), signal }))
    made.push(info);
  const [last] = made;
  if (last === undefined || last.parents.length > 1 || originals.includes(merged)) return [];
  const patches = await patchIdsOf(top, [...originals, ...made.map(({ hash }) => hash)], signal);
  const byPatch = new Map(originals.map((hash) => [patches.get(hash), hash]));
  byPatch.delete(undefined);
  const copies: { info: CommitInfo; from: string }[] = [];
  for (const info of made) {
    const patch = patches.get(info.hash);
    const from = byPatch.get(patch);
    if (from === undefined || info.parents.length > 1 || originals.includes(info.hash)) break;
    byPatch.delete(patch);
    copies.push({ info, from });
  }
  return copies.length > 0 ? copies : [{ info: last, from: head }];
}
