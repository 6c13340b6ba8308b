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
import type { Fix, FixAnswer, KnownError } from "../fix/operation.ts";
import { fix, type fixRequest } from "../fix/operation.ts";
import type { HowAnswer, WorkingCommand } from "./operation.ts";
import { how, type howRequest } from "./operation.ts";

/** `pm how`. @returns 5 when nothing like it worked here */
export async function howCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: Omit<Shaped<typeof howRequest>, "q">,
): Promise<number> {
  const project = await findProject(cwd);
  const found = await call(how, { ...options, q: words.join(" ") }, project);
  output.result(found, () => renderHow(found, output));
  return found.verdict === "none" ? exitCode.notFound : exitCode.ok;
}

function renderHow({ verdict, commands }: HowAnswer, screen: Screen): string {
  if (verdict === "none") return "Agents ran nothing like it here, or it never worked.";
  const head = verdict === "maybe" ? [screen.colors.dim("Maybe:")] : [];
  return [...head, ...commands.map((one) => commandBlock(one, screen))].join("\n\n");
}

function commandBlock(command: WorkingCommand, screen: Screen): string {
  const { colors } = screen;
  const { line, directory, purpose, worked, failed, last_at, agent, author, session_id, turn, took_ms } =
    command;
  const facts = [
    `worked ${counted(worked, "time")}${failed > 0 ? `, failed ${counted(failed, "time")}` : ""}`,
    `last ${when(last_at, screen)} (${agent}, session ${shortId(session_id)}:${turn})`,
    sharedBy(author),
    took_ms === null ? "" : duration(took_ms),
    purpose,
  ].filter((fact) => fact !== "");
  return [
    ...(directory === "" ? [] : [colors.dim(`in ${oneLine(directory)}`)]),
    colors.bold(printable(line)),
    ...indented(facts.join(" | "), screen).map(colors.dim),
    ...command.failed_before.flatMap((before) =>
      indented(`Failed first: ${oneLine(before.line)} (${oneLine(before.error, 160)})`, screen).map(
        colors.warn,
      ),
    ),
  ].join("\n");
}

/** Only the end of what a command printed is sent: there it says what went wrong. Characters. */
const maxError = 100_000;

/** `pm fix`. @returns 5 when no agent met the error here */
export async function fixCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: Omit<Shaped<typeof fixRequest>, "error">,
): Promise<number> {
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

function renderFix({ verdict, errors }: FixAnswer, screen: Screen): string {
  if (verdict === "none") return "No agent met this error here.";
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

/** A stretch of time for people: "0.4 s", "12 s", "3 min", "2.5 h". */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  return minutes < 120 ? `${Math.round(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}
