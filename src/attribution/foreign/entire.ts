import * as z from "zod/mini";
import type { ReadObjects } from "../../git/objects.ts";
import { label, outside } from "../../protocol/shape-parts.ts";

/**
 * Checkpoints of Entire (github.com/entireio/cli), as stored on its branch `entire/checkpoints/v1`:
 *
 *     <first two digits>/<other ten>/metadata.json     sessions: [{ metadata: "/ab/cdef012345/0/metadata.json", ... }]
 *     <first two digits>/<other ten>/<n>/metadata.json  session_id, agent, branch, files_touched ...
 *
 * with the transcript (full.jsonl) and the prompts beside the latter, which are not read here. A commit names its
 * checkpoint in the trailer `Entire-Checkpoint:`. A session's id is the agent's own, in older versions with a date
 * before it (2026-01-05-<uuid>).
 */

/** The branch here may be behind that of a remote, and the other way round; below `refs/`. */
export const entireRefs = ["heads/entire/checkpoints/v1", "remotes/*/entire/checkpoints/v1"];

const maxBytes = 1_000_000;
/** Of one checkpoint. */
const maxSessions = 50;

const checkpointShape = z.object({
  sessions: z._default(z.array(z.object({ metadata: z.string() })), []),
});
const sessionShape = z.object({
  session_id: outside("uid"),
  agent: z.optional(label("tool")),
});

export interface EntireSession {
  session: string;
  /** "Claude Code", "Gemini CLI"; null where it does not say. */
  agent: string | null;
}

/**
 * The sessions of checkpoints, by the checkpoint's id; those that are not there, or make no sense, are missing.
 * @param refs whole names of those of `entireRefs` that there are, the first that knows a checkpoint wins
 * @throws GitFailure
 */
export async function readEntireSessions(
  read: ReadObjects,
  refs: readonly string[],
  checkpoints: readonly string[],
): Promise<Map<string, EntireSession[]>> {
  const found = new Map<string, EntireSession[]>();
  for (const ref of refs) {
    const missing = [...new Set(checkpoints)].filter((id) => !found.has(id));
    if (missing.length === 0) break;
    for (const [id, sessions] of await readSessionsOnRef(read, ref, missing)) found.set(id, sessions);
  }
  return found;
}

async function readSessionsOnRef(read: ReadObjects, ref: string, checkpoints: readonly string[]) {
  const makeCheckpointFolder = (id: string) => `${id.slice(0, 2)}/${id.slice(2)}`;
  const makeMetadataObjectName = (id: string) => `${ref}:${makeCheckpointFolder(id)}/metadata.json`;
  const roots = await read(checkpoints.map(makeMetadataObjectName));
  const parts = new Map<string, string[]>();
  for (const id of checkpoints) {
    const root = parseShapeOrNull(checkpointShape, roots.get(makeMetadataObjectName(id)));
    // Only files in the checkpoint's own folder belong to it.
    const own = new RegExp(`^/?${makeCheckpointFolder(id)}/\\d{1,6}/metadata\\.json$`);
    const paths = (root?.sessions ?? []).map(({ metadata }) => metadata).filter((path) => own.test(path));
    parts.set(
      id,
      paths.slice(0, maxSessions).map((path) => `${ref}:${path.replace(/^\//, "")}`),
    );
  }
  const metadata = await read([...parts.values()].flat());
  const found = new Map<string, EntireSession[]>();
  for (const [id, names] of parts) {
    const sessions = names.flatMap((name): EntireSession[] => {
      const session = parseShapeOrNull(sessionShape, metadata.get(name));
      return session ? [{ session: stripDayPrefix(session.session_id), agent: session.agent ?? null }] : [];
    });
    if (sessions.length > 0) found.set(id, sessions);
  }
  return found;
}

function parseShapeOrNull<T>(shape: z.ZodMiniType<T>, bytes: Buffer | undefined): T | null {
  if (bytes === undefined || bytes.length > maxBytes) return null;
  try {
    return shape.safeParse(JSON.parse(bytes.toString())).data ?? null;
  } catch {
    return null;
  }
}

/** Without the day that older versions put before an agent's own id. */
export function stripDayPrefix(id: string): string {
  return /^\d{4}-\d{2}-\d{2}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(id)?.[1] ?? id;
}
