import { existsSync } from "node:fs";
import { join } from "node:path";
import { call } from "../../../client/call.ts";
import { gitText } from "../../../git/git.ts";
import { isInside, type Project } from "../../../project/paths.ts";
import type { RouteName } from "../../../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../../../protocol/routes.ts";
import { shellQuoted } from "../../../text/shell.ts";
import { homeRelative, oneLine } from "../../terminal/text.ts";

/** For each answer: a daemon that still imports is slow. Milliseconds. */
const patience = 3000;

/** A question that nobody would read to its end is left out. Characters. */
const maxLength = 110;

/**
 * Two questions that this person's own sessions and code answer, as commands to copy; fewer where there is too little
 * to ask about.
 */
export async function questionsWorthAsking(project: Project, cwd: string): Promise<string[]> {
  const pm = isInside(cwd, project.root) ? "pm" : `pm -C ${shellPath(project.root)}`;
  const ask = <R extends RouteName>(route: R, request: RequestOf<R>): Promise<ResponseOf<R> | null> =>
    call(route, request, project, { without: "fail", timeout: patience }).catch(() => null);
  const [session, code] = await Promise.all([aboutSessions(ask), aboutCode(project, ask)]);
  return [session, code].flatMap((question) => (question === null ? [] : `${pm} ${question}`));
}

type Ask = <R extends RouteName>(route: R, request: RequestOf<R>) => Promise<ResponseOf<R> | null>;

/** What was decided, else what a session was about: the latest that the search answers. */
async function aboutSessions(ask: Ask): Promise<string | null> {
  const [decided, recent] = await Promise.all([
    ask("decisions", { limit: 20 }),
    ask("sessions", { limit: 20 }),
  ]);
  const asked = (decided?.decisions ?? [])
    .filter(({ source }) => source === "conversation")
    .flatMap(({ text }) => /^(.*\?) → /.exec(text)?.[1] ?? []);
  const titles = (recent?.sessions ?? []).map(({ title }) => title ?? "");
  for (const query of [...asked, ...titles].filter(isSentence).slice(0, 3)) {
    const answer = await ask("searchTranscripts", { q: query, limit: 1 });
    if (answer !== null && answer.results.length > 0) return `search sessions ${shellQuoted(query)}`;
  }
  return null;
}

/** Why a line is there that an agent wrote, else where the last commit's work is. */
async function aboutCode({ root }: Project, ask: Ask): Promise<string | null> {
  const latest = await ask("checkpoints", { limit: 5 });
  for (const { id } of latest?.checkpoints ?? []) {
    const checkpoint = await ask("checkpoint", { id });
    const files = (checkpoint?.files ?? [])
      .filter(({ path, lines }) => lines.agent > 0 && existsSync(join(root, path)))
      .sort((one, other) => other.lines.agent - one.lines.agent);
    for (const { path } of files.slice(0, 2)) {
      const blame = await ask("blame", { file: path });
      const [range] = (blame?.ranges ?? [])
        .filter(({ author }) => author === "agent")
        .sort((one, other) => other.last_line - other.first_line - (one.last_line - one.first_line));
      if (range !== undefined) return `why ${shellPath(`${path}:${range.first_line}`)}`;
    }
  }
  const subject = await gitText(root, ["log", "-1", "--no-merges", "--format=%s"]).catch(() => "");
  return isSentence(subject) ? `search ${shellQuoted(oneLine(subject))}` : null;
}

/** Fit for a line of the terminal, and more than a word or two. */
function isSentence(text: string): boolean {
  const line = text.trim();
  return (
    line.length <= maxLength && !line.includes("\n") && !line.endsWith("…") && line.split(" ").length > 2
  );
}

/** As one types it: without quotes where none are needed. */
function shellPath(path: string): string {
  const shown = homeRelative(path);
  return /^[\w~./:@+-]+$/.test(shown) ? shown : shellQuoted(path);
}
