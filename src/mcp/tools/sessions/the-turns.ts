import type { SessionResponse } from "../../../protocol/operations/sessions.ts";
import { visible } from "../../../text/quotation.ts";
import { beginningOf } from "../../../text/text-size.ts";
import type { GetSessionOutput } from "../../shapes/shapes-sessions.ts";
import { joined, minute, oneLine } from "../../text/text.ts";
import type { CallContext } from "../../tool.ts";
import { readSession } from "./the-session.ts";

/** A turn in a few lines. */
export type LastTurn = GetSessionOutput["turns"][number];

const filesNamed = 5;
/** Turns read in full for their last reply. */
const maxRead = 20;
/** Of a prompt or a reply. Characters. */
const longest = 2000;

/** Turns with what the agent said at their end, as far as that can be read. */
export function lastTurns(
  context: CallContext,
  session: string,
  turns: SessionResponse["turns"],
): Promise<LastTurn[]> {
  return Promise.all(
    turns.map(async (turn, at): Promise<LastTurn> => {
      const content = at < maxRead ? (await readSession(context, session, turn.number)).content : null;
      const changed = turn.files.filter(({ how }) => how !== "read");
      return {
        number: turn.number,
        timestamp: turn.started_at,
        prompt:
          turn.number === 0 && turn.prompt === ""
            ? "(before the first prompt)"
            : beginningOf(visible(turn.prompt), longest),
        said: content === null ? "" : lastWords(content),
        tools: Object.entries(turn.tools)
          .slice(0, 8)
          .map(([name, count]) => oneLine(`${name} ${count}`, 60))
          .join(", "),
        changed: changed.slice(0, filesNamed).map(({ path }) => oneLine(path, 160)),
        is_abandoned: turn.abandoned,
        state: turn.state === undefined || turn.state === "completed" ? null : turn.state,
      };
    }),
  );
}

/** Of the agent, in a turn as `renderTurn` of conversations-turn.ts gives it. */
function lastWords(content: string): string {
  const at = content.lastIndexOf("[ASSISTANT] ");
  if (at === -1) return "";
  const said = content.slice(at + "[ASSISTANT] ".length);
  const [words = ""] = said.split(/\n\n\[[A-Z_]+\] /, 1);
  return beginningOf(visible(words).trim(), longest);
}

export function renderTurn(turn: LastTurn): string {
  const { number, timestamp, prompt, said, tools, changed, is_abandoned, state } = turn;
  const facts = joined([
    minute(timestamp),
    tools,
    changed.length > 0 && `changed ${changed.join(", ")}`,
    state,
    is_abandoned && "abandoned branch",
  ]);
  return joined([`${number}. ${facts}`, `> user: ${prompt}`, said !== "" && `> agent: ${said}`], "\n");
}
