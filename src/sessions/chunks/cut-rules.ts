import { createHash } from "node:crypto";
import { findProfile, profiles } from "../../agents/profiles.ts";
import type { Config } from "../../base/config/settings.ts";
import type { CurrentCut, SessionCut } from "../../store/memory/sessions/session-index.ts";
import type { GroupOptions } from "../ingest/turns.ts";
import type { ChunkOptions } from "./chunker.ts";
import { buildKindRules } from "./kinds.ts";

/**
 * Raise this when the same turns give other groups, chunks, words, decisions, commands, titles, topics or extractive summaries: every
 * session is cut again, in the background. Words of the kinds (`kinds.ts`) are part of the settings' hash.
 */
const cutRules = 17;

/** The settings that chunks depend on. */
export interface CutSettings {
  chunks: Omit<ChunkOptions, "relativize"> & GroupOptions;
  maxChunks: number;
}

/**
 * Shorter turns are merged with their neighbours, longer ones split between messages and paragraphs (tokens); a pause of
 * this length starts a new topic.
 */
export const chunkSizes = { minTokens: 200, maxTokens: 800, pauseMinutes: 5 };

/** Of a longer session, the newest so many are searchable. */
const maxChunks = 5000;

/** How a configuration wants sessions to be cut into chunks. */
function buildChunkOptions(config: Config): CutSettings["chunks"] {
  return {
    ...chunkSizes,
    kinds: buildKindRules({
      decision: config["sessions.decision_words"],
      error: config["sessions.error_words"],
    }),
  };
}

/** The same with all other settings that chunks depend on. */
export function buildCutSettings(config: Config): CutSettings {
  return { chunks: buildChunkOptions(config), maxChunks };
}

const findReaderVersion = (agent: string): number => findProfile(agent)?.readerVersion ?? 1;

/** What a session of an agent is cut by now. */
export function buildSessionCut(settings: CutSettings, agent: string): SessionCut {
  return { reader: findReaderVersion(agent), rules: cutRules, settings: hashCutSettings(settings) };
}

/** What sessions are cut by now. */
export function buildCurrentCut(settings: CutSettings): CurrentCut {
  const readers = Object.fromEntries(Object.keys(profiles).map((agent) => [agent, findReaderVersion(agent)]));
  return { readers, rules: cutRules, settings: hashCutSettings(settings) };
}

function hashCutSettings({ chunks: { kinds, ...sizes }, maxChunks }: CutSettings): string {
  const words = Object.entries(kinds).map(([name, pattern]) => [name, pattern?.source ?? null]);
  const settings = [Object.entries(sizes), words, maxChunks].map((part) =>
    Array.isArray(part) ? part.toSorted() : part,
  );
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16);
}
