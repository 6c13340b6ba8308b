import { unquotePath } from "../unquote.ts";
import type { ChangedFile } from "./changes-types.ts";
import { HunkReader } from "./hunk-reader.ts";

/** A file with more changed lines, or longer ones, is not written by anybody: it is treated as if it were binary. */
const maxLines = 200_000;
const maxCharacters = 20_000_000;
/** Longer lines need not be read to their end: so many bytes are more characters than that. */
export const maxLineLength = 4 * maxCharacters;

const submodule = "160000";
const symbolicLink = "120000";

/** A file as the list before the patch has it. */
interface Entry {
  path: string;
  oldPath: string | null;
  status: ChangedFile["status"];
  isRegular: boolean;
  isMerged: boolean;
  /** The lines that its part of the patch may begin with. */
  headers: string[];
}

/**
 * The files of a diff that git wrote with `--raw -p -U0` and quoted paths: first the list of all of them, then the patch.
 * One with more than one parent (`-c`) as well.
 * @param batches lines, as `linesOf` gives them
 */
export async function* parsePatch(
  batches: AsyncIterable<readonly string[]>,
): AsyncGenerator<ChangedFile, void, undefined> {
  const entries: Entry[] = [];
  // The one that the patch is at; before the first, -1.
  let at = -1;
  let reader = new HunkReader(maxLines, maxCharacters);
  for await (const lines of batches) {
    for (const line of lines) {
      if (at === -1 && line.startsWith(":")) {
        const entry = entryOf(line);
        if (entry !== null) entries.push(entry);
        continue;
      }
      // Within a hunk every line begins with something else.
      if (!line.startsWith("diff --")) {
        reader.read(line);
        continue;
      }
      const current = entries[at];
      if (current?.headers.includes(line)) {
        // A link that became a file, or the other way round: first what went, then what came.
        reader.beginAnew();
        continue;
      }
      let next = at + 1;
      while (next < entries.length && !entries[next]!.headers.includes(line)) next++;
      if (next === entries.length) continue;
      for (let index = Math.max(at, 0); index < next; index++) {
        yield* fileOf(entries[index]!, index === at ? reader : null);
      }
      at = next;
      reader = new HunkReader(maxLines, maxCharacters);
    }
  }
  for (let index = Math.max(at, 0); index < entries.length; index++) {
    yield* fileOf(entries[index]!, index === at ? reader : null);
  }
}

/** Nothing for a file that a merge only put together. */
function fileOf(entry: Entry, reader: HunkReader | null): ChangedFile[] {
  const { path, oldPath, status, isRegular, isMerged } = entry;
  const read = reader === null ? [] : reader.hunks();
  const hunks = isRegular ? read : null;
  if (isMerged && hunks?.length === 0) return [];
  return [{ path, oldPath, status, isText: hunks !== null, hunks: hunks ?? [] }];
}

/** `:100644 100644 <hash> <hash> R086\told\tnew`; of a merge a colon, a mode, a hash and a letter for each parent. */
function entryOf(line: string): Entry | null {
  const [facts, ...names] = line.split("\t");
  const colons = /^:+/.exec(line)![0].length;
  const words = facts!.slice(colons).split(" ");
  const modes = words.slice(0, colons + 1);
  const letters = words.at(-1)!.replace(/\d/g, "");
  const old = names[0];
  const name = names.at(-1);
  if (old === undefined || name === undefined) return null;
  const status = statusOf(letters);
  // Not merged yet: what stands in the working tree follows as an entry of its own.
  if (status === null) return null;
  const mode = modes.at(-1)!;
  const was = modes[0]!;
  const kind = status === "D" ? was : mode;
  return {
    path: unquotePath(name),
    oldPath: colons === 1 && names.length > 1 ? unquotePath(old) : null,
    status,
    isMerged: colons > 1,
    isRegular: kind !== submodule && kind !== symbolicLink,
    headers:
      colons === 1
        ? [`diff --git ${withPrefix("a/", old)} ${withPrefix("b/", name)}`]
        : [`diff --combined ${name}`, `diff --cc ${name}`],
  };
}

/** Of a merge all letters, of which there are different ones where its parents differ. */
function statusOf(letters: string): ChangedFile["status"] | null {
  const [first] = letters;
  if (letters.includes("U")) return null;
  if (![...letters].every((letter) => letter === first)) return letters.includes("D") ? "D" : "M";
  return /^[AMDRCT]$/.test(first ?? "") ? (first as ChangedFile["status"]) : "M";
}

/** A quoted path has its prefix inside of the quotes. */
function withPrefix(prefix: string, name: string): string {
  return name.startsWith('"') ? `"${prefix}${name.slice(1)}` : `${prefix}${name}`;
}
