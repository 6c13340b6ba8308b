import {
  ago,
  cutLine,
  type Document,
  type DocumentBlock,
  exactly,
  faint,
  faintlyAgo,
  heading,
  id,
  joinParts,
  labelTurn,
  line,
  makeDocument,
  place,
  quoted,
  strong,
  table,
  title,
  wordShown,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { formatSharedBy, labelNote } from "../../protocol/origin.ts";
import { namePrompt, nameTitle } from "../../protocol/reading/names.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import type { SessionBrief } from "../../protocol/session-brief.ts";
import { describeTurnEnd } from "./end-words.ts";
import type { SessionResponse, SessionSummary } from "./operation.ts";
import { describeTurnActivity } from "./turn-words.ts";

/** The parts of a session's brief and what they are called, the most telling first. */
const briefParts = [
  ["rejected", "Rejected later"],
  ["asked", "Asked"],
  ["outcome", "Agent said"],
  ["last_asked", "Last asked"],
  ["state", "Last turn"],
  ["open", "Left open"],
  ["commits", "Commits"],
  ["checks", "Last checks"],
  ["files", "Changed"],
  ["commands", "Worked"],
] as const satisfies readonly (readonly [keyof SessionBrief, string])[];

/** Those that tell a person what a session was, in the order of time; the others stand elsewhere. */
const told = ["asked", "last_asked", "outcome", "open", "commits"] as const;

const titles = new Map<keyof SessionBrief, string>(briefParts);

/** A session in at most five lines: what each is called, and what it says. */
export function listBriefLines(brief: SessionBrief): {
  title: string;
  says: string | SessionBrief["commits"];
}[] {
  return told
    .filter((name) => brief[name].length > 0)
    .map((name) => ({ title: titles.get(name)!, says: brief[name] }));
}

/** "14,437,560 tokens in (13,942,651 from the cache), output not recorded". */
export function describeTokens({ input, output, cache_read, cache_write }: SessionSummary["tokens"]): string {
  const read = input + cache_read + cache_write;
  const written = output === null ? "output not recorded" : `${output.toLocaleString("en")} out`;
  if (read === 0 && !output) return "tokens not recorded";
  return `${formatCount(read, "token")} in (${cache_read.toLocaleString("en")} from the cache), ${written}`;
}

/** Of a title, for an agent. */
const maxTitleChars = 160;
/** Files that a terminal names before it counts the rest. */
const maxFilesShown = 20;

/** A row for each session. */
export const wordSessions = (sessions: readonly SessionSummary[]): DocumentBlock =>
  table(
    [
      { title: "session" },
      { title: "active" },
      { title: "turns", isNumber: true },
      { title: "agent", optional: 2, isForMixed: true },
      { title: "shared by", optional: 3 },
      { title: "branch", optional: 1, wraps: true },
      { title: "title", wraps: true },
      { title: "topics", optional: 4, wraps: true },
    ],
    sessions.map(
      ({ id: session, last_at, turns, agent, author, agent_type, branch, title: name, topics }) => [
        id(shortenSessionId(session)),
        ago(last_at) ?? "unknown",
        turns.toLocaleString("en"),
        { text: agent },
        author != null && { text: author },
        branch !== null && faint(branch),
        { text: nameTitle(name ?? agent_type), quotedChars: maxTitleChars },
        topics.length > 0 && { ...faint(topics.join(", ")), quotedChars: maxTitleChars },
      ],
    ),
  );

/** A list of sessions. @param isNarrowed others than those asked for may be there */
export function wordSessionList(
  { sessions, total }: { sessions: readonly SessionSummary[]; total: number },
  isNarrowed: boolean,
): Document {
  if (sessions.length > 0) return makeDocument([wordSessions(sessions)], wordShown(sessions.length, total));
  return [[line(describeNoSessions(isNarrowed))]];
}

/** In the place of a list that is empty. */
export const describeNoSessions = (isNarrowed: boolean): string =>
  isNarrowed ? "No sessions match." : "No sessions. `pm import` imports past ones.";

/** A list for each project, under its name. */
export function wordSessionsEverywhere(
  { sessions, total }: { sessions: readonly (SessionSummary & { project: string })[]; total: number },
  nameProject = (root: string) => root,
): Document {
  if (sessions.length === 0) return [[line(describeNoSessions(true))]];
  return makeDocument(
    ...[...new Set(sessions.map(({ project }) => project))].map((project) => [
      title(nameProject(project)),
      wordSessions(sessions.filter((session) => session.project === project)),
    ]),
    wordShown(sessions.length, total),
  );
}

/** A session: what it was, a line for each turn, and what else belongs to it. */
export const wordSession = (answer: SessionResponse): Document =>
  makeDocument(
    ...wordSessionHead(answer, true),
    answer.turns.length > 0 && [heading("Turns"), ...answer.turns.map(wordTurn)],
    ...wordSessionRest(answer),
  );

/** What a session was, in brief, and its summary if that is wanted. */
export function wordSessionHead(
  { session, brief, summary }: SessionResponse,
  withSummary: boolean,
): Document {
  const { title: name, agent, agent_type, author, started_at, last_at, branch, turns, ended_at } = session;
  const { tokens, models, end_reason, parent_id, forked_from } = session;
  const [first, last] = [started_at, last_at].filter((at) => at !== null);
  const isOneMinute = last === undefined || first?.slice(0, 16) === last.slice(0, 16);
  return makeDocument(
    [
      line({ ...strong(nameTitle(name)), quotedChars: maxTitleChars }),
      line(id(session.id)),
      line(
        ...joinParts([
          { text: agent_type === null ? agent : `${agent} (${agent_type})` },
          author != null && formatSharedBy(author),
          first !== undefined && [
            ...(isOneMinute ? [] : [{ at: first, form: "time" } as const, " to "]),
            exactly(last ?? first),
          ],
          branch !== null && { text: branch },
          formatCount(turns, "turn"),
          ended_at !== null && { text: end_reason === null ? "ended" : `ended (${end_reason})` },
        ]),
      ),
      ...(session.cwd === "" ? [] : [line({ ...place(session.cwd), path: session.cwd })]),
      line(
        faint(
          models.length > 0 ? `${describeTokens(tokens)} by ${models.join(", ")}` : describeTokens(tokens),
        ),
      ),
      ...(parent_id === null ? [] : [line("subagent of ", id(shortenSessionId(parent_id)))]),
      ...(forked_from === null ? [] : [line("continues ", id(shortenSessionId(forked_from)))]),
    ],
    listBriefLines(brief).map(({ title: what, says }) =>
      cutLine(
        0,
        faint(what),
        " ".repeat(12 - what.length),
        quoted(typeof says === "string" ? says : says.map(({ subject }) => subject).join("; ")),
      ),
    ),
    withSummary &&
      summary !== null && [
        heading("Summary"),
        { is: "passage", text: summary.text },
        line(faint(`${nameSummarySource(summary)}, up to turn ${summary.up_to_turn}`)),
      ],
  );
}

type ShownSummary = NonNullable<SessionResponse["summary"]>;

/** Who wrote a summary. */
function nameSummarySource({ source, model }: ShownSummary): string {
  if (source === "compaction") return "by the agent";
  return source === "llm" ? `by ${model ?? "a model"}` : "extract";
}

type ListedTurn = SessionResponse["turns"][number];

export function wordTurn(turn: ListedTurn): DocumentBlock {
  const { number, prompt, started_at, abandoned } = turn;
  const facts = [...describeTurnActivity(turn), describeTurnEnd(turn), abandoned ? "abandoned branch" : ""];
  return labelTurn(
    number,
    quoted(namePrompt(number, prompt)),
    "  ",
    ...joinParts([faintlyAgo(started_at), ...facts.filter((fact) => fact !== "").map(faint)], ", "),
  );
}

/** What belongs to a session beside its turns: notes, files, subagents. */
export const wordSessionRest = ({ annotations, files, agents }: SessionResponse): Document =>
  makeDocument(
    annotations.length > 0 && [
      heading("Notes"),
      ...annotations.map((one) =>
        cutLine(
          0,
          faint(`${labelNote(one, "person")}${one.turn === null ? "" : `, turn ${one.turn}`}:`),
          " ",
          quoted(one.note),
        ),
      ),
    ],
    files.length > 0 && [
      heading("Files"),
      table(
        [{ title: "" }, { title: "" }],
        files.map(({ path, how }) => [faint(how), place(path)]),
        maxFilesShown,
      ),
    ],
    agents.length > 0 && [heading("Subagents"), ...agents.map((agent) => line(id(agent)))],
  );
