import { explanationOf, PommelError } from "../../project/errors.ts";
import { readFileText } from "../../project/files/text-file.ts";
import { lineDiff } from "../reading/edits.ts";
import type { AgentSetup, PartName, Place } from "../setup.ts";
import { editorOf, fileToPut, nameOf, partsAt } from "./parts.ts";

/** What `putPart` would do to a file. */
export interface PlannedChange {
  agent: string;
  part: PartName;
  /** As results name it. */
  file: string;
  is_new: boolean;
  /** The lines that would go and come, with "-" and "+" before them. */
  lines: string[];
  /** Why it cannot be changed; null when it can. */
  problem: string | null;
}

/** What adding these parts would change, in order. Changes nothing. */
export function plannedChanges(
  place: Place,
  wanted: readonly { setup: AgentSetup; parts: ReadonlySet<PartName> }[],
): PlannedChange[] {
  const planned: PlannedChange[] = [];
  // Several parts may go into one file, one after the other.
  const texts = new Map<string, string>();
  for (const { setup, parts } of wanted) {
    const provided = new Set(setup.fromPlugin(place));
    for (const part of partsAt(place, setup)) {
      if (!parts.has(part.name) || (part.name !== "hooks" && provided.has(part.name))) continue;
      const path = fileToPut(place, setup, part);
      const change = { agent: setup.agent, part: part.name, file: nameOf(place, path) };
      try {
        const before = texts.get(path) ?? readFileText(path)?.body ?? null;
        const editor = editorOf(place, part, path);
        const { state, detail } = editor.look(before ?? "", path);
        if (state === "current") continue;
        if (state === "kept") {
          planned.push({
            ...change,
            is_new: false,
            lines: [],
            problem: `left as it is: ${detail.join("; ")}`,
          });
          continue;
        }
        const { text } = editor.add(before ?? "", path);
        texts.set(path, text);
        const lines = lineDiff(before ?? "", text).flatMap((hunk) => hunk.lines);
        planned.push({ ...change, is_new: before === null, lines, problem: null });
      } catch (error) {
        if (!(error instanceof PommelError)) throw error;
        planned.push({ ...change, is_new: false, lines: [], problem: explanationOf(error) });
      }
    }
  }
  return planned;
}
