import type { Agent } from "../../agents/agent.ts";
import { agents } from "../../agents/registry.ts";
import { keepTranscript, releaseTranscript } from "../../agents/vaulted.ts";
import { withMemoryIfAny } from "../../answers/open.ts";
import { loadConfig } from "../../base/config/config.ts";
import { getErrorMessage } from "../../base/errors.ts";
import { removeDeadDrafts } from "../../base/files/dead-drafts.ts";
import { locateHome } from "../../base/home.ts";
import { makeProject, type Project } from "../../base/paths.ts";
import { loadRecordingConfig } from "../../git/projects/recorded.ts";
import { findPastProject } from "../../sessions/ingest/past-project.ts";
import { listForgottenSessions } from "../../store/memory/privacy/forget.ts";
import { readOffsets } from "../../store/memory/sessions/transcripts.ts";
import { Registry } from "../../store/registry.ts";
import { findKeptFile, locateVault } from "../../store/vault/vault.ts";

export interface KeptUnread {
  /** Transcripts that are in the vault now: not read to their end yet. */
  transcripts: number;
  bytes: number;
  /** Why some could not be put there; null: all were. */
  problem: string | null;
}

/**
 * Puts every transcript on this machine that is not read to its end into the vault, where its client cannot delete it, and
 * takes out what is read by now. Opens none of them, unless some project is not to be recorded: then those of all are looked
 * into for whose they are.
 */
export async function keepUnread(): Promise<KeptUnread> {
  const kept: KeptUnread = { transcripts: 0, bytes: 0, problem: null };
  const record = loadConfig(null).config["sessions.record"];
  removeDeadDrafts([locateHome().stateDir]);
  if (record === "none") return kept;
  const { read, forgotten } = await readKnown();
  const isWanted =
    record === "all" && areAllRecorded() && forgotten.size === 0 ? null : makeWantedFilter(record, forgotten);
  for (const agent of agents) {
    for (const root of agent.listRoots()) {
      for await (const { path, size } of agent.list(root)) {
        if ((read.get(path) ?? 0) >= size || (isWanted !== null && !(await isWanted(agent, path)))) {
          releaseTranscript(agent, path);
          continue;
        }
        try {
          keepTranscript(agent, path);
        } catch (error) {
          // A disk that is full or another's file: the others are kept all the same.
          kept.problem ??= `${path} is not kept in ${locateVault()}: ${getErrorMessage(error)}`;
        }
        if (findKeptFile(path) === null) continue;
        kept.transcripts++;
        kept.bytes += size;
      }
    }
  }
  return kept;
}

/** How far transcripts were read, in bytes, and which sessions were forgotten, in whichever project. */
async function readKnown(): Promise<{ read: Map<string, number>; forgotten: Set<string> }> {
  const read = new Map<string, number>();
  const forgotten = new Set<string>();
  for (const { id } of Registry.openIfThere()?.listRegisteredProjects() ?? []) {
    await withMemoryIfAny(makeProject(id, "/"), (memory) => {
      if (memory === null) return;
      for (const { path, offset } of readOffsets(memory))
        read.set(path, Math.max(offset, read.get(path) ?? 0));
      for (const uid of listForgottenSessions(memory)) forgotten.add(uid);
    });
  }
  return { read, forgotten };
}

const areAllRecorded = (): boolean =>
  (Registry.openIfThere()?.listCheckouts() ?? []).every(
    ({ project, root }) => loadRecordingConfig(makeProject(project, root)).config["sessions.capture"],
  );

/** Whether a transcript's session ran where sessions are recorded, and was not forgotten. One that does not say is not kept. */
function makeWantedFilter(
  record: "all" | "named",
  forgotten: ReadonlySet<string>,
): (agent: Agent, path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return async (agent, path) => {
    const info = await agent.describe(path).catch(() => null);
    if (info === null || [info.session, info.parent?.session].some((uid) => uid && forgotten.has(uid)))
      return false;
    const answer = known.get(info.cwd) ?? isRecorded(record, findPastProject(agent, path, info.cwd));
    known.set(info.cwd, answer);
    return answer;
  };
}

/** Of a directory that is gone and that no project claims, nobody said that it is not to be recorded. */
async function isRecorded(record: "all" | "named", found: Promise<Project | null>): Promise<boolean> {
  const project = await found;
  return project === null ? record === "all" : loadRecordingConfig(project).config["sessions.capture"];
}
