import type { ChunkTerms } from "../store/memory-records.ts";
import { joinWithin, wholeCharacters } from "./text-size.ts";

/** Characters, all together and of each part; what a part leaves over is the answer's. */
const longest = { all: 1_500, prompt: 600, names: 250, errors: 250 } as const;

/** The beginning and the end, where what matters is said. */
function ends(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.floor((most * 2) / 3);
  return `${wholeCharacters(text.slice(0, head))} … ${text.slice(head - most + 3).replace(/^[\uDC00-\uDFFF]/, "")}`;
}

/**
 * What a chunk's vector is made of: what was asked and answered, names of tools, files and commands, errors. Not what
 * commands printed, nor what stands in files.
 * @param names of each tool use, "Edit src/x.ts"
 */
export function embedTextOf(terms: ChunkTerms, names: readonly string[]): string {
  const prompt = ends(terms.prompt, longest.prompt);
  const named = joinWithin(names, longest.names);
  const errors = joinWithin([terms.errors], longest.errors);
  const rest = [prompt, named, errors].filter((part) => part !== "");
  const room = longest.all - rest.reduce((sum, part) => sum + part.length + 1, 0);
  return [prompt, ends(terms.answer, room), named, errors].filter((part) => part !== "").join("\n");
}
