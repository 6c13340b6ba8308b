import { findProject, inWorktreeOf } from "../../../project/paths.ts";
import type { Decision } from "../../../protocol/operations/decisions.ts";
import type { RequestOf } from "../../../protocol/routes.ts";
import { answerFromStore } from "../../../queries/operations.ts";
import { pathsFrom } from "../../../queries/sessions/conversations-related.ts";
import type { CommandContext } from "../../frame.ts";
import type { Colors } from "../../terminal/output.ts";
import { block, localTime, oneLine, shortId } from "../session/text.ts";

/** `pm decisions`: reads the memory itself, whether a daemon runs or not. */
export async function decisionsCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: RequestOf<"decisions">,
): Promise<void> {
  const project = inWorktreeOf(findProject(cwd), cwd);
  const query = words.join(" ").trim();
  const request = { ...options, q: query, file: pathsFrom(project, cwd, options.file ?? []) };
  const found = await answerFromStore(project, "decisions", request);
  output.result({ query, ...found }, () => renderDecisions(found, output.colors));
}

/** What was decided, for a person. */
export function renderDecisions(
  { decisions, total }: { decisions: readonly Decision[]; total: number },
  colors: Colors,
): string {
  if (decisions.length === 0) return "No decisions found.";
  const blocks = decisions.map((decision) => decisionBlock(decision, colors));
  const shown = decisions.length < total ? [colors.dim(`${decisions.length} of ${total}`)] : [];
  return [...blocks, ...shown].join("\n\n");
}

/** A decision with its place, and what superseded it. */
export function decisionBlock(decision: Decision, colors: Colors): string {
  const { source, text, session_id, session_title, turn, timestamp, branch, score } = decision;
  const { superseded_by, supersedes } = decision;
  const place = [
    decision.place ?? "",
    timestamp === null ? "" : localTime(timestamp),
    session_id === null ? "" : `session: ${shortId(session_id)}`,
    turn === null ? "" : `turn ${turn}`,
    branch ?? "",
    session_title ?? "",
    score === null ? "" : `score ${score.toFixed(2)}`,
  ].filter((part) => part !== "");
  const [first = "", ...more] = block(text);
  const said = source === "annotation" ? `${colors.yellow("Note:")} ${first}` : first;
  const relations = [
    ...(superseded_by === null ? [] : [colors.yellow(`  Superseded by: ${oneLine(superseded_by, 160)}`)]),
    ...supersedes.map((earlier) => colors.dim(`  Supersedes: ${oneLine(earlier, 160)}`)),
  ];
  return [said, ...more, ...relations, colors.dim(`  ${oneLine(place.join(" | "), 200)}`)].join("\n");
}
