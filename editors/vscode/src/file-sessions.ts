import type { RelatedSession } from "../../../src/features/related/operation.ts";
import type { AuthoredLines } from "./authored-lines.ts";

/** A session that touched a file. */
export interface FileSession {
  id: string;
  title: string | null;
  agent: string | null;
  /** When it last touched the file, or wrote a line that is left; ISO 8601. */
  lastAt: string | null;
  /** Lines of it that are left in the document, as ranges. */
  lines: readonly AuthoredLines[];
  /** Whether it changed the file, or only read it. */
  hasChanged: boolean;
  /** Turns that touched the file, the first first. */
  turns: readonly { turn: number; prompt: string }[];
}

/** Those that touched the file or wrote what is left in it: those that changed it, then those that read it, the latest first. */
export function sessionsOf(
  ranges: readonly AuthoredLines[],
  related: readonly RelatedSession[],
): FileSession[] {
  const written = new Map<string, AuthoredLines[]>();
  for (const range of ranges) {
    if (range.session_id === null) continue;
    written.set(range.session_id, [...(written.get(range.session_id) ?? []), range]);
  }
  const touched = related.map((session): FileSession => {
    const lines = written.get(session.session_id) ?? [];
    return {
      id: session.session_id,
      title: session.session_title,
      agent: session.agent,
      lastAt: session.last_at,
      lines,
      hasChanged: lines.length > 0 || session.files.some(({ how }) => how !== "read"),
      turns: session.turns.toSorted((a, b) => a.turn - b.turn),
    };
  });
  const others = [...written]
    .filter(([id]) => !related.some(({ session_id }) => session_id === id))
    .map(([id, lines]): FileSession => {
      const { session_title: title, agent } = lines[0]!;
      const times = lines.flatMap(({ authored_at }) => authored_at ?? []);
      return {
        id,
        title,
        agent,
        lastAt: times.toSorted().at(-1) ?? null,
        lines,
        hasChanged: true,
        turns: [],
      };
    });
  return [...touched, ...others].toSorted(
    (a, b) => Number(b.hasChanged) - Number(a.hasChanged) || (b.lastAt ?? "").localeCompare(a.lastAt ?? ""),
  );
}

export const countLines = (ranges: readonly { start: number; end: number }[]): number =>
  ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0);
