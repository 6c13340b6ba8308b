import { isAbsolute } from "node:path";
import { diffLines } from "../agents/reading/edits.ts";
import type { AgentSetup, PartName, SetupTarget } from "../agents/setup.ts";
import { explainError, PommelError } from "../base/errors.ts";
import { readFileText } from "../base/files/text-file.ts";
import { hideFromGit, listTracked } from "../git/hooks/exclude.ts";
import { AgentPart, listAgentParts, listPartsToRemove, nameFile } from "./agent-part.ts";
import { GitPart } from "./git-part.ts";
import type { PutFile, SetupPart, TakenFile } from "./part.ts";
import { disableSetups } from "./record.ts";

/** Every part that can be put at a place. */
export function listParts(place: SetupTarget): SetupPart[] {
  return [...listGitParts(place), ...listAgentParts(place)];
}

const listGitParts = ({ project }: SetupTarget): SetupPart[] => (project ? [new GitPart(project)] : []);

/** The keys of these parts of these agents. */
export function listKeys(agents: readonly AgentSetup[], names: Iterable<PartName>): string[] {
  const all = [...names];
  return agents.flatMap(({ agent }) => all.map((name) => `${agent}/${name}`));
}

/** The files that a part of ours is in, as results name them. */
export async function listFilesWithParts(parts: readonly SetupPart[]): Promise<string[]> {
  const found = await Promise.all(parts.map((part) => part.look()));
  return [...new Set(found.flatMap(({ state, file }) => (state === "absent" || file === null ? [] : file)))];
}

/** The keys of parts that are not there, or not whole, and that could be put in. */
export async function listMissing(place: SetupTarget): Promise<Set<string>> {
  const isMissing = async (part: SetupPart) => {
    const { state, error } = await part.look();
    if (!(part instanceof AgentPart)) return state !== "current" && error === null;
    return state !== "current" && !part.isFromPlugin() && !part.isInHome();
  };
  const keys = listParts(place).map(async (part) => ((await isMissing(part)) ? part.key : []));
  return new Set((await Promise.all(keys)).flat());
}

export interface PlannedPart {
  part: SetupPart;
  /** Why it is not put in, as an error where a person may do something about it; null: it is. */
  reason: string | PommelError | null;
}

/** The reason where `pm disable` keeps a part out. */
export const switchedOff = "pm disable";

/**
 * Compares what is wanted at a place with what is there: what is to be put in, and what is left out and why. What an older
 * Pommel wrote is wanted always.
 * @param wanted keys
 * @param asked somebody asks for it now: also after `pm disable`
 */
export async function planParts(
  place: SetupTarget,
  wanted: ReadonlySet<string>,
  asked: boolean,
  parts: readonly SetupPart[] = listParts(place),
): Promise<PlannedPart[]> {
  const seen = await Promise.all(parts.map(async (part) => ({ part, found: await part.look() })));
  const chosen = seen.filter(({ part, found }) => wanted.has(part.key) || found.state === "outdated");
  const firstFiles = new Map(
    chosen.flatMap(({ part, found }) =>
      part instanceof AgentPart && found.state === "absent"
        ? [[part.key, nameFile(place, part.listFiles()[0]!)] as const]
        : [],
    ),
  );
  // What everybody shares already cannot be a person's own.
  const candidates = [...firstFiles.values()].filter((file) => !isAbsolute(file));
  const tracked = new Set(place.own ? await listTracked(place.dir, candidates) : []);
  return chosen.map(({ part, found }) => {
    if (found.state === "absent" && !asked && part.isOff()) return { part, reason: switchedOff };
    const file = firstFiles.get(part.key) ?? "";
    const provided = part.describeProvider?.() ?? null;
    return { part, reason: provided ?? (tracked.has(file) ? refuseTracked(file) : null) };
  });
}

const refuseTracked = (file: string) =>
  new PommelError(
    "settings_invalid",
    `git tracks ${file}.`,
    "`pm init --team` changes it for the whole team.",
  );

/** What became of a planned part. */
export interface PutPart {
  part: SetupPart;
  state: "installed" | "skipped" | "failed" | "kept";
  files: PutFile[];
  /** Why it is not installed; null when it is. */
  reason: string | null;
  /** The same with what to do, where there is something to do. */
  error: PommelError | null;
}

/** Puts in what is planned, one after the other; one that fails does not keep the others from it. */
export async function putParts(planned: readonly PlannedPart[]): Promise<PutPart[]> {
  const done: PutPart[] = [];
  for (const { part, reason } of planned) done.push(await putPart(part, reason));
  return done;
}

async function putPart(part: SetupPart, reason: PlannedPart["reason"]): Promise<PutPart> {
  if (reason instanceof PommelError)
    return { part, state: "skipped", files: [], reason: reason.message, error: reason };
  if (reason !== null) return { part, state: "skipped", files: [], reason, error: null };
  try {
    const files = await part.put();
    const kept = files.find(({ outcome }) => outcome === "kept");
    if (kept) return { part, state: "kept", files, reason: kept.detail.join("; "), error: null };
    return { part, state: "installed", files, reason: null, error: null };
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    return { part, state: "failed", files: [], reason: error.message, error };
  }
}

/**
 * Keeps a person's own files with parts out of `git status`.
 * @returns git's file, relative to the root; null when nothing changed
 * @throws PommelError as `hideFromGit`
 */
export async function hideOwnFiles(place: SetupTarget): Promise<string | null> {
  const files = await listFilesWithParts(listAgentParts(place));
  return hideFromGit(
    place.dir,
    files.filter((file) => !isAbsolute(file)),
  );
}

export interface TakenPart extends TakenFile {
  part: SetupPart;
}

/**
 * Removes every part at a place, as many as possible, and keeps `pm init` from putting them back.
 * @returns also the failures
 */
export async function takeParts(place: SetupTarget): Promise<{ taken: TakenPart[]; failures: unknown[] }> {
  const taken: TakenPart[] = [];
  const failures: unknown[] = [];
  for (const part of [...listPartsToRemove(place), ...listGitParts(place)]) {
    try {
      for (const file of await part.take()) taken.push({ part, ...file });
    } catch (error) {
      failures.push(error);
    }
  }
  const removed = taken.filter(({ part, outcome }) => part instanceof AgentPart && outcome === "removed");
  disableSetups(
    place,
    removed.map(({ part }) => part.key),
  );
  return { taken, failures };
}

export interface PlannedChange {
  agent: string;
  part: PartName;
  /** As results name it. */
  file: string;
  is_new: boolean;
  /** The lines that would go and come, with "-" and "+" before them. */
  lines: string[];
  /** Why it cannot be changed; null when it can. */
  problem: string | null;
}

/** What `putParts` would change in agents' files, in order. Changes nothing. */
export function previewParts(planned: readonly PlannedPart[]): PlannedChange[] {
  // Several parts may go into one file, one after the other.
  const texts = new Map<string, string>();
  return planned.flatMap(({ part, reason }) => {
    if (reason !== null || !(part instanceof AgentPart)) return [];
    const path = part.chooseFile();
    const change = { agent: part.owner, part: part.name, file: nameFile(part.place, path), is_new: false };
    try {
      const before = texts.get(path) ?? readFileText(path)?.body ?? null;
      const editor = part.findEditor(path);
      const { state, detail } = editor.look(before ?? "", path);
      if (state === "current") return [];
      if (state === "kept") return { ...change, lines: [], problem: `left as it is: ${detail.join("; ")}` };
      const { text } = editor.add(before ?? "", path);
      texts.set(path, text);
      const lines = diffLines(before ?? "", text).flatMap((hunk) => hunk.lines);
      return { ...change, is_new: before === null, lines, problem: null };
    } catch (error) {
      if (!(error instanceof PommelError)) throw error;
      return { ...change, lines: [], problem: explainError(error) };
    }
  });
}
