import { isAbsolute } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import { agents, defaultAgent, findAgentByName, recognise } from "../../agents/registry.ts";
import type { OpenMemory } from "../../answers/open.ts";
import type { Subjects } from "../../answers/operation.ts";
import { PommelError } from "../../base/errors.ts";
import { isCwdInProject } from "../../git/projects/roots.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { findSession, findSessionByUid, saveSession } from "../../store/memory/sessions/sessions.ts";
import { listTranscripts } from "../../store/memory/sessions/transcripts.ts";
import type {
  indexTranscriptRequest,
  indexTranscriptResponse,
  sessionStartRequest,
  sessionStartResponse,
} from "./operation.ts";

export async function importTranscript(
  { work }: Subjects["recording"],
  request: Shaped<typeof indexTranscriptRequest>,
): Promise<Shaped<typeof indexTranscriptResponse>> {
  const { memory } = work;
  const refused = (reason: string) => ({ queued: false, reason, pending: work.pending() });
  if (!work.captures) return refused("The setting sessions.capture is false.");
  const paths = listPaths(work, request);
  const agent = await findAgent(request, paths);
  if (paths.length === 0) return refused("No transcript of that session found.");
  const [only] = paths;
  if (only !== undefined && paths.length === 1 && !request.all_projects) {
    const info = await agent.describe(only).catch(() => null);
    if (info !== null && !isCwdInProject(work.roots, info.cwd)) {
      return refused(`The session ran in ${info.cwd}, outside this project.`);
    }
  }
  const isImport = request.trigger === "import";
  // One transaction for all of them.
  memory.runInTransaction(() => {
    for (const path of new Set(paths)) {
      work.readOn(path, {
        agent: agent.name,
        is_import: isImport,
        ...(request.urgency !== undefined && { urgency: request.urgency }),
        ...(request.generate_summary && { generate_summary: true }),
        ...(request.all_projects && { all_projects: true }),
      });
    }
  });
  return { queued: true, reason: null, pending: work.pending() };
}

/** @throws PommelError `usage` for an unknown name */
async function findAgent(
  { agent: name }: Shaped<typeof indexTranscriptRequest>,
  [first]: readonly string[],
): Promise<Agent> {
  if (name === undefined) return ((first && (await recognise(first))) || null)?.agent ?? defaultAgent;
  return requireAgent(name);
}

/** @throws PommelError `usage` for an unknown name */
function requireAgent(name: string): Agent {
  const agent = findAgentByName(name);
  if (agent) return agent;
  const known = agents.map((one) => one.name).join(", ");
  throw new PommelError("usage", `Unknown agent: ${name}.`, `Choose from: ${known}.`);
}

function listPaths(work: OpenMemory, request: Shaped<typeof indexTranscriptRequest>): string[] {
  const { transcript_path: path, transcript_paths: paths = [], session_id: session } = request;
  const named = path === undefined ? paths : [path, ...paths];
  const odd = named.find((one) => !isAbsolute(one));
  if (odd !== undefined) {
    throw new PommelError("usage", `transcript_path: ${odd} is not absolute.`, "See docs/http.md.");
  }
  if (named.length > 0) return named;
  if (session === undefined) {
    throw new PommelError("usage", "transcript_path: missing.", "See docs/http.md.");
  }
  return listTranscripts(work.memory, findSession(work.memory, session).id).map((known) => known.path);
}

export function registerSession(
  { work }: Subjects["recording"],
  { session_id: uid, cwd, agent: name = defaultAgent.name }: Shaped<typeof sessionStartRequest>,
): Shaped<typeof sessionStartResponse> {
  const { memory } = work;
  const agent = requireAgent(name);
  const isOurs = cwd === undefined || isCwdInProject(work.roots, cwd);
  if (!work.captures || !isOurs || isForgotten(memory, uid)) return { registered: false };
  // A known session's transcript has better data; some clients send the origin's id when a fork begins.
  if (findSessionByUid(memory, uid) === null) {
    saveSession(memory, { uid, agent: agent.name, cwd: cwd ?? "", startedAt: Date.now() });
  }
  return { registered: true };
}
