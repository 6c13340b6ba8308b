import { checkpointSessions, checkpoints } from "../../store/tables/checkpoints.ts";
import { commits } from "../../store/tables/commits.ts";
import { eventLinks, events } from "../../store/tables/events.ts";
import { notes } from "../../store/tables/notes.ts";
import { compareParts, compareText, toCanonicalJson } from "../codec/codec.ts";
import type {
  SharedAttribution,
  SharedBinding,
  SharedCheckpoint,
  SharedEvent,
  SharedNote,
  SharedRange,
} from "../records/records.ts";
import {
  chooseJoins,
  type Fields,
  greatest,
  type Join,
  joinByKey,
  joinFields,
  listNamesTogether,
  type Together,
} from "./join.ts";

const joinCommits: Join = (a, b) => joinFields(a as Fields, b as Fields, chooseJoins(commits));

const joinBindings = joinByKey<SharedBinding>(
  ({ session }) => session,
  (a, b) => joinFields(a, b, chooseJoins(checkpointSessions)) as SharedBinding,
);

export function joinCheckpoints(a: SharedCheckpoint, b: SharedCheckpoint): SharedCheckpoint {
  const joins = { ...chooseJoins(checkpoints), commit: joinCommits, sessions: joinBindings };
  return joinFields(a, b, joins) as SharedCheckpoint;
}

/** Normalises the order. */
export function tidyCheckpoint(checkpoint: SharedCheckpoint): SharedCheckpoint {
  return joinCheckpoints(checkpoint, { ...checkpoint });
}

const authors: readonly SharedRange["author"][] = ["unknown", "human", "agent"];

/** An agent beats a human beats unknown, then by confidence. */
function compareRanges(a: SharedRange, b: SharedRange): number {
  const order = ({ author, confidence }: SharedRange) => [authors.indexOf(author), confidence];
  return compareParts(order(a), order(b)) || compareText(serialiseRange(a), serialiseRange(b));
}

/** A range's content without its position. */
const serialiseRange = (range: SharedRange) => toCanonicalJson({ ...range, first: 0, last: 0 });

/** Joins line by line, because ranges may differ, and merges equal neighbours. */
function joinRanges(a: readonly SharedRange[], b: readonly SharedRange[]): SharedRange[] {
  const all = [...a, ...b].sort((one, other) => one.first - other.first);
  const borders = [...new Set(all.flatMap(({ first, last }) => [first, last + 1]))].sort((x, y) => x - y);
  const joined: SharedRange[] = [];
  let next = 0;
  let open: SharedRange[] = [];
  for (const [i, first] of borders.entries()) {
    while (next < all.length && all[next]!.first <= first) open.push(all[next++]!);
    open = open.filter(({ last }) => last >= first);
    const [some, ...others] = open;
    const until = borders[i + 1];
    if (some === undefined || until === undefined) continue;
    const best = others.reduce((x, y) => (compareRanges(x, y) >= 0 ? x : y), some);
    const before = joined.at(-1);
    if (before && before.last === first - 1 && serialiseRange(before) === serialiseRange(best))
      before.last = until - 1;
    else joined.push({ ...best, first, last: until - 1 });
  }
  return joined;
}

const joinFiles: Join = (a, b) => {
  const joined = new Map(Object.entries((a ?? {}) as SharedAttribution["files"]));
  for (const [path, ranges] of Object.entries((b ?? {}) as SharedAttribution["files"])) {
    joined.set(path, joinRanges(joined.get(path) ?? [], ranges));
  }
  return Object.fromEntries([...joined].map(([path, ranges]) => [path, joinRanges(ranges, [])]));
};

export function joinAttributions(a: SharedAttribution, b: SharedAttribution): SharedAttribution {
  if (a.version === b.version) {
    return joinFields(a, b, { commit: joinCommits, files: joinFiles }) as SharedAttribution;
  }
  // The newer attribution version wins.
  const { files } = a.version > b.version ? a : b;
  return joinFields(
    { ...a, files },
    { ...b, files },
    {
      commit: joinCommits,
      files: joinFiles,
      version: greatest,
    },
  ) as SharedAttribution;
}

export function tidyAttribution(attribution: SharedAttribution): SharedAttribution {
  return joinAttributions(attribution, { ...attribution });
}

export function joinNotes(a: SharedNote, b: SharedNote): SharedNote {
  return joinFields(a, b, chooseJoins(notes)) as SharedNote;
}

/** As in saveEvent of store/memory/events.ts. */
const latestVersion: Together = {
  fields: listNamesTogether(events, "version"),
  compare: (a, b) => {
    const words = (event: Fields) => {
      const { title, description, type, status, branch, starts_at, ends_at, created_at } = event;
      return JSON.stringify([title, description, type, status, branch, starts_at, ends_at, created_at]);
    };
    return (
      compareParts([a.updated_at as number], [b.updated_at as number]) || compareText(words(a), words(b))
    );
  },
};

const joinLinks = joinByKey<SharedEvent["links"][number]>(
  ({ kind, target }) => `${kind} ${target}`,
  (a, b) => joinFields(a, b, chooseJoins(eventLinks)) as SharedEvent["links"][number],
);

export function joinEvents(a: SharedEvent, b: SharedEvent): SharedEvent {
  return joinFields(a, b, { links: joinLinks }, [latestVersion]) as SharedEvent;
}

export function tidyEvent(event: SharedEvent): SharedEvent {
  return joinEvents(event, { ...event });
}
