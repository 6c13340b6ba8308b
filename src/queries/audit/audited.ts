import { AsyncLocalStorage } from "node:async_hooks";
import { codeOf } from "../../project/errors.ts";
import type { Project } from "../../project/paths.ts";
import { type Door, ownDoor } from "../../protocol/door.ts";
import type { Scrubber } from "../../redact/scrubber.ts";
import { configOf } from "../open.ts";

/** The question that is being answered. */
interface Asked {
  door: Door;
  /** Whether what it asks in turn belongs to it, and is recorded with it. */
  isRecorded: boolean;
}

const asked = new AsyncLocalStorage<Asked>();

/** Answers what comes in through a door; by default that of the process. */
export function throughDoor<T>(door: Door, answer: () => Promise<T>): Promise<T> {
  return asked.run({ door, isRecorded: false }, answer);
}

/**
 * Answers a question, and writes it to the audit log before the answer is given: the one place that every operation
 * passes, with a daemon and without.
 * @throws as `answer`; PommelError `unreadable` when it cannot be recorded
 */
export async function audited<T>(
  project: Project,
  operation: string,
  request: unknown,
  answer: () => Promise<T>,
): Promise<T> {
  const outer = asked.getStore();
  if (outer?.isRecorded === true) return answer();
  const door = outer?.door ?? ownDoor();
  const inner = () => asked.run({ door, isRecorded: true }, answer);
  if (!isEnabled(project)) return inner();
  const at = new Date().toISOString();
  const write = async (given: unknown, error: string | null) => {
    const { appendRecord } = await import("./audit-log.ts");
    const question = await scrubbed(project, JSON.stringify(request) ?? "");
    appendRecord(project, { at, door, operation, question, ...measured(given), error });
  };
  let given: T;
  try {
    given = await inner();
  } catch (error) {
    await write(null, codeOf(error) || "internal");
    throw error;
  }
  await write(given, null);
  return given;
}

function isEnabled(project: Project): boolean {
  try {
    return configOf(project)["audit.enabled"];
  } catch {
    // Whoever needs the configuration says what is wrong with it.
    return false;
  }
}

/** How much is given: results, bytes, and distinct sessions. */
function measured(given: unknown): { results: number; bytes: number; sessions: number } {
  if (given === null || given === undefined) return { results: 0, bytes: 0, sessions: 0 };
  const text = JSON.stringify(given);
  const sessions = new Set([...text.matchAll(/"session(?:_id)?":"([^"]+)"/g)].map(([, id]) => id));
  return {
    results: resultsIn(given),
    bytes: Buffer.byteLength(text),
    sessions: sessions.size,
  };
}

/** The entries of the longest list, and of the answers inside, of which a search of everything has several. */
function resultsIn(given: object): number {
  const values: unknown[] = Object.values(given);
  const longest = Math.max(0, ...values.filter(Array.isArray).map((list) => list.length));
  const inside = values.flatMap((value) =>
    value !== null && typeof value === "object" && "results" in value && Array.isArray(value.results)
      ? [value.results.length]
      : [],
  );
  return inside.reduce((sum, count) => sum + count, longest);
}

/** Making a scrubber takes longer than using it. */
const scrubbers = new Map<string, Scrubber>();

async function scrubbed(project: Project, text: string): Promise<string> {
  const [{ scrubberOf }, { scrubAlone }] = await Promise.all([
    import("../../sessions/from-config.ts"),
    import("../../redact/scrubber.ts"),
  ]);
  const known = scrubbers.get(project.root) ?? scrubberOf(project, configOf(project));
  scrubbers.set(project.root, known);
  return scrubAlone(known, text);
}
