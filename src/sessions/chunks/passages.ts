import type { ChunkTerms } from "../../store/memory/memory-records.ts";

const streams: Record<string, keyof ChunkTerms> = { USER: "prompt", NOTE: "prompt", ASSISTANT: "answer" };

/** A stored chunk's text by speaker. Its source is not stored, and the displayed text is enough here. */
export function splitTextBySpeaker(text: string): ChunkTerms {
  const terms: Record<keyof ChunkTerms, string[]> = { prompt: [], answer: [], actions: [], errors: [] };
  for (const part of text.split(/\n\n(?=\[[A-Z_]+\] )/)) {
    const [label, speaker = "ASSISTANT"] = /^\[([A-Z_]+)\] /.exec(part) ?? [""];
    terms[streams[speaker] ?? "actions"].push(part.slice(label.length));
  }
  return {
    prompt: terms.prompt.join("\n"),
    answer: terms.answer.join("\n"),
    actions: terms.actions.join("\n"),
    errors: "",
  };
}

/** A passage is cut at the line after which it would be longer. Characters. */
const maxPassageChars = 600;

/** Shorter ones say nothing by themselves. */
const minPassageChars = 20;

/** Characters of a passage about actions. */
const maxActions = 600;

const maxErrors = 600;

/**
 * The texts that a chunk's vectors are made from: a passage for every paragraph or two of the conversation, and one for
 * the actions. A question is about a sentence or two, which the mean of a long chunk would hide.
 */
export function splitIntoPassages({ prompt, answer, actions, errors }: ChunkTerms): string[] {
  const done = [actions.slice(0, maxActions), errors.slice(0, maxErrors)].filter((part) => part !== "");
  const all = [...splitIntoParagraphs(prompt), ...splitIntoParagraphs(answer), done.join("\n")];
  const telling = all.filter((passage) => passage.trim().length > minPassageChars);
  // A note may be two words, and must be found by its meaning all the same.
  const whole = all.join("\n").trim();
  return telling.length > 0 || whole === "" ? telling : [whole];
}

function splitIntoParagraphs(text: string): string[] {
  const passages: string[] = [];
  let current = "";
  for (const line of text.split(/\n+/)) {
    if (current !== "" && current.length + line.length > maxPassageChars) {
      passages.push(current);
      current = "";
    }
    current += current === "" ? line : `\n${line}`;
  }
  return [...passages, current];
}
