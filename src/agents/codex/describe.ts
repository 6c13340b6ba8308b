import type { TranscriptInfo } from "../agent.ts";
import { chooseSource } from "../reading/compressed.ts";
import { emptyToNull, parseTime } from "../reading/json.ts";
import { readFirstRecords } from "../reading/json-lines.ts";
import { asLine, asSessionMeta, asSpawn, type SessionMeta } from "./line-schema.ts";

/** How much of a rollout is read for its identity. Bytes. */
const maxIdentityBytes = 4 * 1024 * 1024;

/** A rollout's identity, and its initial branch. */
export interface RolloutIdentity {
  info: TranscriptInfo;
  branch: string | null;
}

/**
 * A rollout's identity, from its first `session_meta`.
 * @returns null when there is none (yet)
 */
export async function readIdentity(file: string, signal?: AbortSignal): Promise<RolloutIdentity | null> {
  for await (const record of readFirstRecords(file, {
    bytes: maxIdentityBytes,
    signal,
    source: chooseSource(file),
  })) {
    const line = asLine(record);
    const meta = line?.type === "session_meta" ? asSessionMeta(line.payload) : null;
    if (meta && emptyToNull(meta.id) && emptyToNull(meta.cwd))
      return buildIdentity(meta, line?.timestamp ?? null);
  }
  return null;
}

function buildIdentity(meta: SessionMeta, timestamp: string | null): RolloutIdentity {
  const spawn = asSpawn(meta.source?.subagent);
  const root = emptyToNull(meta.session_id);
  const isSubagent = meta.source?.subagent !== undefined && meta.source?.subagent !== null;
  const parent =
    emptyToNull(meta.parent_thread_id) ??
    emptyToNull(spawn?.parent_thread_id) ??
    (isSubagent && root !== meta.id ? root : null);
  const path = emptyToNull(meta.agent_path) ?? emptyToNull(spawn?.agent_path);
  const forkedFrom = emptyToNull(meta.forked_from_id);
  return {
    info: {
      session: meta.id!,
      parent:
        parent === null
          ? null
          : {
              session: parent,
              toolUse: null,
              agentType: emptyToNull(meta.agent_role) ?? emptyToNull(spawn?.agent_role),
              // "/root/count_files": the last part is the task's name.
              task: emptyToNull(path?.split("/").at(-1))?.slice(0, 1000) ?? null,
            },
      cwd: meta.cwd!,
      startedAt: parseTime(meta.timestamp ?? timestamp),
      ...(forkedFrom !== null && { forkedFrom }),
    },
    branch: emptyToNull(meta.git?.branch),
  };
}
