import { posix } from "node:path";
import { unquotePath } from "../unquote.ts";
import type { BlamedCommit, BlamedLine } from "./changes-types.ts";

const lineHeader = /^([0-9a-f]{40}|[0-9a-f]{64}) (\d+) (\d+)/;

/** What git says of a commit once, with the first of its lines; its path again, where it has several. */
interface Told extends BlamedCommit {
  path: string;
  isBoundary: boolean;
}

/** Reads what `git blame --porcelain` writes, line by line. */
export class BlameReader {
  /** A file that is no text. */
  isBinary = false;
  private readonly lines: BlamedLine[] = [];
  private readonly byHash = new Map<string, Told>();
  private current: Told | null = null;
  private hash = "";
  private originalLine = 0;
  private line = 0;

  constructor(
    /** Where the directory that paths are given from lies in its working tree. */
    private readonly prefix: string,
    /** Commits whose parents git does not have. */
    private readonly cutOff: ReadonlySet<string>,
  ) {}

  read(text: string): void {
    if (text.startsWith("\t")) this.takeLine(text.slice(1));
    else this.readFact(text);
  }

  result(): { lines: BlamedLine[]; commits: Map<string, BlamedCommit> } {
    const commits = new Map<string, BlamedCommit>();
    for (const [hash, { author, authoredAt, summary }] of this.byHash) {
      if (isCommit(hash)) commits.set(hash, { author, authoredAt, summary });
    }
    return { lines: this.lines, commits };
  }

  private takeLine(text: string): void {
    if (text.includes("\0")) this.isBinary = true;
    const { hash, line, originalLine, current } = this;
    if (current === null) return;
    const commit = isCommit(hash) ? hash : null;
    const { path: originalPath, isBoundary } = current;
    this.lines.push({ line, commit, originalLine, originalPath, isBoundary, text });
  }

  private readFact(text: string): void {
    const header = lineHeader.exec(text);
    if (header) {
      this.hash = header[1]!;
      this.originalLine = Number(header[2]);
      this.line = Number(header[3]);
      this.current = this.byHash.get(this.hash) ?? null;
      if (this.current === null) {
        this.current = { author: "", authoredAt: 0, summary: "", path: "", isBoundary: false };
        this.byHash.set(this.hash, this.current);
      }
      return;
    }
    const { current } = this;
    if (current === null) return;
    const space = text.indexOf(" ");
    const name = space === -1 ? text : text.slice(0, space);
    const value = space === -1 ? "" : text.slice(space + 1);
    if (name === "author") current.author = value;
    else if (name === "author-time") current.authoredAt = Number(value) * 1000;
    else if (name === "summary") current.summary = value;
    else if (name === "filename") current.path = this.fromDirectory(unquotePath(value));
    // git calls the root of history a boundary, too, which it is not.
    else if (name === "boundary") current.isBoundary = this.cutOff.has(this.hash);
  }

  private fromDirectory(path: string): string {
    if (path.startsWith(this.prefix)) return path.slice(this.prefix.length);
    return posix.relative(this.prefix, path);
  }
}

/** Lines that are not committed yet have a hash of zeros. */
function isCommit(hash: string): boolean {
  return !/^0+$/.test(hash);
}
