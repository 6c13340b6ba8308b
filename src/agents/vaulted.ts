import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  findKeptFile,
  keepFile,
  listKept,
  openKept,
  removeFromVault,
  withKept,
} from "../store/vault/vault.ts";
import type { Agent } from "./agent.ts";

/** Sessions in a client's database are no files of their own, and no client deletes them by their age. */
const canBeKept = (agent: Agent): boolean => agent.database === undefined;

const listParts = (agent: Agent, path: string): readonly string[] => agent.listPartFiles?.(path) ?? [];

/** An agent whose transcripts are read from the vault where their client has deleted them; their paths stay as they were. */
export function wrapWithVault(agent: Agent): Agent {
  if (!canBeKept(agent)) return agent;
  const kept = makeVaultReader(agent);
  const whereItIs = (file: string) => (!existsSync(file) && findKeptFile(file) !== null ? kept : agent);
  return {
    ...agent,
    async *list(place) {
      const seen = new Set<string>();
      for await (const file of agent.list(place)) {
        seen.add(file.path);
        yield file;
      }
      for (const file of listKept(resolve(place)))
        if (!seen.has(file.path) && agent.isTranscript(file.path)) yield file;
    },
    describe: (file) => whereItIs(file).describe(file),
    read: (file, cursor, signal) => whereItIs(file).read(file, cursor, signal),
  };
}

/** An agent that reads what the vault has, whatever lies at a transcript's own place. */
export function makeVaultReader(agent: Agent): Agent {
  return {
    ...agent,
    describe: (path) => withKept(path, listParts(agent, path), (file) => agent.describe(file)),
    async *read(path, cursor, signal) {
      const { file, close } = openKept(path, listParts(agent, path));
      try {
        yield* agent.read(file, cursor, signal);
      } finally {
        close();
      }
    },
  };
}

/** Keeps a transcript until it is read, with what is read with it. @throws the file system's error */
export function keepTranscript(agent: Agent, path: string): void {
  if (canBeKept(agent))
    for (const file of [...listParts(agent, path).filter(existsSync), path]) keepFile(file);
}

/** A transcript is stored: the vault need not have it any longer. What lies above it belongs to others as well. */
export function releaseTranscript(agent: Agent, path: string): void {
  const isBeside = (part: string) => dirname(part) === dirname(path);
  removeFromVault([path, ...listParts(agent, path).filter(isBeside)]);
}
