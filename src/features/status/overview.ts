import { faint, line, makeDocument, strong, table } from "../../answers/document.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProjectIfAny, isRemembered, lookUpProject } from "../../git/projects/find-project.ts";
import { findIndexObstacle } from "../../git/projects/indexed.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { formatCount, toHomeRelative } from "../../terminal/text.ts";
import type { SessionsResponse } from "../sessions/operation.ts";
import { listSessions } from "../sessions/operation.ts";

const ofADay = [
  ['pm search "..."', "find code, sessions and commits"],
  ["pm why FILE:LINE", "why a line is there: its commit, session, prompt and decision"],
  ["pm blame FILE", "who wrote each line: agents or people"],
  ["pm session", "past sessions, or one of them"],
  ["pm review", "what a change does, line by line with its prompts"],
  ["pm how WHAT", "how something is run here; pm fix: what fixed an error before"],
  ['pm note "..."', "remember something for good"],
  ["pm digest", "what happened lately"],
  ["pm status", "the daemon, the index, and current work"],
  ["pm open", "all of it in the browser"],
] as const;

const toBegin = [
  ["pm setup", "set Pommel up for you, once for all projects"],
  ['pm search "..."', "find code in any repository, set up or not"],
  ["pm projects", "the projects that are remembered"],
] as const;

/** `pm` alone: what was done here last and the commands of a day; outside of a project, how to begin. */
export async function printOverview({ cwd, output }: CommandContext): Promise<void> {
  const around = await findProjectIfAny(cwd, lookUpProject);
  const isKnown = around !== null && isRemembered(around);
  const project = around !== null && (isKnown || findIndexObstacle(around) === null) ? around : null;
  const answer = project !== null && isKnown ? await listLatest(project) : null;
  const list = (commands: typeof ofADay | typeof toBegin) =>
    table(
      [{ title: "" }, { title: "", wraps: true }],
      commands.map(([command, does]) => [["  ", strong(command)], does]),
    );
  const [{ wordSessions }, { showAnswer }] = await Promise.all([
    import("../sessions/session-words.ts"),
    import("../../terminal/render-document.ts"),
  ]);
  const { root = null } = project ?? {};
  const { sessions, total } = answer ?? { sessions: [], total: 0 };
  const count =
    total > 0
      ? formatCount(total, "session")
      : "no sessions yet; pm setup records them, pm import has past ones";
  showAnswer(output, { project: root, total, sessions }, () =>
    makeDocument(
      root === null
        ? [line("Pommel finds code, past agent sessions, and why a line is there.")]
        : [line(strong(toHomeRelative(root)), `  ${count}`)],
      total > 0 && [wordSessions(sessions)],
      [list(root === null ? toBegin : ofADay)],
      [line(faint("More commands: pm help"))],
    ),
  );
}

/** null where nothing is recorded, or what is recorded cannot be read: `pm status` says why. */
const listLatest = (project: Project): Promise<SessionsResponse | null> =>
  call(listSessions, { limit: 3 }, project, { without: "here" }).catch(() => null);
