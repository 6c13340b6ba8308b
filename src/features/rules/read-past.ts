import { setImmediate as nextTurn } from "node:timers/promises";
import { type CallInput, readEditedLines } from "../../agents/reading/call-input.ts";
import { toSpeaker } from "../../protocol/origin.ts";
import { parseSteps } from "../../sessions/commands/steps.ts";
import { createRelativizer, isAbsolute } from "../../sessions/relative-paths.ts";
import { splitSentences } from "../../sessions/summaries/prose.ts";
import { classifyToolUse, readStoredTurns } from "../../sessions/turn-content.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { listCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { type CallToCheck, readCall } from "./check.ts";
import { findRulesIn, type RuleSaid, type Used } from "./find-rules.ts";
import said from "./orders.json" with { type: "json" };

/** What was said and done in this person's own sessions. */

export interface PastCall {
  /** As the client names it. */
  id: string;
  call: CallToCheck;
  /** Lines that it takes out of files. */
  removed: string;
  /** By the person. */
  wasDenied: boolean;
  /** What came back; null: nothing did. */
  result: { text: string; isError: boolean } | null;
  /** It neither runs a command nor changes a file: only a rule about its tool is about it. */
  isOther: boolean;
}

/** A prompt, or why a call was denied. */
interface PastSaying {
  text: string;
  denied: CallToCheck | null;
}

export interface PastTurn {
  session: string;
  turn: number;
  at: number | null;
  said: PastSaying[];
  calls: PastCall[];
}

/** Older sessions are of other habits. */
const maxSessions = 400;
/** A longer prompt is a plan or a document. Characters. */
const maxPromptChars = 2500;
/** How Claude Code reports a call that the person did not permit, and what they said instead. */
const denied = /^(?:The user doesn't want to (?:proceed|take)|The tool use was rejected)/;
const reason = /(?:the user said|reason for the rejection|provided the following reason[^:]*):\s*([\s\S]+)$/i;

/** How clients report that a file was written which was there before. */
const wasThere = /\b(?:updated|overwritten|overwrote|modified)\b/i;

/** The latest turns first, but for the order in a session. What colleagues shared is theirs. */
export async function* readPast(memory: Memory): AsyncGenerator<PastTurn> {
  for (const session of listSessions(memory, { shared: false, remembered: true, limit: maxSessions })) {
    // It takes seconds for all, and others ask meanwhile.
    await nextTurn();
    yield* readTurnsOf(memory, session);
  }
}

/** What was said and done in one session, in order. */
export function* readTurnsOf(memory: Memory, session: SessionRecord): Generator<PastTurn> {
  const relativize = createRelativizer({ root: session.cwd, worktrees: [], cwd: session.cwd });
  for (const { number, abandoned, lines } of readStoredTurns(memory, session.id)) {
    if (abandoned) continue;
    const entries = lines.flatMap((line) => line.entries);
    const results = new Map(
      entries.flatMap((entry) => (entry.kind === "tool_result" ? [[entry.id, entry] as const] : [])),
    );
    const said: PastSaying[] = [];
    const calls: PastCall[] = [];
    for (const entry of entries) {
      if (entry.kind === "prompt" && entry.by === undefined) said.push({ text: entry.text, denied: null });
      if (entry.kind !== "tool_use") continue;
      const result = results.get(entry.id);
      const wasDenied = result?.isError === true && denied.test(result.text);
      const call = readCall(
        entry.tool,
        entry.input,
        (path) => {
          const relative = relativize(path);
          return isAbsolute(relative) ? null : relative;
        },
        () => wasThere.test(result?.text ?? ""),
      );
      const [, answer] = wasDenied ? (reason.exec(result.text) ?? []) : [];
      if (answer !== undefined) said.push({ text: answer.trim(), denied: call });
      const isOther = !["command", "write"].includes(classifyToolUse(entry));
      calls.push({
        id: entry.id,
        call,
        removed: readRemoved(entry.input),
        wasDenied,
        result: result ?? null,
        isOther,
      });
    }
    yield {
      session: session.uid,
      turn: number,
      at: lines.find(({ at }) => at !== null)?.at ?? null,
      said,
      calls,
    };
  }
}

function readRemoved(input: CallInput): string {
  const { before, written } = readEditedLines(input);
  const left = new Set(written);
  return before.filter((line) => !left.has(line)).join("\n");
}

export interface Saying extends RuleSaid {
  /** "" for what was noted outside of one, and for a file. */
  session: string;
  turn: number;
  at: number | null;
  /** The file of instructions that it stands in; left out: it was said. */
  file?: string;
}

/** The rules that were said in a turn, each once. */
export function findRulesSaid({ session, turn, at, said }: Omit<PastTurn, "calls">, used: Used): Saying[] {
  return said
    .filter(({ text }) => text.length <= maxPromptChars && !/^\s*[/<]/.test(text))
    .flatMap(({ text, denied: call }) =>
      [...splitSentences(text)].flatMap((sentence) => findRulesIn(sentence, used, call)),
    )
    .map((found) => ({ ...found, session, turn, at }));
}

/** What the person noted was made to last. */
export function findRulesNoted(memory: Memory, used: Used): Saying[] {
  return listStoredNotes(memory).flatMap(({ note, source, author, sessionUid, at, turn }) =>
    author !== null || toSpeaker(source) !== "person"
      ? []
      : [...splitSentences(note)]
          .flatMap((sentence) => findRulesIn(sentence, used))
          .map((found) => ({
            ...found,
            holdsOn: true,
            session: sessionUid ?? "",
            turn: turn ?? 0,
            at,
          })),
  );
}

const ownersOfOptions: Readonly<Record<string, string[]>> = said.ownerOfOption;
/** One name stands for what is meant if so much of it is run by that. */
const minNameShare = 0.6;

/** What agents use here. @param tools that were called */
export function readUsed(memory: Memory, tools: ReadonlySet<string>): Used {
  const ran = listCommands(memory);
  const programs = new Set([...said.wellKnownPrograms, ...ran.map(({ name }) => name.split(" ")[0] ?? "")]);
  const findMost = (meant: readonly { name: string }[]): string[] | null => {
    const counts = new Map<string, number>();
    for (const { name } of meant) counts.set(name, (counts.get(name) ?? 0) + 1);
    const [most] = [...counts].sort(([, a], [, b]) => b - a);
    return most === undefined || most[1] < minNameShare * meant.length ? null : most[0].split(" ");
  };
  return {
    isProgram: (word) => programs.has(word),
    findCommand: (named) => findMost(ran.filter(({ name }) => named.test(name))),
    findOwner: (option) =>
      ownersOfOptions[option] ?? findMost(ran.filter(({ line }) => line.split(/[\s=]/).includes(option))),
    listCommands: (line) => parseSteps(line).map(({ name }) => name.split(" ")),
    findRival: (program) => {
      const rivals = said.families.find((family) => family.some((one) => one === program)) ?? [];
      const others = rivals.filter((one) => one !== program);
      return (
        findMost(
          ran.flatMap(({ name }) =>
            others.filter((one) => name.split(" ")[0] === one).map((one) => ({ name: one })),
          ),
        )?.[0] ?? null
      );
    },
    servers: [...new Set([...tools].flatMap((tool) => /^mcp__(.+?)__/.exec(tool)?.[1] ?? []))],
  };
}
