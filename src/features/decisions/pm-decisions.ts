import { toStoredPaths } from "../../answers/file-place.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { formatPassage, indentText } from "../../terminal/markdown.ts";
import type { Screen } from "../../terminal/output.ts";
import { formatWhen, shortenId } from "../../terminal/text.ts";
import { labelDecision } from "../search/found-words.ts";
import { type Decision, type decisionsRequest, listDecisions } from "./operation.ts";

/** `pm memory decisions` */
export async function decisionsCommand(
  { cwd, output }: CommandContext,
  words: string[],
  options: Shaped<typeof decisionsRequest>,
): Promise<void> {
  const project = await findProject(cwd);
  const query = words.join(" ").trim();
  const request = { ...options, q: query, file: toStoredPaths(project, cwd, options.file ?? []) };
  const found = await call(listDecisions, request, project);
  output.result({ query, ...found }, () => renderDecisions(found, output));
}

/** What was decided, for a person. */
export function renderDecisions(
  { decisions, total }: { decisions: readonly Decision[]; total: number },
  screen: Screen,
): string {
  if (decisions.length === 0) return "No decisions found.";
  const blocks = decisions.map((decision) => renderDecisionBlock(decision, screen));
  const shown = decisions.length < total ? [screen.colors.dim(`${decisions.length} of ${total}`)] : [];
  return [...blocks, ...shown].join("\n\n");
}

const inCode = { kept: "kept", changed: "changed since", gone: "gone" } as const;

/** A decision with its place, and what superseded it. */
export function renderDecisionBlock(decision: Decision, screen: Screen): string {
  const { colors } = screen;
  const { text, session_id, session_title, turn, timestamp, branch, score } = decision;
  const { superseded_by, supersedes } = decision;
  const place = [
    decision.place ?? "",
    formatWhen(timestamp, screen),
    session_id === null ? "" : `session: ${shortenId(session_id)}${turn === null ? "" : `:${turn}`}`,
    branch ?? "",
    session_title ?? "",
    decision.in_code == null ? "" : `in the code: ${inCode[decision.in_code]}`,
    score === null ? "" : `score ${score.toFixed(2)}`,
  ].filter((part) => part !== "");
  return [
    ...formatPassage([labelDecision(decision, "person"), text].filter(Boolean).join(" "), screen),
    ...(superseded_by === null ? [] : indentText(`Superseded by: ${superseded_by}`, screen).map(colors.warn)),
    ...supersedes.flatMap((earlier) => indentText(`Supersedes: ${earlier}`, screen).map(colors.dim)),
    ...indentText(place.join(" | "), screen).map(colors.dim),
  ].join("\n");
}
