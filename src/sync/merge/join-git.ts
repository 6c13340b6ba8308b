import { canonicalJson, compareParts, compareText } from "../codec/canonical.ts";
import type {
  SharedAnnotation,
  SharedAttribution,
  SharedBinding,
  SharedCheckpoint,
  SharedEvent,
  SharedRange,
} from "../records/records.ts";
import {
  type Fields,
  greatest,
  type Join,
  joinFields,
  least,
  maxByCanonical,
  mostRedacted,
  type Together,
  unionBy,
} from "./join.ts";

const union = <T>(compare: (a: T, b: T) => number): Join => {
  return (a, b) => [...new Set([...((a ?? []) as T[]), ...((b ?? []) as T[])])].sort(compare);
};

const joinCommits: Join = (a, b) =>
  joinFields(a as Fields, b as Fields, { rewritten_from: union(compareText) });

/** Weakest first. */
const bindings: readonly SharedBinding["how"][] = ["trailer", "touched", "command", "removed", "lines"];
const joinHow: Join = (a, b) =>
  bindings[Math.max(...[a, b].map((how) => bindings.indexOf(how as SharedBinding["how"])))];

const joinBindings = unionBy<SharedBinding>(
  ({ session }) => session,
  (a, b) => {
    const turns = union<number>((one, other) => one - other);
    return joinFields(a, b, {
      turns,
      how: joinHow,
      lines: greatest,
      confidence: greatest,
    }) as SharedBinding;
  },
);

export function joinCheckpoints(a: SharedCheckpoint, b: SharedCheckpoint): SharedCheckpoint {
  const joins = { commit: joinCommits, sessions: joinBindings, created_at: least };
  return joinFields(a, b, joins) as SharedCheckpoint;
}

/** Everything in the order in which it is joined. */
export function tidyCheckpoint(checkpoint: SharedCheckpoint): SharedCheckpoint {
  return joinCheckpoints(checkpoint, { ...checkpoint });
}

const authors: readonly SharedRange["author"][] = ["unknown", "human", "agent"];

/** Who knows more: that it was an agent, then that it was a human; then who is surer. */
function compareRanges(a: SharedRange, b: SharedRange): number {
  const order = ({ author, confidence }: SharedRange) => [authors.indexOf(author), confidence];
  return compareParts(order(a), order(b)) || compareText(saying(a), saying(b));
}

/** What a range says, wherever it lies. */
const saying = (range: SharedRange) => canonicalJson({ ...range, first: 0, last: 0 });

/** Line by line, as both may have cut the file into other ranges; neighbours that say the same become one. */
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
    if (before && before.last === first - 1 && saying(before) === saying(best)) before.last = until - 1;
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
  // A newer attribution is not mended by an older one.
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

export function joinAnnotations(a: SharedAnnotation, b: SharedAnnotation): SharedAnnotation {
  return joinFields(a, b, {
    note: mostRedacted,
    at: least,
    turn: least,
    line: maxByCanonical,
  }) as SharedAnnotation;
}

/** As saveEvent of store/memory/events.ts decides. */
const latestVersion: Together = {
  fields: [
    "title",
    "description",
    "type",
    "status",
    "branch",
    "starts_at",
    "ends_at",
    "created_at",
    "updated_at",
  ],
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

const joinLinks = unionBy<SharedEvent["links"][number]>(
  ({ kind, target }) => `${kind} ${target}`,
  (a, b) => joinFields(a, b, { added_at: greatest, removed_at: greatest }) as SharedEvent["links"][number],
);

export function joinEvents(a: SharedEvent, b: SharedEvent): SharedEvent {
  return joinFields(a, b, { links: joinLinks }, [latestVersion]) as SharedEvent;
}

export function tidyEvent(event: SharedEvent): SharedEvent {
  return joinEvents(event, { ...event });
}
