import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { createIgnoreRules } from "../../src/code/files/ignore.ts";
import { scanProject } from "../../src/code/files/scan.ts";
import { indexInFull } from "../../src/evaluate/index-in-full.ts";
import type { Pair } from "../../src/evaluate/pairs.ts";
import { everything } from "../../src/evaluate/scratch-copy.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import { defaultConfig } from "../../src/project/config/settings.ts";
import { silentLog } from "../../src/project/log.ts";
import { type Project, projectAt } from "../../src/project/paths.ts";
import { indexCommits } from "../../src/search/history/index-commits.ts";
import { indexDriver } from "../../src/store/index/drivers.ts";
import type { CodeIndex } from "../../src/store/index/port.ts";
import type { FileStamp } from "../../src/store/index/records.ts";
import { half } from "../measure.ts";
import { checkOutPast } from "./checkout.ts";
import { documented, laterCommits } from "./questions.ts";

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
  pairs: Readonly<Record<Kind, readonly Pair[]>>;
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
  const config = defaultConfig();
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
  const project = { ...projectAt(copy), indexDb: `${copy}.index.db` };
  const { index } = await (await indexDriver(config)).openToWrite(project.indexDb, silentLog);
  const embedders = { first: createStaticEmbedder(), second: null, deadlineMs: Number.POSITIVE_INFINITY };
  try {
    await indexInFull({ project, config, rules: everything, index, embedders, log: silentLog });
    await indexCommits(projectAt(past.root), config, index, { log: silentLog });
    await use({ project, index, pairs });
  } finally {
    await index.close();
  }
}
