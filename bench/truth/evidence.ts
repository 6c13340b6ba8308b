import { readStoredTurns } from "../../src/sessions/turn-content.ts";
import { type CommandRecord, listCommands } from "../../src/store/memory/commands.ts";
import { readCommitsOfSessions } from "../../src/store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import type { SessionRecord } from "../../src/store/memory/memory-records.ts";

/** Characters of what is quoted, from its beginning and its end. */
const most = { prompt: 240, head: 700, tail: 900, error: 600, said: 400 } as const;
const prompts = 3;
const commits = 5;

const oneLine = (text: string, length: number) => text.replace(/\s+/g, " ").trim().slice(0, length);
const ends = (text: string) =>
  text.length <= most.head + most.tail ? text : `${text.slice(0, most.head)}\n[…]\n${text.slice(-most.tail)}`;

/** How a session began and ended, and the commits around its end: raw, so that no rule stands in between. */
export function endingEvidence(memory: Memory, { id, uid, lastAt, branch }: SessionRecord): string[] {
  const asked: string[] = [];
  let closing = "";
  let closingTurn = 0;
  let last = 0;
  for (const { number, lines, abandoned } of readStoredTurns(memory, id)) {
    if (abandoned) continue;
    for (const { entries } of lines)
      for (const entry of entries) {
        if (entry.kind === "prompt") {
          asked.push(`${number}: ${oneLine(entry.text, most.prompt)}`);
          last = number;
        }
        if (entry.kind === "text" && entry.text.trim() !== "") {
          closing = entry.text;
          closingTurn = number;
        }
      }
  }
  const runs = listCommands(memory, { sessionId: id }).slice(0, 4);
  return [
    `branch ${branch}, last line ${lastAt === null ? "?" : new Date(lastAt).toISOString()}`,
    ...asked.slice(0, prompts).map((text) => `asked ${text}`),
    ...asked.slice(Math.max(prompts, asked.length - 2)).map((text) => `asked ${text}`),
    `last words, turn ${closingTurn} of ${last}:\n${ends(closing)}`,
    ...runs.reverse().map((run) => `ran ${run.turn}: ${run.outcome} ${oneLine(run.line, most.prompt)}`),
    ...(readCommitsOfSessions(memory, [uid]).get(uid) ?? [])
      .slice(0, commits)
      .map(
        ({ hash, subject, committedAt, confidence }) =>
          `commit ${hash.slice(0, 8)} ${new Date(committedAt).toISOString()} (${confidence}) ${subject}`,
      ),
  ];
}

/** What a session ran after a failure, with the files that it changed in between. */
export function commandsAfter(memory: Memory, failure: CommandRecord): string[] {
  const edits: { seq: number; path: string }[] = [];
  for (const { lines } of readStoredTurns(memory, failure.sessionId, {
    first: failure.turn,
    last: failure.turn + 2,
  }))
    for (const { seq, entries } of lines)
      for (const entry of entries)
        if (entry.kind === "tool_use" && seq > failure.seq)
          for (const { path, how } of entry.files) if (how !== "read") edits.push({ seq, path });
  const runs = listCommands(memory, { sessionId: failure.sessionId })
    .filter(({ seq }) => seq > failure.seq)
    .reverse()
    .slice(0, 8);
  const after = [
    ...edits.map(({ seq, path }) => ({ seq, text: `  changed ${path}` })),
    ...runs.map(({ seq, outcome, line, error }) => ({
      seq,
      text: `  ${outcome} $ ${oneLine(line, most.prompt)}${error === null ? "" : `: ${oneLine(error, 200)}`}`,
    })),
  ].sort((a, b) => a.seq - b.seq);
  return [
    `failed $ ${oneLine(failure.line, most.prompt)}`,
    (failure.error ?? "").slice(0, most.error),
    ...after.slice(0, 16).map(({ text }) => text),
  ];
}

/** A turn as it was said. */
export function turnEvidence(memory: Memory, sessionId: number, turn: number): string[] {
  const said: string[] = [];
  for (const { lines } of readStoredTurns(memory, sessionId, { first: turn, last: turn }))
    for (const { entries } of lines)
      for (const entry of entries) {
        if (entry.kind === "prompt" || entry.kind === "text")
          said.push(`${entry.kind}: ${entry.text.slice(0, most.said)}`);
        if (entry.kind === "tool_result" && /answered your question/.test(entry.text))
          said.push(`answer: ${entry.text.slice(0, most.said)}`);
      }
  return said.slice(0, 8);
}
