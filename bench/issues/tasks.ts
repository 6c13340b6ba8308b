import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { indexCommits } from "../../src/attribution/search/index-commits.ts";
import { makeDefaultConfig } from "../../src/base/config/settings.ts";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject, type Project } from "../../src/base/paths.ts";
import { createIgnoreRules } from "../../src/code/files/ignore.ts";
import { classifyPath } from "../../src/code/files/path-role.ts";
import { detectLanguage, findGrammar } from "../../src/code/languages/index.ts";
import { readReport } from "../../src/code/search/report/read-report.ts";
import { indexDriver } from "../../src/engines/drivers.ts";
import { extractCommitQuestion } from "../../src/features/models/evaluate/commit-pairs.ts";
import { indexInFull } from "../../src/features/models/evaluate/index-in-full.ts";
import { listCommits } from "../../src/git/history/history.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import type { CodeIndex } from "../../src/store/index/port.ts";

const kinds = ["source", "other", "quoted", "log"] as const;

const taskShape = z.object({
  id: z.string(),
  /** Its mirror's name: `owner+name`. */
  repo: z.string(),
  /** The commit that the question is asked of. */
  base: z.string(),
  text: z.string(),
  /** What was changed to answer it. */
  files: z.array(z.string()),
  /**
   * Of mined ones: source code or something else was changed; `quoted`: a subject with words in quotes, for source code. `log`: the
   * stack trace of another question.
   */
  kind: z.optional(z.enum(kinds)),
});
/** A long question, and the files that are its answer. */
export type Task = z.infer<typeof taskShape>;

export const readTasks = (file: string): Task[] =>
  z
    .array(z.object({ ...taskShape.shape, base: z.nullish(z.string()) }))
    .parse(JSON.parse(readFileSync(file, "utf8")))
    .flatMap(({ base, ...task }) => (base ? [{ ...task, base }] : []));

const listed = z.array(z.object({ repo: z.string(), revision: z.string(), back: z.number() }));
/** A repository to mine, and how many commits before the revision it is indexed. */
export type MinedRepository = z.infer<typeof listed>[number];

export const loadRepositories = (file = join(import.meta.dirname, "repositories.json")): MinedRepository[] =>
  listed.parse(JSON.parse(readFileSync(file, "utf8")));

/** A shorter stack trace leads nowhere. */
const minLogFrames = 2;
const minLogLines = 3;

const isOfLog = (line: string): boolean => {
  // The first line of a report may be anything.
  const { frames, errors } = readReport(`x\n${line}`);
  return frames.length + errors.length > 0;
};

/** A stack trace is often all that somebody has: that of a question, asked alone. None where a question has none. */
export function listLogs(tasks: readonly Task[]): Task[] {
  return tasks.flatMap((task): Task[] => {
    if (readReport(task.text).frames.length < minLogFrames) return [];
    const lines = task.text.split("\n").filter(isOfLog);
    return lines.length < minLogLines
      ? []
      : [{ ...task, id: `${task.id}-log`, kind: "log", text: lines.join("\n") }];
  });
}

export const mirrorDir = (mirrors: string, repo: string) => join(mirrors, repo, "repo");

export const runGit = (dir: string, ...args: string[]): string =>
  execFileSync("git", ["-C", dir, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 28,
  }).trim();

/** A commit that changed more source files has no one place. */
const maxFiles = 2;
/** Questions for what is no source code, beside those for it. */
const ofOther = 0.25;
/** A shorter message is a remark, not a report. Words. */
const minWords = 50;
const trailer =
  /^(?:[A-Z][\w-]+-(?:[Bb]y|[Ii]d|[Tt]o|[Oo]n): |\(cherry picked from|PiperOrigin|Change-Id: |---+$)/;

const isSource = (path: string) =>
  ["source", "barrel", "types"].includes(classifyPath(path)) && findGrammar(detectLanguage(path)) !== null;

/**
 * Later commits whose messages tell at length what was wrong or wanted: questions for the source files that each changed, and a few
 * that changed none, but tests, documents or settings. Lines that name one of these outside of code are left out, as who asks does not know them.
 */
export async function mineTasks(
  { repo, revision, back }: MinedRepository,
  { mirrors, count }: { mirrors: string; count: number },
): Promise<Task[]> {
  const mirror = mirrorDir(mirrors, repo);
  const commits = Number(runGit(mirror, "rev-list", "--no-merges", "--count", revision));
  const after = Math.min(back, Math.floor(commits * 0.4));
  const base = runGit(mirror, "rev-list", "--no-merges", `--skip=${after}`, "--max-count=1", revision);
  const files = new Set(runGit(mirror, "ls-tree", "-r", "--name-only", "-z", base).split("\0"));
  const found = new Map<string, Task>();
  for await (const { hash, author, message, files: changed } of listCommits(mirror, {
    revisions: [revision, `^${base}`],
  })) {
    const sources = changed.filter(isSource);
    const answers = sources.length > 0 ? sources : changed;
    if (answers.length === 0 || answers.length > maxFiles || !answers.every((file) => files.has(file)))
      continue;
    const [subject = "", ...body] = message.split(/\r?\n/);
    if (extractCommitQuestion({ author, message: subject, files: changed }) === null) continue;
    const task = { id: `${repo}@${hash.slice(0, 9)}`, repo, base, files: answers };
    if (sources.length > 0 && /"[^"]{2,}"/.test(subject))
      found.set(`"${subject}`, { ...task, text: subject, kind: "quoted" });
    const names = answers.map((file) => file.slice(file.lastIndexOf("/") + 1));
    const kept = body.filter(
      (line) =>
        !trailer.test(line) && (/^\s{4}|^\s*File "/.test(line) || !names.some((name) => line.includes(name))),
    );
    const text = [subject, ...kept].join("\n").trim();
    if (text.split(/\s+/).length < minWords || found.has(subject)) continue;
    found.set(subject, { ...task, text, kind: sources.length > 0 ? "source" : "other" });
  }
  return kinds.flatMap((kind) => {
    const all = [...found.values()].filter((task) => task.kind === kind);
    const most = kind !== "other" ? count : Math.ceil(count * ofOther);
    const step = Math.max(1, all.length / most);
    return all.filter((_, i) => Math.floor(i / step) > Math.floor((i - 1) / step)).slice(0, most);
  });
}

/** A repository as it was at a commit, indexed with its history up to it. */
export interface Indexed {
  project: Project;
  index: CodeIndex;
}

/** Checks out what a question is asked of, and indexes it, unless an earlier run has. */
export async function openIndexed(
  { repo, base }: Task,
  { mirrors, work, like }: { mirrors: string; work: string; like: string | null },
): Promise<Indexed> {
  const root = join(work, repo, base.slice(0, 12));
  const project = { ...makeNewProject(root), indexDb: `${root}.index.db` };
  const isDone = existsSync(`${root}.done`);
  if (!isDone) {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(join(work, repo), { recursive: true });
    const mirror = mirrorDir(mirrors, repo);
    runGit(mirror, "clone", "--quiet", "--shared", "--no-checkout", ".", root);
    runGit(root, "checkout", "--quiet", "--detach", base);
    // Most files are those of the commit before, whose chunks are known.
    if (like !== null && !existsSync(project.indexDb))
      copyFileSync(join(work, repo, `${like.slice(0, 12)}.index.db`), project.indexDb);
  }
  const config = makeDefaultConfig();
  const { index } = await (await indexDriver(config)).openToWrite(project.indexDb, silentLog);
  if (!isDone) {
    const embedders = { first: createStaticEmbedder(), second: null, deadlineMs: Number.POSITIVE_INFINITY };
    const rules = createIgnoreRules(root, config);
    await indexInFull({ project, config, rules, index, embedders, log: silentLog });
    await indexCommits(makeNewProject(root), config, index, { log: silentLog });
    runGit(root, "rev-parse", "HEAD");
    mkdirSync(`${root}.done`);
  }
  return { project, index };
}
