import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import { readAgentState, type SessionState } from "../../protocol/agent-state.ts";
import { linkEvidence } from "../../protocol/reading/evidence.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Screen } from "../../terminal/output.ts";
import type { Palette } from "../../terminal/palette.ts";
import { neutralizeControls } from "../../terminal/streams.ts";
import { type Column, formatTable } from "../../terminal/table.ts";
import {
  fitToWidth,
  formatCount,
  formatExactWhen,
  formatHeading,
  shortenId,
  toOneLine,
  toPrintable,
  wrapText,
  wrapWithIndent,
} from "../../terminal/text.ts";
import { streamGitDiff } from "./compare-checkpoints.ts";
import type { CheckpointAnswer, ComparedSide, DiffAnswer } from "./operation.ts";
import { compareCheckpoints, showCheckpoint } from "./operation.ts";
import { formatLinesByAuthor } from "./pm-checkpoint-list.ts";

/** `pm checkpoint show` */
export async function checkpointShowCommand({ cwd, output }: CommandContext, name: string): Promise<void> {
  const project = await findProject(cwd);
  const answer = await call(showCheckpoint, { id: name }, project);
  output.result(answer, () => renderCheckpoint(answer, output));
}

/** Files, and turns of each session, that are named before the rest is counted. */
const filesShown = 20;
const turnsShown = 10;

/** A checkpoint for a person: its commit, who led to it and how, its files, and what to do with it. */
export function renderCheckpoint(answer: CheckpointAnswer, screen: Screen): string {
  const { colors } = screen;
  const states = readAgentState(answer.agent_state);
  return [
    renderHead(answer, screen),
    ...answer.sessions.map((session) => renderSession(session, states[session.session_id] ?? null, screen)),
    ...(answer.files.length > 0 ? [renderFiles(answer, screen)] : []),
    colors.dim(
      `\`pm checkpoint rewind ${toPrintable(answer.id)}\` shows what has changed since, and goes back to it.`,
    ),
  ].join("\n\n");
}

function renderHead(answer: CheckpointAnswer, screen: Screen): string {
  const { colors } = screen;
  const { commit, tree, branch, parent_id, author, subject, committed_at, next_ids } = answer;
  const facts = [formatExactWhen(committed_at, screen), author, branch === null ? "" : `on ${branch}`];
  const before =
    parent_id === null ? "the first checkpoint" : `after checkpoint ${colors.commit(toPrintable(parent_id))}`;
  const next =
    next_ids.length > 0 ? `, before ${next_ids.map((id) => colors.commit(toPrintable(id))).join(", ")}` : "";
  const now = answer.rewritten_as.map((hash) => `rewritten as commit ${toPrintable(hash.slice(0, 12))}`);
  return [
    ...wrapText(subject === "" ? "(no message)" : subject, screen.columns).map(colors.bold),
    `commit ${colors.commit(toPrintable(commit))}`,
    `tree ${toPrintable(tree)}`,
    ...wrapText(facts.filter((fact) => fact !== "").join(" | "), screen.columns),
    `${before}${next}`,
    ...now,
    ...wrapText(answer.diff_summary, screen.columns),
    formatLinesByAuthor(answer.lines),
  ].join("\n");
}

function renderSession(
  { session_id, title, agent, turns, ...link }: CheckpointAnswer["sessions"][number],
  state: SessionState | null,
  screen: Screen,
): string {
  const { colors } = screen;
  const facts = [agent ?? "", linkEvidence(link)].filter((fact) => fact !== "");
  const text = [
    formatHeading(`Session ${shortenId(session_id)}`, colors),
    colors.bold(toOneLine(title ?? "(no title)")),
    colors.dim(toOneLine(facts.join(", "))),
  ];
  const shown = turns.slice(-turnsShown);
  if (shown.length < turns.length) text.push(colors.dim(`${turns.length - shown.length} earlier turns`));
  for (const { turn, prompt } of shown) {
    const promptText = turn === 0 ? "(before the first prompt)" : (prompt ?? "(not stored here)");
    text.push(
      `${colors.id(`${String(turn).padStart(3)}.`)} ${fitToWidth(promptText, (screen.columns ?? 0) - 5, screen)}`,
    );
  }
  if (state === null) return text.join("\n");
  const isShown = shown.some(({ turn, prompt }) => turn === state.turn && prompt !== null);
  if (!isShown && state.prompt !== null)
    text.push(...wrapWithIndent(`Prompt: ${toOneLine(state.prompt)}`, screen));
  if (state.said !== null) text.push(...wrapWithIndent(`Last reply: ${toOneLine(state.said)}`, screen));
  for (const todo of state.todos) {
    const box = todo.status === "completed" ? "x" : todo.status === "in_progress" ? "~" : " ";
    text.push(...wrapWithIndent(`  [${box}] ${toOneLine(todo.text)}`, screen, 6));
  }
  return text.join("\n");
}

const fileColumns: Column[] = [
  { title: "" },
  { title: "lines" },
  { title: "file", wraps: true },
  { title: "written by", optional: 1 },
];

function renderFiles({ files }: CheckpointAnswer, screen: Screen): string {
  const { colors } = screen;
  const shown = screen.columns === undefined ? files : files.slice(0, filesShown);
  const rows = shown.map(({ path, old_path, status, insertions, deletions, lines }) => {
    const by = [
      lines.agent > 0 ? `${lines.agent} agent` : "",
      lines.human > 0 ? `${lines.human} human` : "",
      lines.unknown > 0 ? `${lines.unknown} unknown` : "",
    ].filter((part) => part !== "");
    return [
      toPrintable(status),
      `${colors.added(`+${insertions}`)} ${colors.removed(`-${deletions}`)}`,
      toOneLine(old_path === null ? path : `${old_path} => ${path}`),
      colors.dim(by.join(", ")),
    ];
  });
  const more = files.length - shown.length;
  const title = formatHeading("Files", colors);
  return [title, formatTable(fileColumns, rows, screen), ...(more > 0 ? [`and ${more} more`] : [])].join(
    "\n",
  );
}

/** `pm checkpoint diff` */
export async function checkpointDiffCommand(
  { cwd, output }: CommandContext,
  from: string,
  to: string,
  { patch = false }: { patch?: boolean },
): Promise<void> {
  const project = await findProject(cwd);
  const answer = await call(compareCheckpoints, { from, to }, project);
  const sides = { from: answer.from.commit, to: answer.to.commit };
  const columns = output.columns ?? 100;
  const color = output.colors.isColorSupported;
  if (output.json) {
    const parts: Buffer[] = [];
    if (patch) {
      for await (const part of streamGitDiff(project, sides, { patch, color: false, columns }))
        parts.push(part);
    }
    output.result({ ...answer, ...(patch && { patch: Buffer.concat(parts).toString() }) }, "");
    return;
  }
  output.print(renderSides(answer, output.colors));
  output.print();
  // As git says it, and as it comes: it may be long. A pipe gets every byte, so that a patch can be applied.
  const decoder = new TextDecoder();
  for await (const part of streamGitDiff(project, sides, { patch, color, columns })) {
    const shown = process.stdout.isTTY
      ? neutralizeControls(decoder.decode(part, { stream: true }), color)
      : part;
    if (!process.stdout.write(shown)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
  const sessions = renderSessions(answer, output);
  if (sessions !== "") output.print(`\n${sessions}`);
}

function renderSides({ from, to, files }: DiffAnswer, colors: Palette): string {
  const nothing = files.length === 0 ? "\nThe files are identical." : "";
  return `from ${renderSide(from, colors)}\n  to ${renderSide(to, colors)}${nothing}`;
}

function renderSide({ id, commit, subject }: ComparedSide, colors: Palette): string {
  const name = colors.commit(toPrintable(commit.slice(0, 12)));
  return `${name}  ${id === null ? "no checkpoint  " : ""}${toOneLine(subject ?? "", 80)}`.trimEnd();
}

/** The sessions that lie between, each with its turns. */
export function renderSessions({ sessions }: DiffAnswer, screen: Screen): string {
  const { colors } = screen;
  const blocks = (["to", "from"] as const).flatMap((which) => {
    const of = sessions.filter(({ side }) => side === which);
    if (of.length === 0) return [];
    const title = which === "to" ? "Sessions that led there" : "Sessions only in the first";
    return [
      [formatHeading(title, colors), ...of.map((session) => renderDiffSession(session, screen))].join("\n"),
    ];
  });
  return blocks.join("\n\n");
}

function renderDiffSession(
  { session_id, title, turns, checkpoints }: DiffAnswer["sessions"][number],
  screen: Screen,
): string {
  const { colors } = screen;
  const about = `${formatCount(checkpoints.length, "checkpoint")}, ${formatCount(turns.length, "turn")}`;
  const shown = turns.slice(0, turnsShown).map(({ turn, prompt }) => {
    const number = colors.id(`${String(turn).padStart(3)}.`);
    return `${number} ${fitToWidth(prompt ?? "(not stored here)", (screen.columns ?? 0) - 5, screen)}`;
  });
  const more = turns.length - shown.length;
  const head = `${colors.id(shortenId(session_id))}  ${toOneLine(title ?? "(no title)")}  ${colors.dim(about)}`;
  return [
    ...wrapWithIndent(head, screen),
    ...shown,
    ...(more > 0 ? [colors.dim(`and ${formatCount(more, "turn")} more`)] : []),
  ].join("\n");
}
