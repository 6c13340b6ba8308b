import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { PommelError } from "../../base/errors.ts";
import { replaceFile } from "../../base/files/replace-file.ts";
import { refuseOutside } from "../../base/files/text-file.ts";
import type { Project } from "../../base/paths.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { findPlaceInRepository } from "../../git/diff/changes.ts";
import { readGitBuffer, readGitText, readGitTextIfAny } from "../../git/git.ts";
import { resolveRef } from "../../git/notes.ts";
import { readObjects } from "../../git/objects.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";
import { describeUndo } from "./answer.ts";
import type { BroughtBack, UndoAnswer, UndoRequest } from "./operation.ts";
import { isChanged, type PlannedFile, planUndo, readWorkingText } from "./plan.ts";

/** What `pm undo` replaced in a worktree, for `pm undo --back`: a commit for each time, the latest first. git shares it with nobody. */
const nameUndoRef = (root: string): string =>
  `refs/pommel/undo/${createHash("sha256").update(root).digest("hex").slice(0, 12)}`;
const newFileMode = 0o644;
/** As git writes them. */
const plainMode = "100644";
const executableMode = "100755";

/** A file as it was, and as `pm undo` left it; null: not there. */
const replacedFile = z.object({
  path: z.string(),
  movesTo: z.nullable(z.string()),
  isExecutable: z.nullable(z.boolean()),
  isThere: z.object({ before: z.boolean(), after: z.boolean() }),
});
const undoRecord = z.object({ session: z.string(), files: z.array(replacedFile) });
type UndoRecord = z.infer<typeof undoRecord>;

/**
 * Takes a session's changes back, in the working tree or on a new branch.
 * @throws PommelError `not_found`; `usage` for a branch that exists, or that git takes for none
 */
export async function applyUndo(
  project: Project,
  memory: Memory,
  { id, turn, branch }: UndoRequest,
): Promise<UndoAnswer> {
  const session = findSession(memory, id);
  const undone = { uid: session.uid, turn: turn ?? null };
  if (branch !== undefined) await refuseTakenBranch(project.root, branch);
  const plan = await planUndo(project, memory, undone, branch === undefined ? "working tree" : "HEAD");
  const answer = describeUndo(memory, session, undone.turn, plan);
  const changed = plan.files.filter(isChanged);
  if (changed.length === 0) return answer;
  if (branch !== undefined) {
    await commitOnBranch(project.root, branch, session.uid, changed);
    return { ...answer, applied: "branch" };
  }
  await saveReplaced(project.root, session.uid, changed);
  for (const file of changed) writePlanned(project.root, file);
  return { ...answer, applied: "working tree" };
}

function writePlanned(root: string, { path, now, wanted, movesTo, isExecutable }: PlannedFile): void {
  const file = join(root, path);
  if (wanted === null) rmSync(file, { force: true });
  else if (wanted !== now) writeText(root, file, wanted);
  if (isExecutable !== null) setExecutable(file, isExecutable);
  if (movesTo !== null) moveFile(file, join(root, movesTo));
}

/** Keeps the file's mode. @throws PommelError for one that leads out of the project */
function writeText(root: string, file: string, text: string): void {
  refuseOutside(root, file);
  mkdirSync(dirname(file), { recursive: true });
  replaceFile(file, text, { mode: statSync(file, { throwIfNoEntry: false })?.mode ?? newFileMode });
}

/** For all who may read it, as git does. */
function setExecutable(file: string, isExecutable: boolean): void {
  const { mode } = statSync(file);
  chmodSync(file, isExecutable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111);
}

function moveFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}

/** Keeps what is replaced in git's objects, where it outlives this process. */
async function saveReplaced(root: string, session: string, files: readonly PlannedFile[]): Promise<void> {
  const record: UndoRecord = {
    session,
    files: files.map(({ path, movesTo, isExecutable, now, wanted }) => ({
      path,
      movesTo,
      isExecutable,
      isThere: { before: now !== null, after: wanted !== null },
    })),
  };
  const texts = new Map(
    files.flatMap(({ now, wanted }, i): [string, string | null][] => [
      [`${i}/before`, now],
      [`${i}/after`, wanted],
    ]),
  );
  const ref = nameUndoRef(root);
  await importCommit(root, ref, await resolveRef(root, ref), JSON.stringify(record), texts, "replace");
}

/**
 * Makes a commit of files, and a ref that leads to it.
 * @param texts by path; null: the file is removed
 * @param from the commit before it; null: none
 * @param how replace: the commit has these files alone
 */
async function importCommit(
  root: string,
  ref: string,
  from: string | null,
  message: string,
  texts: ReadonlyMap<string, string | null>,
  how: "replace" | "change",
  { person = "Pommel <pommel@localhost>", modes = new Map<string, string>() } = {},
): Promise<void> {
  function* makeCommands() {
    yield `commit ${ref}\ncommitter ${person} ${Math.floor(Date.now() / 1000)} +0000\n`;
    yield `data ${Buffer.byteLength(message)}\n${message}\n`;
    if (from !== null) yield `from ${from}\n`;
    if (how === "replace") yield "deleteall\n";
    for (const [path, text] of texts) {
      const name = JSON.stringify(path);
      if (text === null) yield how === "change" ? `D ${name}\n` : "";
      else
        yield `M ${modes.get(path) ?? plainMode} inline ${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    }
    yield "\ndone\n";
  }
  await readGitBuffer(root, ["fast-import", "--quiet", "--done", "--force"], { stdin: makeCommands() });
}

async function refuseTakenBranch(root: string, branch: string): Promise<void> {
  const isName = (await readGitTextIfAny(root, ["check-ref-format", "--branch", branch])) !== null;
  if (!isName)
    throw new PommelError("usage", `${JSON.stringify(branch)} is not a branch name.`, "Choose another.");
  if ((await resolveRef(root, `refs/heads/${branch}`)) !== null)
    throw new PommelError("usage", `The branch ${branch} already exists.`, "Choose another name.");
}

/** A commit on top of HEAD, in the name of whom git commits for. */
async function commitOnBranch(
  root: string,
  branch: string,
  session: string,
  files: readonly PlannedFile[],
): Promise<void> {
  const [head, person, { prefix }] = await Promise.all([
    readGitText(root, ["rev-parse", "HEAD"]),
    readGitText(root, ["var", "GIT_COMMITTER_IDENT"]),
    findPlaceInRepository(root),
  ]);
  const texts = new Map(
    files.flatMap(({ path, wanted, movesTo }): [string, string | null][] =>
      movesTo === null
        ? [[prefix + path, wanted]]
        : [
            [prefix + path, null],
            [prefix + movesTo, wanted],
          ],
    ),
  );
  const message = `Undo session ${shortenSessionId(session)}\n`;
  const name = person.replace(/ \d+ [+-]\d+$/, "");
  const modes = new Map<string, string>();
  for (const { path, movesTo, isExecutable } of files) {
    const [mode = plainMode] = (await readGitText(root, ["ls-tree", "HEAD", "--", path])).split(" ");
    const wanted = isExecutable === null ? mode : isExecutable ? executableMode : plainMode;
    modes.set(prefix + (movesTo ?? path), wanted === "" ? plainMode : wanted);
  }
  await importCommit(root, `refs/heads/${branch}`, head, message, texts, "change", { person: name, modes });
}

/**
 * Brings back what the latest `pm undo` took back, if its files are still as it left them.
 * @throws PommelError `not_found`; `uncommitted_changes` names files that changed since
 */
export async function bringBackLatest({ root }: Project): Promise<BroughtBack> {
  const ref = nameUndoRef(root);
  const commit = await resolveRef(root, ref);
  if (commit === null)
    throw new PommelError(
      "not_found",
      "Nothing was undone here.",
      "`pm undo SESSION` undoes a session's work.",
    );
  const { session, files } = undoRecord.parse(
    JSON.parse(await readGitText(root, ["log", "-1", "--format=%B", commit])),
  );
  const names = files.flatMap((_, i) => [`${commit}:${i}/before`, `${commit}:${i}/after`]);
  const texts = await readObjects(root, names, { maxBytes: Number.MAX_SAFE_INTEGER, type: "blob" });
  const read = (i: number, side: "before" | "after"): string | null =>
    files[i]?.isThere[side] ? (texts.get(`${commit}:${i}/${side}`)?.toString() ?? null) : null;
  const found = files.map((file, i) => {
    const [from, to] = [join(root, file.path), file.movesTo === null ? null : join(root, file.movesTo)];
    const movedTo = to !== null && existsSync(to) ? to : null;
    const now = readWorkingText(movedTo ?? from);
    const before = read(i, "before");
    // Where undoing was killed, some files are still, or partly, as they were.
    const isOurs = now === read(i, "after") || (movedTo === null && now === before);
    return { ...file, from, movedTo, now, before, isOurs };
  });
  const odd = found.filter(({ isOurs }) => !isOurs);
  if (odd.length > 0)
    throw new PommelError(
      "uncommitted_changes",
      `Changed since it was undone: ${odd.map(({ path }) => path).join(", ")}.`,
      `Its state before is in git: \`git show ${shortenHash(commit)} --stat\`.`,
    );
  for (const { from, movedTo, now, before, isExecutable } of found) {
    if (movedTo !== null) moveFile(movedTo, from);
    if (before === null) rmSync(from, { force: true });
    else if (now !== before) writeText(root, from, before);
    if (isExecutable !== null && before !== null) setExecutable(from, !isExecutable);
  }
  const parent = await readGitTextIfAny(root, ["rev-parse", "--verify", "--quiet", `${commit}^`]);
  await readGitText(root, parent === null ? ["update-ref", "-d", ref] : ["update-ref", ref, parent]);
  return { session_id: session, files: files.map(({ path }) => path) };
}
