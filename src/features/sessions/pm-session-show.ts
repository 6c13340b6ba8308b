import { getErrorCode } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { formatSharedBy, labelNote } from "../../protocol/origin.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { toFileUrl } from "../../terminal/links.ts";
import { formatMarkdown } from "../../terminal/markdown.ts";
import type { Screen } from "../../terminal/output.ts";
import {
  fitToWidth,
  formatCount,
  formatExactWhen,
  formatHeading,
  formatLocalTime,
  formatWhen,
  shortenId,
  toHomeRelative,
  toOneLine,
  toPrintableLines,
  wrapText,
} from "../../terminal/text.ts";
import { callNoted } from "./call-noted.ts";
import type { SessionResponse } from "./operation.ts";
import { locateSession, showSession } from "./operation.ts";
import { describeTurnEnd, renderLog } from "./render-turns.ts";
import { listBriefLines } from "./session-words.ts";
import { describeTurnActivity } from "./turn-words.ts";

interface ShowOptions {
  turn?: number;
  full?: boolean | undefined;
  outline?: boolean | undefined;
}

/** Files that are named before the rest is counted. */
const filesShown = 20;

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
    const turns: (Turn & { content: string })[] = [];
    for (const one of session.turns) {
      const { content } = await call(showSession, { id, turn: one.number, log }, project);
      turns.push({ ...one, content: content ?? "" });
    }
    output.result({ ...session, turns }, () => {
      const texts = turns.map((one) => [turnLine(one, output), ...toPrintableLines(one.content)].join("\n"));
      return [renderHead(session, output), ...texts].join("\n\n");
    });
  } else {
    output.result(session, () => renderSession(session, output));
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
  return [
    renderHead(answer, screen, full),
    ...(log === "" ? [] : [log]),
    ...renderRest(answer, screen),
    ...(full
      ? []
      : [
          screen.colors.dim(
            "--full shows whole results and diffs, and the summary; --outline a line for each turn.",
          ),
        ]),
  ].join("\n\n");
}

/** A session for a person: what it was, its summary, its turns in a line each, notes, files and subagents. */
export function renderSession(answer: SessionResponse, screen: Screen): string {
  const { colors } = screen;
  const turns = answer.turns.map((turn) => turnLine(turn, screen));
  return [
    renderHead(answer, screen),
    ...(turns.length > 0 ? [[formatHeading("Turns", colors), ...turns].join("\n")] : []),
    ...renderRest(answer, screen),
  ].join("\n\n");
}

/** What belongs to a session beside its turns: notes, files, subagents. */
export function renderRest({ annotations, files, agents }: SessionResponse, screen: Screen): string[] {
  const { colors } = screen;
  const parts: string[] = [];
  if (annotations.length > 0) {
    const notes = annotations.map((one) => {
      const place = `${labelNote(one, "person")}${one.turn === null ? "" : `, turn ${one.turn}`}: `;
      return `${colors.dim(place)}${fitToWidth(one.note, (screen.columns ?? 0) - place.length, screen)}`;
    });
    parts.push([formatHeading("Notes", colors), ...notes].join("\n"));
  }
  if (files.length > 0) {
    const shown = screen.columns === undefined ? files : files.slice(0, filesShown);
    const lines = shown.map(
      ({ path, how }) => `${colors.dim(how.padEnd(5))}  ${colors.place(toOneLine(path))}`,
    );
    const more = files.length - shown.length;
    parts.push(
      [formatHeading("Files", colors), ...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("\n"),
    );
  }
  if (agents.length > 0) {
    parts.push(
      [formatHeading("Subagents", colors), ...agents.map((id) => colors.id(toOneLine(id)))].join("\n"),
    );
  }
  return parts;
}

/** What a session was, in brief, and its summary if that is wanted. */
export function renderHead(
  { session, brief, summary }: SessionResponse,
  screen: Screen,
  withSummary = true,
): string {
  const { colors, columns } = screen;
  const { tokens } = session;
  const span = [session.started_at, session.last_at].filter((at) => at !== null);
  const days = [...new Set(span.map(formatLocalTime))];
  const facts = [
    `${session.agent}${session.agent_type === null ? "" : ` (${session.agent_type})`}`,
    formatSharedBy(session.author),
    columns !== undefined && days.length > 0
      ? [...days.slice(0, -1), formatExactWhen(span.at(-1)!, screen)].join(" to ")
      : days.join(" to "),
    session.branch ?? "",
    formatCount(session.turns, "turn"),
    session.ended_at === null ? "" : `ended${session.end_reason ? ` (${session.end_reason})` : ""}`,
  ];
  const cost = [
    `${formatCount(tokens.input + tokens.cache_read + tokens.cache_write, "token")} in`,
    `(${tokens.cache_read.toLocaleString("en")} from the cache),`,
    tokens.output === null ? "output not recorded" : `${tokens.output.toLocaleString("en")} out`,
    session.models.length > 0 ? `by ${session.models.join(", ")}` : "",
  ];
  const lines = [
    ...wrapText(session.title ?? "(no title)", columns).map(colors.bold),
    colors.id(toOneLine(session.id)),
    ...wrapText(facts.filter((fact) => fact !== "").join(" | "), columns),
    colors.link(colors.place(toOneLine(session.cwd)), session.cwd === "" ? null : toFileUrl(session.cwd)),
    ...wrapText(cost.join(" "), columns).map(colors.dim),
  ];
  if (session.parent_id !== null) lines.push(`subagent of ${colors.id(shortenId(session.parent_id))}`);
  if (session.forked_from !== null) lines.push(`continues ${colors.id(shortenId(session.forked_from))}`);
  const told = listBriefLines(brief).map(({ title, says }) => {
    const text = typeof says === "string" ? says : says.map(({ subject }) => subject).join("; ");
    return `${colors.dim(title.padEnd(10))}  ${fitToWidth(text, (columns ?? 0) - 12, screen)}`;
  });
  if (told.length > 0) lines.push("", ...told);
  if (summary === null || !withSummary) return lines.join("\n");
  const source = {
    extractive: "extract",
    compaction: "by the agent",
    llm: `by ${summary.model ?? "a model"}`,
  };
  const about = colors.dim(`${toOneLine(source[summary.source])}, up to turn ${summary.up_to_turn}`);
  const text =
    columns === undefined
      ? toPrintableLines(summary.text)
      : formatMarkdown(summary.text, { colors, width: columns });
  return [...lines, "", formatHeading("Summary", colors), ...text, about].join("\n");
}

type Turn = SessionResponse["turns"][number];

function turnLine(turn: Turn, screen: Screen): string {
  const { colors, columns } = screen;
  const number = `${String(turn.number).padStart(3)}.`;
  const facts = [
    formatWhen(turn.started_at, screen),
    ...describeTurnActivity(turn),
    describeTurnEnd(turn),
    turn.abandoned ? "abandoned branch" : "",
  ].filter((fact) => fact !== "");
  const prompt = turn.number === 0 ? "(before the first prompt)" : turn.prompt;
  const about = facts.join(", ");
  const width = Math.max((columns ?? 0) - number.length - about.length - 3, 20);
  return `${colors.id(number)} ${fitToWidth(prompt, width, screen)}  ${colors.dim(about)}`;
}
