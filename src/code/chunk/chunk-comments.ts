import type { Range } from "./lines.ts";

/** Comments and attributes, as they are met in document order, until a definition claims them. */
export class LeadingComments {
  readonly #text: string;
  readonly #unclaimed: (Range & { isComment: boolean })[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** @param end some grammars count a line comment's break to it; it is left out here */
  add(start: number, end: number, isComment: boolean): void {
    const length = this.#text.slice(start, end).trimEnd().length;
    this.#unclaimed.push({ start, end: start + length, isComment });
  }

  /** The comments directly above a declaration, without a blank line in between, and where they start. */
  claimLeadingComments(declaration: number): { start: number; docs: Range[] } {
    const docs: Range[] = [];
    let start = declaration;
    let last = this.#unclaimed.length - 1;
    while (last >= 0 && this.#unclaimed[last]!.end > declaration) last--;
    for (; last >= 0; last--) {
      const { start: from, end, isComment } = this.#unclaimed[last]!;
      if (!this.#startsLine(from) || !this.#leadsTo(from, end, start)) break;
      if (isComment) docs.push({ start: from, end });
      start = from;
    }
    this.#unclaimed.length = last + 1;
    return { start, docs: docs.reverse() };
  }

  /** The comments at the top of the file that no definition claimed, without licences. */
  listFileComments(): Range[] {
    const blocks: Range[] = [];
    let end = /^(?:#!.*\n)?\s*(?:<\?php\s*)?/.exec(this.#text)![0].length;
    for (const { start, end: to, isComment } of this.#unclaimed) {
      if (to <= end) continue;
      const between = this.#text.slice(end, start);
      if (!isComment || between.trim() !== "") break;
      end = to;
      if (blocks.length > 0 && !/\n\s*\n/.test(between)) blocks.at(-1)!.end = end;
      else blocks.push({ start, end });
    }
    return blocks.filter((block) => !isLicence(this.#text.slice(block.start, block.end)));
  }

  /** Whether only a line break, or a single blank line after a `/**` comment, is in between. */
  #leadsTo(from: number, end: number, start: number): boolean {
    const between = this.#text.slice(end, start);
    const isDoc = this.#text.startsWith("/**", from);
    return between.trim() === "" && between.split("\n").length <= (isDoc ? 3 : 2);
  }

  /** A comment after code on the same line belongs to that code. */
  #startsLine(offset: number): boolean {
    let before = offset - 1;
    while (this.#text[before] === " " || this.#text[before] === "\t") before--;
    return before < 0 || this.#text[before] === "\n";
  }
}

/** The same text at the top of every file describes none of them. */
function isLicence(comment: string): boolean {
  return /\b(?:copyright|licen[cs]ed?|SPDX)\b/i.test(comment);
}
