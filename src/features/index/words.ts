import type { NestedDirectory } from "../../code/files/scan.ts";
import { toPrintable } from "../../terminal/text.ts";

/** So many are named; the rest are counted. */
const maxNamed = 5;

/** What lies inside a project, and what becomes of it: a sentence for each kind. */
export function describeNested(found: readonly NestedDirectory[]): string[] {
  const sentences: readonly [NestedDirectory["kind"], (names: string, isOne: boolean) => string][] = [
    [
      "nested_project",
      (names, isOne) =>
        `${names} ${isOne ? "is a project of its own and is" : "are projects of their own and are"} left out here; \`pm search --all-projects\` searches both.`,
    ],
    [
      "worktree",
      (names, isOne) =>
        `${names} ${isOne ? "is a worktree" : "are worktrees"} of this repository, left out here.`,
    ],
    [
      "repository",
      (names, isOne) =>
        `${names} ${isOne ? "is a repository" : "are repositories"} inside this one, indexed with it; \`pm init\` there makes a project of it.`,
    ],
  ];
  return sentences.flatMap(([kind, sentence]) => {
    const paths = found.filter((one) => one.kind === kind).map(({ path }) => toPrintable(path));
    const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : "";
    return paths.length === 0
      ? []
      : [sentence(paths.slice(0, maxNamed).join(", ") + more, paths.length === 1)];
  });
}
