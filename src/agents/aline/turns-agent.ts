import type { Agent, TranscriptLine } from "../agent.ts";
import { bounds, headAndTail } from "../reading/bounds.ts";
import type { AlineSession, AlineTurn } from "./aline-database.ts";

/**
 * An agent that reads one session of Aline's database from what was asked and what the answers were about: for agents
 * whose transcripts cannot be read here, and for transcripts that are gone. The file that it is asked for is none.
 */
export function turnsAgent(session: AlineSession, cwd: string, turns: () => Iterable<AlineTurn>): Agent {
  return {
    name: session.agent === "unknown" ? "aline" : session.agent,
    title: "Aline",
    environment: [],
    roots: () => [],
    sortsByPlace: false,
    isTranscript: () => false,
    directoryOf: () => null,
    async *list() {},
    describe: async () => ({ session: session.id, parent: null, cwd, startedAt: session.startedAt }),
    async *read() {
      const lines: TranscriptLine[] = [];
      for (const turn of turns()) lines.push(...linesOf(turn, cwd, lines.at(-1)?.uid ?? null));
      yield { lines, cursor: { offset: lines.length, lineHash: "" }, skipped: {} };
    },
  };
}

function linesOf(
  { id, asked, answered, at }: AlineTurn,
  cwd: string,
  before: string | null,
): TranscriptLine[] {
  const lines: TranscriptLine[] = [];
  const add = (part: string, entry: TranscriptLine["entries"][number]) => {
    const parentUid = lines.at(-1)?.uid ?? before;
    lines.push({
      uid: `aline:${id}:${part}`,
      parentUid,
      at,
      cwd,
      branch: null,
      entries: [entry],
      usage: null,
    });
  };
  if (asked !== null) add("asked", { kind: "prompt", text: headAndTail(asked, bounds.text), images: 0 });
  if (answered !== null) add("answered", { kind: "text", text: headAndTail(answered, bounds.text) });
  return lines;
}
