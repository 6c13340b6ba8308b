import { findProject } from "../../../project/paths.ts";
import type { CheckpointAnswer, SessionState } from "../../../protocol/operations/checkpoints.ts";
import { readAgentState } from "../../../protocol/operations/checkpoints.ts";
import { answerFromStore } from "../../../queries/operations.ts";
import type { CommandContext } from "../../frame.ts";
import type { Colors } from "../../terminal/output.ts";
import { printable } from "../search/results.ts";
import { counted, heading, localTime, oneLine, shortId } from "../session/text.ts";
import { whoWrote } from "./list.ts";

/** `pm checkpoint show`: reads git and the memory itself, whether a daemon runs or not. */
export async function checkpointShowCommand({ cwd, output }: CommandContext, name: string): Promise<void> {
  const project = findProject(cwd);
  const answer = await answerFromStore(project, "checkpoint", { id: name });
  output.result(answer, () => renderCheckpoint(answer, output.columns ?? 120, output.colors));
}

/** Files, and turns of each session, that are named before the rest is counted. */
const filesShown = 20;
const turnsShown = 10;

/** A checkpoint for a person: its commit, who led to it and how, its files, and what to do with it. */
export function renderCheckpoint(answer: CheckpointAnswer, columns: number, colors: Colors): string {
  const states = readAgentState(answer.agent_state);
  return [
    renderHead(answer, colors),
    ...answer.sessions.map((session) =>
      renderSession(session, states[session.session_id] ?? null, columns, colors),
    ),
    ...(answer.files.length > 0 ? [renderFiles(answer, colors)] : []),
    colors.dim(`\`pm rewind ${printable(answer.id)}\` shows what has changed since, and goes back to it.`),
  ].join("\n\n");
}

function renderHead(answer: CheckpointAnswer, colors: Colors): string {
  const { id, commit, tree, branch, parent_id, author, subject, committed_at, next_ids } = answer;
  const facts = [localTime(committed_at), author, branch === null ? "" : `on ${branch}`];
  const before =
    parent_id === null ? "the first checkpoint" : `after checkpoint ${colors.cyan(printable(parent_id))}`;
  const next =
    next_ids.length > 0 ? `, before ${next_ids.map((uid) => colors.cyan(printable(uid))).join(", ")}` : "";
  const now = answer.rewritten_as.map((hash) => `rewritten as commit ${printable(hash.slice(0, 12))}`);
  return [
    colors.bold(oneLine(subject === "" ? "(no message)" : subject, 200)),
    `checkpoint ${colors.cyan(printable(id))}`,
    `commit ${printable(commit)}`,
    `tree ${printable(tree)}`,
    oneLine(facts.filter((fact) => fact !== "").join(" | "), 300),
    `${before}${next}`,
    ...now,
    oneLine(answer.diff_summary, 300),
    whoWrote(answer.lines),
  ].join("\n");
}

function renderSession(
  { session_id, title, agent, lines, how, turns }: CheckpointAnswer["sessions"][number],
  state: SessionState | null,
  columns: number,
  colors: Colors,
): string {
  const part = {
    lines: `wrote ${counted(lines, "line")} of it`,
    removed: "removed lines",
    command: "made the commit",
    touched: "worked on its files",
    trailer: "recorded by another tool",
  };
  const facts = [agent ?? "", part[how]].filter((fact) => fact !== "");
  const text = [
    heading(`Session ${shortId(session_id)}`, colors),
    colors.bold(oneLine(title ?? "(no title)", 200)),
    colors.dim(oneLine(facts.join(", "), 200)),
  ];
  const shown = turns.slice(-turnsShown);
  if (shown.length < turns.length) text.push(colors.dim(`${turns.length - shown.length} earlier turns`));
  for (const { turn, prompt } of shown) {
    const promptText = turn === 0 ? "(before the first prompt)" : (prompt ?? "(not stored here)");
    text.push(
      `${colors.cyan(`${String(turn).padStart(3)}.`)} ${oneLine(promptText, Math.max(columns - 6, 40))}`,
    );
  }
  if (state === null) return text.join("\n");
  const isShown = shown.some(({ turn, prompt }) => turn === state.turn && prompt !== null);
  if (!isShown && state.prompt !== null) text.push(`Prompt: ${oneLine(state.prompt, 300)}`);
  if (state.said !== null) text.push(`Last reply: ${oneLine(state.said, 400)}`);
  for (const todo of state.todos) {
    const box = todo.status === "completed" ? "x" : todo.status === "in_progress" ? "~" : " ";
    text.push(`  [${box}] ${oneLine(todo.text, 200)}`);
  }
  return text.join("\n");
}

function renderFiles({ files }: CheckpointAnswer, colors: Colors): string {
  const shown = files.slice(0, filesShown).map(({ path, old_path, status, insertions, deletions, lines }) => {
    const name = old_path === null ? path : `${old_path} => ${path}`;
    const by = [
      lines.agent > 0 ? `${lines.agent} agent` : "",
      lines.human > 0 ? `${lines.human} human` : "",
      lines.unknown > 0 ? `${lines.unknown} unknown` : "",
    ].filter((part) => part !== "");
    const who = by.length > 0 ? colors.dim(`  ${by.join(", ")}`) : "";
    return `${printable(status)}  +${insertions} -${deletions}  ${oneLine(name, 200)}${who}`;
  });
  const more = files.length - shown.length;
  return [heading("Files", colors), ...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
