import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeText } from "../../src/text/decode.ts";
import { type Half, type Repository as Mined, type MiningOptions, mine } from "../localise/run.ts";
import type { Prepared } from "./prepare.ts";
import { createSources } from "./sources.ts";
import type { Task } from "./tasks.ts";

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
                ...{ repository: repository.name, half: partOf(repository), kind, question: query },
                answer: { file: target.file, lines: target.lines ?? null },
              },
            ],
      ),
    );
    await use({ project, sources, tasks });
  });
}

const partOf = ({ half }: { half: Half }): Task["half"] => (half === "look" ? "choose" : "confirm");
