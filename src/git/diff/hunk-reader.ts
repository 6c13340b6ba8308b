import type { ChangedHunk } from "./changes-types.ts";

const hunkHeader = /^(@@+) -(\d+)(?:,(\d+))?( (?:-\d+(?:,\d+)? )*)\+(\d+)(?:,(\d+))? @@/;

/** Reads the part of a patch that is about one file, from what follows its header. */
export class HunkReader {
  private found: ChangedHunk[] = [];
  private open: ChangedHunk | null = null;
  /** 0: not in a hunk. */
  private parents = 0;
  /** The next line of the first parent, of the result. */
  private oldLine = 0;
  private newLine = 0;
  private lines = 0;
  private characters = 0;
  private isText = true;

  constructor(
    private readonly maxLines: number,
    private readonly maxCharacters: number,
  ) {}

  /** Something else comes in the place of what was read so far. */
  beginAnew(): void {
    this.parents = 0;
    this.open = null;
    this.found = [];
  }

  /** null: it is binary, or beyond the bounds. */
  hunks(): ChangedHunk[] | null {
    return this.isText ? this.found : null;
  }

  read(line: string): void {
    if (!this.isText) return;
    if (line.startsWith("@@")) this.beginHunk(line);
    else if (this.parents === 1) this.readLine(line);
    else if (this.parents > 1) this.readMergedLine(line);
    else if (line.startsWith("Binary files ")) this.giveUp();
  }

  private beginHunk(line: string): void {
    const [, at, oldStart, oldCount, , newStart, newCount] = hunkHeader.exec(line) ?? [];
    if (at === undefined) return;
    this.parents = at.length - 1;
    // Where there is none git gives the line before, but not with several parents.
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

  /** A sign for each parent: + it does not have the line, - it has one that the result has not. */
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
    // What was removed comes first in a hunk.
    if (this.open?.added.length !== 0) this.open = null;
    this.hunk().removed.push(text);
    this.oldLine++;
    this.count(text);
  }

  private add(text: string): void {
    this.hunk().added.push(text);
    this.newLine++;
    this.count(text);
  }

  private hunk(): ChangedHunk {
    if (this.open === null) {
      this.open = { oldStart: this.oldLine, newStart: this.newLine, removed: [], added: [] };
      this.found.push(this.open);
    }
    return this.open;
  }

  private count(text: string): void {
    this.lines++;
    this.characters += text.length;
    if (this.lines > this.maxLines || this.characters > this.maxCharacters) this.giveUp();
  }

  private giveUp(): void {
    this.isText = false;
    this.found = [];
    this.open = null;
  }
}
