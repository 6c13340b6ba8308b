import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeText } from "../../src/base/text/decode.ts";
import type { mineDocPairs } from "../../src/features/models/evaluate/doc-pairs.ts";
import { type Half, type Repository as Mined, type MiningOptions, mine } from "../localise/run.ts";
import type { Repository } from "../search/data.ts";
import type { Prepared } from "./prepare.ts";
import type { Answer, Criterion } from "./reading.ts";
import { createSources, type Sources } from "./sources.ts";

/** How precisely an answer is located, and by what: a doc comment, human annotators, or a later commit that changed the file. */
export type TaskKind = "function" | "span" | "file" | "commit";

/** Find the code that answers a question. */
export interface Task {
  repository: string;
  half: Repository["half"];
  kind: TaskKind;
  question: string;
  answer: Answer;
}

/** When an answer counts as read. For whole files the relevant lines are unknown, so both bounds are measured. */
export const criteriaOf: Record<TaskKind, readonly Criterion[]> = {
  function: ["lines"],
  span: ["lines"],
  file: ["whole", "passage"],
  commit: ["passage"],
};

type DocPair = Awaited<ReturnType<typeof mineDocPairs>>[number];

/** Questions made of doc comments: the answer is the function. */
export function functionTasks({ name, half }: Repository, pairs: readonly DocPair[]): Task[] {
  return pairs.map(({ query, file, targets: [target] }) => ({
    repository: name,
    half,
    kind: "function",
    question: query,
    answer: { file, lines: target?.lines ?? null },
  }));
}

/**
 * Questions that people annotated. The answer is the first target; the others are of help, no more.
 * @throws Error when the annotated file is not among the sources
 */
export function annotatedTasks({ name, half, questions }: Repository, { paths }: Sources): Task[] {
  return questions.map(({ query, targets }) => {
    const { path, start_line, end_line } = targets[0]!;
    const file = paths.find((one) => one === path || one.endsWith(`/${path}`) || path.endsWith(`/${one}`));
    if (file === undefined) throw new Error(`${name} has no ${path}, which answers "${query}".`);
    const lines =
      start_line !== undefined && end_line !== undefined ? ([start_line, end_line] as const) : null;
    return {
      repository: name,
      half,
      question: query,
      answer: { file, lines },
      kind: lines === null ? "file" : "span",
    };
  });
}

/** The questions of `npm run bench:localise`: later commits' subjects, and doc comments of functions. */
export async function withLocalised(
  repository: Mined & { half: Half },
  options: MiningOptions,
  use: (prepared: Prepared) => Promise<void>,
): Promise<void> {
  await mine(repository, options, async ({ project, index, pairs }) => {
    const files = (await index.files()).map(({ path }) => path);
    const sources = createSources(
      new Map(files.map((path) => [path, decodeText(readFileSync(join(project.root, path))) ?? ""])),
    );
    const tasks = (["function", "commit"] as const).flatMap((kind) =>
      pairs[kind].flatMap(({ query, targets: [target] }): Task[] =>
        target === undefined
          ? []
          : [
              {
                repository: repository.name,
                half: partOf(repository),
                kind,
                question: query,
                answer: { file: target.file, lines: target.lines ?? null },
              },
            ],
      ),
    );
    await use({ project, sources, tasks });
  });
}

const partOf = ({ half }: { half: Half }): Task["half"] => (half === "look" ? "choose" : "confirm");
