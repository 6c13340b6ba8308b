import type { TurnEntry } from "../operations/sessions.ts";

/**
 * How a turn is told: on the page, in `pm session` and in `pm browse`. What was only looked at is one step, what says nothing
 * is left out.
 */

/** What the rules need to know of something that was said or done. */
interface Told {
  kind: "prompt" | "text" | "thinking" | "notice" | "summary" | "compaction" | "tool";
  text: string;
  call: { tool: string; action: string; is_error: boolean } | null;
  /** Of a prompt. */
  images?: number;
}

/** A part of a turn: something that was said or done, or what was looked at in a row. */
export type Step<T> = { kind: "one"; entry: T } | { kind: "explored"; entries: T[]; says: string };

/** Fewer looks stand for themselves. */
const fewest = 2;

/** What an agent says between two looks is no longer than this where it only says what it looks at next. Characters. */
const longestAside = 240;

/**
 * Calls that only look at something are one step where several follow each other, with what was thought and said in passing
 * between them. One that failed stands for itself.
 */
export function storyOf<T>(entries: readonly T[], toldBy: (entry: T) => Told): Step<T>[] {
  const all = entries
    .map((entry) => ({ entry, told: toldBy(entry) }))
    .filter(({ told }) => !saysNothing(told));
  const steps: Step<T>[] = [];
  let looks: typeof all = [];
  const stand = (some: typeof all) =>
    steps.push(...some.map(({ entry }): Step<T> => ({ kind: "one", entry })));
  const fold = () => {
    // What was said or thought after the last look belongs to what follows.
    const end = looks.findLastIndex(({ told }) => isLook(told)) + 1;
    const folded = looks.slice(0, end);
    const calls = folded.flatMap(({ told }) => (told.call === null ? [] : [told.call.tool]));
    if (calls.length < fewest) stand(folded);
    else steps.push({ kind: "explored", entries: folded.map(({ entry }) => entry), says: explored(calls) });
    stand(looks.slice(end));
    looks = [];
  };
  for (const one of all) {
    if (isLook(one.told) || (looks.length > 0 && isAside(one.told))) {
      looks.push(one);
      continue;
    }
    fold();
    stand([one]);
  }
  fold();
  return steps;
}

/** The same of a turn that was read in full. */
export const storyOfTurn = (entries: readonly TurnEntry[]): Step<TurnEntry>[] =>
  storyOf(entries, (entry) => ({ ...entry, call: calledBy(entry) }));

const calledBy = ({ tool }: TurnEntry) =>
  tool && { tool: tool.name, action: tool.action, is_error: tool.is_error };

/** Tools that name no file, and only look. */
const looking = /^(?:glob|grep|ls|list|find|search|web_?search|web_?fetch|fetch|tool_?search)/i;

const isLook = ({ call }: Told) =>
  call !== null &&
  !call.is_error &&
  (call.action === "read" || (call.action === "other" && looking.test(call.tool)));

const isAside = ({ kind, text }: Told) =>
  kind === "thinking" || (kind === "text" && text.length <= longestAside && !text.includes("\n"));

const saysNothing = ({ kind, text, images = 0 }: Told) =>
  kind !== "tool" && kind !== "compaction" && text.trim() === "" && images === 0;

/** "Explored: 9 × Read, Grep". */
function explored(calls: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const tool of calls) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return `Explored: ${[...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`)).join(", ")}`;
}
