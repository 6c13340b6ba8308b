import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { findNamedFile, toRootRelative } from "../../agents/reading/call-input.ts";
import { readChangeStamp } from "../../base/files/file-id.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { type ReadyPart, readGivenRefs } from "../../protocol/ready-context.ts";
import type { AgentCall, HookPart, SaidOfCall } from "../hook-parts.ts";
import { type CodeMark, isChanged } from "./bare-code.ts";
import { applyEdit, takeBackEdit } from "./edit-input.ts";

/** What sessions are to know of one function of their checkout. */
export interface ReadyNotice {
  /** Who changed it, or what it calls. */
  session: string;
  /** Of the function that is told of, from the root. */
  path: string;
  name: string;
  mark: CodeMark;
  /** Sessions that have changed it in this checkout. */
  changedBy: readonly string[];
  /** When the other session did. Milliseconds since the epoch. */
  at: number;
  /** What must not have changed since, by path. */
  from: Readonly<Record<string, string>>;
  /** Before and behind how long ago that was. */
  text: readonly [string, string];
}

export interface ReadyRadar extends ReadyPart {
  notices: readonly ReadyNotice[];
}

/** Of one call. */
const maxTold = 2;
/** Of two sessions, whichever is told, within an hour. */
const maxOfPair = 2;
const hourMs = 3_600_000;

export const radarInHooks: HookPart = {
  beforeCall: (ready, call) => {
    const file = findNamedFile(call.input);
    const before = file === null ? null : readFile(call, file);
    return before === null ? null : tell(ready as ReadyRadar, call, before, applyEdit(before, call.input));
  },
  afterCall: (ready, call) => {
    const file = findNamedFile(call.input);
    const after = file === null ? null : readFile(call, file);
    const before = after === null ? null : takeBackEdit(after, call.input);
    return tell(ready as ReadyRadar, call, before, after);
  },
  countOverlaps: (ready, session) =>
    new Set(
      (ready as ReadyRadar).notices
        .filter((one) => one.changedBy.some((by) => by !== one.session && (session === "" || by === session)))
        .map(({ path, name }) => `${path}#${name}`),
    ).size,
};

function readFile({ cwd }: AgentCall, file: string): string | null {
  try {
    return readFileSync(resolve(cwd, file), "utf8");
  } catch {
    return null;
  }
}

/**
 * What others are at that this call changes, or that the session has changed before.
 * @param before the text of the file; null: not known, as `after` may be
 */
function tell(
  { root, notices }: ReadyRadar,
  call: AgentCall,
  before: string | null,
  after: string | null,
): SaidOfCall | null {
  const { session } = call;
  const file = findNamedFile(call.input);
  const path = file === null ? null : toRootRelative(root, file, call.cwd);
  const isTouched = (one: ReadyNotice): boolean =>
    one.changedBy.includes(session) ||
    (one.path === path && before !== null && after !== null && isChanged(before, after, one.mark, path));
  const now = Date.now();
  const told = listTold(session, now);
  const fresh = notices.filter((one) => {
    if (one.session === session || told.places.has(`${one.session} ${one.path}#${one.name}`)) return false;
    const pair = new Set([
      ...timesWith(told, one.session),
      ...timesWith(listTold(one.session, now), session),
    ]);
    return pair.size < maxOfPair && isTouched(one) && isAsItWas(one);
  });
  const said = fresh.slice(0, maxTold);
  if (said.length === 0) return null;
  const lines = said.map(({ text: [start, end], at }) => `- ${start}${formatRelativeTime(at, now)}${end}`);
  return {
    text: lines.join("\n"),
    decision: null,
    items: said.map((one) => ({
      ref: `radar:${one.path}#${one.name}@${now}:${one.session}`,
      why: "another session is at the same code",
    })),
  };
}

/** What was committed, taken back or changed again since is told of once that is known. */
const isAsItWas = ({ from }: ReadyNotice): boolean =>
  Object.entries(from).every(([file, stamp]) => readChangeStamp(file) === stamp);

interface ToldPlaces {
  /** `SESSION PATH#NAME` */
  places: Set<string>;
  /** By session: when it was told of. */
  times: [session: string, at: string][];
}

/** What a session was told within the hour. */
function listTold(session: string, now: number): ToldPlaces {
  const told: ToldPlaces = { places: new Set(), times: [] };
  for (const ref of readGivenRefs(session)) {
    const [, place, at = "", other = ""] = /^radar:(.*)@(\d+):(.*)$/.exec(ref) ?? [];
    if (place === undefined || now - Number(at) > hourMs) continue;
    told.places.add(`${other} ${place}`);
    told.times.push([other, at]);
  }
  return told;
}

const timesWith = ({ times }: ToldPlaces, other: string): string[] =>
  times.flatMap(([session, at]) => (session === other ? [at] : []));
