import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { locate, parseLines, parsePlace } from "../../answers/file-place.ts";
import { cutToWidth, wrapToWidth } from "../../base/text/display-width.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { sharedBy } from "../../protocol/origin.ts";
import { howUsed, lineEvidence, nameInFull } from "../../protocol/reading/evidence.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { commitPages } from "../../terminal/links.ts";
import { markdown } from "../../terminal/markdown.ts";
import type { Screen } from "../../terminal/output.ts";
import type { Palette } from "../../terminal/palette.ts";
import {
  block,
  counted,
  exactWhen,
  hanging,
  localTime,
  oneLine,
  printable,
  shortId,
  when,
} from "../../terminal/text.ts";
import { codeLine, inColor, shortHash, turnId, whoWrote } from "../blame/author-words.ts";
import { labelDecision } from "../search/found-words.ts";
import type {
  EarlierLines,
  LaterChanges,
  NearDecision,
  Origin,
  OriginTurn,
  WhyAnswer,
  WhyFreshness,
} from "./operation.ts";
import { why } from "./operation.ts";

interface WhyStyle {
  /** Whole prompts and all lines. */
  full: boolean;
  screen: Screen;
  /** Of a commit. */
  pageOf: (hash: string) => string | null;
}

/** Lines that are shown of the lines asked about, and of a prompt. */
const linesShown = 8;
const promptLines = 6;

/** The chain from lines to what they are there for, for a person. */
export function renderWhy(answer: WhyAnswer, style: WhyStyle): string {
  const { screen } = style;
  const { colors } = screen;
  const { file, first_line, last_line, origins, decisions, earlier, later, freshness, used_by, notes } =
    answer;
  const span = first_line === last_line ? `${first_line}` : `${first_line}-${last_line}`;
  const [first, ...others] = origins;
  const because = decisions.filter(({ is_before, near }) => is_before && near === "session");
  const about = decisions.filter((decision) => !because.includes(decision));
  const parts = [
    [colors.bold(`${oneLine(file)}:${span}`), ...shownLines(answer, style)].join("\n"),
    ...(first ? [renderOrigin(first, style)] : []),
    ...renderDecisions("Decisions", because, screen),
    ...renderDecisions("Related decisions", about, screen),
    ...(others.length > 0 ? [renderOthers(others, style)] : []),
    ...(earlier.length > 0 ? [renderEarlier(earlier, style)] : []),
    renderFreshness(freshness, later, style),
    ...(used_by !== null && used_by.total > 0 ? [renderUses(used_by, style)] : []),
    ...(notes.length > 0
      ? [
          notes
            .flatMap((note) => hanging(printable(note), screen, 0))
            .map(colors.dim)
            .join("\n"),
        ]
      : []),
    ...nextSteps(first, colors),
  ];
  return parts.join("\n\n");
}

function shownLines({ text, first_line, last_line }: WhyAnswer, { full, screen }: WhyStyle): string[] {
  const { colors, columns } = screen;
  const shown = full ? text : text.slice(0, linesShown);
  const digits = String(first_line + shown.length - 1).length;
  const lines = shown.map((line, i) => {
    const code = codeLine(line);
    const cut = full || columns === undefined ? code : cutToWidth(code, Math.max(columns - digits - 5, 20));
    return `  ${colors.dim(`${String(first_line + i).padStart(digits)} │`)} ${cut}`;
  });
  const more = last_line - first_line + 1 - shown.length;
  return more > 0 ? [...lines, colors.dim(`  and ${counted(more, "more line")}`)] : lines;
}

/** Columns of the labels on the left. */
const labelWidth = 11;

/** A labelled text, wrapped beside its label. */
function labelled(label: string, text: string, { screen }: WhyStyle): string[] {
  const { colors, columns } = screen;
  const [first = "", ...rest] = wrappedBeside(text, columns);
  return [`${colors.bold(label.padEnd(labelWidth - 1))} ${first}`, ...rest.map(below)];
}

const below = (line: string): string => `${" ".repeat(labelWidth)}${line}`;

function wrappedBeside(text: string, columns: number | undefined): string[] {
  return columns === undefined ? [text] : wrapToWidth(text, Math.max(columns - labelWidth, 20));
}

function commitName(hash: string | null, { screen, pageOf }: WhyStyle): string {
  return screen.colors.link(screen.colors.commit(shortHash(hash)), hash === null ? null : pageOf(hash));
}

function renderOrigin(origin: Origin, style: WhyStyle): string {
  const { screen } = style;
  const { colors } = screen;
  const { written_by, commit, turn } = origin;
  const person = commit?.person ?? null;
  const evidence = written_by.author === "agent" ? lineEvidence(written_by) : "";
  const isFigure = evidence.endsWith("%");
  // Who committed it need not have written it.
  const committed = { unknown: "Author unknown", before_agents: "Before agents" };
  const { author } = written_by;
  const writer = [
    author === "unknown" || author === "before_agents"
      ? `${colors.bold(committed[author])}${person === null ? "" : `; committed by ${oneLine(person)}`}`
      : `${colors.bold("Written by")} ${inColor(whoWrote(written_by, person), written_by, colors)}`,
    written_by.session_id === null
      ? ""
      : `in session ${colors.id(shortId(written_by.session_id))}` +
        (written_by.turn === null ? "" : `, turn ${written_by.turn}`),
    written_by.said_by === "note" ? "according to another tool's note" : "",
    // Nearly all are as sure as that.
    evidence === "" || (isFigure && written_by.confidence >= 0.9)
      ? ""
      : `(${evidence}${isFigure ? " sure" : ""})`,
  ];
  const lines = hanging(writer.filter((part) => part !== "").join(" "), screen, labelWidth);
  if (written_by.session_title !== null) {
    lines.push(...wrappedBeside(oneLine(written_by.session_title), screen.columns).map(below));
  }
  lines.push(
    ...labelled(
      "Commit",
      commit === null ? "not committed yet" : `${commitName(commit.hash, style)} ${oneLine(commit.subject)}`,
      style,
    ),
  );
  if (commit !== null) {
    const facts = [
      oneLine(commit.person),
      commit.authored_at === null ? "" : exactWhen(commit.authored_at, screen),
      commit.branch === null ? "" : `on ${oneLine(commit.branch)}`,
      commit.is_boundary ? "shallow clone: history ends here" : "",
    ];
    const text = facts.filter((fact) => fact !== "").join(" | ");
    lines.push(...wrappedBeside(text, screen.columns).map((line) => colors.dim(below(line))));
  }
  return [...lines, ...(turn ? renderTurn(turn, style) : [])].join("\n");
}

function renderTurn(turn: OriginTurn, style: WhyStyle): string[] {
  const { full, screen } = style;
  const { colors, columns } = screen;
  const prompt =
    columns === undefined
      ? block(turn.prompt)
      : markdown(turn.prompt, { colors, width: Math.max(columns - labelWidth, 20) });
  const shown = full ? prompt : prompt.slice(0, promptLines);
  const more = shown.length < prompt.length ? [colors.dim(below("..."))] : [];
  const [first = "", ...rest] = shown;
  const lines = [`${colors.bold("Prompt")}     ${colors.bold(first)}`, ...rest.map(below), ...more];
  if (turn.author != null) lines.push(...labelled("Origin", sharedBy(turn.author), style));
  const { asked_by } = turn;
  if (asked_by) {
    const place = `${shortId(asked_by.session_id)}:${asked_by.turn}`;
    lines.push(...labelled("For", `${colors.id(place)} ${oneLine(asked_by.prompt)}`, style));
  }
  // A pipe gets the whole text.
  const width = full || columns === undefined ? undefined : 200;
  if (turn.said_before !== "") lines.push(...labelled("Said", oneLine(turn.said_before, width), style));
  if (turn.said_after !== "") lines.push(...labelled("Then", oneLine(turn.said_after, width), style));
  return lines;
}

function renderDecisions(title: string, decisions: readonly NearDecision[], screen: Screen): string[] {
  if (decisions.length === 0) return [];
  return [
    [screen.colors.bold(title), ...decisions.flatMap((decision) => decisionLines(decision, screen))].join(
      "\n",
    ),
  ];
}

function decisionLines(decision: NearDecision, screen: Screen): string[] {
  const { colors } = screen;
  const { text, session_id, turn, timestamp } = decision;
  const place = [
    when(timestamp, screen),
    session_id === null ? "" : `${shortId(session_id)}${turn === null ? "" : `:${turn}`}`,
  ].filter((part) => part !== "");
  const label = labelDecision(decision, "person");
  const said = label === null ? oneLine(text) : `${colors.warn(label)} ${oneLine(text)}`;
  const later = decision.superseded_by;
  return [
    ...hanging(`  - ${said}  ${colors.dim(place.join(" "))}`, screen, 4),
    ...(later === null ? [] : hanging(`    Superseded by: ${oneLine(later)}`, screen, 4).map(colors.warn)),
  ];
}

function renderOthers(others: readonly Origin[], style: WhyStyle): string {
  const { colors } = style.screen;
  const lines = others.flatMap(({ lines: pieces, written_by, commit }) => {
    const where = pieces.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(", ");
    const parts = [
      `${oneLine(where)}:`,
      inColor(whoWrote(written_by, commit?.person ?? null), written_by, colors),
      turnId(written_by) === "" ? "" : colors.id(turnId(written_by)),
      commitName(commit?.hash ?? null, style),
      oneLine(commit?.subject ?? "not committed yet"),
    ];
    return hanging(`  ${parts.filter((part) => part !== "").join(" ")}`, style.screen, 4);
  });
  return [colors.bold("Other lines"), ...lines].join("\n");
}

function renderEarlier(earlier: readonly EarlierLines[], style: WhyStyle): string {
  const { screen } = style;
  const { colors } = screen;
  const lines = earlier.flatMap(({ how, text, written_by, commit, prompt }) => {
    const head = [
      commitName(commit?.hash ?? null, style),
      inColor(whoWrote(written_by, commit?.person ?? null), written_by, colors),
      turnId(written_by),
      commit?.authored_at ? localTime(commit.authored_at).slice(0, 10) : "",
      oneLine(commit?.subject ?? ""),
    ];
    const code = text.slice(0, 3).map((line) => {
      const shown = `    ${how === "changed" ? "-" : "~"} ${codeLine(line)}`;
      return colors.dim(screen.columns === undefined ? shown : cutToWidth(shown, screen.columns));
    });
    return [
      ...hanging(`  ${head.filter((part) => part !== "").join(" ")}`, screen, 4),
      ...(prompt === null ? [] : hanging(`    prompt: ${oneLine(prompt)}`, screen, 6)),
      ...code,
    ];
  });
  return [colors.bold("Earlier"), ...lines].join("\n");
}

const states: Record<WhyFreshness["state"], string> = {
  stands: "Still current: no later decision or revert found.",
  reconsidered: "May be outdated: a later decision concerns these lines.",
  reverted: "Its commit was reverted.",
  elsewhere: "Its commit is not in HEAD's history.",
  gone: "Its commit is not in this repository.",
  uncommitted: "Not committed yet.",
  unknown: "The status of its commit is unknown.",
};

function renderFreshness(freshness: WhyFreshness, later: LaterChanges | null, style: WhyStyle): string {
  const { screen } = style;
  const { colors } = screen;
  const { state, branches, reverted_by, lines_added, lines_surviving, later_decisions } = freshness;
  const paint = state === "stands" ? colors.ok : state === "uncommitted" ? colors.dim : colors.warn;
  const lines = labelled("Today", paint(states[state]), style);
  const say = (text: string) => lines.push(...wrappedBeside(text, screen.columns).map(below));
  if (reverted_by !== null) say(`Reverted by ${commitName(reverted_by, style)}.`);
  if (branches.length > 0) say(`On branch ${oneLine(branches.join(", "))}.`);
  if (lines_added !== null && lines_surviving !== null && lines_added > 0) {
    const surviving = lines_surviving.toLocaleString("en");
    say(
      lines_added === 1
        ? `The one line its commit added ${lines_surviving === 1 ? "remains" : "is gone"}.`
        : `${surviving} of the ${counted(lines_added, "line")} its commit added remain.`,
    );
  }
  lines.push(...later_decisions.flatMap((decision) => decisionLines(decision, screen)));
  if (later !== null && later.commits > 0) {
    say(`${counted(later.commits, "later commit")} to the file:`);
    for (const { hash, subject, person, authored_at, by_agent } of later.latest) {
      const day = authored_at === null ? "" : `${localTime(authored_at).slice(0, 10)} `;
      const who = by_agent ? `${person}, with an agent` : person;
      lines.push(
        ...hanging(
          `${below("")}${commitName(hash, style)} ${day}${oneLine(subject)} ${colors.dim(`(${oneLine(who)})`)}`,
          screen,
          labelWidth + 2,
        ),
      );
    }
  }
  return lines.join("\n");
}

function renderUses({ edges, total }: NonNullable<WhyAnswer["used_by"]>, style: WhyStyle): string {
  const { screen } = style;
  const { colors } = screen;
  const lines = edges.flatMap((edge) => {
    const { file, kind, lines, changed_by } = edge;
    const changed =
      changed_by === null
        ? ""
        : colors.dim(`  changed since: ${commitName(changed_by.hash, style)} ${oneLine(changed_by.subject)}`);
    const place = colors.place(`${oneLine(file)}:${lines[0]}`);
    return hanging(
      `  ${place} ${kind === "file" ? "" : oneLine(nameInFull(edge))}${howUsed(edge)}${changed}`,
      screen,
      4,
    );
  });
  const more = total > edges.length ? [colors.dim(`  and ${total - edges.length} more: pm code impact`)] : [];
  return [colors.bold("Used by"), ...lines, ...more].join("\n");
}

function nextSteps(origin: Origin | undefined, colors: Palette): string[] {
  if (!origin) return [];
  const { written_by, commit, checkpoint_id, turn } = origin;
  const steps = [
    turn === null || written_by.session_id === null
      ? ""
      : `pm session show ${shortId(written_by.session_id)} --turn ${turn.number}`,
    checkpoint_id === null ? "" : `pm checkpoint rewind ${checkpoint_id}`,
    checkpoint_id === null && commit !== null ? `git show ${shortHash(commit.hash)}` : "",
  ].filter((step) => step !== "");
  return steps.length === 0 ? [] : [colors.dim(`Next: ${steps.join("; ")}`)];
}

/** More lines than any file has. */
const longestFile = 2 ** 31 - 1;

interface WhyOptions {
  rev?: string;
  full?: boolean;
}

/** `pm why` */
export async function whyCommand(
  { cwd, output }: CommandContext,
  place: string,
  range: string | undefined,
  { rev, full = false }: WhyOptions,
): Promise<void> {
  const project = await findProject(cwd);
  const named = parsePlace(place, (name) => existsSync(resolve(cwd, name)));
  const file = locate(project, cwd, named.file);
  const lines = named.lines ?? (range === undefined ? null : parseLines(range));
  // Without any, the whole file.
  const last = lines === null || lines.last === Number.POSITIVE_INFINITY ? longestFile : lines.last;
  const request = { file, first_line: lines?.first ?? 1, last_line: last, rev };
  const answer = await call(why, request, project);
  const pageOf = await commitPages(project.root, output.colors);
  output.result(answer, () => renderWhy(answer, { full, screen: output, pageOf }));
}
