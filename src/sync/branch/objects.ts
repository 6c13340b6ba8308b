import { readGitBuffer, readGitBytes, readGitFields, readGitText } from "../../git/git.ts";

/** Reads and writes the branch with git's plumbing: no checkout, index or working tree. */

/** Blobs of a commit by path; plain files only. */
export type BlobsByPath = ReadonlyMap<string, string>;

/**
 * The files of a commit.
 * @throws GitFailure also when the commit or one of its trees is missing
 */
export async function readTree(dir: string, commit: string): Promise<BlobsByPath> {
  const tree = new Map<string, string>();
  for await (const field of readGitFields(dir, ["ls-tree", "-r", "-z", "--full-tree", commit])) {
    const [, hash, path] = /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s.exec(field) ?? [];
    if (hash !== undefined && path !== undefined) tree.set(path, hash);
  }
  return tree;
}

/** Reads blobs one by one, through one git process. */
export interface BlobReader {
  /** null when it is missing or damaged. */
  read(hash: string): Promise<Buffer | null>;
  close(): Promise<void>;
}

export function openBlobs(dir: string): BlobReader {
  let git: ReturnType<typeof startReader> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function readAnswer(hash: string): Promise<Buffer | null> {
    git ??= startReader(dir);
    try {
      return await git.ask(hash);
    } catch {
      // A damaged object ends git; the next read starts another.
      await git.end();
      git = null;
      return null;
    }
  }

  return {
    read(hash) {
      const answer = last.then(() => readAnswer(hash));
      last = answer;
      return answer;
    },
    async close() {
      await last;
      await git?.end();
    },
  };
}

function startReader(dir: string) {
  const asked: string[] = [];
  let isEnded = false;
  let wake = () => {};
  async function* streamRequests() {
    while (!isEnded) {
      const hash = asked.shift();
      if (hash !== undefined) yield `${hash}\n`;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const answers = readGitBytes(dir, ["cat-file", "--batch"], { stdin: streamRequests() });
  let rest: Buffer = Buffer.alloc(0);

  async function readMore(): Promise<Buffer> {
    const { value, done } = await answers.next();
    if (done || !value) throw new Error("git ended");
    return value;
  }

  async function ask(hash: string): Promise<Buffer | null> {
    asked.push(hash);
    wake();
    while (!rest.includes(10)) rest = Buffer.concat([rest, await readMore()]);
    const end = rest.indexOf(10);
    const head = rest.subarray(0, end).toString();
    rest = rest.subarray(end + 1);
    const [, type, digits] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(head) ?? [];
    if (digits === undefined) return null;
    const size = Number(digits);
    const parts = [rest];
    for (let length = rest.length; length < size + 1; length += parts.at(-1)!.length)
      parts.push(await readMore());
    const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    rest = whole.subarray(size + 1);
    return type === "blob" ? whole.subarray(0, size) : null;
  }

  async function end(): Promise<void> {
    isEnded = true;
    wake();
    await answers.return();
  }

  return { ask, end };
}

/** A file of a new commit: its bytes, or an existing blob. */
export interface FileToWrite {
  path: string;
  content: Uint8Array | { blob: string };
}

interface WrittenCommit {
  commit: string;
  tree: string;
}

/**
 * Writes an unreferenced commit with all its objects through one `git fast-import`.
 * @param parents the commit has the first one's files, plus the given changes
 */
export async function writeCommit(
  dir: string,
  {
    parents,
    message,
    files,
    at,
  }: { parents: readonly string[]; message: string; files: AsyncIterable<FileToWrite>; at: number },
): Promise<WrittenCommit> {
  const noCommit = "0".repeat(parents[0]?.length ?? (await hashLength(dir)));
  async function* streamCommands(): AsyncGenerator<string | Uint8Array> {
    const text = Buffer.from(message);
    yield `commit refs/pommel/writing\nmark :1\ncommitter Pommel <pommel@localhost> ${Math.floor(at / 1000)} +0000\n`;
    yield `data ${text.length}\n${message}\n`;
    for (const [i, parent] of parents.entries()) yield `${i === 0 ? "from" : "merge"} ${parent}\n`;
    for await (const { path, content } of files) {
      if ("blob" in content) yield `M 100644 ${content.blob} ${quoteImportPath(path)}\n`;
      else {
        yield `M 100644 inline ${quoteImportPath(path)}\ndata ${content.length}\n`;
        yield content;
        yield "\n";
      }
    }
    // The ref is temporary.
    yield `\nget-mark :1\nreset refs/pommel/writing\nfrom ${noCommit}\n\ndone\n`;
  }
  const output = await readGitBuffer(dir, ["fast-import", "--quiet", "--done", "--force"], {
    stdin: streamCommands(),
  });
  const commit = output.toString().trim();
  return { commit, tree: await readGitText(dir, ["rev-parse", `${commit}^{tree}`]) };
}

/** Quotes a path for fast-import. */
function quoteImportPath(path: string): string {
  if (/^[\w./%~!'()*@+=,-]+$/.test(path)) return path;
  return `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

async function hashLength(dir: string): Promise<number> {
  const format = await readGitText(dir, ["rev-parse", "--show-object-format"]).catch(() => "sha1");
  return format === "sha256" ? 64 : 40;
}

/** A ref's target; null when missing. */
interface Ref {
  hash: string;
  isCommit: boolean;
  /** The worktree that has it checked out, if any. */
  worktree: string | null;
}

export async function readRef(dir: string, ref: string): Promise<Ref | null> {
  const format = "--format=%(objectname)%00%(objecttype)%00%(worktreepath)%00%(refname)";
  const line = (await readGitBuffer(dir, ["for-each-ref", format, ref])).toString();
  for (const each of line.split("\n")) {
    const [hash, type, worktree, name] = each.split("\0");
    if (hash && name === ref) return { hash, isCommit: type === "commit", worktree: worktree || null };
  }
  return null;
}

/** Moves a ref if it still is at `from` (null: missing). @returns whether it was moved */
export async function moveRef(dir: string, ref: string, to: string, from: string | null): Promise<boolean> {
  try {
    await readGitText(dir, ["update-ref", "-m", "pommel sync", ref, to, from ?? "0".repeat(to.length)]);
    return true;
  } catch {
    return false;
  }
}

/** Sets one of Pommel's own refs unconditionally. */
export async function setRef(dir: string, ref: string, to: string): Promise<void> {
  await readGitText(dir, ["update-ref", ref, to]);
}

export async function isAncestor(dir: string, ancestor: string, commit: string): Promise<boolean> {
  try {
    await readGitText(dir, ["merge-base", "--is-ancestor", ancestor, commit]);
    return true;
  } catch {
    return false;
  }
}
