import { PommelError } from "../../base/errors.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import {
  forgetShared,
  markAllChanged,
  overwriteDropped,
  setSyncFact,
  syncFact,
  teamProject,
} from "../../store/memory/sharing.ts";
import type { ServerSettings } from "../../store/postgres/connection-options.ts";
import { type TeamProject, TeamServer } from "../../store/team/team-server.ts";
import type { Trust } from "../origin/trust.ts";
import { makeEmptyCounts } from "../report.ts";
import { importTeamRecord, listOutgoingRecords, type Outgoing, type TeamReport } from "./exchange-team.ts";

/** Keys of sync_state: what is shared here as whom, and how far it was read. */
const facts = {
  project: teamProject,
  author: "team author",
  place: "team place",
  epoch: "team epoch",
  cursor: "team cursor",
  at: "team at",
} as const;

export interface TeamSettings {
  server: ServerSettings;
  /** The name that a member shares under. */
  author: string;
  trust: Trust;
}

export interface TeamOptions {
  /** Progress. */
  onProgress?: ((done: number, total: number, step: "importing" | "sharing") => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** What this memory shares with a team; null: nothing. */
export interface TeamState {
  project: string;
  author: string;
  place: string;
  /** Of the last complete exchange, milliseconds since the epoch. */
  at: number | null;
}

type MemoryOnly = Pick<ScrubbingWork, "memory">;

export function readTeamState({ memory }: MemoryOnly): TeamState | null {
  const project = syncFact(memory, facts.project);
  if (project === null) return null;
  const at = syncFact(memory, facts.at);
  return {
    project,
    author: syncFact(memory, facts.author) ?? "",
    place: syncFact(memory, facts.place) ?? "",
    at: at === null ? null : Number(at),
  };
}

/** A batch is one transaction: what an interruption costs. Records, and characters of their texts. */
const batchLimits = { records: 100, characters: 8_000_000 };
/** Records a question. */
const recordsPerQuery = 25;

/**
 * Begins to share a project's memory, from then on with every `shareWithTeam`.
 * @throws PommelError `share_refused`, `share_unavailable`
 */
export async function joinTeam(
  { memory }: MemoryOnly,
  settings: Omit<TeamSettings, "trust">,
  project: string,
): Promise<TeamProject> {
  return withServer(settings, async (server) => {
    const joined = await server.join(project, settings.author);
    memory.runInTransaction(() => begin(memory, settings, server, project, joined));
    return joined;
  });
}

/** What was shared elsewhere, or as somebody else, says nothing of this place. */
function begin(
  memory: ScrubbingWork["memory"],
  { author }: Pick<TeamSettings, "author">,
  { place }: TeamServer,
  project: string,
  { epoch }: TeamProject,
): void {
  const now = { project, author, place, epoch };
  const names = Object.keys(now) as (keyof typeof now)[];
  if (names.every((name) => syncFact(memory, facts[name]) === now[name])) return;
  forgetShared(memory);
  setSyncFact(memory, facts.cursor, null);
  for (const name of names) setSyncFact(memory, facts[name], now[name]);
  markAllChanged(memory, "team_changed");
}

/**
 * Imports what colleagues shared since the last time, and shares what is new here. Everything is stored in batches with
 * what they complete, so an interruption at any point costs one batch, and nothing is stored twice.
 * @throws PommelError `share_refused` where it is off, or not allowed; `share_unavailable`
 */
export async function shareWithTeam(
  work: ScrubbingWork,
  settings: TeamSettings,
  options: TeamOptions = {},
): Promise<TeamReport> {
  const { memory } = work;
  const state = readTeamState(work);
  if (state === null) throw makeNotSharedError();
  const { project } = state;
  return withServer(settings, async (server) => {
    const joined = await server.join(project, settings.author);
    memory.runInTransaction(() => begin(memory, settings, server, project, joined));
    const report: TeamReport = {
      project,
      author: settings.author,
      place: server.place,
      shared: makeEmptyCounts(),
      imported: makeEmptyCounts(),
      withdrawn: 0,
      removed: 0,
      leftOut: 0,
      waiting: 0,
    };
    await pull(work, server, report, settings.trust, options);
    await push(work, server, report, options);
    setSyncFact(memory, facts.at, String((options.now ?? Date.now)()));
    return report;
  });
}

async function pull(
  work: ScrubbingWork,
  server: TeamServer,
  report: TeamReport,
  trust: Trust,
  { onProgress, signal }: TeamOptions,
): Promise<void> {
  const { memory } = work;
  const { project } = report;
  let done = 0;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const cursor = Number(syncFact(memory, facts.cursor) ?? 0);
      const records = await server.pull(project, cursor, recordsPerQuery);
      if (records.length === 0) return;
      for (const record of records) {
        signal?.throwIfAborted();
        onProgress?.(done++, done + records.length, "importing");
        await importTeamRecord(work, record, trust, report);
        setSyncFact(memory, facts.cursor, String(record.seq));
        // Yield to other tasks.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  } finally {
    if (report.removed > 0) overwriteDropped(memory);
  }
}

async function push(
  work: ScrubbingWork,
  server: TeamServer,
  report: TeamReport,
  { onProgress, signal }: TeamOptions,
): Promise<void> {
  const { project, author } = report;
  const outgoing = listOutgoingRecords(work, report);
  let waiting: Outgoing[] = [];
  let characters = 0;
  const send = async () => {
    await server.push(
      project,
      author,
      waiting.flatMap(({ record }) => record ?? []),
    );
    work.memory.runInTransaction(() => {
      for (const one of waiting) one.flush();
    });
    waiting = [];
    characters = 0;
  };
  for (const one of outgoing) {
    signal?.throwIfAborted();
    onProgress?.(one.done, one.total, "sharing");
    waiting.push(one);
    characters += one.record?.text?.length ?? 0;
    if (waiting.length >= batchLimits.records || characters >= batchLimits.characters) await send();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await send();
}

/**
 * Stops sharing. What was shared stays, or with `remove` is withdrawn: colleagues lose it with their next exchange.
 * @returns how many records were withdrawn
 * @throws PommelError `share_refused` where it is off; with `remove`, `share_unavailable`: then it stays on
 */
export async function leaveTeam(
  work: MemoryOnly,
  settings: Pick<TeamSettings, "server">,
  { remove }: { remove: boolean },
): Promise<number> {
  const { memory } = work;
  const state = readTeamState(work);
  if (state === null) throw makeNotSharedError();
  const withdrawn = remove
    ? await withServer(settings, (server) => server.withdraw(state.project, state.author))
    : 0;
  memory.runInTransaction(() => {
    for (const fact of Object.values(facts)) setSyncFact(memory, fact, null);
    forgetShared(memory);
  });
  return withdrawn;
}

/** Asks the server, and closes the connection. */
export async function withServer<T>(
  { server: settings }: Pick<TeamSettings, "server">,
  use: (server: TeamServer) => Promise<T>,
): Promise<T> {
  const server = new TeamServer(settings);
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

export const makeNotSharedError = () =>
  new PommelError(
    "share_refused",
    "This project is not shared with a team.",
    "Run `pm share team on` first.",
  );
