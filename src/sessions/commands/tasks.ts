import rules from "./commands.json" with { type: "json" };

/** What anybody wants to run in a project, in the order in which it is wanted. */
export const tasks = [
  "test one",
  "test all",
  "lint",
  "format",
  "types",
  "build",
  "run",
  "release",
  "install",
] as const;
export type CommandTask = (typeof tasks)[number];

const joinWords = (words: readonly string[]) => new RegExp(`\\b(?:${words.join("|")})\\b`);

const runsTests = joinWords(rules.tests);
/** A test is picked by its name, its file or its place. */
const picksTest = new RegExp(rules.picksTest.join("|"));

/** Programs that do not run the project, whatever they are told. */
const notOfTheProject = joinWords(rules.notOfTheProject);

/** It asks for an optimised build: `cargo test --release`, `zig build -Drelease-fast`. */
const buildProfile = /\s--?\w*release(?:[-=]\S+)?(?=\s|$)/g;

/** In the order in which they are looked for. */
const patterns = Object.entries(rules.tasks).map(([task, words]): readonly [CommandTask, RegExp] => [
  task as CommandTask,
  task === "install" ? new RegExp(`(?:^|\\s)(?:${words.join("|")})(?:\\s|$)`) : joinWords(words),
]);

/** Programs that install packages; others' "install" puts the project's own binary somewhere. */
const packageManager = new RegExp(`^(?:${rules.packageManagers.join("|")})\\b`);

/**
 * What a command line is run for; null: none of these.
 * @param shape of the line: words that differ from run to run are "…"
 */
export function findTask(shape: string): CommandTask | null {
  const words = shape.replace(/^(?:\w+=\S+ )+/, "").replace(buildProfile, "");
  if (notOfTheProject.test(words.split(" ", 1)[0]!)) return null;
  const other = patterns.find(
    ([task, pattern]) => pattern.test(words) && (task !== "install" || packageManager.test(words)),
  );
  if (
    runsTests.test(words) &&
    (other === undefined || other[0] === "run" || other[0] === "build" || other[0] === "install")
  )
    return picksTest.test(words) ? "test one" : "test all";
  return other?.[0] ?? null;
}

/** A formatter, or a linter that can put right what it finds, that only looks: run without the flag it writes. */
const onlyLooks = /\s(?:--check|--diff|--list-different|--dry-run|-l|-d)(?=\s|$)/;
const writes = /\s(?:--write|--?fix|--fix-all|-w|-i)(?=\s|$)/;
const fixes = /\s--?fix(?:-all)?(?=\s|$)/;

/** Whether a command is another one of a formatter or linter that only looked, told to put right what it found. */
export function writesWhatFound(line: string, looked: string): boolean {
  if (fixes.test(line) && !fixes.test(looked)) return true;
  const task = findTask(looked);
  if (task !== "format" && task !== "lint") return false;
  return (onlyLooks.test(looked) && !onlyLooks.test(line)) || (writes.test(line) && !writes.test(looked));
}
