import { execFileSync } from "node:child_process";
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Random, random } from "../attribution/random.ts";
import { type Message, messagesIn, type Part, syntaxes } from "./literals.ts";

/** An error as shown in a terminal, and the file that it comes from. */
export interface ErrorString {
  query: string;
  file: string;
  line: number;
  /** Whether values were put in. */
  isRendered: boolean;
}

/** What a program would put in. */
const numbers = ["3", "17", "42", "404", "1024", "8080", "65536"];
const values = [
  "users",
  "session_id",
  "Widget",
  "config.json",
  "/var/lib/app/data.db",
  "src/main.ts",
  "user-4711",
  "2026-01-31",
  "OrderService",
  "42",
  "https://example.com/api",
  "connection refused",
];

/** People meet the errors of programs, not those of their tests. */
const elsewhere =
  /(^|\/)(tests?|__tests__|spec|testing|testdata|fixtures?|e2e|integration|examples?|samples?|docs?|docs_src|benchmarks?|vendor|runtime-tests|smoke|scripts|www|packages\/tests)\/|[._-](test|spec|bench)s?\.|Tests?\/|(^|\/)test_/i;

const leastWords = 3;
const leastCharacters = 14;
const longest = 200;

/**
 * Draws `count` errors of a repository: messages in string literals near a raise, whose text is in only one file. The
 * same revision and seed give the same errors.
 */
export function sampleErrors(
  root: string,
  { language, count, seed }: { language: string; count: number; seed: number },
): { errors: ErrorString[]; of: number } {
  const syntax = syntaxes[language];
  if (!syntax) throw new Error(`No syntax of messages for ${language}`);
  const chance = random(seed);
  const texts = new Map(trackedFiles(root).map((file) => [file, readFileSync(join(root, file), "latin1")]));
  const candidates = [...texts].flatMap(([file, text]) =>
    !syntax.extensions.test(file) || elsewhere.test(file)
      ? []
      : messagesIn(text, syntax)
          .map((message) => ({ file, message: firstLine(message) }))
          .filter(({ message }) => isTelling(message)),
  );
  const errors: ErrorString[] = [];
  for (const { file, message } of chance.shuffled(candidates)) {
    if (errors.length === count) break;
    const sources = message.parts.flatMap((part) => ("source" in part ? [part.source] : []));
    if (isElsewhere(texts, file, sources)) continue;
    const query = rendered(message.parts, chance);
    if (errors.some((one) => one.query === query)) continue;
    const isRendered = message.parts.some((part) => "placeholder" in part);
    errors.push({ query, file, line: message.line, isRendered });
  }
  return { errors, of: candidates.length };
}

function trackedFiles(root: string): string[] {
  const out = execFileSync("git", ["-C", root, "ls-files", "-z"], { encoding: "utf8", maxBuffer: 1 << 26 });
  const isText = (path: string) => !/\.(png|jpe?g|gif|ico|svg|pdf|zip|gz|woff2?|lock)$/i.test(path);
  const isFile = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false;
  return out
    .split("\0")
    .filter((path) => path !== "" && isText(path) && isFile(path))
    .sort();
}

/** The first line describes the error. */
function firstLine(message: Message): Message {
  const parts: Part[] = [];
  for (const part of message.parts) {
    if (!("text" in part)) {
      parts.push(part);
      continue;
    }
    const [text = "", ...others] = part.text.replace(/^\s+/, parts.length === 0 ? "" : " ").split("\n");
    const source = others.length === 0 ? part.source : part.source.split(/\\n|\n/)[0]!;
    if (text !== "") parts.push({ text, source });
    if (others.length > 0) break;
  }
  return { ...message, parts };
}

function isTelling({ parts }: Message): boolean {
  const text = parts.map((part) => ("text" in part ? part.text : " ")).join("");
  const words = text.match(/(?<!\S)\S*[A-Za-z]{2,}\S*/g) ?? [];
  return (
    words.length >= leastWords &&
    text.trim().length >= leastCharacters &&
    text.length <= longest &&
    parts.length <= 9 &&
    /^[\x20-\x7e]*$/.test(text)
  );
}

/** Whether another file contains all the texts of a message, in order: then the message is ambiguous. */
function isElsewhere(texts: ReadonlyMap<string, string>, file: string, sources: readonly string[]): boolean {
  const telling = sources.map((source) => source.trim()).filter((source) => source.length > 2);
  for (const [other, text] of texts) {
    if (other === file) continue;
    let at = 0;
    const isHeld = telling.every((source) => {
      at = text.indexOf(source, at);
      return at >= 0;
    });
    if (isHeld) return true;
  }
  return false;
}

function rendered(parts: readonly Part[], chance: Random): string {
  const text = parts.map((part) =>
    "text" in part ? part.text : chance.pick(part.placeholder === "number" ? numbers : values),
  );
  return text.join("").trim();
}
