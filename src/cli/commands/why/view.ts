import type {
  EarlierLines,
  LaterChanges,
  NearDecision,
  Origin,
  OriginTurn,
  WhyAnswer,
  WhyFreshness,
} from "../../../protocol/operations/blame.ts";
import type { Colors } from "../../terminal/output.ts";
import { codeLine, inColor, shortHash, turnId, whoWrote } from "../blame/author-text.ts";
import { printable } from "../search/results.ts";
import { block, counted, localTime, oneLine, shortId } from "../session/text.ts";

interface WhyStyle {
  /** Whole prompts and all lines. */
  full: boolean;
  colors: Colors;
}

/** Lines that are shown of the lines asked about, and of a prompt. */
const linesShown = 8;
const promptLines = 6;

/** The chain from lines to what they are there for, for a person. */
export function renderWhy(answer: WhyAnswer, style: WhyStyle): string {
  const { colors } = style;
  const { file, first_line, last_line, origins, decisions, earlier, later, freshness, notes } = answer;
  const span = first_line === last_line ? `${first_line}` : `${first_line}-${last_line}`;
  const [first, ...others] = origins;
  const because = decisions.filter(({ is_before, near }) => is_before && near === "session");
  const about = decisions.filter((decision) => !because.includes(decision));
  const parts = [
    [colors.bold(`${oneLine(file, 300)}:${span}`), ...shownLines(answer, style)].join("\n"),
    ...(first ? [renderOrigin(first, style)] : []),
    ...renderDecisions("Decisions", because, colors),
    ...renderDecisions("Related decisions", about, colors),
    ...(others.length > 0 ? [renderOthers(others, colors)] : []),
    ...(earlier.length > 0 ? [renderEarlier(earlier, colors)] : []),
    renderFreshness(freshness, later, colors),
    ...(notes.length > 0 ? [notes.map((note) => colors.dim(printable(note))).join("\n")] : []),
    ...nextSteps(first, colors),
  ];
  return parts.join("\n\n");
}

function shownLines({ text, first_line, last_line }: WhyAnswer, { full, colors }: WhyStyle): string[] {
  const shown = full ? text : text.slice(0, linesShown);
  const digits = String(first_line + shown.length - 1).length;
  const lines = shown.map(
    (line, i) => `  ${colors.dim(`${String(first_line + i).padStart(digits)} │`)} ${codeLine(line)}`,
  );
  const more = last_line - first_line + 1 - shown.length;
  return more > 0 ? [...lines, colors.dim(`  and ${counted(more, "more line")}`)] : lines;
}

function renderOrigin(origin: Origin, style: WhyStyle): string {
  const { colors } = style;
  const { written_by, commit, checkpoint_id, turn } = origin;
  const person = commit?.person ?? null;
  const sure =
    written_by.author === "agent" && written_by.confidence < 0.9 && written_by.said_by === "pommel";
  const lines = [
    [
      `${colors.bold("Written by")} ${inColor(whoWrote(written_by, person), written_by, colors)}`,
      written_by.session_id === null
        ? ""
        : `in session ${colors.cyan(shortId(written_by.session_id))}` +
          (written_by.turn === null ? "" : `, turn ${written_by.turn}`),
      written_by.said_by === "note" ? "according to another tool's note" : "",
      sure ? `(${Math.round(written_by.confidence * 100)}% sure)` : "",
    ]
      .filter((part) => part !== "")
      .join(" "),
  ];
  if (written_by.session_title !== null) lines.push(`  ${oneLine(written_by.session_title, 100)}`);
  lines.push(
    commit === null
      ? `${colors.bold("Commit")}     not committed yet`
      : `${colors.bold("Commit")}     ${colors.yellow(shortHash(commit.hash))} ${oneLine(commit.subject, 100)}`,
  );
  if (commit !== null) {
    const facts = [
      oneLine(commit.person, 60),
      commit.authored_at === null ? "" : localTime(commit.authored_at),
      commit.branch === null ? "" : `on ${oneLine(commit.branch, 60)}`,
      checkpoint_id === null ? "" : `checkpoint ${checkpoint_id}`,
      commit.is_boundary ? "shallow clone: history ends here" : "",
    ];
    lines.push(colors.dim(`           ${facts.filter((fact) => fact !== "").join(" | ")}`));
  }
  return [...lines, ...(turn ? renderTurn(turn, style) : [])].join("\n");
}

function renderTurn(turn: OriginTurn, { full, colors }: WhyStyle): string[] {
  const prompt = block(turn.prompt);
  const shown = full ? prompt : prompt.slice(0, promptLines);
  const more = shown.length < prompt.length ? [colors.dim("           ...")] : [];
  const [first = "", ...rest] = shown;
  const lines = [
    `${colors.bold("Prompt")}     ${first}`,
    ...rest.map((line) => `           ${line}`),
    ...more,
  ];
  const { asked_by } = turn;
  if (asked_by) {
    lines.push(
      `${colors.bold("For")}        ${shortId(asked_by.session_id)}:${asked_by.turn} ${oneLine(asked_by.prompt, 100)}`,
    );
  }
  const width = full ? 1000 : 200;
  if (turn.said_before !== "") lines.push(`${colors.bold("Said")}       ${oneLine(turn.said_before, width)}`);
  if (turn.said_after !== "") lines.push(`${colors.bold("Then")}       ${oneLine(turn.said_after, width)}`);
  return lines;
}

function renderDecisions(title: string, decisions: readonly NearDecision[], colors: Colors): string[] {
  if (decisions.length === 0) return [];
  return [[colors.bold(title), ...decisions.map((decision) => decisionLine(decision, colors))].join("\n")];
}

function decisionLine(decision: NearDecision, colors: Colors): string {
  const { source, text, session_id, turn, timestamp } = decision;
  const place = [
    timestamp === null ? "" : localTime(timestamp),
    session_id === null ? "" : `${shortId(session_id)}${turn === null ? "" : `:${turn}`}`,
  ].filter((part) => part !== "");
  const said =
    source === "annotation" ? `${colors.yellow("Note:")} ${oneLine(text, 300)}` : oneLine(text, 300);
  const later = decision.superseded_by;
  const superseded = later === null ? "" : `\n    ${colors.yellow(`Superseded by: ${oneLine(later, 160)}`)}`;
  return `  - ${said}  ${colors.dim(place.join(" "))}${superseded}`;
}

function renderOthers(others: readonly Origin[], colors: Colors): string {
  const lines = others.map(({ lines: pieces, written_by, commit }) => {
    const where = pieces.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(", ");
    return (
      `  ${oneLine(where, 40)}: ${inColor(whoWrote(written_by, commit?.person ?? null), written_by, colors)} ` +
      `${colors.cyan(turnId(written_by))} ${colors.yellow(shortHash(commit?.hash ?? null))} ` +
      oneLine(commit?.subject ?? "not committed yet", 80)
    ).replace(/ {2,}(?=\S)/g, (blanks, at: number) => (at === 0 ? blanks : " "));
  });
  return [colors.bold("Other lines"), ...lines].join("\n");
}

function renderEarlier(earlier: readonly EarlierLines[], colors: Colors): string {
  const lines = earlier.flatMap(({ how, text, written_by, commit, prompt }) => {
    const who = inColor(whoWrote(written_by, commit?.person ?? null), written_by, colors);
    const day = commit?.authored_at ? localTime(commit.authored_at).slice(0, 10) : "";
    const turn = turnId(written_by);
    const head = [
      colors.yellow(shortHash(commit?.hash ?? null)),
      who,
      turn,
      day,
      oneLine(commit?.subject ?? "", 80),
    ];
    return [
      `  ${head.filter((part) => part !== "").join(" ")}`,
      ...(prompt === null ? [] : [`    prompt: ${oneLine(prompt, 100)}`]),
      ...text.slice(0, 3).map((line) => colors.dim(`    ${how === "changed" ? "-" : "~"} ${codeLine(line)}`)),
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

function renderFreshness(freshness: WhyFreshness, later: LaterChanges | null, colors: Colors): string {
  const { state, branches, reverted_by, lines_added, lines_surviving, later_decisions } = freshness;
  const paint = state === "stands" ? colors.green : state === "uncommitted" ? colors.dim : colors.yellow;
  const lines = [`${colors.bold("Today")}      ${paint(states[state])}`];
  const say = (text: string) => lines.push(`           ${text}`);
  if (reverted_by !== null) say(`Reverted by ${shortHash(reverted_by)}.`);
  if (branches.length > 0) say(`On branch ${oneLine(branches.join(", "), 120)}.`);
  if (lines_added !== null && lines_surviving !== null && lines_added > 0) {
    say(
      `${lines_surviving.toLocaleString("en")} of the ${counted(lines_added, "line")} its commit added remain.`,
    );
  }
  for (const decision of later_decisions) lines.push(`         ${decisionLine(decision, colors)}`);
  if (later !== null && later.commits > 0) {
    say(`${counted(later.commits, "later commit")} to the file:`);
    for (const { hash, subject, person, authored_at, by_agent } of later.latest) {
      const day = authored_at === null ? "" : `${localTime(authored_at).slice(0, 10)} `;
      const who = by_agent ? `${person}, with an agent` : person;
      say(
        `  ${colors.yellow(shortHash(hash))} ${day}${oneLine(subject, 80)} ${colors.dim(`(${oneLine(who, 60)})`)}`,
      );
    }
  }
  return lines.join("\n");
}

function nextSteps(origin: Origin | undefined, colors: Colors): string[] {
  if (!origin) return [];
  const { written_by, commit, checkpoint_id, turn } = origin;
  const steps = [
    turn === null || written_by.session_id === null
      ? ""
      : `pm session show ${shortId(written_by.session_id)} --turn ${turn.number}`,
    checkpoint_id === null ? "" : `pm rewind ${checkpoint_id}`,
    checkpoint_id === null && commit !== null ? `git show ${shortHash(commit.hash)}` : "",
  ].filter((step) => step !== "");
  return steps.length === 0 ? [] : [colors.dim(`Next: ${steps.join("; ")}`)];
}
