import { parseSteps } from "../../src/sessions/commands/steps.ts";
import { classifyToolUse, readStoredTurns } from "../../src/sessions/turn-content.ts";
import { listCommands } from "../../src/store/memory/commands.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import { listSessions } from "../../src/store/memory/sessions/sessions.ts";

/** A form whose count is not the number of calls that have its words. */
export interface Miscounted {
  form: string;
  counted: number;
  calls: number;
}

/** A program of which more calls were made than are counted, with calls that are not. */
export interface Undercounted {
  program: string;
  counted: number;
  calls: number;
}

/**
 * Holds the runs of every form against the raw calls: a call counts where a part of its command line, cut at the shell's
 * operators alone, begins with the program and has every fixed word of the form. And of every program the sum of its runs: what
 * only looks, code that stands in the line and what a substitution runs are no runs, so a reader says whether the rest is.
 */
export function countForms(memory: Memory): {
  forms: number;
  runs: number;
  wrong: Miscounted[];
  under: Undercounted[];
} {
  const calls: string[][] = [];
  for (const { id } of listSessions(memory, { children: true }))
    for (const turn of readStoredTurns(memory, id)) {
      if (turn.abandoned) continue;
      const answered = new Set(
        turn.lines.flatMap(({ entries }) =>
          entries.flatMap((entry) => (entry.kind === "tool_result" ? [entry.id] : [])),
        ),
      );
      for (const { entries } of turn.lines)
        for (const entry of entries)
          if (entry.kind === "tool_use" && classifyToolUse(entry) === "command" && answered.has(entry.id))
            calls.push(partsOf(String(entry.input.command)));
    }
  const runs = listCommands(memory);
  const counts = new Map<string, number>();
  for (const { form } of runs) counts.set(form, (counts.get(form) ?? 0) + 1);
  const wrong: Miscounted[] = [];
  for (const [form, counted] of counts) {
    const fixed = form.split(" ").filter((word) => word !== "*");
    const having = calls.reduce(
      (sum, parts) => sum + parts.filter((part) => hasWords(part, fixed)).length,
      0,
    );
    // A form with fewer words is also in the calls of forms with more.
    if (counted > having) wrong.push({ form, counted, calls: having });
  }
  const lines = runs.filter(({ line, form }) => parseSteps(line)[0]?.form !== form && !line.endsWith("…"));
  for (const { line, form } of lines) wrong.push({ form: `${form} of ${line}`, counted: 1, calls: 0 });
  const sums = new Map<string, number>();
  for (const { name } of runs) sums.set(firstWord(name), (sums.get(firstWord(name)) ?? 0) + 1);
  const under = [...sums].flatMap(([program, counted]) => {
    const made = calls.flat().filter((part) => firstWord(withoutVariables(part)) === program).length;
    return made > counted ? [{ program, counted, calls: made }] : [];
  });
  return { forms: counts.size, runs: runs.length, wrong, under };
}

/** What is in quotes holds no operator; a line may go on in the next. */
const partsOf = (command: string): string[] =>
  command
    .replace(/\\\n/g, " ")
    .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/gs, (quoted) => quoted.replace(/[&|;\n$]/g, " "))
    .split(/&&|\|\||[;|\n]|\$\(/)
    .map((part) => part.trim());

const firstWord = (text: string) => text.split(/\s/, 1)[0]!;
const withoutVariables = (part: string) => part.replace(/^(?:\w+=\S*\s+)+/, "");

function hasWords(part: string, words: readonly string[]): boolean {
  return words
    .filter((word) => !word.endsWith("="))
    .every((word) => part.includes(word.replace(/=\*$/, "").replace(/^(--?[\w-]+)=.*$/, "$1")));
}
