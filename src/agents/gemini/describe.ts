import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { TranscriptInfo } from "../agent.ts";
import { known, timeOf } from "../reading/fields.ts";
import { isWholeJson, parseJsonLine } from "../reading/json-lines.ts";
import { asObject } from "../reading/object-file.ts";
import { readLines } from "../reading/read-lines.ts";
import { type Head, headOf } from "./head.ts";
import { userText } from "./message-text.ts";
import { placeOf } from "./place.ts";
import { asCalls, asRecord } from "./record-schema.ts";

/** Whose chat a file is; null when that does not stand there (yet), or nobody knows where the client was launched. */
export async function identify(file: string, signal?: AbortSignal): Promise<TranscriptInfo | null> {
  const head = await headOf(file, signal);
  const cwd = head && (await placeOf(file, head));
  if (!head || cwd === null) return null;
  const { sessionId, startTime, kind } = head.metadata;
  const session = sessionId!;
  const startedAt = timeOf(startTime);
  const above = kind === "subagent" ? sessionAbove(file) : null;
  if (above === null) return { session, parent: null, cwd, startedAt };
  const call = await callOf(file, above, session, signal);
  const parent = {
    session: above,
    toolUse: call.id,
    agentType: call.agentType,
    task: taskIn(head) ?? call.task,
  };
  return { session: `${above}/${session}`, parent, cwd, startedAt };
}

/** `chats/<session>/<agent>.jsonl`; of chats that were copied, the folder's name may be all that is left. */
function sessionAbove(file: string): string | null {
  const folder = dirname(file);
  const name = basename(folder);
  return basename(dirname(folder)) === "chats" || /^[0-9a-f-]{36}$/.test(name) ? name : null;
}

const maxTaskLength = 1000;

/** What a subagent is asked first. */
function taskIn({ text }: Head): string | null {
  for (const line of text.split("\n")) {
    const record = asRecord(parseJsonLine(Buffer.from(line)));
    const prompt =
      record?.type === "user" ? userText(record).find(({ kind }) => kind === "prompt") : undefined;
    if (prompt?.kind === "prompt") return prompt.text.slice(0, maxTaskLength);
  }
  return null;
}

interface StartedBy {
  id: string | null;
  agentType: string | null;
  task: string | null;
}

/** The call that started a subagent, from its session's chat: it stands there when the subagent is done. */
async function callOf(
  file: string,
  session: string,
  agent: string,
  signal?: AbortSignal,
): Promise<StartedBy> {
  const nobody = { id: null, agentType: null, task: null };
  const chats = dirname(dirname(file));
  const names = await readdir(chats).catch(() => []);
  const needle = `"agentId":${JSON.stringify(agent)}`;
  for (const name of names.filter((each) => each.endsWith(`-${session.slice(0, 8)}.jsonl`))) {
    try {
      for await (const { lines } of readLines(join(chats, name), null, { isWhole: isWholeJson, signal })) {
        for (const { bytes } of lines) {
          const record = bytes.includes(needle) ? asRecord(parseJsonLine(bytes)) : null;
          const call = asCalls(record?.toolCalls).find(({ agentId }) => agentId === agent);
          if (!call) continue;
          const args = asObject(call.args);
          return { id: known(call.id), agentType: textIn(args.agent_name), task: textIn(args.prompt) };
        }
      }
    } catch {
      signal?.throwIfAborted();
      // The client deletes chats: what the subagent's own says is enough.
    }
  }
  return nobody;
}

const textIn = (value: unknown) =>
  typeof value === "string" && value !== "" ? value.slice(0, maxTaskLength) : null;
