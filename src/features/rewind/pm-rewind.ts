import { resolve } from "node:path";
import { PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Palette } from "../../terminal/palette.ts";
import {
  formatCount,
  formatHeading,
  formatLocalTime,
  shortenId,
  toOneLine,
  toPrintable,
} from "../../terminal/text.ts";
import type { RewindAnswer, RewindSession } from "./operation.ts";
import { rewind } from "./operation.ts";

interface RewindOptions {
  patch?: boolean;
  restore?: boolean;
  worktree?: string;
}

/** `pm checkpoint rewind` */
export async function rewindCommand(
  { cwd, output }: CommandContext,
  target: string,
  { patch, restore, worktree }: RewindOptions,
): Promise<void> {
  if (restore && worktree !== undefined) {
    throw new PommelError("usage", "--restore and --worktree exclude each other.", "Give one of them.");
  }
  const project = await findProject(cwd);
  const request = {
    target,
    patch,
    restore,
    ...(worktree !== undefined && { worktree: resolve(cwd, worktree) }),
  };
  const answer = await call(rewind, request, project);
  for (const note of answer.notes) output.note(output.colors.dim(note));
  output.result(answer, () => renderRewind(answer, output.columns ?? 120, output.colors));
}

/** Files, and turns of each session, that are named before the rest is counted. */
const filesShown = 20;
const turnsShown = 5;

/** A checkpoint for a person: the commit, what was going on, what has changed since, and what was done about it. */
export function renderRewind(answer: RewindAnswer, columns: number, colors: Palette): string {
  const { patch, restored, worktree } = answer;
  const parts = [renderHead(answer, colors)];
  for (const session of answer.sessions) parts.push(renderSession(session, columns, colors));
  const done = restored !== null || worktree !== null;
  const since = renderChanges(answer, colors);
  // After a restore there is hardly a difference to show.
  if (since !== null && !done) parts.push(since);
  if (patch !== undefined && patch !== "")
    parts.push(patch.split("\n").map(toPrintable).join("\n").trimEnd());
  if (restored !== null) parts.push(renderRestored(answer, restored, colors));
  if (worktree !== null) {
    const remove = `git worktree remove ${JSON.stringify(toPrintable(worktree))}`;
    parts.push(
      `It is in ${colors.place(toPrintable(worktree))} now, on no branch; \`${remove}\` removes it.`,
    );
  }
  if (!done) parts.push(colors.dim("--restore goes back to it; --worktree DIR checks it out elsewhere."));
  return parts.join("\n\n");
}

function renderHead(answer: RewindAnswer, colors: Palette): string {
  const { checkpoint, commit, subject, author, committed_at, branch, tree } = answer;
  const facts = [formatLocalTime(committed_at), author, branch === null ? "" : `on ${branch}`];
  return [
    colors.bold(toOneLine(subject === "" ? "(no message)" : subject, 200)),
    `commit ${colors.commit(commit)}`,
    `tree ${tree}`,
    ...(checkpoint === null ? ["no checkpoint: no recorded session led to it"] : []),
    toOneLine(facts.filter((fact) => fact !== "").join(" | "), 300),
    place(answer),
  ].join("\n");
}

function place({ reach, branches, reverted_by, ahead, behind, head_branch }: RewindAnswer): string {
  const here = head_branch === null ? "HEAD" : toOneLine(head_branch, 100);
  const parts: string[] = [];
  if (reach === "elsewhere") {
    parts.push(
      branches.length > 0 ? `on ${toOneLine(branches.join(", "), 200)} only` : "no longer on any branch",
    );
  }
  if (ahead === 0 && behind === 0) parts.push(`${here} is at this commit`);
  else {
    if (ahead) parts.push(`${here} is ${formatCount(ahead, "commit")} ahead of it`);
    if (behind) parts.push(`it has ${formatCount(behind, "commit")} that ${here} lacks`);
  }
  if (reverted_by !== null) parts.push(`reverted by ${reverted_by.slice(0, 12)}`);
  return parts.join("; ");
}

function renderSession(session: RewindSession, columns: number, colors: Palette): string {
  const { session_id, title, agent, lines, turns, turns_total, state } = session;
  const facts = [
    agent ?? "",
    lines > 0 ? `wrote ${formatCount(lines, "line")} of it` : "",
    formatCount(turns_total, "turn"),
  ].filter((fact) => fact !== "");
  const text = [
    formatHeading(`Session ${shortenId(session_id)}`, colors),
    ...(title === null ? [] : [colors.bold(toOneLine(title, 200))]),
    colors.dim(toOneLine(facts.join(", "), 200)),
  ];
  const shown = turns.slice(-turnsShown);
  if (turns_total > shown.length && shown.length > 0) {
    text.push(colors.dim(`and ${formatCount(turns_total - shown.length, "earlier turn")}`));
  }
  for (const { turn, prompt } of shown) {
    const promptText = turn === 0 ? "(before the first prompt)" : prompt;
    text.push(
      `${colors.id(`${String(turn).padStart(3)}.`)} ${toOneLine(promptText, Math.max(columns - 6, 40))}`,
    );
  }
  if (state === null) return text.join("\n");
  // The prompt stands among the turns already where the session is known.
  if (turns.length === 0 && state.prompt !== null) text.push(`Prompt: ${toOneLine(state.prompt, 300)}`);
  if (state.said !== null) text.push(`Last reply: ${toOneLine(state.said, 400)}`);
  for (const todo of state.todos) {
    const box = todo.status === "completed" ? "x" : todo.status === "in_progress" ? "~" : " ";
    text.push(`  [${box}] ${toOneLine(todo.text, 200)}`);
  }
  return text.join("\n");
}

function renderChanges({ changed_since: changed }: RewindAnswer, colors: Palette): string | null {
  if (changed === null) return null;
  const title = formatHeading("Changed since", colors);
  if (changed.files_total === 0) return `${title}\nnothing`;
  const shown = changed.files.slice(0, filesShown);
  const plus = shown.map(({ insertions }) => (insertions === null ? "bin" : `+${insertions}`));
  const minus = shown.map(({ deletions }) => (deletions === null ? "" : `-${deletions}`));
  const wide = (cells: readonly string[]) => Math.max(...cells.map((cell) => cell.length));
  const [w, v] = [wide(plus), wide(minus)];
  const lines = shown.map(({ path, old_path }, i) => {
    const name = old_path === null ? path : `${old_path} => ${path}`;
    return `${colors.added(plus[i]!.padStart(w))} ${colors.removed(minus[i]!.padStart(v))}  ${toOneLine(name, 200)}`;
  });
  const more = changed.files_total - shown.length;
  const total = `${formatCount(changed.files_total, "file")}, +${changed.insertions} -${changed.deletions}`;
  return [title, ...lines, ...(more > 0 ? [`and ${more} more`] : []), colors.dim(total)].join("\n");
}

function renderRestored(
  { commit, head_branch }: RewindAnswer,
  { changed, files, come_back, submodules }: NonNullable<RewindAnswer["restored"]>,
  colors: Palette,
): string {
  const short = commit.slice(0, 12);
  if (!changed) return `The working tree already matches ${short}; nothing changed.`;
  const where = head_branch === null ? "HEAD" : toOneLine(head_branch, 100);
  const lines = [
    `The working tree now matches ${short}: ${formatCount(files, "file")} changed and staged; ${where} has not moved.`,
    `To undo: ${colors.hint(come_back ?? "")}`,
  ];
  if (submodules.length > 0) {
    lines.push(
      `Submodules are unchanged; \`git submodule update\` updates ${toOneLine(submodules.join(", "), 200)}.`,
    );
  }
  return lines.join("\n");
}
