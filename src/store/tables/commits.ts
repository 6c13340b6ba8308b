import { attributionBases, attributionHows, authorKinds } from "../../protocol/values.ts";
import {
  bytes,
  count,
  fraction,
  integer,
  nullable,
  oneOf,
  reference,
  rowId,
  table,
  text,
  texts,
  time,
} from "./table.ts";

/** How a commit came to be known. */
const commitSightings = ["hook", "reflog", "history", "sync"] as const;

/** Commits that were looked at, whether an agent had a part in them or not. */
export const commits = table({
  name: "commits",
  columns: {
    id: rowId({ isReused: true }),
    hash: text("commit", { isUnique: true, shared: true }),
    tree: text("commit", { shared: true }),
    parents: texts("commit", { shared: true }),
    /** Where it was made; null where unknown. */
    branch: nullable(text("branch", { shared: true })),
    author: text("person", { shared: true }),
    authoredAt: time({ shared: true }),
    committedAt: time({ shared: true }),
    subject: text("title", { shared: true }),
    /** Of git patch-id --stable: the same for a commit and what a rebase or a cherry-pick made of it. Null: it has none. */
    patchId: nullable(text("commit", { shared: true })),
    /** Commits that it took the place of (amend, rebase, squash). */
    rewrittenFrom: texts("commit", { default: "'[]'", merge: "union", shared: true }),
    insertions: count({ shared: true }),
    deletions: count({ shared: true }),
    seen: oneOf(commitSightings),
    /** Version of the attribution that looked at it (attribution/lines/verdict.ts); 0: none has. */
    attributed: integer({ default: "0" }),
  },
  indexes: {
    commits_by_time: "(committed_at)",
    commits_by_patch: "(patch_id) WHERE patch_id IS NOT NULL",
    commits_rewritten: "(rewritten_from) WHERE rewritten_from <> '[]'",
  },
});

export const commitFiles = table({
  name: "commit_files",
  columns: {
    commitId: reference("commits"),
    /** From the project's root, with slashes; files outside of it are left out. */
    path: text("file"),
    /** What it was called before; null where it was not renamed or copied. */
    oldPath: nullable(text("file")),
    /** A, M, D, R, C, T as git says. */
    status: text("words"),
    insertions: count(),
    deletions: count(),
    /** The added lines: number and key of each (attribution/lines/line-keys.ts); empty for a binary file. */
    added: bytes(),
  },
  key: ["commitId", "path"],
  indexes: {
    commit_files_by_path: "(path)",
    commit_files_by_old_path: "(old_path) WHERE old_path IS NOT NULL",
  },
});

/** Who wrote the lines that a commit added, as ranges of lines of its version of the file; both ends included, from 1. */
export const attributions = table({
  name: "attributions",
  columns: {
    commitId: reference("commits"),
    path: text("file"),
    firstLine: count({ shared: "first" }),
    lastLine: count({ shared: "last" }),
    author: oneOf(authorKinds, { shared: true }),
    /** Of an agent's lines; null where only that it was an agent is known. */
    sessionUid: nullable(text("reference", { shared: "session" })),
    turn: nullable(integer({ shared: true })),
    /** The tool call that wrote them, by the agent's own id. */
    toolUse: nullable(text("id", { shared: true })),
    model: nullable(text("model", { shared: true })),
    confidence: fraction({ shared: true }),
    how: oneOf(attributionHows, { shared: true }),
    /** What the verdict rests on; null: another tool's note, or a basis of a colleague's Pommel that this one does not have. */
    basis: nullable(oneOf(attributionBases)),
  },
  key: ["commitId", "path", "firstLine"],
  indexes: { attributions_of_session: "(session_uid, turn) WHERE session_uid IS NOT NULL" },
});

/** When lines first showed up in a file, as its watcher saw it; kept for some weeks. */
export const observations = table({
  name: "observations",
  columns: {
    id: rowId({ isReused: true }),
    path: text("place"),
    /** The file's mtime. */
    at: time(),
    /** Keys of the lines that were new. */
    keys: bytes(),
  },
  indexes: { observations_by_path: "(path, at)" },
});
