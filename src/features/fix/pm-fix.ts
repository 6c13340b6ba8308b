import { text } from "node:stream/consumers";
import { exitCode, PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { sharedBy } from "../../protocol/origin.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { indented } from "../../terminal/markdown.ts";
import type { Screen } from "../../terminal/output.ts";
import { block, counted, oneLine, printable, shortId, when } from "../../terminal/text.ts";
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
          `session ${shortId(session_id)}:${turn}, ${when(timestamp, screen)}: ${oneLine(said, 160)}`,
      ),
    ].join("\n");
  const head = verdict === "maybe" ? [screen.colors.dim("Maybe like it:")] : [];
  return [...head, ...errors.map((error) => errorBlock(error, screen))].join("\n\n");
}

/** Lines of an error and of a diff that are shown. */
const shownLines = { error: 4, diff: 12 } as const;

function errorBlock(known: KnownError, screen: Screen): string {
  const { colors } = screen;
  const { error, command, times, sessions, last_at, session_id, author, turn, fix } = known;
  const facts =
    `met ${counted(times, "time")} in ${counted(sessions, "session")}, last ${when(last_at, screen)} ` +
    `(${["session", `${shortId(session_id)}:${turn}`, sharedBy(author)].filter(Boolean).join(" ")})`;
  return [
    ...error
      .split("\n")
      .slice(0, shownLines.error)
      .map((line) => colors.bold(oneLine(line, 200))),
    ...indented(`$ ${oneLine(command)}`, screen),
    ...indented(facts, screen).map(colors.dim),
    ...(fix === null ? indented("No fix recorded.", screen) : fixLines(fix, screen)),
  ].join("\n");
}

function fixLines(fix: Fix, screen: Screen): string[] {
  const { colors } = screen;
  const { edits, commands, commit, stands, session_id, author, turn } = fix;
  const facts = [
    `session ${shortId(session_id)}:${turn}`,
    sharedBy(author),
    commit === null ? "" : `commit ${commit.hash.slice(0, 7)} ${oneLine(commit.subject, 80)}`,
    stands === null ? "" : stands ? "its lines are still there" : "its lines are gone",
  ].filter((fact) => fact !== "");
  return [
    ...indented(`Then worked: ${facts.join(" | ")}`, screen).map(colors.ok),
    ...edits.flatMap(({ path, diff }) => {
      const lines = block(diff).slice(0, shownLines.diff);
      return [
        ...indented(colors.place(oneLine(path)), screen),
        ...lines.flatMap((line) => indented(line, screen)),
      ];
    }),
    ...commands.flatMap((line) => indented(`$ ${printable(line)}`, screen)),
  ];
}
