import { isAbsolute, relative, resolve, sep } from "node:path";
import { annotationById } from "../../store/memory/annotations.ts";
import { allChunks, chunkIdsIn } from "../../store/memory/chunk-filter.ts";
import { chunksByIds } from "../../store/memory/chunks.ts";
import { decisionsToTell } from "./decided.ts";
import type { ToTell } from "./quote.ts";
import { type ContextSource, inSight, placeOf } from "./source.ts";

const mostDecisions = 3;
const mostNotes = 2;

/** A path as it is stored: from the project's root, or absolute outside of it. */
export function storedPath(root: string, cwd: string, file: string): string {
  const path = isAbsolute(file) ? file : resolve(cwd, file);
  const fromRoot = relative(root, path).split(sep).join("/");
  return fromRoot.startsWith("../") ? path : fromRoot;
}

/** What was noted and decided about a file, by others than the session that has just edited it. */
export function toTellForEdit(source: ContextSource, sessionUid: string, file: string): ToTell[] {
  const { memory, until } = source;
  const sees = inSight(source, sessionUid);
  const why = `about ${file}`;
  const noted = chunkIdsIn(memory, { ...allChunks, types: ["annotated"], until, files: [file] });
  const notes = [...chunksByIds(memory, noted).values()]
    .flatMap(({ annotationId }) =>
      annotationId === null ? [] : (annotationById(memory, annotationId) ?? []),
    )
    .filter(({ sessionUid: session }) => session === null || !sees(session))
    .sort((a, b) => b.at - a.at)
    .slice(0, mostNotes)
    .map(({ uid, note, sessionUid: session, turn, at, branch }) => ({
      ref: `note:${uid}`,
      kind: "Note of the user's",
      quote: note,
      place: placeOf({ session, turn, at, branch }),
      why,
      score: null,
    }));
  return [
    ...notes,
    ...decisionsToTell(source, {
      since: null,
      of: (session) => !sees(session),
      files: [file],
      branch: null,
      most: mostDecisions,
      why,
    }),
  ];
}
