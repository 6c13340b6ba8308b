import { call } from "../../../client/call.ts";
import { isInside, type Project } from "../../../project/paths.ts";
import { shellQuoted } from "../../../text/shell.ts";
import { homeRelative, oneLine } from "../../terminal/text.ts";

/** A daemon that still imports is slow. Milliseconds. */
const patience = 5000;

/** Two questions as commands to copy; fewer where there is too little to ask about. */
export async function questionsWorthAsking(project: Project, cwd: string): Promise<string[]> {
  const pm = isInside(cwd, project.root) ? "pm" : `pm -C ${shellPath(project.root)}`;
  const answer = await call("questions", {}, project, { without: "fail", timeout: patience }).catch(
    () => null,
  );
  const asked = new Map(answer?.questions.map(({ about, q }) => [about, q]));
  const [sessions, line, code] = (["sessions", "line", "code"] as const).map((about) => asked.get(about));
  return [
    ...(sessions === undefined ? [] : [`${pm} search sessions ${shellQuoted(sessions)}`]),
    ...(line !== undefined
      ? [`${pm} why ${shellPath(line)}`]
      : code !== undefined
        ? [`${pm} search ${shellQuoted(oneLine(code))}`]
        : []),
  ];
}

/** As one types it: without quotes where none are needed. */
function shellPath(path: string): string {
  const shown = homeRelative(path);
  return /^[\w~./:@+-]+$/.test(shown) ? shown : shellQuoted(path);
}
