import { detachText } from "../../base/text/detached.ts";
import { splitShellCommands } from "../../base/text/shell-words.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { isCluster, missesProgram, readCommands, type SimpleCommand, type WrongWord } from "./match.ts";

/**
 * Commands that only look. The memory of commands leaves them out, as how they are run is no knowledge of a project; what they do not
 * take here is.
 */

/** A simple command that looked at something, and what it did not take. */
export interface Look {
  /** With its subcommand. */
  name: string;
  line: string;
  /** null: it took all. */
  wrong: { trace: WrongWord; error: string } | null;
}

const programs =
  /^(?:ls|cat|head|tail|grep|egrep|rg|ag|find|fd|wc|tree|stat|file|du|df|ps|diff|sort|uniq|cut|tr|jq|yq|realpath|readlink|lsof|awk|sed|xargs|tee|cp|mv|rm|mkdir|touch|ln|chmod|date|seq|column|xxd|od|md5sum|shasum|sha256sum|base64|nl|tac|pgrep|pkill|top|free|bat|which)$/;
const looksOfGit =
  /^(?:status|diff|log|show|add|branch|rev-parse|ls-files|ls-tree|blame|config|describe|rev-list|grep|shortlog|reflog|cat-file|merge-base)$/;
/** Characters of a line that is kept, and lines of what was printed that are looked at. */
const maxCounts = { characters: 300, lines: 30 } as const;

/** Those of a command line. @param printed what came of the whole line */
export function findLooks(line: string, printed: { text: string; isError: boolean }): Look[] {
  const looks = splitShellCommands(line).flatMap((text) => {
    const [command] = readCommands(text);
    const [program = "", subcommand = ""] = command?.named ?? [];
    const isOfGit = program === "git" && looksOfGit.test(subcommand);
    if (command === undefined || !(isOfGit || programs.test(program))) return [];
    const words = isOfGit ? [program, subcommand] : [program];
    return [{ command, words, line: detachText(shortenText(text, maxCounts.characters)) }];
  });
  if (looks.length === 0) return [];
  const errors = printed.text.split("\n").slice(0, maxCounts.lines);
  const wrong = looks.flatMap(({ command, words, line: text }) => {
    const found = findRejected(errors, command, words);
    return found === null ? [] : [{ name: words.join(" "), line: text, wrong: found }];
  });
  // What failed for another reason says nothing of how it was called.
  return wrong.length > 0 || printed.isError
    ? wrong
    : looks.map(({ words, line: text }) => ({ name: words.join(" "), line: text, wrong: null }));
}

const rejectsOption =
  /\b(?:unknown|unrecogni[sz]ed|unexpected|invalid|illegal|bad)\s+(?:option|switch|argument|flag|predicate):?\s+(?:-- )?[`'"‘“]?-{0,2}([A-Za-z][\w-]*)|: -(\w+): unknown primary or operator/i;

function findRejected(
  errors: readonly string[],
  { args }: SimpleCommand,
  words: readonly string[],
): Look["wrong"] {
  const [program = ""] = words;
  const makeTrace = (word: string, of: readonly string[]): WrongWord => ({
    kind: "word",
    words: [...of],
    word,
    isSubcommand: false,
    directory: null,
  });
  for (const error of errors) {
    const [, shell, posix] = missesProgram.exec(error) ?? [];
    if ((shell ?? posix) === program) return { error, trace: makeTrace(program, []) };
    if (!error.startsWith(`${program}: `) && !/^(?:error|fatal): /.test(error)) continue;
    const [, named, primary] = rejectsOption.exec(error) ?? [];
    const option = findOption(args, named ?? primary);
    if (option !== null) return { error, trace: makeTrace(option, words) };
  }
  return null;
}

/** The option that an error names, as it was given: a letter may be one of several. */
function findOption(args: readonly string[], named: string | undefined): string | null {
  if (named === undefined) return null;
  const given = args.map((arg) => arg.replace(/=.*/s, ""));
  const whole = given.find((arg) => arg === `--${named}` || arg === `-${named}`);
  if (whole !== undefined) return whole;
  return named.length === 1 && given.some((arg) => isCluster(arg) && arg.includes(named))
    ? `-${named}`
    : null;
}
