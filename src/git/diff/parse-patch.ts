import { unquotePath } from "../output-lines.ts";
import type { ChangedFile, ChangedHunk } from "./changes-types.ts";

/** Files with more changed lines or characters are generated, and treated as binary. */
const maxLines = 200_000;
const maxCharacters = 20_000_000;
/** Lines are cut at this many bytes, which is always more than `maxCharacters` characters. */
export const maxLineLength = 4 * maxCharacters;

const submodule = "160000";
const symbolicLink = "120000";

/** A file in the list before the patch. */
interface RawFileEntry {
  path: string;
  oldPath: string | null;
  status: ChangedFile["status"];
  isRegular: boolean;
  isMerged: boolean;
  /** Possible first lines of its part of the patch. */
  headers: string[];
}

/**
 * Parses git's output of `--raw -p -U0` with quoted paths: the list of files, then the patch. Also combined diffs
 * (`-c`).
 * @param batches lines, as `linesOf` gives them
 */
export async function* parsePatch(
  batches: AsyncIterable<readonly string[]>,
): AsyncGenerator<ChangedFile, void, undefined> {
  const entries: RawFileEntry[] = [];
  // Index of the current entry; -1 before the first.
  let at = -1;
  let reader = new HunkReader(maxLines, maxCharacters);
  for await (const lines of batches) {
    for (const line of lines) {
      if (at === -1 && line.startsWith(":")) {
        const entry = parseRawEntry(line);
        if (entry !== null) entries.push(entry);
        continue;
      }
      // No line within a hunk begins like this.
      if (!line.startsWith("diff --")) {
        reader.read(line);
        continue;
      }
      const current = entries[at];
      if (current?.headers.includes(line)) {
        // A link that became a file, or vice versa: the removal, then the addition.
        reader.reset();
        continue;
      }
      let next = at + 1;
      while (next < entries.length && !entries[next]!.headers.includes(line)) next++;
      if (next === entries.length) continue;
      for (let index = Math.max(at, 0); index < next; index++) {
        yield* makeChangedFile(entries[index]!, index === at ? reader : null);
      }
      at = next;
      reader = new HunkReader(maxLines, maxCharacters);
    }
  }
  for (let index = Math.max(at, 0); index < entries.length; index++) {
    yield* makeChangedFile(entries[index]!, index === at ? reader : null);
  }
}

/** Empty for a file that a merge combined without changes of its own. */
function makeChangedFile(entry: RawFileEntry, reader: HunkReader | null): ChangedFile[] {
  const { path, oldPath, status, isRegular, isMerged } = entry;
  const read = reader === null ? [] : reader.listHunks();
  const hunks = isRegular ? read : null;
  if (isMerged && hunks?.length === 0) return [];
  const isText = hunks !== null;
  return [
    { path, oldPath, status, isText, hunks: hunks ?? [], ...(reader?.isTooLarge && { isTooLarge: true }) },
  ];
}

/** `:100644 100644 <hash> <hash> R086\told\tnew`; for a merge, one colon, mode, hash and letter per parent. */
function parseRawEntry(line: string): RawFileEntry | null {
  const [facts, ...names] = line.split("\t");
  const colons = /^:+/.exec(line)![0].length;
  const words = facts!.slice(colons).split(" ");
  const modes = words.slice(0, colons + 1);
  const letters = words.at(-1)!.replace(/\d/g, "");
  const old = names[0];
  const name = names.at(-1);
  if (old === undefined || name === undefined) return null;
  const status = parseStatus(letters);
  // Unmerged: the working tree's version follows as a separate entry.
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

/** `letters` has one letter per parent of a merge. */
function parseStatus(letters: string): ChangedFile["status"] | null {
  const [first] = letters;
  if (letters.includes("U")) return null;
  if (![...letters].every((letter) => letter === first)) return letters.includes("D") ? "D" : "M";
  return /^[AMDRCT]$/.test(first ?? "") ? (first as ChangedFile["status"]) : "M";
}

/** A quoted path has its prefix inside the quotes. */
function withPrefix(prefix: string, name: string): string {
  return name.startsWith('"') ? `"${prefix}${name.slice(1)}` : `${prefix}${name}`;
}

const hunkHeader = /^(@@+) -(\d+)(?:,(\d+))?( (?:-\d+(?:,\d+)? )*)\+(\d+)(?:,(\d+))? @@/;

/** Parses one file's part of a patch, after its header. */
class HunkReader {
  private found: ChangedHunk[] = [];
  private open: ChangedHunk | null = null;
  /** Number of parents; 0 outside of a hunk. */
  private parents = 0;
  /** Next line number in the first parent. */
  private oldLine = 0;
  private newLine = 0;
  private lines = 0;
  private characters = 0;
  private isText = true;
  isTooLarge = false;

  constructor(
    private readonly maxLines: number,
    private readonly maxCharacters: number,
  ) {}

  /** Discards what was read so far. */
  reset(): void {
    this.parents = 0;
    this.open = null;
    this.found = [];
  }

  /** null: binary, or over the size limits. */
  listHunks(): ChangedHunk[] | null {
    return this.isText ? this.found : null;
  }

  read(line: string): void {
    if (!this.isText) return;
    if (line.startsWith("@@")) this.beginHunk(line);
    else if (this.parents === 1) this.readLine(line);
    else if (this.parents > 1) this.readMergedLine(line);
    else if (line.startsWith("Binary files ")) this.markBinary();
  }

  private beginHunk(line: string): void {
    const [, at, oldStart, oldCount, , newStart, newCount] = hunkHeader.exec(line) ?? [];
    if (at === undefined) return;
    this.parents = at.length - 1;
    // For an empty range git gives the line before, except in combined diffs.
    const isSimple = this.parents === 1;
    this.oldLine = Number(oldStart) + (isSimple && oldCount === "0" ? 1 : 0);
    this.newLine = Number(newStart) + (isSimple && newCount === "0" ? 1 : 0);
    this.open = null;
  }

  private readLine(line: string): void {
    const [sign] = line;
    if (sign === "-") this.remove(line.slice(1));
    else if (sign === "+") this.add(line.slice(1));
  }

  /** One sign per parent: + the parent lacks the line, - the result lacks it. */
  private readMergedLine(line: string): void {
    const signs = line.slice(0, this.parents);
    if (!/^[ +-]+$/.test(signs)) return;
    const text = line.slice(this.parents);
    if (signs.includes("-")) {
      if (/^-+$/.test(signs)) this.remove(text);
      else if (signs.startsWith("-")) this.oldLine++;
    } else if (/^\++$/.test(signs)) {
      this.add(text);
    } else {
      this.open = null;
      this.newLine++;
      if (signs.startsWith(" ")) this.oldLine++;
    }
  }

  private remove(text: string): void {
    // Removed lines come first in a hunk.
    if (this.open?.added.length !== 0) this.open = null;
    this.openHunk().removed.push(text);
    this.oldLine++;
    this.count(text);
  }

  private add(text: string): void {
    this.openHunk().added.push(text);
    this.newLine++;
    this.count(text);
  }

  private openHunk(): ChangedHunk {
    if (this.open === null) {
      this.open = { oldStart: this.oldLine, newStart: this.newLine, removed: [], added: [] };
      this.found.push(this.open);
    }
    return this.open;
  }

  private count(text: string): void {
    this.lines++;
    this.characters += text.length;
    if (this.lines <= this.maxLines && this.characters <= this.maxCharacters) return;
    this.isTooLarge = true;
    this.markBinary();
  }

  private markBinary(): void {
    this.isText = false;
    this.found = [];
    this.open = null;
  }
}
