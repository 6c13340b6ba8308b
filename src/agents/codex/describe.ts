import type { TranscriptInfo } from "../agent.ts";
import { sourceOf } from "../reading/compressed.ts";
import { known, timeOf } from "../reading/json.ts";
import { firstRecords } from "../reading/json-lines.ts";
import { asLine, asSessionMeta, asSpawn, type SessionMeta } from "./line-schema.ts";

/** How much of a rollout is read for its identity. Bytes. */
const beginning = 4 * 1024 * 1024;

/** A rollout's identity, and its initial branch. */
export interface Identity {
  info: TranscriptInfo;
  branch: string | null;
}

/**
 * A rollout's identity, from its first `session_meta`.
 * @returns null when there is none (yet)
 */
export async function identify(file: string, signal?: AbortSignal): Promise<Identity | null> {
  for await (const record of firstRecords(file, { bytes: beginning, signal, source: sourceOf(file) })) {
    const line = asLine(record);
    const meta = line?.type === "session_meta" ? asSessionMeta(line.payload) : null;
    if (meta && known(meta.id) && known(meta.cwd)) return identity(meta, line?.timestamp ?? null);
  }
  return null;
}

function identity(meta: SessionMeta, timestamp: string | null): Identity {
  const spawn = asSpawn(meta.source?.subagent);
  const root = known(meta.session_id);
  const isSubagent = meta.source?.subagent !== undefined && meta.source?.subagent !== null;
  const parent =
    known(meta.parent_thread_id) ??
    known(spawn?.parent_thread_id) ??
    (isSubagent && root !== meta.id ? root : null);
  const path = known(meta.agent_path) ?? known(spawn?.agent_path);
  const forkedFrom = known(meta.forked_from_id);
  return {
    info: {
      session: meta.id!,
      parent:
        parent === null
          ? null
          : {
              session: parent,
              toolUse: null,
              agentType: known(meta.agent_role) ?? known(spawn?.agent_role),
              // "/root/count_files": the last part is the task's name.
              task: known(path?.split("/").at(-1))?.slice(0, 1000) ?? null,
            },
      cwd: meta.cwd!,
      startedAt: timeOf(meta.timestamp ?? timestamp),
      ...(forkedFrom !== null && { forkedFrom }),
    },
    branch: known(meta.git?.branch),
  };
}
