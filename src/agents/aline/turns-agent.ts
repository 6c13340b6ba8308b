import type { Agent, TranscriptLine } from "../agent.ts";
import { makePromptEntries, makeTextEntries, makeTranscriptLine } from "../reading/transcript-lines.ts";
import type { AlineSession, AlineTurn } from "./aline-database.ts";

/**
 * An agent that reads one session from the prompts and answer summaries in Aline's database, for unsupported agents and
 * deleted transcripts. Ignores the file argument.
 */
export function makeTurnsAgent(session: AlineSession, cwd: string, turns: () => Iterable<AlineTurn>): Agent {
  return {
    name: session.agent === "unknown" ? "aline" : session.agent,
    title: "Aline",
    environment: [],
    isForeign: true,
    listRoots: () => [],
    sortsByPlace: false,
    isTranscript: () => false,
    findDirectoryToWatch: () => null,
    async *list() {},
    describe: async () => ({ session: session.id, parent: null, cwd, startedAt: session.startedAt }),
    async *read() {
      const lines: TranscriptLine[] = [];
      for (const turn of turns()) lines.push(...makeTurnLines(turn, cwd, lines.at(-1)?.uid ?? null));
      yield { lines, cursor: { offset: lines.length, lineHash: "" }, skipped: {} };
    },
  };
}

function makeTurnLines(
  { id, asked, answered, at }: AlineTurn,
  cwd: string,
  before: string | null,
): TranscriptLine[] {
  const entries = { asked: makePromptEntries(asked ?? ""), answered: makeTextEntries("text", answered) };
  const lines: TranscriptLine[] = [];
  for (const [part, found] of Object.entries(entries)) {
    const parentUid = lines.at(-1)?.uid ?? before;
    if (found.length > 0)
      lines.push(makeTranscriptLine({ uid: `aline:${id}:${part}`, parentUid, at, cwd, entries: found }));
  }
  return lines;
}
