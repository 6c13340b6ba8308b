import { stripFormatting } from "../../src/attribution/lines/line-keys.ts";
import type { AttributionBasis } from "../../src/protocol/values.ts";
import type { AttributionRecord, Binding } from "../../src/store/memory/memory-records.ts";
import { languageOf } from "./code.ts";
import type { KnownCommit } from "./history.ts";
import type { Keeper } from "./keeper.ts";
import type { Line, Owner, Tree } from "./lines.ts";
import { git, type World } from "./world.ts";

/** A line that a commit added, its real author, and the attributed one. */
export interface Judged {
  commit: string;
  path: string;
  line: number;
  text: string;
  truth: Owner;
  /** null: no attribution. */
  verdict: AttributionRecord | null;
  /** Unknown, and said to be from before agents. */
  isBefore: boolean;
  language: string;
  /** What made the line, and what happened to the commit. */
  tags: string[];
  around: string[];
}

export interface JudgedBindings {
  commit: string;
  bound: Binding[];
  /** Sessions that wrote lines for it. */
  wrote: Set<string>;
  /** Those, and sessions that wrote lines before that were moved, that removed lines, or that made the commit. */
  hadPart: Set<string>;
}

/** Judges everything that is still part of the history. */
export function judge(world: World, keeper: Keeper): { lines: Judged[]; bindings: JudgedBindings[] } {
  const lines: Judged[] = [];
  const bindings: JudgedBindings[] = [];
  const reachable = git(world, world.main, ["rev-list", "--branches"]).trim().split("\n");
  for (const hash of reachable) {
    const commit = world.history.commits.get(hash);
    if (!commit) continue;
    const added = addedLines(world, commit);
    const truths = truthsOf(world, commit, added);
    lines.push(
      ...judgeCommit(commit, truths, keeper.rangesOf(hash), (basis) => keeper.isBeforeAgents(hash, basis)),
    );
    bindings.push(judgeBindings(world, commit, truths, keeper.bindingsOf(hash) ?? []));
  }
  return { lines, bindings };
}

type Added = Map<string, { oldPath: string | null; numbers: Set<number> }>;

/** As git reports it; for a merge, what no parent has. */
function addedLines(world: World, { hash, parents }: KnownCommit): Added {
  const isMerge = parents.length > 1;
  const how = isMerge ? ["-c", "-M"] : ["-M", "--root"];
  const patch = git(world, world.main, [
    "diff-tree",
    "-p",
    "-U0",
    "-r",
    "--no-color",
    "--no-commit-id",
    ...how,
    hash,
  ]);
  const added: Added = new Map();
  let numbers = new Set<number>();
  let oldPath: string | null = null;
  let at = 0;
  for (const line of patch.split("\n")) {
    if (line.startsWith("--- "))
      oldPath = line.startsWith("--- a/") ? line.slice(6).replace(/\t$/, "") : null;
    else if (line.startsWith("+++ ")) {
      numbers = new Set();
      if (line.startsWith("+++ b/")) added.set(line.slice(6).replace(/\t$/, ""), { oldPath, numbers });
    } else if (line.startsWith("@@")) at = Number(/\+(\d+)/.exec(line)![1]);
    else if (at > 0 && isMerge && /^[+ ]{2}/.test(line)) {
      if (line.startsWith("++")) numbers.add(at);
      at++;
    } else if (at > 0 && !isMerge && line.startsWith("+")) numbers.add(at++);
    else if (line.startsWith("diff ")) at = 0;
  }
  return added;
}

/** What becomes of lines without anybody writing them. */
const unwritten = new Set([
  "split",
  "join",
  "pasted by a human",
  "copied by an agent",
  "saved again by Jupyter",
]);

interface Truth {
  path: string;
  number: number;
  line: Line;
  owner: Owner;
  /** It was written for this commit, not moved or formatted. */
  isFresh: boolean;
}

/**
 * Who wrote each line that git reports as added. Among equal lines git may report another than the new one; the line is
 * then judged as the new one, because the two cannot be distinguished.
 */
function truthsOf({ history }: World, commit: KnownCommit, added: Added): Truth[] {
  const ids = new Map<number, string>();
  for (const parent of commit.parents) {
    for (const lines of history.tree(parent).values()) for (const { id, text } of lines) ids.set(id, text);
  }
  const truths: Truth[] = [];
  for (const [path, { numbers }] of added) {
    const lines = commit.tree.get(path) ?? [];
    const spare = lines.flatMap((line, i) => (!numbers.has(i + 1) && !ids.has(line.id) ? [i] : []));
    for (const number of [...numbers].sort((a, b) => a - b)) {
      const line = lines[number - 1];
      if (!line) continue;
      let { owner } = line;
      if (ids.get(line.id) === line.text) {
        const bare = stripFormatting(line.text);
        const near = spare
          .filter((i) => stripFormatting(lines[i]!.text) === bare)
          .sort((a, b) => Math.abs(a - number + 1) - Math.abs(b - number + 1))[0];
        if (near !== undefined) {
          owner = lines[near]!.owner;
          spare.splice(spare.indexOf(near), 1);
        }
      }
      truths.push({ path, number, line, owner, isFresh: !ids.has(line.id) && !unwritten.has(line.via) });
    }
  }
  return truths;
}

function judgeCommit(
  commit: KnownCommit,
  truths: readonly Truth[],
  ranges: readonly AttributionRecord[],
  isBeforeAgents: (basis: AttributionBasis | null) => boolean,
): Judged[] {
  const verdicts = new Map<string, AttributionRecord>();
  for (const range of ranges) {
    for (let line = range.firstLine; line <= range.lastLine; line++)
      verdicts.set(`${line} ${range.path}`, range);
  }
  return truths.flatMap(({ path, number, line, owner }) => {
    if (line.isMixed) return [];
    const kind = /^\W*$/.test(line.text) ? (line.text.trim() === "" ? "blank" : "punctuation") : "worded";
    const verdict = verdicts.get(`${number} ${path}`) ?? null;
    return {
      commit: commit.hash,
      path,
      line: number,
      text: line.text,
      truth: owner,
      verdict,
      isBefore: (verdict?.author ?? "unknown") === "unknown" && isBeforeAgents(verdict?.basis ?? null),
      language: languageOf(path).name,
      tags: [
        `line: ${line.via}`,
        `kind: ${kind}`,
        ...(commit.how.size === 0 ? ["commit: plain"] : [...commit.how].map((how) => `commit: ${how}`)),
        `author: ${commit.by === null ? "human" : "agent"}`,
      ],
      around: contextOf(commit.tree, path, number),
    };
  });
}

function contextOf(tree: Tree, path: string, number: number): string[] {
  return (tree.get(path) ?? [])
    .slice(Math.max(0, number - 3), number + 2)
    .map(
      ({ text, owner }, i) =>
        `${i === Math.min(2, number - 1) ? ">" : " "} ${nameOf(owner).padEnd(14)} ${text}`,
    );
}

export function nameOf(owner: Owner): string {
  return owner.kind === "agent" ? `agent ${owner.session.slice(0, 4)}:${owner.turn}` : owner.kind;
}

function judgeBindings(
  { history, removers, sessions }: World,
  commit: KnownCommit,
  truths: readonly Truth[],
  bound: Binding[],
): JudgedBindings {
  const wrote = new Set<string>();
  const hadPart = new Set<string>();
  for (const { owner, line, isFresh } of truths) {
    if (owner.kind !== "agent") continue;
    hadPart.add(owner.parent ?? owner.session);
    if (isFresh && line.text.trim() !== "") wrote.add(owner.parent ?? owner.session);
  }
  if (commit.by !== null) hadPart.add(commit.by);
  const here = new Set([...commit.tree.values()].flat().map(({ id }) => id));
  for (const parent of commit.parents) {
    for (const { id } of [...history.tree(parent).values()].flat()) {
      const remover = removers.get(id);
      const session = here.has(id) ? undefined : sessions.find(({ uid }) => uid === remover);
      if (session) hadPart.add(session.parent?.uid ?? session.uid);
    }
  }
  return { commit: commit.hash, bound, wrote, hadPart };
}
