import { cutToWidth, measureWidth } from "../../base/text/display-width.ts";
import { nameTurn } from "../../protocol/reading/names.ts";
import { formatCallDuration } from "../../protocol/reading/numbers.ts";
import { formatMarkdown } from "../../terminal/markdown.ts";
import type { Screen } from "../../terminal/output.ts";
import { formatCount, formatWhen, toOneLine, toPrintable, toPrintableLines } from "../../terminal/text.ts";
import { describeTurnEnd } from "./end-words.ts";
import type { SessionResponse, TurnStatement } from "./operation.ts";
import { foldSteps, type TurnStep } from "./turn-words.ts";

interface LogStyle {
  screen: Screen;
  /** Whole results, thoughts and diffs; else a line for each call. */
  full: boolean;
  /** How a reader gets the whole of what is cut; default: as an option. */
  whole?: string;
}

/** Lines of a prompt, and of a diff or a result, that are shown before the rest is counted. */
const promptLines = 30;
const resultLines = 40;

/** What was said and done, turn by turn, as a chat. */
export function renderLog(
  log: readonly TurnStatement[],
  turns: SessionResponse["turns"],
  style: LogStyle,
): string {
  const numbers = [...new Set(log.map(({ turn }) => turn))];
  return numbers
    .map((number) => {
      const of = log.filter(({ turn }) => turn === number);
      const facts = turns.find((turn) => turn.number === number);
      return renderTurn(number, facts, of, style).join("\n");
    })
    .join("\n\n");
}

/** What was said and done in a turn, below a line that names it. */
export function renderTurn(
  number: number,
  facts: TurnFacts | undefined,
  statements: readonly TurnStatement[],
  style: LogStyle,
): string[] {
  return [turnRule(number, facts, style.screen), ...renderStatements(statements, style)];
}

type TurnFacts = Pick<SessionResponse["turns"][number], "started_at" | "abandoned" | "state">;

/** `── turn 7, 3 days ago ───────` */
function turnRule(number: number, turn: TurnFacts | undefined, screen: Screen): string {
  const { colors, columns = 80 } = screen;
  const facts = [
    nameTurn(number),
    formatWhen(turn?.started_at ?? null, screen),
    turn === undefined ? "" : describeTurnEnd(turn),
    turn?.abandoned ? "abandoned branch" : "",
  ];
  const title = facts.filter((fact) => fact !== "").join(", ");
  return colors.dim(`── ${title} ${"─".repeat(Math.max(columns - measureWidth(title) - 4, 2))}`);
}

function renderStatements(statements: readonly TurnStatement[], style: LogStyle): string[] {
  const lines: string[] = [];
  let before: TurnStatement["kind"] | null = null;
  const steps: TurnStep<TurnStatement>[] = style.full
    ? statements.map((entry) => ({ kind: "one", entry }))
    : foldSteps(statements, (statement) => statement);
  for (const step of steps) {
    const rendered =
      step.kind === "one" ? renderStatement(step.entry, style) : [renderExplored(step, style.screen)];
    if (rendered.length === 0) continue;
    const kind = step.kind === "one" ? step.entry.kind : "tool";
    // Calls stand together; what is said stands apart.
    if (before !== null && !(kind === "tool" && before === "tool")) lines.push("");
    lines.push(...rendered);
    before = kind;
  }
  return lines;
}

/** What was looked at, with what: the objects of its calls. */
function renderExplored(
  { says, entries }: TurnStep<TurnStatement> & { kind: "explored" },
  screen: Screen,
): string {
  const { colors, columns = 80 } = screen;
  const objects = entries.flatMap(({ call, text }) =>
    call === null ? [] : [formatCallObject(text, call.tool)],
  );
  const room = Math.max(columns - measureWidth(says) - 6, 10);
  return `  ${colors.dim("·")} ${colors.agent(says)} ${colors.dim(cutToWidth(objects.join(", "), room))}`;
}

const formatCallObject = (text: string, tool: string) => toOneLine(text.slice(tool.length));

function renderStatement(statement: TurnStatement, style: LogStyle): string[] {
  const { kind, text, call } = statement;
  const { screen, full, whole = "--full" } = style;
  const { colors, columns = 80 } = screen;
  if (call !== null) return renderCall(text, call, style);
  const width = Math.max(columns - 2, 20);
  switch (kind) {
    case "prompt": {
      const lines = formatMarkdown(text, { colors, width });
      const shown = full ? lines : lines.slice(0, promptLines);
      const more = lines.length - shown.length;
      return [
        ...shown.map((line, i) => `${colors.prompt(i === 0 ? "❯" : " ")} ${colors.bold(line)}`.trimEnd()),
        ...(more > 0 ? [colors.dim(`  and ${formatCount(more, "more line")} (${whole})`)] : []),
      ];
    }
    case "text":
      return formatMarkdown(text, { colors, width }).map((line) => `  ${line}`.trimEnd());
    case "compaction":
      return [colors.warn(cutToWidth(`  ◇ context compacted (${toOneLine(text)})`, columns))];
    default: {
      // What an agent thinks it says again, or does.
      if (kind === "thinking" && !full) return [];
      if (!full) return [colors.dim(cutToWidth(`  ◦ ${kind}: ${toOneLine(text)}`, columns))];
      return [
        colors.dim(`  ◦ ${kind}:`),
        ...formatMarkdown(text, { colors, width: width - 2 }).map((line) =>
          colors.dim(`    ${line}`.trimEnd()),
        ),
      ];
    }
  }
}

type LoggedCall = NonNullable<TurnStatement["call"]>;

function renderCall(text: string, call: LoggedCall, { screen, full, whole }: LogStyle): string[] {
  const { colors, columns = 80 } = screen;
  const { tool, is_error, result, added, removed, changed, action, took_ms } = call;
  const delegates = action === "delegate";
  const name = toOneLine(tool, 30);
  const lasted = action === "command" || delegates ? formatCallDuration(took_ms) : "";
  const counts = [added > 0 ? `+${added}` : "", removed > 0 ? `-${removed}` : "", lasted].filter(
    (part) => part !== "",
  );
  const room = columns - measureWidth(name) - 6 - counts.join(" ").length - 1;
  const painted = [
    added > 0 ? colors.added(`+${added}`) : "",
    removed > 0 ? colors.removed(`-${removed}`) : "",
    lasted === "" ? "" : colors.dim(lasted),
  ].filter((part) => part !== "");
  const mark = is_error ? colors.error("✗") : colors.dim("·");
  const what = cutToWidth(formatCallObject(text, tool), Math.max(room, 10));
  const line = [`  ${mark} ${colors.agent(name)}`, colors.dim(what), ...painted].join(" ").trimEnd();
  const below = (text: string) => cutToWidth(`    ${toPrintable(text)}`, columns);
  if (!full) {
    if (is_error) return [line, colors.error(below(getFirstLine(result ?? "failed")))];
    return delegates && result ? [line, colors.dim(below(`└ ${getFirstLine(result)}`))] : [line];
  }
  const diff = changed.map((text) =>
    text.startsWith("+") ? colors.added(below(text)) : colors.removed(below(text)),
  );
  const answer = toPrintableLines(result ?? "").flatMap((text) => (text === "" ? [] : [below(text)]));
  const paint = is_error ? colors.error : colors.dim;
  return [
    line,
    ...diff,
    ...(delegates && result !== null && !is_error
      ? formatMarkdown(result, { colors, width: Math.max(columns - 6, 20) }).map(
          (text) => `    ${colors.dim("│")} ${text}`,
        )
      : diff.length > 0 && !is_error
        ? []
        : limitLines(answer, whole === undefined ? " (in a pipe, all of it)" : "").map(paint)),
  ];
}

/** The beginning of a long result, and how much more there is. @param where that is to be had */
function limitLines(lines: readonly string[], where: string): string[] {
  const more = lines.length - resultLines;
  if (more <= 1) return [...lines];
  return [...lines.slice(0, resultLines), `    and ${formatCount(more, "more line")}${where}`];
}

function getFirstLine(text: string): string {
  return toOneLine(text.split("\n").find((line) => line.trim() !== "") ?? "");
}
