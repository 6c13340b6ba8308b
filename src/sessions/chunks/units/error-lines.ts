import { beginningOf, joinWithin } from "../../../text/text-size.ts";

/** The parts of a command's output that show that something went wrong. */

/** Characters of output that are searched, at its beginning and its end each. */
const looked = 8_000;

/** Words of compilers, test runners and shells in many languages; not "terror", but "TypeError". */
const errorWord =
  /\b(?:errors?|fail(?:s|ed|ure|ures|ing)?|panic|exception|fatal|traceback|undefined reference|segfault|segmentation fault|not found|cannot|can't|could not|unable to|no such file|permission denied|denied|refused|timed out|timeout|assert(?:ion)?|unexpected|expected)\b/i;
/** `TypeError`, `ENOENT`. */
const errorName = /[a-z](?:Error|Exception)\b|\bE[A-Z]{4,}\b/;

/** Lines that say that all is well, though they have such words in them. */
const allIsWell =
  /\b(?:0|no|without) (?:error|fail|exception|problem|issue|warning)|\b(?:error|fail(?:ed|ure)?)s?[:=]? 0\b|^\s*(?:(?:ok|PASS|--- PASS)\b|✓|✔)/i;

/** A line that means a failed check, whatever the exit status. */
const failedCheck =
  /^\s*(?:--- FAIL|FAIL(?:ED)?\b|not ok\b|✗|✘|×|❌|panic:|Traceback \(most recent|[A-Za-z.]*(?:Error|Exception): |(?:fatal|error)(?:\[[^\]]*\])?: |npm ERR!|make(?:\[\d+\])?: \*\*\*)|\b[1-9]\d* (?:tests? )?(?:failed|failing|errors?)\b|: error(?: [A-Z]+\d+)?: /;

/** Names of failed tests: Go, pytest, vitest and jest, cargo, TAP, JUnit. */
const testNames = [
  /^[ \t]*--- FAIL: (\S+)/gm,
  /^[ \t]*FAILED[ \t]+(\S+)/gm,
  /^[ \t]*FAIL[ \t]+(\S.*)$/gm,
  /^[ \t]*[✗✘×][ \t]+(.+)$/gm,
  /^test (\S+) \.\.\. FAILED$/gm,
  /^not ok \d+ (.+)$/gm,
];

/** Commands that print files and histories: an "error" in their output is just content. */
const showing =
  /^(?:cat|head|tail|less|sed|awk|grep|egrep|rg|ag|ls|find|fd|tree|wc|sort|echo|jq|diff|git (?:-\S+ \S+ )?(?:diff|show|log|status|blame|grep|branch|ls-files|stash)|gh (?:pr|issue|api|run) ?(?:view|diff|list|checks)?)\b/;

/** Whether a command only shows something that is there already. */
export function onlyShows(command: string): boolean {
  const steps = command
    .split(/&&|;|\n/)
    .map((step) => step.trim())
    .filter((step) => step !== "" && !/^(?:cd|export|set|source|\.)\s/.test(step) && !step.startsWith("#"));
  return steps.length > 0 && steps.every((step) => showing.test(step));
}

/** Commands whose success means that something works. */
const checking =
  /\b(?:test|tests|check|lint|vet|build|compile|tsc|pytest|jest|vitest|mocha|rspec|phpunit|ctest|clippy|mypy|ruff|eslint|biome|golangci-lint|typecheck|verify|ci)\b|\bgo run\b|\bmake\b/i;

/** Whether a command checks something: tests, types, a build. */
export function isCheck(command: string): boolean {
  return checking.test(command) && !onlyShows(command);
}

function endsOf(output: string): string {
  return output.length <= 2 * looked ? output : `${output.slice(0, looked)}\n${output.slice(-looked)}`;
}

/** Whether the output of a command says that it failed, whatever its exit status (`npm test | tail`). */
export function reportsFailure(output: string): boolean {
  return endsOf(output)
    .split("\n")
    .some((line) => failedCheck.test(line) && !allIsWell.test(line));
}

/** The lines that report an error, names of failed tests first, up to `most` characters, each line once. */
export function errorLines(output: string, most: number): string {
  const ends = endsOf(output);
  const found = new Set<string>();
  for (const pattern of testNames) for (const [, name = ""] of ends.matchAll(pattern)) found.add(name.trim());
  for (const line of ends.split("\n")) {
    const start = line.slice(0, 400);
    if ((!errorWord.test(start) && !errorName.test(start)) || allIsWell.test(start)) continue;
    found.add(beginningOf(start.trim(), 240));
  }
  return joinWithin([...found], most);
}

/** The error message of a tool other than a command: its first lines. */
export function firstLines(text: string, most: number): string {
  return beginningOf(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .slice(0, 8)
      .join("\n"),
    most,
  );
}
