import { toStoredPaths } from "../../answers/file-place.ts";
import { exitCode } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { FileAround } from "../../protocol/graph.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Screen } from "../../terminal/output.ts";
import {
  fitToWidth,
  formatHeading,
  formatWhen,
  shortenId,
  toOneLine,
  toPrintable,
  wrapWithIndent,
} from "../../terminal/text.ts";
import { renderDecisionBlock } from "../decisions/pm-decisions.ts";
import { findRelated, type RelatedSession, type relatedRequest } from "./operation.ts";

/** Files of a session that are named. */
const filesShown = 4;

/** `pm code related` */
export async function relatedCommand(
  { cwd, output }: CommandContext,
  words: string[],
  { files: named = [], ...options }: Shaped<typeof relatedRequest> & { files?: string[] },
): Promise<number> {
  const project = await findProject(cwd);
  const query = words.join(" ").trim();
  const file = named.length > 0 ? toStoredPaths(project, cwd, named) : undefined;
  const found = await call(findRelated, { ...options, file, q: query }, project);
  const isEmpty = found.sessions.length + found.decisions.length === 0;
  output.result({ query, ...found }, () => {
    if (isEmpty && query !== "" && file === undefined)
      return `Nothing found about "${toOneLine(query)}".\nSessions that touched a file: pm code related --files FILE.`;
    if (found.looked_for === 0 && query === "") {
      return "No uncommitted changes. Name files: pm code related --files src/db.ts";
    }
    const decided = found.decisions.map((decision) => renderDecisionBlock(decision, output));
    return [
      renderRelated(found.sessions, found.total, output),
      ...(decided.length === 0 ? [] : [formatHeading("Decisions", output.colors), ...decided]),
      ...(found.code.length === 0 ? [] : [renderAround(found.code, output)]),
    ].join("\n\n");
  });
  return isEmpty && query !== "" ? exitCode.notFound : exitCode.ok;
}

/** Files that call or use the code of the asked ones, or are used by it. */
export function renderAround(code: readonly FileAround[], screen: Screen): string {
  const { colors } = screen;
  const lines = code.flatMap(({ file, used_by, uses }) => {
    const ways = [
      used_by.length > 0 && `used by ${used_by.map(toPrintable).join(", ")}`,
      uses.length > 0 && `uses ${uses.map(toPrintable).join(", ")}`,
    ];
    const said = ways.filter((way) => way !== false).join("; ");
    return wrapWithIndent(`${colors.place(toPrintable(file))}  ${colors.dim(said)}`, screen);
  });
  return [formatHeading("Code around them", colors), ...lines].join("\n");
}

/** Sessions for a person, best first, each with the turns that touched most. */
export function renderRelated(sessions: readonly RelatedSession[], total: number, screen: Screen): string {
  if (sessions.length === 0) return "No recorded session touched these files.";
  const { colors, columns } = screen;
  const width = (columns ?? 0) - 3;
  const blocks = sessions.map(({ session_id, session_title, branch, last_at, score, files, turns }) => {
    const about = [
      colors.id(shortenId(session_id)),
      formatWhen(last_at, screen),
      toOneLine(branch ?? ""),
      colors.dim(score.toFixed(2)),
    ];
    const named = files.slice(0, filesShown).map(({ path, how }) => `${toOneLine(path)} (${how})`);
    const more = files.length > named.length ? ` and ${files.length - named.length} more` : "";
    return [
      ...wrapWithIndent(
        `${about.filter((part) => part !== "").join("  ")}  ${colors.bold(toOneLine(session_title ?? "(no title)"))}`,
        screen,
      ),
      ...wrapWithIndent(`   ${named.join(", ")}${more}`, screen).map(colors.dim),
      ...turns.map(
        ({ turn, prompt }) =>
          `   turn ${turn}: ${fitToWidth(prompt || "(before the first prompt)", width - 10, screen)}`,
      ),
    ].join("\n");
  });
  const shown = sessions.length < total ? [colors.dim(`${sessions.length} of ${total} sessions`)] : [];
  return [...blocks, ...shown].join("\n\n");
}
