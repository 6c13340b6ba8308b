import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { indexCommits } from "../../src/attribution/search/index-commits.ts";
import { type Config, makeDefaultConfig } from "../../src/base/config/settings.ts";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject, type Project } from "../../src/base/paths.ts";
import { createIgnoreRules } from "../../src/code/files/ignore.ts";
import { classifyPath, type PathRole } from "../../src/code/files/path-role.ts";
import { scanProject } from "../../src/code/files/scan.ts";
import { detectLanguage, findGrammar } from "../../src/code/languages/index.ts";
import { indexDriver } from "../../src/engines/drivers.ts";
import { extractCommitQuestion } from "../../src/features/models/evaluate/commit-pairs.ts";
import { type DocPair, mineDocPairs, withoutDocs } from "../../src/features/models/evaluate/doc-pairs.ts";
import { indexInFull } from "../../src/features/models/evaluate/index-in-full.ts";
import type { QuestionPair } from "../../src/features/models/evaluate/pairs.ts";
import { copySources, everything } from "../../src/features/models/evaluate/scratch-copy.ts";
import { listCommits } from "../../src/git/history/history.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import type { CodeIndex } from "../../src/store/index/port.ts";
import type { DocComment, FileStamp } from "../../src/store/index/records.ts";
import { half } from "../measure.ts";

/** A repository as it was before the commits that ask about it. */
interface Past {
  /** A checkout of that revision. */
  root: string;
  /** The later commits, for `git log`. */
  later: readonly string[];
}

/**
 * Checks out a repository as it was `back` commits before a revision, or at three fifths of a shorter history. The objects
 * stay in the clone.
 * @param clone bare or not
 */
function checkOutPast(clone: string, root: string, revision: string, back: number): Past {
  const git = (dir: string, ...args: string[]) =>
    execFileSync("git", ["-C", dir, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const commits = Number(git(clone, "rev-list", "--no-merges", "--count", revision));
  const after = Math.min(back, Math.floor(commits * 0.4));
  const base = git(clone, "rev-list", "--no-merges", `--skip=${after}`, "--max-count=1", revision);
  if (!existsSync(join(root, ".git"))) {
    rmSync(root, { recursive: true, force: true });
    git(clone, "clone", "--quiet", "--shared", "--no-checkout", ".", root);
    git(root, "checkout", "--quiet", "--detach", base);
  }
  return { root, later: [revision, `^${base}`] };
}

/** A commit that changed more source files than this has no one place. */
const maxFiles = 3;
/** Shorter subjects ask for nothing. Words. */
const minWords = 4;
/** What a change of a program is made in. */
const sources: ReadonlySet<PathRole> = new Set(["source", "barrel", "types"]);

/** Programs in languages that are cut by lines. */
const withoutGrammar = new Set(
  "clojure dart erlang fsharp groovy haskell julia objectivec ocaml perl powershell r vim zig".split(" "),
);

const isProgram = (path: string) => {
  const language = detectLanguage(path);
  return findGrammar(language) !== null || withoutGrammar.has(language);
};
const isSource = (path: string) => sources.has(classifyPath(path)) && isProgram(path);

/**
 * Subjects of later commits, with the source files that each changed, all of which were there before it; and those of commits that
 * changed none, but tests, documents or settings. Nobody words these questions, so nothing can be tuned to their wording.
 * @param files that were there
 */
async function laterCommits(
  { root, later }: Past,
  files: ReadonlySet<string>,
  count: number,
): Promise<{ commit: QuestionPair[]; other: QuestionPair[] }> {
  const found = { commit: new Map<string, QuestionPair>(), other: new Map<string, QuestionPair>() };
  for await (const { message, files: changed, ...commit } of listCommits(root, { revisions: later })) {
    const ofSources = changed.filter(isSource);
    const targets = ofSources.length > 0 ? ofSources : changed;
    if (targets.length > maxFiles || !targets.every((file) => files.has(file))) continue;
    const [subject = ""] = message.split("\n");
    const query = extractCommitQuestion({ ...commit, message: subject, files: changed });
    if (query === null || query.split(/\s+/).length < minWords) continue;
    const kind = ofSources.length > 0 ? found.commit : found.other;
    if (targets.length > 0) kind.set(query, { query, targets: targets.map((file) => ({ file })) });
  }
  return {
    commit: spread([...found.commit.values()], count),
    other: spread([...found.other.values()], count),
  };
}

/** So many of them, evenly spread. */
function spread<T>(all: readonly T[], count: number): T[] {
  const step = Math.max(1, all.length / count);
  return all.filter((_, i) => Math.floor(i / step) > Math.floor((i - 1) / step)).slice(0, count);
}

/** Documented functions and types, asked for by their comments, and a copy of the files at `copy` that lacks these. */
async function documented(
  { root }: Past,
  copy: string,
  {
    config,
    stamps,
    seed,
    count,
  }: { config: Config; stamps: readonly FileStamp[]; seed: string; count: number },
): Promise<{ function: QuestionPair[]; type: QuestionPair[] }> {
  const mined = { root, config, stamps, seed, count };
  const found = {
    function: await mineDocPairs(mined),
    type: await mineDocPairs({ ...mined, level: "class" }),
  };
  const hidden = new Map<string, DocComment[]>();
  for (const { file, docs } of [...found.function, ...found.type])
    hidden.set(file, [...(hidden.get(file) ?? []), ...docs]);
  await copySources({
    from: root,
    to: copy,
    stamps,
    maxFileSize: config["index.max_file_size"],
    change: (path, text) => withoutDocs(text, hidden.get(path) ?? []),
    onProgress: () => {},
  });
  const asPairs = (pairs: readonly DocPair[]) => pairs.map(({ query, targets }) => ({ query, targets }));
  return { function: asPairs(found.function), type: asPairs(found.type) };
}

export const kinds = ["commit", "function", "type", "other"] as const;
/**
 * commit: a later commit's subject, for the source files that it changed; function, type: a doc comment, for its function
 * or type; other: the subject of one that changed no source file, for what it changed.
 */
export type Kind = (typeof kinds)[number];

export interface Repository {
  name: string;
  language: string;
  revision: string;
}

/** Which repositories are looked at, and which are only reported. */
export type Half = "look" | "report";

const listed = z.array(z.object({ name: z.string(), language: z.string(), revision: z.string() }));

/** The repositories of a list (default: this benchmark's), of the halves that are asked for. */
export function loadRepositories(
  halves: readonly string[],
  only: readonly string[] | undefined,
  file = join(import.meta.dirname, "repositories.json"),
): (Repository & { half: Half })[] {
  const all = listed.parse(JSON.parse(readFileSync(file, "utf8")));
  const { choose } = half(all.map(({ name }) => name));
  return all
    .map((one) => ({ ...one, half: choose.has(one.name) ? ("look" as const) : ("report" as const) }))
    .filter((one) => halves.includes(one.half) && (only === undefined || only.includes(one.name)));
}

/** An index, and questions to it. */
export interface Asked {
  project: Project;
  index: CodeIndex;
  pairs: Readonly<Record<Kind, readonly QuestionPair[]>>;
}

export interface MiningOptions {
  /** Holds a clone of each repository. */
  clones: string;
  /** For checkouts and indexes, kept for the next run. */
  work: string;
  /** Commits between the checkout and the revision. */
  back: number;
  /** Questions of each kind. */
  count: number;
}

/** Mines a repository's questions, and uses them with an index of its files as they were before, without the comments asked for. */
export async function mine(
  { name, revision }: Repository,
  { clones, work, back, count }: MiningOptions,
  use: (asked: Asked) => Promise<void>,
): Promise<void> {
  const config = makeDefaultConfig();
  const past = checkOutPast(join(clones, name), join(work, name, "files"), revision, back);
  const stamps: FileStamp[] = [];
  for await (const item of scanProject(past.root, createIgnoreRules(past.root, config)))
    if (item.kind === "file" && item.stamp.size <= config["index.max_file_size"]) stamps.push(item.stamp);
  const copy = join(work, name, "files-without-comments");
  mkdirSync(copy, { recursive: true });
  const pairs = {
    ...(await laterCommits(past, new Set(stamps.map(({ path }) => path)), count)),
    ...(await documented(past, copy, { config, stamps, seed: name, count })),
  };
  const project = { ...makeNewProject(copy), indexDb: `${copy}.index.db` };
  const { index } = await (await indexDriver(config)).openToWrite(project.indexDb, silentLog);
  const embedders = { first: createStaticEmbedder(), second: null, deadlineMs: Number.POSITIVE_INFINITY };
  try {
    await indexInFull({ project, config, rules: everything, index, embedders, log: silentLog });
    await indexCommits(makeNewProject(past.root), config, index, { log: silentLog });
    await use({ project, index, pairs });
  } finally {
    await index.close();
  }
}
