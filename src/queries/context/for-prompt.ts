import { openQuery, type SessionResult } from "../../search/sessions/types.ts";
import { closestTo, decisionsByChunk } from "../../sessions/decisions/stored.ts";
import { annotationById } from "../../store/memory/chunks/annotations.ts";
import { chunkByUid } from "../../store/memory/chunks/chunks.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { AnnotationRecord } from "../../store/memory/memory-records.ts";
import { isCurrent, isSuperseded, noteKind } from "./decided.ts";
import type { Injection } from "./quote.ts";
import { relevanceOf } from "./relevance.ts";
import { type ContextSource, inSight, placeOf } from "./source.ts";

/** A longer prompt is a document, which has its subject at the beginning. Characters. */
const maxPromptLength = 4000;
/** Number of results requested and weighed, as many may be the session's own. */
const asked = 40;
const weighed = 8;
const maxInjected = 3;

const kinds = {
  decision: "Decided",
  "error-fix": "Fixed",
  "code-change": "Changed",
  architecture: "Discussed",
  conversation: "Discussed",
} as const;

/**
 * Earlier turns that a prompt continues, the most relevant first; usually none.
 * @param least minimum relevance (relevance.ts)
 * @throws PommelError what a search throws, except for a prompt without words
 */
export async function injectionForPrompt(
  source: ContextSource,
  { sessionUid, prompt, least }: { sessionUid: string; prompt: string; least: number },
): Promise<Injection[]> {
  const query = prompt.slice(0, maxPromptLength);
  if (!/[\p{L}\p{N}]/u.test(query)) return [];
  const { memory, now, until } = source;
  const { results } = await source.search({ ...openQuery, query, limit: asked, until });
  const sees = inSight(source, sessionUid);
  const others = onePerTurn(results.filter(({ session_id, abandoned }) => !sees(session_id) && !abandoned));
  const relevant = relevanceOf(memory, query, others.slice(0, weighed), { now, until });
  const decisions = decisionsByChunk(memory);
  const isCurrentNote = isCurrent(memory, until);
  return relevant
    .filter(({ relevance }) => relevance >= least)
    .map(({ result, ...rest }) => ({
      ...rest,
      result,
      note: noteOf(memory, result),
      // Of a chunk that compares options the decision is quoted, else the match.
      decided: result.kind === "decision" ? closestTo(query, decisions.get(result.id) ?? []) : null,
    }))
    .filter(({ note }) => note === null || isCurrentNote(note))
    .filter(({ decided }) => decided === null || !isSuperseded(decided, until))
    .slice(0, maxInjected)
    .map(({ result, relevance, words, note, decided }): Injection => {
      const { annotation, kind, snippet, author = null } = result;
      return {
        // The same note may be quoted from its chunk or by itself, but not twice.
        ref: note === null ? `chunk:${result.id}` : `note:${note.uid}`,
        kind:
          note !== null
            ? noteKind(note)
            : result.chunk_type === "summary"
              ? "Summary"
              : kind === "decision" && decided === null
                ? "Discussed"
                : kinds[kind],
        quote: annotation ?? decided?.text ?? snippet,
        place: placeOf({
          session: result.session_id,
          turn: result.turn,
          author,
          at: result.timestamp === null ? null : Date.parse(result.timestamp),
          branch: result.branch,
          files: result.files,
        }),
        why: `also about ${words.slice(0, 4).join(", ")}`,
        score: Math.round(relevance * 100) / 100,
      };
    });
}

function noteOf(memory: Memory, { id, annotation }: SessionResult): AnnotationRecord | null {
  const annotationId = annotation === null ? null : (chunkByUid(memory, id)?.annotationId ?? null);
  return annotationId === null ? null : annotationById(memory, annotationId);
}

function onePerTurn(results: readonly SessionResult[]): SessionResult[] {
  const seen = new Set<string>();
  return results.filter(({ session_id, turn }) => {
    const place = `${session_id}:${turn}`;
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
}
