import { showCheckpoint } from "../../../features/checkpoints/operation.ts";
import type { RewindAnswer, RewindSession } from "../../../features/rewind/operation.ts";
import { previewRewind } from "../../../features/rewind/operation.ts";
import { shortId } from "../../../sessions/short-id.ts";
import type { RewindPreviewOutput, rewindPreviewInput } from "../shapes/shapes-git.ts";
import { fitIn, roomOf } from "../text/budget.ts";
import { beginning, historyLabel, joined, lineOrNull, minute, oneLine, quoted } from "../text/text.ts";
import { ask, type Handler } from "../tool.ts";

const sessionsNamed = 3;
const turnsNamed = 3;
const todosNamed = 5;

export const rewindPreview: Handler<typeof rewindPreviewInput, RewindPreviewOutput> = async (
  args,
  context,
) => {
  const { target, patch = false, max_tokens } = args;
  const answer = await ask(context, previewRewind, { target, patch });
  const id = answer.checkpoint ?? answer.commit.slice(0, 12);
  const made = answer.checkpoint && (await ask(context, showCheckpoint, { id })).diff_summary;
  const room = roomOf(max_tokens);
  const { changed_since: changed } = answer;
  const sessions = fitIn(
    answer.sessions.slice(0, sessionsNamed),
    room * 0.4,
    240,
    sessionOf,
    renderSession,
  ).items;
  const left = room - JSON.stringify(sessions).length - 600;
  const all = changed?.files ?? [];
  const files = fitIn(all, left * (patch ? 0.3 : 0.9), 200, fileOf, (file) => file).items;
  const forPatch = Math.max(left - JSON.stringify(files).length, 400) * 0.8;
  const shownPatch = answer.patch === undefined ? null : beginning(answer.patch, Math.floor(forPatch));
  const notes = answer.notes.slice(0, 5).map((note) => oneLine(note, 200));
  const more = (changed?.files_total ?? 0) - files.length;
  if (more > 0) notes.push(`${more} more files would change.`);
  const next = `To go back, let the user run: pm checkpoint rewind ${id} --restore (or --worktree DIR, a separate checkout).`;
  const subject = oneLine(answer.subject, 160);
  const fate = fateOf(answer);
  const since = changed && {
    commits_ahead: answer.ahead,
    files: changed.files_total,
    insertions: changed.insertions,
    deletions: changed.deletions,
  };
  return {
    structured: {
      label: historyLabel,
      checkpoint_id: answer.checkpoint,
      commit: answer.commit,
      tree: answer.tree,
      subject,
      author: oneLine(answer.author, 80),
      created_at: answer.committed_at,
      branch: lineOrNull(answer.branch, 100),
      fate,
      made: lineOrNull(made, 300),
      since,
      files,
      sessions,
      patch: shownPatch,
      next,
      notes,
    },
    text: joined(
      [
        historyLabel,
        joined([
          `${id} ${answer.commit.slice(0, 8)} "${subject}"`,
          minute(answer.committed_at),
          answer.branch,
          fate,
        ]),
        made !== null && `It changed ${oneLine(made, 300)}`,
        ...sessions.map(renderSession),
        since &&
          `Since then: ${since.commits_ahead ?? "?"} commits, ${since.files} files, +${since.insertions} -${since.deletions}`,
        ...files.map((file) => `  ${file}`),
        shownPatch?.replace(/^/gm, "    "),
        next,
        ...notes,
      ],
      "\n",
    ),
  };
};

function sessionOf(session: RewindSession, longest: number) {
  const { session_id, title, agent, lines, turns, state } = session;
  return {
    session_id,
    title: lineOrNull(title, 100),
    agent,
    lines,
    turns: turns.slice(-turnsNamed).map(({ turn, prompt }) => ({ turn, prompt: oneLine(prompt, longest) })),
    said: lineOrNull(state?.said ?? null, longest),
    todos: (state?.todos ?? [])
      .slice(0, todosNamed)
      .map(({ text, status }) => oneLine(`${status}: ${text}`, 120)),
  };
}

function renderSession({
  session_id,
  title,
  agent,
  lines,
  turns,
  said,
  todos,
}: ReturnType<typeof sessionOf>): string {
  const head = joined([
    `session ${shortId(session_id)}`,
    agent,
    `${lines} lines`,
    title !== null && `"${title}"`,
  ]);
  return joined(
    [
      head,
      ...turns.map(({ turn, prompt }) => quoted(`turn ${turn}: ${prompt}`)),
      said !== null && quoted(`last reply: ${said}`),
      ...todos.map((todo) => quoted(`todo ${todo}`)),
    ],
    "\n",
  );
}

function fileOf(file: NonNullable<RewindAnswer["changed_since"]>["files"][number], longest: number): string {
  const { path, insertions, deletions } = file;
  return `${oneLine(path, Math.max(longest, 60))} ${insertions === null ? "(binary)" : `+${insertions} -${deletions}`}`;
}

function fateOf({ reach, branches, reverted_by, ahead, behind }: RewindAnswer): string {
  if (reverted_by !== null) return `reverted by ${reverted_by.slice(0, 8)}`;
  if (reach === "head") return ahead === 0 ? "HEAD" : `in HEAD's history, ${ahead ?? "some"} commits back`;
  if (reach === "elsewhere") {
    return branches.length > 0
      ? `on ${branches.slice(0, 3).join(", ")} only, ${behind ?? "some"} commits ahead`
      : "on no branch";
  }
  return reach === "gone" ? "not in this repository" : "its place in the history is unknown";
}
