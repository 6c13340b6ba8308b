import { expect, it } from "vitest";
import type { TranscriptEntry } from "../agents/agent.ts";
import { detectTurnState } from "./turn-state.ts";

const prompt: TranscriptEntry = { kind: "prompt", text: "fix it", images: 0 };
const text: TranscriptEntry = { kind: "text", text: "Done." };
const use: TranscriptEntry = { kind: "tool_use", id: "1", tool: "Bash", input: {}, files: [] };
const result: TranscriptEntry = {
  kind: "tool_result",
  id: "1",
  text: "",
  isError: false,
  edits: null,
  subagent: null,
};
const notice = (text: string): TranscriptEntry => ({ kind: "notice", text });

it.each<[string, TranscriptEntry[], string]>([
  ["an answer", [prompt, use, result, text], "completed"],
  ["an answer, and the client's farewell", [prompt, text, notice("Bye!")], "completed"],
  ["nothing asked", [notice("/clear")], "completed"],
  ["an interrupted answer", [prompt, text, notice("[Request interrupted by user]")], "interrupted"],
  [
    "a refused tool",
    [prompt, use, result, notice("[Request interrupted by user for tool use]")],
    "interrupted",
  ],
  ["a cancelled request", [prompt, notice("Request cancelled.")], "interrupted"],
  [
    "an interruption before a summary",
    [notice("[Request interrupted by user]"), { kind: "summary", text: "So far" }],
    "interrupted",
  ],
  ["a failing service", [prompt, use, result, notice('API Error: 529 {"type":"error"}')], "error"],
  ["an aborted message", [prompt, text, notice("MessageAbortedError: Aborted")], "interrupted"],
  ["a failure by its name", [prompt, notice("ProviderAuthError: no key")], "error"],
  ["the output of the user's own program", [prompt, text, notice("! node x\nTypeError: no")], "completed"],
  ["a failing service in brackets", [prompt, notice("[API Error: quota exceeded]")], "error"],
  ["a turn that the client gave up", [prompt, notice("[Turn aborted: budget_limited]")], "error"],
  ["a failure that a retry made good", [prompt, notice("API Error: 500"), text], "completed"],
  [
    "an agent that writes about errors",
    [prompt, { kind: "text", text: "API Error: 500 is retried." }],
    "completed",
  ],
  ["an answer that is a call", [prompt, use, { ...result, endsTurn: true }], "completed"],
  ["no answer", [prompt], "unfinished"],
  ["a call without its result", [prompt, text, use], "unfinished"],
  ["a result that nobody took up", [prompt, use, result, notice("Bye!")], "unfinished"],
])("%s: the turn is as it ended", (_, entries, state) => {
  const lines = entries.map((entry, seq) => ({ uid: null, seq, at: null, entries: [entry] }));
  expect(detectTurnState(lines)).toBe(state);
  expect(detectTurnState([{ uid: null, seq: 0, at: null, entries }])).toBe(state);
});
