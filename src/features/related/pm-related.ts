import { pathsFrom } from "../../answers/file-place.ts";
import { exitCode } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { FileAround } from "../../protocol/graph.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Screen } from "../../terminal/output.ts";
import { fitted, hanging, heading, oneLine, printable, shortId, when } from "../../terminal/text.ts";
import { decisionBlock } from "../decisions/pm-decisions.ts";
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
  const file = named.length > 0 ? pathsFrom(project, cwd, named) : undefined;
  const found = await call(findRelated, { ...options, file, q: query }, project);
  const isEmpty = found.sessions.length + found.decisions.length === 0;
  output.result({ query, ...found }, () => {
    if (isEmpty && query !== "" && file === undefined)
      return `Nothing found about "${oneLine(query)}".\nSessions that touched a file: pm code related --files FILE.`;
    if (found.looked_for === 0 && query === "") {
      return "No uncommitted changes. Name files: pm code related --files src/db.ts";
    }
    const decided = found.decisions.map((decision) => decisionBlock(decision, output));
    return [
      renderRelated(found.sessions, found.total, output),
      ...(decided.length === 0 ? [] : [heading("Decisions", output.colors), ...decided]),
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
      used_by.length > 0 && `used by ${used_by.map(printable).join(", ")}`,
      uses.length > 0 && `uses ${uses.map(printable).join(", ")}`,
    ];
    const said = ways.filter((way) => way !== false).join("; ");
    return hanging(`${colors.place(printable(file))}  ${colors.dim(said)}`, screen);
  });
  return [heading("Code around them", colors), ...lines].join("\n");
}

/** Sessions for a person, best first, each with the turns that touched most. */
export function renderRelated(sessions: readonly RelatedSession[], total: number, screen: Screen): string {
  if (sessions.length === 0) return "No recorded session touched these files.";
  const { colors, columns } = screen;
  const width = (columns ?? 0) - 3;
  const blocks = sessions.map(({ session_id, session_title, branch, last_at, score, files, turns }) => {
    const about = [
      colors.id(shortId(session_id)),
      when(last_at, screen),
      oneLine(branch ?? ""),
      colors.dim(score.toFixed(2)),
    ];
    const named = files.slice(0, filesShown).map(({ path, how }) => `${oneLine(path)} (${how})`);
    const more = files.length > named.length ? ` and ${files.length - named.length} more` : "";
    return [
      ...hanging(
        `${about.filter((part) => part !== "").join("  ")}  ${colors.bold(oneLine(session_title ?? "(no title)"))}`,
        screen,
      ),
      ...hanging(`   ${named.join(", ")}${more}`, screen).map(colors.dim),
      ...turns.map(
        ({ turn, prompt }) =>
          `   turn ${turn}: ${fitted(prompt || "(before the first prompt)", width - 10, screen)}`,
      ),
    ].join("\n");
  });
  const shown = sessions.length < total ? [colors.dim(`${sessions.length} of ${total} sessions`)] : [];
  return [...blocks, ...shown].join("\n\n");
}
