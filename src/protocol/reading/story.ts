import type { TurnEntry } from "../operations/sessions.ts";

/** A part of a turn as it is told: something that was said or done, or what was looked at in a row. */
export type Step =
  | { kind: "entry"; entry: TurnEntry }
  | { kind: "explored"; entries: TurnEntry[]; says: string };

/** Fewer stand for themselves. */
const fewest = 2;

/**
 * The entries of a turn without those that say nothing; calls that only look at something are one step where several
 * follow each other, with what was thought between them. One that failed stands for itself.
 */
export function storyOf(entries: readonly TurnEntry[]): Step[] {
  const steps: Step[] = [];
  let looks: TurnEntry[] = [];
  const stand = (entries: readonly TurnEntry[]) =>
    steps.push(...entries.map((entry): Step => ({ kind: "entry", entry })));
  const fold = () => {
    // What was thought after the last look belongs to what follows.
    const end = looks.findLastIndex(isLook) + 1;
    const calls = looks.slice(0, end);
    if (calls.filter(isLook).length < fewest) stand(calls);
    else steps.push({ kind: "explored", entries: calls, says: explored(calls) });
    stand(looks.slice(end));
    looks = [];
  };
  for (const entry of entries) {
    if (saysNothing(entry)) continue;
    if (isLook(entry) || (entry.kind === "thinking" && looks.length > 0)) {
      looks.push(entry);
      continue;
    }
    fold();
    stand([entry]);
  }
  fold();
  return steps;
}

const isLook = ({ tool }: TurnEntry) => tool?.action === "read" && !tool.is_error;

const saysNothing = ({ kind, text, images }: TurnEntry) =>
  ["prompt", "text", "thinking", "notice", "summary"].includes(kind) && text.trim() === "" && images === 0;

/** "Looked around: 9 × Read, Grep". */
function explored(looks: readonly TurnEntry[]): string {
  const counts = new Map<string, number>();
  for (const { tool } of looks) if (tool) counts.set(tool.name, (counts.get(tool.name) ?? 0) + 1);
  return `Looked around: ${[...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`)).join(", ")}`;
}
