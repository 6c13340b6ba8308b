import { annotationById } from "../../store/memory/chunks/annotations.ts";
import { chunkIdsIn } from "../../store/memory/chunks/chunk-filter.ts";
import { chunksByIds } from "../../store/memory/chunks/chunks.ts";
import { searchableChunks } from "../../store/memory/privacy/withheld.ts";
import { checkToTell } from "./checks-of-file.ts";
import { decisionsToTell, isCurrent, noteToTell } from "./decided.ts";
import type { Injection } from "./quote.ts";
import { type ContextSource, inSight } from "./source.ts";

const maxDecisions = 3;
const maxNotes = 2;

/** Notes and decisions about a file, except from the session that has just edited it; and what others ran after editing it. */
export function toTellForEdit(source: ContextSource, sessionUid: string, file: string): Injection[] {
  const { memory, until } = source;
  const sees = inSight(source, sessionUid);
  const why = `about ${file}`;
  const noted = chunkIdsIn(memory, {
    ...searchableChunks(memory),
    types: ["annotated"],
    until,
    files: [file],
  });
  const notes = [...chunksByIds(memory, noted).values()]
    .flatMap(({ annotationId }) =>
      annotationId === null ? [] : (annotationById(memory, annotationId) ?? []),
    )
    .filter(({ sessionUid: session }) => session === null || !sees(session))
    .filter(isCurrent(memory, until))
    .sort((a, b) => b.at - a.at)
    .slice(0, maxNotes)
    .map((note) => noteToTell(note, why));
  return [
    ...notes,
    ...decisionsToTell(source, {
      since: null,
      of: (session) => !sees(session),
      files: [file],
      branch: null,
      most: maxDecisions,
      why,
    }),
    ...checkToTell(source, sessionUid, file),
  ];
}
