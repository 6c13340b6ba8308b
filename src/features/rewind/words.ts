import {
  cutLine,
  type Document,
  type DocumentBlock,
  exactly,
  formatChange,
  heading,
  hint,
  joinParts,
  line,
  makeDocument,
  type Paragraph,
  place,
  strong,
  table,
} from "../../answers/document.ts";
import { formatCount } from "../../base/text/counted.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { wordReach, wordReverted } from "../../protocol/reading/commits.ts";
import { nameSubject } from "../../protocol/reading/names.ts";
import { formatMove, wordSessionWork } from "../checkpoints/words.ts";
import type { RewindAnswer, RewindSession } from "./operation.ts";

/** What is shown before the rest is counted. */
const maxShown = { files: 20, turns: 5 } as const;

/** A commit to go back to: what was going on, what has changed since, and what was done about it. */
export function wordRewind(answer: RewindAnswer): Document {
  const { patch = "", restored, worktree, changed_since: changed } = answer;
  const isDone = restored !== null || worktree !== null;
  return makeDocument(
    wordHead(answer),
    ...answer.sessions.map(wordSession),
    // After a restore there is hardly a difference to show.
    changed !== null && !isDone && [heading("Changed since"), ...wordChanges(changed)],
    patch !== "" && [{ is: "lines", lines: patch.trimEnd().split("\n") }],
    restored !== null && wordRestored(answer, restored),
    worktree !== null && [
      line("It is in ", place(worktree), " now, on no branch. To remove it:"),
      cutLine(0, hint(`git worktree remove ${JSON.stringify(worktree)}`)),
    ],
  );
}

/** How a person goes back. */
export const wayBack = "--restore goes back to it; --worktree DIR checks it out elsewhere.";

function wordHead(answer: RewindAnswer): Paragraph {
  const { checkpoint, commit, subject, author, committed_at, branch, tree } = answer;
  return [
    line({ ...strong(nameSubject(subject)), quotedChars: 160 }),
    line("commit ", { text: commit, role: "commit", commit }),
    line("tree ", { text: tree }),
    ...(checkpoint === null ? [line("no checkpoint: no recorded session led to it")] : []),
    line(
      ...joinParts([exactly(committed_at), { text: author }, branch !== null && { text: `on ${branch}` }]),
    ),
    line({ text: describePlace(answer) }),
  ];
}

/** "on side only; main is 3 commits ahead of it; reverted by 5a24d042" */
function describePlace({ reach, branches, reverted_by, ahead, behind, head_branch }: RewindAnswer): string {
  const here = head_branch ?? "HEAD";
  return [
    wordReach(reach, branches),
    ahead === 0 && behind === 0 && `${here} is at this commit`,
    ahead !== null && ahead > 0 && `${here} is ${formatCount(ahead, "commit")} ahead of it`,
    behind !== null && behind > 0 && `it has ${formatCount(behind, "commit")} that ${here} lacks`,
    wordReverted(reverted_by),
  ]
    .filter(Boolean)
    .join("; ");
}

function wordSession({
  session_id,
  title,
  agent,
  lines,
  turns,
  turns_total,
  state,
}: RewindSession): Paragraph {
  return wordSessionWork({
    session_id,
    title,
    facts: [
      agent,
      lines > 0 ? `wrote ${formatCount(lines, "line")} of it` : null,
      formatCount(turns_total, "turn"),
    ],
    turns: turns.slice(-maxShown.turns),
    turnsTotal: turns_total,
    state,
  });
}

function wordChanges(changed: NonNullable<RewindAnswer["changed_since"]>): DocumentBlock[] {
  const { files, files_total, insertions, deletions } = changed;
  if (files_total === 0) return [line("nothing")];
  const shown = files.slice(0, maxShown.files);
  const rows = shown.map(({ path, old_path, insertions: added, deletions: removed }) => [
    added === null || removed === null ? ["binary"] : formatChange(added, removed),
    { text: formatMove(path, old_path) },
  ]);
  const more = files_total - shown.length;
  return [
    table([{ title: "" }, { title: "" }], rows),
    ...(more > 0 ? [line(`and ${formatCount(more, "more file")}`)] : []),
    line(`${formatCount(files_total, "file")}, `, ...formatChange(insertions, deletions)),
  ];
}

function wordRestored(
  { commit, head_branch }: RewindAnswer,
  { changed, files, come_back, submodules }: NonNullable<RewindAnswer["restored"]>,
): Paragraph {
  const short = shortenHash(commit);
  if (!changed) return [line(`The working tree already matches ${short}; nothing changed.`)];
  return [
    line(
      `The working tree now matches ${short}: ${formatCount(files, "file")} changed and staged; `,
      { text: head_branch ?? "HEAD" },
      " has not moved.",
    ),
    line("To undo: ", hint(come_back ?? "")),
    ...(submodules.length === 0
      ? []
      : [
          line(
            "Submodules are unchanged; `git submodule update` updates ",
            { text: submodules.join(", ") },
            ".",
          ),
        ]),
  ];
}
