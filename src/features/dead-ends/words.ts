import {
  caution,
  type Document,
  type DocumentBlock,
  faint,
  good,
  id,
  joinParts,
  type LinePart,
  labelled,
  line,
  makeDocument,
  makeTurnPiece,
  place,
  quoted,
  wordShown,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { toHarmlessLine } from "../../base/text/quotation.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { formatTurnPlace } from "../../protocol/reading/short-id.ts";
import type { DeadEnd, DeadEndsAnswer, deadEndKinds } from "./operation.ts";

export const howToCheck = "Agents are not warned yet: `pm config set dead_ends.check true`, then `pm setup`.";

/** Characters of what is quoted to an agent, and on a terminal. */
const maxChars = { agent: 160, line: 160 } as const;

export const kindNames: Readonly<Record<(typeof deadEndKinds)[number], string>> = {
  command: "Command",
  change: "Change",
  approach: "Approach",
};

export const noneFound = (sessions: number): string =>
  `No dead ends found in ${formatCount(sessions, "session")} of yours.`;

export function wordDeadEnds({ dead_ends, total, sessions, is_checked }: DeadEndsAnswer): Document {
  if (dead_ends.length === 0) return makeDocument([line(noneFound(sessions))]);
  return makeDocument(
    ...dead_ends.map(wordDeadEnd),
    wordShown(dead_ends.length, total, "dead ends"),
    !is_checked && [line(caution(howToCheck))],
  );
}

/** What was tried, why it was dropped, and what was done instead. */
export function wordDeadEnd(end: DeadEnd): DocumentBlock[] {
  const { kind, tried, path, error, reason, instead } = end;
  const [first = "", ...more] = tried;
  return [
    line(id(end.id), " ", faint(kindNames[kind]), " ", {
      ...quoted(first, maxChars.line),
      ...(kind === "command" && { role: "command" }),
    }),
    ...more.map((text) => labelled("", quoted(text, maxChars.line))),
    ...(path === null || path === "" ? [] : [labelled(kind === "command" ? "In" : "File", place(path))]),
    ...(error === null ? [] : [labelled("Error", quoted(error, maxChars.line))]),
    labelled(kind === "command" ? "Failed" : "Dropped", ...joinParts(wordWhen(end), ", ")),
    ...(reason === null
      ? []
      : [
          labelled(
            "Reason",
            end.session_id === null ? "the commit says: " : "the agent said: ",
            quoted(reason, 300),
          ),
        ]),
    ...(instead === null
      ? []
      : [labelled("Instead", ...(kind === "command" ? [good("worked"), " "] : []), quoted(instead, 300))]),
  ];
}

/** How often, when and where, and what took it back. */
function wordWhen({
  kind,
  times,
  sessions,
  at,
  session_id,
  turn,
  taken_back_by: by,
}: DeadEnd): (LinePart | LinePart[])[] {
  return [
    ...(kind !== "command" ? [] : [wordTimes({ times, sessions })]),
    ...(by === null
      ? []
      : by === "edit"
        ? ["taken back by an edit"]
        : by === "git"
          ? ["taken back by git"]
          : [{ text: `reverted by ${shortenHash(by)}`, commit: by }]),
    ...(at === null ? [] : [{ at, form: "ago" } as const]),
    ...(session_id === null ? [] : [["session ", makeTurnPiece(session_id, turn)]]),
  ];
}

const wordTimes = ({ times, sessions }: Pick<DeadEnd, "times" | "sessions">): string =>
  sessions > 1
    ? `${formatCount(times, "time")} in ${formatCount(sessions, "session")}`
    : formatCount(times, "time");

const quote = (text: string): string => `“${shortenText(toHarmlessLine(text), maxChars.agent)}”`;

/** What an agent reads before it tries the same again, and whoever asks about the same; one line. */
export function wordForAgent(end: DeadEnd): string {
  const { kind, tried, path, error, reason, instead, session_id, turn, taken_back_by: by } = end;
  const where = session_id === null ? "" : ` [session ${formatTurnPlace(session_id, turn)}]`;
  const why =
    reason === null ? "" : ` ${session_id === null ? "The commit says" : "The agent said"}: ${quote(reason)}`;
  switch (kind) {
    case "command": {
      const place = path === null ? "" : ` in ${path === "" ? "the root" : `${toHarmlessLine(path)}/`}`;
      const then = instead === null ? "" : ` What worked then: ${quote(instead)}`;
      return `Dead end: ${quote(tried[0] ?? "")} failed${place} ${wordTimes(end)} (${quote(error ?? "")}), and never worked here.${then}${where}`;
    }
    case "change": {
      const how =
        by === "edit" || by === "git" || by === null ? "taken back" : `reverted by commit ${shortenHash(by)}`;
      return `Dead end: in ${toHarmlessLine(path ?? "")} these lines were written before and ${how}: ${quote(tried.join(" ⏎ "))}.${why}${instead === null ? "" : ` ${quote(instead)}`}${where}`;
    }
    case "approach":
      return `Dead end, in an agent's words: ${quote(tried[0] ?? "")}${instead === null ? "" : ` ${quote(instead)}`}${where}`;
  }
}
