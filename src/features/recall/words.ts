import { formatCount } from "../../base/text/counted.ts";
import { quote, stripInvisible, toHarmlessLine } from "../../base/text/quotation.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { charactersOfToken, shortenText } from "../../base/text/text-size.ts";
import { adviseOn, describeNothingYet } from "../../protocol/reading/evidence.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { shownOfMatch } from "../../protocol/reading/shown-of-match.ts";
import { fitLines } from "../../tools/budget.ts";
import { historyLabel } from "../../tools/text.ts";
import type { RecallAnswer, RecallClaim, RecalledSession, RecalledTurn, WorkState } from "./operation.ts";

/** A person's own words end late with what they want. */
const maxClaimChars = { asked: 240, text: shownOfMatch.claimChars, outcome: 160, standing: 170 } as const;
const maxStateChars = { asked: 200, said: 320, elsewhere: 80 } as const;
/** Beside claims, which they must leave room for. */
const maxNotes = 2;
const maxReadChars = { prompt: 1200, reply: 1600, short: 240, line: 160 } as const;

/** Claims in a line each, where work stopped, or what was said and done in a turn. */
export function wordRecall(answer: RecallAnswer, maxTokens: number, now = Date.now()): string {
  const { claims, state, read, verdict, coverage, notes } = answer;
  if (read !== null) return [historyLabel, ...wordRead(read, maxTokens)].join("\n");
  const room = maxTokens * charactersOfToken;
  if (claims.length === 0 && state === null) {
    const none = coverage === undefined ? "Nothing in past sessions about it." : describeNothingYet(coverage);
    return fitLines([none, ...notes], room).join("\n");
  }
  const advice = claims.length === 0 ? null : adviseOn({ verdict, coverage });
  const head = [...(advice === null ? [] : [advice]), historyLabel];
  const about = fitLines(
    state === null ? [] : [...wordState(state, now), ...notes],
    room - countCharacters(head),
  );
  const beside = state === null ? notes.slice(0, maxNotes) : [];
  const lines = fitLines(claims.map(wordClaim), room - countCharacters([...head, ...about, ...beside]));
  return [...head, ...about, ...lines, ...beside].join("\n");
}

const countCharacters = (lines: readonly string[]): number => lines.join("\n").length + 1;

/** `DECIDED 2026-02-06 by the user: “…” (replaced by “…”) [0c275b1b:15]`. */
export function wordClaim({ kind, text, outcome, by, at, standing, id }: RecallClaim): string {
  const who = by === "user" ? "the user" : toHarmlessLine(by);
  const when = at === null ? "" : ` ${at.slice(0, 10)}`;
  const came = outcome === null || outcome === "" ? "" : ` → ${quote(outcome, maxClaimChars.outcome)}`;
  const stands = standing.map((one) => shortenText(toHarmlessLine(one), maxClaimChars.standing)).join("; ");
  return `${kind.toUpperCase()}${when} by ${who}: ${quote(text, by === "user" ? maxClaimChars.asked : maxClaimChars.text)}${came}${stands === "" ? "" : ` (${stands})`}${id === null ? "" : ` [${id}]`}`;
}

/** How the last turn ended, after "asked last": what has no answer is not finished. */
const ends = {
  completed: "",
  interrupted: " and not finished (it was interrupted)",
  error: " and not finished (it ended with an error)",
  unfinished: " and not finished (it has no end)",
} as const;

/** Where work stopped, and what has happened since. */
function wordState(state: WorkState, now = Date.now()): string[] {
  const { branch, session_id, author, turn, at, asked, said, ended, failing, elsewhere } = state;
  const formatAgo = (time: string | null) => (time === null ? "" : formatRelativeTime(Date.parse(time), now));
  const on = branch === null ? "" : ` on ${toHarmlessLine(branch)}`;
  const files = state.uncommitted.map((file) => toHarmlessLine(file)).join(", ");
  const more = state.uncommitted_total - state.uncommitted.length;
  const stopped =
    session_id === ""
      ? [`No session${on} yet.`]
      : [
          `STOPPED ${formatAgo(at)}${on} [${shortenSessionId(session_id)}:${turn}]${author === null ? "" : `, shared by ${toHarmlessLine(author)}`}`,
          ...(asked === ""
            ? []
            : [`asked last${ended === null ? "" : ends[ended]}: ${quote(asked, maxStateChars.asked)}`]),
          ...(said === "" ? [] : [`said last: ${quoteEnd(said, maxStateChars.said)}`]),
          state.commits_since === 0
            ? "since then: no commit"
            : `since then: ${formatCount(state.commits_since, "commit")}, the latest ${quote(state.latest_commit ?? "", 90)}`,
        ];
  return [
    ...stopped,
    ...(files === "" ? [] : [`uncommitted: ${files}${more > 0 ? ` and ${more} more` : ""}`]),
    ...failing.map((line) => `failed when it last ran: ${quote(line, maxReadChars.line)}`),
    ...elsewhere.map(
      (one) =>
        `open elsewhere: ${toHarmlessLine(one.branch)}, ${formatAgo(one.at)}, not merged: ${quoteEnd(one.said, maxStateChars.elsewhere)} [${shortenSessionId(one.session_id)}]`,
    ),
  ];
}

/** The last sentences of what was said: what was next stands at the end. */
export function quoteEnd(text: string, max: number): string {
  const flat = toHarmlessLine(text);
  if (flat.length <= max) return `“${flat}”`;
  const end = flat.slice(-max);
  const sentence = /(?<=[.!?:])\s+(?=[\p{Lu}\d"'`(*[])/u.exec(end);
  return sentence === null || sentence.index > max * 0.6
    ? `“…${end.slice(end.indexOf(" ") + 1)}”`
    : `“…${end.slice(sentence.index + 1).trim()}”`;
}

function wordRead(read: RecalledSession, maxTokens: number): string[] {
  const { session_id, title, agent, author, branch, started_at, last_at, turns_total, turn, commits, notes } =
    read;
  const facts = [
    `session ${shortenSessionId(session_id)}`,
    agent,
    author === null ? "" : `shared by ${toHarmlessLine(author)}`,
    branch === null ? "" : toHarmlessLine(branch),
    `${formatReadTime(started_at)} to ${formatReadTime(last_at)}`,
    formatCount(turns_total, "turn"),
  ];
  const head = [
    ...(title === null ? [] : [quote(title, 120)]),
    facts.filter((fact) => fact !== "").join(" | "),
    ...notes.map((note) => `NOTED: ${quote(note, 200)}`),
    ...commits.map((commit) => `led to ${shortenHash(commit)} ${quote(commit.slice(9), 120)}`),
  ];
  let room = maxTokens * charactersOfToken - head.join("\n").length - historyLabel.length;
  const lines: string[] = [];
  for (const one of read.turns) {
    const turnLines = turn === null ? wordTurnShort(one) : wordTurn(one, room);
    const size = turnLines.join("\n").length + 1;
    if (lines.length > 0 && size > room) break;
    room -= size;
    lines.push(...turnLines);
  }
  return [
    ...head,
    ...lines,
    ...(turn === null ? [`A turn in full: recall(id: "${shortenSessionId(session_id)}:TURN")`] : []),
  ];
}

const formatReadTime = (iso: string | null): string =>
  iso === null ? "?" : `${iso.slice(0, 16).replace("T", " ")}Z`;

function wordTurnShort({ number, at, state, abandoned, words, edits }: RecalledTurn): string[] {
  const asked = words.find(({ by }) => by === "user")?.text ?? "";
  const said = words.findLast(({ by }) => by === "agent")?.text ?? "";
  const facts = [formatReadTime(at), state ?? "", abandoned ? "the user went back from it" : ""].filter(
    Boolean,
  );
  return [
    `turn ${number} ${facts.join(", ")}`,
    ...(asked === "" ? [] : [`  user: ${quote(asked, maxReadChars.short)}`]),
    ...(said === "" ? [] : [`  agent: ${quoteEnd(said, maxReadChars.short)}`]),
    ...(edits.length === 0 ? [] : [`  ${edits.slice(0, 6).map(wordEdit).join(", ")}`]),
  ];
}

const wordEdit = ({ file, added, removed }: RecalledTurn["edits"][number]): string =>
  `${toHarmlessLine(file)} +${added} -${removed}`;

/** Words first, then what was changed and run; output last, its end before its beginning. */
function wordTurn(
  { number, at, state, abandoned, words, edits, ran, output }: RecalledTurn,
  room: number,
): string[] {
  const facts = [formatReadTime(at), state ?? "", abandoned ? "the user went back from it" : ""].filter(
    Boolean,
  );
  const prompts = words
    .filter(({ by }) => by === "user")
    .map(({ text }) => `user: ${quote(text, maxReadChars.prompt)}`);
  const replies = words.filter(({ by }) => by === "agent").map(({ text }) => text);
  const did = [
    ...(edits.length === 0 ? [] : [`edited: ${edits.slice(0, 20).map(wordEdit).join(", ")}`]),
    ...ran
      .slice(-12)
      .map(
        ({ line, outcome }) =>
          `ran${outcome === "failed" ? " (failed)" : ""}: ${quote(line, maxReadChars.line)}`,
      ),
  ];
  const lines = [`turn ${number} ${facts.join(", ")}`, ...prompts];
  let left = room - [...lines, ...did].join("\n").length;
  // The last words conclude: they are kept whole, and those before them as far as there is room.
  const said: string[] = [];
  for (const [i, reply] of replies.toReversed().entries()) {
    const text = `agent: ${i === 0 ? quoteEnd(reply, Math.min(maxReadChars.reply, Math.max(left, 200))) : quote(reply, maxReadChars.short)}`;
    if (i > 0 && text.length > left) {
      said.push(`… ${formatCount(replies.length - i, "earlier message")}`);
      break;
    }
    left -= text.length + 1;
    said.push(text);
  }
  const end =
    output !== null && left > 200
      ? [`output: ${quoteEnd(stripInvisible(output), Math.min(left - 20, 600))}`]
      : [];
  return [...lines, ...said.reverse(), ...did, ...end];
}
