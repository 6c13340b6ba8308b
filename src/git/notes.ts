import { GitFailure, readGitBuffer, readGitText, readGitTextIfAny } from "./git.ts";

/**
 * The notes on commits: the commit's hash, and that of the note's blob.
 * @param ref whole name of a notes ref; a missing one has none
 * @throws GitFailure
 */
export async function listGitNotes(dir: string, ref: string): Promise<Map<string, string>> {
  const listed = await readGitText(dir, ["notes", `--ref=${ref}`, "list"]);
  return new Map(
    listed.split("\n").flatMap((line): [string, string][] => {
      const [, blob, commit] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64})$/.exec(line) ?? [];
      return blob !== undefined && commit !== undefined ? [[commit, blob]] : [];
    }),
  );
}

/** Only while notes are written. */
const draftRef = "refs/pommel/notes-draft";

/**
 * Adds or replaces notes on commits, all in one commit of the notes ref, which moves only if it is as it was.
 * @param notes by the commit's hash
 * @param from the notes ref's commit; null: there is none
 * @returns the ref's new commit; null when somebody else has moved it meanwhile
 * @throws GitFailure
 */
export async function writeNotes(
  dir: string,
  ref: string,
  notes: ReadonlyMap<string, string>,
  { from, message, at }: { from: string | null; message: string; at: number },
): Promise<string | null> {
  function* makeImportCommands() {
    yield `commit ${draftRef}\nmark :1\ncommitter Pommel <pommel@localhost> ${Math.floor(at / 1000)} +0000\n`;
    yield `data ${Buffer.byteLength(message)}\n${message}\n`;
    if (from !== null) yield `from ${from}\n`;
    for (const [commit, note] of notes) {
      yield `N inline ${commit}\ndata ${Buffer.byteLength(note)}\n${note}\n`;
    }
    const [some = ""] = notes.keys();
    yield `\nget-mark :1\nreset ${draftRef}\nfrom ${"0".repeat(some.length)}\n\ndone\n`;
  }
  const output = await readGitBuffer(dir, ["fast-import", "--quiet", "--done", "--force"], {
    stdin: makeImportCommands(),
  });
  const commit = output.toString().trim();
  try {
    const expected = from ?? "0".repeat(commit.length);
    await readGitText(dir, ["update-ref", "--create-reflog", "-m", message, ref, commit, expected]);
    return commit;
  } catch (error) {
    if (error instanceof GitFailure && (await resolveRef(dir, ref)) !== from) return null;
    throw error;
  }
}

/** The commit of a ref; null when there is none. */
export function resolveRef(dir: string, ref: string): Promise<string | null> {
  return readGitTextIfAny(dir, ["rev-parse", "--verify", "--quiet", ref]);
}
