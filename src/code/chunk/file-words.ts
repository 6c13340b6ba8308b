import { createRuns } from "../../base/text/runs.ts";
import { tokenize } from "../../base/text/tokens.ts";
import { ensureLength } from "../../store/index/words/byte-strings.ts";

/** Numbers that have a buffer in common, at most: a buffer for each text would cost more than what is in it. */
const together = 16_384;

/**
 * The words of a file's texts as numbers: what `tokenStream` gives, at a fraction of the cost for who makes it and for who reads it.
 * For one file after the other, as most identifiers were met in others.
 */
export class FileWords {
  private readonly runs = createRuns({
    met: (run) => this.learnRun(run),
    forgotten: () => this.forget(),
  });
  /** The tokens of each run: those of run n lie between begins[n] and begins[n + 1]. */
  private begins = new Uint32Array(1);
  private ofRuns = new Uint32Array(0);
  private known = 0;
  private readonly tokens = new Map<string, number>();
  private readonly spelled: string[] = [];
  /** Of each token, its number in the file at hand, counted from `first` on; less where that does not have it. */
  private places = new Uint32Array(0);
  private first = 1;
  private words: string[] = [];
  /** The numbers of the text at hand. */
  private stream = new Uint32Array(0);
  private length = 0;
  /** What is left for those of the next texts. */
  private room = new Uint32Array(0);

  /** Begins a file. @param size of its text */
  begin(size: number): void {
    this.first += this.words.length;
    this.words = [];
    this.room = new Uint32Array(Math.min(size >> 1, together));
  }

  /** The different words of the file, by number. */
  get all(): readonly string[] {
    return this.words;
  }

  /** The numbers of a text's words, in its order. */
  toWordNumbers(text: string): Uint32Array {
    this.length = 0;
    for (const part of this.runs.read(text)) {
      if (typeof part === "string")
        for (const token of tokenize(part)) this.push(this.assignTokenNumber(token));
      else for (let i = 0; i < part.length; i++) this.pushRun(part[i]!);
    }
    if (this.length > this.room.length) this.room = new Uint32Array(Math.max(together, this.length));
    const numbers = this.room.subarray(0, this.length);
    numbers.set(this.stream.subarray(0, this.length));
    this.room = this.room.subarray(this.length);
    return numbers;
  }

  private pushRun(run: number): void {
    const end = this.begins[run + 1]!;
    for (let i = this.begins[run]!; i < end; i++) this.push(this.ofRuns[i]!);
  }

  private push(token: number): void {
    let place = this.places[token]!;
    if (place < this.first) {
      place = this.first + this.words.length;
      this.places[token] = place;
      this.words.push(this.spelled[token]!);
    }
    if (this.length === this.stream.length) this.stream = ensureLength(this.stream, this.length + together);
    this.stream[this.length++] = place - this.first;
  }

  private learnRun(run: string): void {
    let end = this.begins[this.known]!;
    for (const token of tokenize(run)) {
      this.ofRuns = ensureLength(this.ofRuns, end + 1);
      this.ofRuns[end++] = this.assignTokenNumber(token);
    }
    this.begins = ensureLength(this.begins, ++this.known + 1);
    this.begins[this.known] = end;
  }

  private assignTokenNumber(token: string): number {
    let number = this.tokens.get(token);
    if (number === undefined) {
      number = this.spelled.length;
      this.tokens.set(token, number);
      this.spelled.push(token);
      this.places = ensureLength(this.places, number + 1);
    }
    return number;
  }

  /** Tokens begin with 0 again as well; those of the file at hand keep their places in it. */
  private forget(): void {
    this.known = 0;
    this.tokens.clear();
    this.spelled.length = 0;
    this.places.fill(0);
    this.first = 1;
    this.words.forEach((word, place) => {
      this.places[this.assignTokenNumber(word)] = this.first + place;
    });
  }
}
