import type { CommitFound, EventFound } from "../../../protocol/operations/search.ts";
import type { Colors } from "../../terminal/output.ts";
import { block, counted, localTime, oneLine, shortId, wrapped } from "../session/text.ts";
import { confidenceOf, printable, type ResultStyle, signalsOf, type Words, wordsOf } from "./results.ts";

/** Files and sessions of a commit that are named. */
const filesShown = 4;
const sessionsShown = 2;

/** Commits for a person: best first, each with who made it, why it is there, and the sessions behind it. */
export function renderCommits(query: string, commits: readonly CommitFound[], style: ResultStyle): string[] {
  const words = wordsOf(query);
  const { colors } = style;
  return commits.map((commit, i) => {
    const { id, title, author, timestamp, checkpoint, sessions, files } = commit;
    const place = [
      confidenceOf(commit, colors),
      colors.yellow(id.slice(0, 8)),
      timestamp === null ? null : localTime(timestamp),
      oneLine(author, 40),
      checkpoint === null ? null : `checkpoint ${checkpoint}`,
    ];
    return entry(i + 1, place, colors, [
      colors.bold(oneLine(title, 200)),
      ...factsOf(commit, words, style),
      ...sessions.slice(0, sessionsShown).map(({ session_id, title: session, turns }) => {
        const which = turns.length > 0 ? `:${turns[0]}` : "";
        return `From session ${colors.cyan(shortId(session_id))}${which}  ${oneLine(session ?? "", 80)}`.trimEnd();
      }),
      ...fateOf(commit, colors),
      ...(files.length === 0 ? [] : [filesOf(files, style)]),
    ]);
  });
}

function fateOf({ reach, reverted_by }: CommitFound, colors: Colors): string[] {
  if (reverted_by !== null) return [colors.yellow(`Reverted by ${reverted_by.slice(0, 8)}`)];
  if (reach === "elsewhere") return [colors.yellow("Not in HEAD's history")];
  return reach === "gone" ? [colors.yellow("Not in this repository")] : [];
}

function filesOf(files: readonly string[], { full, pathOf }: ResultStyle): string {
  const shown = full ? files : files.slice(0, filesShown);
  const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : "";
  return `Files: ${shown.map((file) => printable(pathOf(file))).join(", ")}${more}`;
}

/** Events for a person: best first, each with what belongs to it. */
export function renderEvents(query: string, events: readonly EventFound[], style: ResultStyle): string[] {
  const words = wordsOf(query);
  const { colors } = style;
  return events.map((event, i) => {
    const { id, title, timestamp, status, branch, sessions, checkpoints } = event;
    const place = [
      confidenceOf(event, colors),
      `event: ${colors.cyan(printable(id))}`,
      timestamp === null ? null : localTime(timestamp),
      status,
      branch === null ? null : oneLine(branch, 60),
    ];
    return entry(i + 1, place, colors, [
      colors.bold(oneLine(title, 200)),
      ...factsOf(event, words, style),
      `${counted(sessions, "session")}, ${counted(checkpoints, "checkpoint")}`,
    ]);
  });
}

/** Why it is there, and its text. */
function factsOf(
  { match_reasons, signals, snippet }: CommitFound | EventFound,
  words: Words,
  { full, columns, colors }: ResultStyle,
): string[] {
  const lines = snippet === "" ? [] : full ? block(snippet) : wrapped(snippet, Math.max(columns - 4, 40));
  return [
    ...(match_reasons.length === 0 ? [] : [colors.dim(printable(match_reasons.join("; ")))]),
    ...(signals ? [colors.dim(signalsOf(signals))] : []),
    ...(colors.isColorSupported ? lines.map((line) => words.mark(line, colors.yellow)) : lines),
  ];
}

function entry(rank: number, place: (string | null)[], colors: Colors, lines: readonly string[]): string {
  return [
    `${colors.dim(`[${rank}]`)} ${place.filter((part) => part !== null).join(colors.dim(" | "))}`,
    ...lines.map((line) => `    ${line}`),
  ].join("\n");
}
