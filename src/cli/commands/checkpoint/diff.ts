import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import type { ComparedSide, DiffAnswer } from "../../../protocol/operations/checkpoints.ts";
import { gitDiff } from "../../../queries/checkpoints/checkpoints-diff.ts";
import type { CommandContext } from "../../frame.ts";
import type { Screen } from "../../terminal/output.ts";
import type { Palette } from "../../terminal/palette.ts";
import { harmless } from "../../terminal/streams.ts";
import { counted, fitted, hanging, heading, oneLine, printable, shortId } from "../../terminal/text.ts";

/** `pm checkpoint diff` */
export async function checkpointDiffCommand(
  { cwd, output }: CommandContext,
  from: string,
  to: string,
  { patch = false }: { patch?: boolean },
): Promise<void> {
  const project = await findProject(cwd);
  const answer = await call("compare", { from, to }, project);
  const sides = { from: answer.from.commit, to: answer.to.commit };
  const columns = output.columns ?? 100;
  const color = output.colors.isColorSupported;
  if (output.json) {
    const parts: Buffer[] = [];
    if (patch) {
      for await (const part of gitDiff(project, sides, { patch, color: false, columns })) parts.push(part);
    }
    output.result({ ...answer, ...(patch && { patch: Buffer.concat(parts).toString() }) }, "");
    return;
  }
  output.print(renderSides(answer, output.colors));
  output.print();
  // As git says it, and as it comes: it may be long. A pipe gets every byte, so that a patch can be applied.
  const decoder = new TextDecoder();
  for await (const part of gitDiff(project, sides, { patch, color, columns })) {
    const shown = process.stdout.isTTY ? harmless(decoder.decode(part, { stream: true }), color) : part;
    if (!process.stdout.write(shown)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
  const sessions = renderSessions(answer, output);
  if (sessions !== "") output.print(`\n${sessions}`);
}

function renderSides({ from, to, files }: DiffAnswer, colors: Palette): string {
  const nothing = files.length === 0 ? "\nThe files are identical." : "";
  return `from ${side(from, colors)}\n  to ${side(to, colors)}${nothing}`;
}

function side({ id, commit, subject }: ComparedSide, colors: Palette): string {
  const name = colors.commit(printable(commit.slice(0, 12)));
  return `${name}  ${id === null ? "no checkpoint  " : ""}${oneLine(subject ?? "", 80)}`.trimEnd();
}

const turnsShown = 10;

/** The sessions that lie between, each with its turns. */
export function renderSessions({ sessions }: DiffAnswer, screen: Screen): string {
  const { colors } = screen;
  const blocks = (["to", "from"] as const).flatMap((which) => {
    const of = sessions.filter(({ side }) => side === which);
    if (of.length === 0) return [];
    const title = which === "to" ? "Sessions that led there" : "Sessions only in the first";
    return [[heading(title, colors), ...of.map((session) => sessionText(session, screen))].join("\n")];
  });
  return blocks.join("\n\n");
}

function sessionText(
  { session_id, title, turns, checkpoints }: DiffAnswer["sessions"][number],
  screen: Screen,
): string {
  const { colors } = screen;
  const about = `${counted(checkpoints.length, "checkpoint")}, ${counted(turns.length, "turn")}`;
  const shown = turns.slice(0, turnsShown).map(({ turn, prompt }) => {
    const number = colors.id(`${String(turn).padStart(3)}.`);
    return `${number} ${fitted(prompt ?? "(not stored here)", (screen.columns ?? 0) - 5, screen)}`;
  });
  const more = turns.length - shown.length;
  const head = `${colors.id(shortId(session_id))}  ${oneLine(title ?? "(no title)")}  ${colors.dim(about)}`;
  return [
    ...hanging(head, screen),
    ...shown,
    ...(more > 0 ? [colors.dim(`and ${counted(more, "turn")} more`)] : []),
  ].join("\n");
}
