import { bounded, pictureMark } from "../reading/bounded.ts";
import { bounds } from "../reading/bounds.ts";
import { withoutOwnContext } from "../reading/own-output.ts";
import { asRecord } from "./calls.ts";
import { asParts } from "./line-schema.ts";

/** What a call came to. */
export interface Outcome {
  /** Without what the client wrote before it. */
  text: string;
  isError: boolean;
  /** The client's id of a command that goes on, and whose end is told later; null when it does not. */
  running: string | null;
}

/** What the client writes before a command's output, with the exit code in one of the lines. */
const head =
  /^(?:Chunk ID: [^\n]*\n)?(?:Exit code: (-?\d+)\n)?(?:Wall time: [^\n]*\n)(?:Process (?:exited with code (-?\d+)|running with session ID [^\n]*)\n)?(?:Original token count: [^\n]*\n)?(?:Total output lines: [^\n]*\n)?(?:Output:\n)?/;
const running = /^Process running with session ID (.+)$/m;
const failed =
  /^(?:apply_patch verification failed|aborted by user|exec_command failed|failed to |unsupported call|execution error|patch rejected)/im;

/** The outcome in a `function_call_output`: text in one of several wrappings, by the client's version. */
export function outcomeOf(output: unknown): Outcome {
  const wrapped = typeof output === "string" && !output.startsWith("{") ? {} : asRecord(output);
  const whole = textOf(wrapped.output ?? wrapped.content ?? output);
  const code = asRecord(wrapped.metadata).exit_code;
  const found = head.exec(whole);
  const exitText = found?.[1] ?? found?.[2];
  const exit = typeof code === "number" ? code : exitText === undefined ? null : Number(exitText);
  const text = found === null ? whole : whole.slice(found[0].length);
  const isError = exit === null ? wrapped.success === false || failed.test(text) : exit !== 0;
  return { text: resultText(text), isError, running: running.exec(found?.[0] ?? "")?.[1] ?? null };
}

/** What is kept of what a tool answered. */
export function resultText(text: string): string {
  return bounded(withoutOwnContext(text).trim(), bounds.result);
}

/** Text of an answer's parts, with a mark for each picture. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = asParts(content).map(({ type, text }) => (type.includes("image") ? pictureMark : text));
  return parts.filter((part) => part !== "").join("\n");
}
