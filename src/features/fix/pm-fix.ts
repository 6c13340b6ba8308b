import { text } from "node:stream/consumers";
import { exitCode, PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { formatSharedBy } from "../../protocol/origin.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { indentText } from "../../terminal/markdown.ts";
import type { Screen } from "../../terminal/output.ts";
import {
  formatCount,
  formatWhen,
  shortenId,
  toOneLine,
  toPrintable,
  toPrintableLines,
} from "../../terminal/text.ts";
import { type Fix, type FixAnswer, fix, type fixRequest, type KnownError } from "./operation.ts";

/** Only the end of what a command printed is sent: there it says what went wrong. Characters. */
const maxError = 100_000;

/** `pm fix`. @returns 5 when no agent met the error here */
export async function fixCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: Omit<Shaped<typeof fixRequest>, "error">,
): Promise<number> {
  const [option = ""] = words;
  if (words.length === 1 && /^--?[a-z][a-z-]*$/.test(option))
    throw new PommelError("usage", `Unknown option: ${option}.`, "`pm fix --help` lists them.");
  const project = await findProject(cwd);
  const given = words.length > 0 ? words.join(" ") : await text(process.stdin);
  const error = given.slice(-maxError);
  if (error.trim() === "") {
    throw new PommelError(
      "usage",
      "There is no error to look for.",
      "Name it, or pipe it: make 2>&1 | pm fix",
    );
  }
  const found = await call(fix, { ...options, error }, project);
  output.result(found, () => renderFix(found, output));
  return found.verdict === "none" ? exitCode.notFound : exitCode.ok;
}

function renderFix({ verdict, errors, mentions }: FixAnswer, screen: Screen): string {
  if (verdict === "none") return "No agent met this error here.";
  if (errors.length === 0)
    return [
      "No failed command reported it; it was said in:",
      ...mentions.map(
        ({ session_id, turn, timestamp, text: said }) =>
          `session ${shortenId(session_id)}:${turn}, ${formatWhen(timestamp, screen)}: ${toOneLine(said, 160)}`,
      ),
    ].join("\n");
  const head = verdict === "maybe" ? [screen.colors.dim("Maybe like it:")] : [];
  return [...head, ...errors.map((error) => renderErrorBlock(error, screen))].join("\n\n");
}

/** Lines of an error and of a diff that are shown. */
const shownLines = { error: 4, diff: 12 } as const;

function renderErrorBlock(known: KnownError, screen: Screen): string {
  const { colors } = screen;
  const { error, command, times, sessions, last_at, session_id, author, turn, fix } = known;
  const facts =
    `met ${formatCount(times, "time")} in ${formatCount(sessions, "session")}, last ${formatWhen(last_at, screen)} ` +
    `(${["session", `${shortenId(session_id)}:${turn}`, formatSharedBy(author)].filter(Boolean).join(" ")})`;
  return [
    ...error
      .split("\n")
      .slice(0, shownLines.error)
      .map((line) => colors.bold(toOneLine(line, 200))),
    ...indentText(`$ ${toOneLine(command)}`, screen),
    ...indentText(facts, screen).map(colors.dim),
    ...(fix === null ? indentText("No fix recorded.", screen) : renderFixLines(fix, screen)),
  ].join("\n");
}

function renderFixLines(fix: Fix, screen: Screen): string[] {
  const { colors } = screen;
  const { edits, commands, commit, stands, session_id, author, turn } = fix;
  const facts = [
    `session ${shortenId(session_id)}:${turn}`,
    formatSharedBy(author),
    commit === null ? "" : `commit ${commit.hash.slice(0, 7)} ${toOneLine(commit.subject, 80)}`,
    stands === null ? "" : stands ? "its lines are still there" : "its lines are gone",
  ].filter((fact) => fact !== "");
  return [
    ...indentText(`Then worked: ${facts.join(" | ")}`, screen).map(colors.ok),
    ...edits.flatMap(({ path, diff }) => {
      const lines = toPrintableLines(diff).slice(0, shownLines.diff);
      return [
        ...indentText(colors.place(toOneLine(path)), screen),
        ...lines.flatMap((line) => indentText(line, screen)),
      ];
    }),
    ...commands.flatMap((line) => indentText(`$ ${toPrintable(line)}`, screen)),
  ];
}
