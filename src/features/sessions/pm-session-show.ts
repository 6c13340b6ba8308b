import type { Document } from "../../answers/document.ts";
import { getErrorCode } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { callNoted } from "../../terminal/call-noted.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Screen } from "../../terminal/output.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { toHomeRelative, toPrintableLines } from "../../terminal/text.ts";
import { renderLog } from "./log-words.ts";
import type { SessionResponse } from "./operation.ts";
import { locateSession, showSession } from "./operation.ts";
import { wordSession, wordSessionHead, wordSessionRest, wordTurn } from "./session-words.ts";

interface ShowOptions {
  turn?: number;
  full?: boolean | undefined;
  outline?: boolean | undefined;
}

/** `pm session show`: on a terminal as a chat; in a pipe a line for each turn, or the archived text of one. */
export async function sessionShowCommand(
  { cwd, output }: CommandContext,
  place: string,
  { full = false, outline = false, ...options }: ShowOptions,
): Promise<void> {
  const [, id = place, number] = /^(.+):(\d+)$/.exec(place) ?? [];
  const turn = options.turn ?? (number === undefined ? undefined : Number(number));
  const isChat = output.columns !== undefined && !output.json && !outline;
  const log = isChat ? (full || turn !== undefined ? "full" : "brief") : undefined;
  let project = await findProject(cwd);
  const ask = (of?: number) => callNoted(showSession, { id, turn: of, log }, project, output);
  const session = await ask(turn).catch(async (error: unknown) => {
    const isMissing = ["not_found", "no_memory"].includes(getErrorCode(error));
    const other = isMissing ? await findOtherProject(project, id) : null;
    if (other === null) throw error;
    project = other;
    output.note(output.colors.dim(`In ${toHomeRelative(other.root)}.`));
    return ask(turn);
  });
  if (session.log !== undefined) {
    output.result(session, () => renderChat(session, turn ?? null, full, output));
  } else if (session.content !== null) {
    output.result(session, () => toPrintableLines(session.content ?? "").join("\n"));
  } else if (full) {
    const turns: (SessionResponse["turns"][number] & { content: string })[] = [];
    for (const one of session.turns) {
      const { content } = await call(showSession, { id, turn: one.number, log }, project);
      turns.push({ ...one, content: content ?? "" });
    }
    output.result({ ...session, turns }, () => {
      const print = (document: Document) => renderDocument(document, { screen: output });
      const texts = turns.map((one) =>
        [print([[wordTurn(one)]]), ...toPrintableLines(one.content)].join("\n"),
      );
      return [print(wordSessionHead(session, true)), ...texts].join("\n\n");
    });
  } else {
    output.result(session, () => renderDocument(wordSession(session), { screen: output }));
  }
}

/** The other project that stores a session. */
async function findOtherProject(here: Project, id: string): Promise<Project | null> {
  const { root } = await call(locateSession, { id, here: here.root }, null);
  return root === null ? null : findProject(root);
}

/** A session as a chat: its head and summary, then what was said and done; or one turn of it. */
function renderChat(answer: SessionResponse, turn: number | null, full: boolean, screen: Screen): string {
  const log = renderLog(answer.log ?? [], answer.turns, { screen, full: full || turn !== null });
  if (turn !== null) return log;
  const more = "--full shows whole results and diffs, and the summary; --outline a line for each turn.";
  return [
    renderDocument(wordSessionHead(answer, full), { screen }),
    log,
    renderDocument(wordSessionRest(answer), { screen }),
    full ? "" : screen.colors.dim(more),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
