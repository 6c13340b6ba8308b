import type { ChunkTerms } from "../../../store/memory/memory-records.ts";

/** A passage is cut at the line after which it would be longer. Characters. */
const longest = 600;
/** Shorter ones say nothing by themselves. */
const shortest = 20;
/** Characters of a passage about actions. */
const maxActions = 600;
const maxErrors = 600;

/**
 * The texts that a chunk's vectors are made from: a passage for every paragraph or two of the conversation, and one for
 * the actions. A question is about a sentence or two, which the mean of a long chunk would hide.
 */
export function passagesOf({ prompt, answer, actions, errors }: ChunkTerms): string[] {
  const done = [actions.slice(0, maxActions), errors.slice(0, maxErrors)].filter((part) => part !== "");
  const all = [...paragraphs(prompt), ...paragraphs(answer), done.join("\n")];
  const telling = all.filter((passage) => passage.trim().length > shortest);
  // A note may be two words, and must be found by its meaning all the same.
  const whole = all.join("\n").trim();
  return telling.length > 0 || whole === "" ? telling : [whole];
}

function paragraphs(text: string): string[] {
  const passages: string[] = [];
  let current = "";
  for (const line of text.split(/\n+/)) {
    if (current !== "" && current.length + line.length > longest) {
      passages.push(current);
      current = "";
    }
    current += current === "" ? line : `\n${line}`;
  }
  return [...passages, current];
}
