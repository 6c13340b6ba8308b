import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { sessions } from "../../src/store/tables/sessions.ts";
import type { Table, TableColumn } from "../../src/store/tables/table.ts";
import { buildItemPath } from "../../src/sync/branch/manifest.ts";
import { encode, type FileType, type SharedRecords } from "../../src/sync/branch/shared-file.ts";
import { signList } from "../../src/sync/origin/signed-list.ts";
import { signSsh } from "../../src/sync/origin/sshsig.ts";
import type {
  SharedAttribution,
  SharedCheckpoint,
  SharedEvent,
  SharedNote,
  SharedSession,
  SharedSignature,
  SharedTurn,
} from "../../src/sync/records/records.ts";
import { listSharedColumns, type SharedRow } from "../../src/sync/records/shared-rows.ts";

/** Things to share as several machines may have written them: few names, so that they meet. For tests. */

const word = fc.constantFrom(
  "",
  "a",
  "b",
  "key [REDACTED_KEY]",
  "key abc",
  "longer text",
  "ü\n😀",
  "__proto__",
);
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const time = orNull(fc.integer({ min: 0, max: 5 }));
/** Names as `protocol/outside.ts` has them. */
const label = fc.constantFrom(
  "",
  "a",
  "b",
  "key [REDACTED_KEY]",
  "key abc",
  "longer text",
  "ü 😀",
  "__proto__",
);
const named = orNull(label);
const ids = orNull(fc.constantFrom("a", "b", "toolu_1", "__proto__"));
const branch = orNull(fc.constantFrom("a", "b", "fix-[REDACTED_KEY]", "ü/😀", "__proto__"));
const hashes = fc.constantFrom("b".repeat(40), "c".repeat(40));
/** As a newer client may write it. */
const unknown = { x_later: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }) };

const small = fc.integer({ min: 0, max: 3 });

/** A shared column, as several machines may have it. */
function arbitraryOf({ is, values, isNullable }: TableColumn): fc.Arbitrary<unknown> {
  const text =
    is === "words" || is === "place" ? word : is === "id" ? fc.constantFrom("a", "__proto__") : label;
  const one: fc.Arbitrary<unknown> =
    values !== undefined ? fc.constantFrom(...values) : is === undefined ? small : text;
  return isNullable ? orNull(one) : one;
}

/** The shared columns of a table that no description below names itself. */
const arbitraryRow = <T extends Table>(table: T) =>
  Object.fromEntries(listSharedColumns(table).map(({ name, column }) => [name, arbitraryOf(column)])) as {
    [K in keyof SharedRow<T>]: fc.Arbitrary<SharedRow<T>[K]>;
  };

const session: fc.Arbitrary<SharedSession> = fc.record({
  ...unknown,
  ...arbitraryRow(sessions),
  uid: fc.constant("s"),
  agent: fc.constantFrom("claude", "codex"),
  parent: ids,
  forked_from: ids,
  branch,
  title_at: time,
  summaries: fc.uniqueArray(
    fc.record({
      source: fc.constantFrom("llm" as const, "compaction" as const),
      up_to_turn: fc.integer({ min: 0, max: 2 }),
      at: fc.integer({ min: 0, max: 3 }),
      model: named,
      text: word,
    }),
    { selector: ({ source, up_to_turn }) => (source === "llm" ? source : up_to_turn), maxLength: 3 },
  ),
});

const place = fc.integer({ min: 0, max: 4 });
const turn: fc.Arbitrary<SharedTurn> = fc.record({
  ...unknown,
  id: fc.constantFrom("t1", "t2", "t3"),
  number: fc.integer({ min: 0, max: 2 }),
  branch,
  abandoned: fc.boolean(),
  lines: fc.uniqueArray(
    fc.record({
      uid: orNull(fc.constantFrom("l1", "l2", "l3")),
      seq: place,
      at: time,
      entries: fc.array(fc.record({ kind: fc.constantFrom("prompt", "text"), text: word }), { maxLength: 2 }),
    }),
    { selector: ({ uid, seq }) => uid ?? seq, maxLength: 4 },
  ),
  also: fc.dictionary(fc.constantFrom("l1", "l2", "l4"), place, { maxKeys: 2, noNullPrototype: true }),
  usage: fc.uniqueArray(
    fc.record({
      message: fc.constantFrom("m1", "m2"),
      model: label,
      input: place,
      output: place,
      cache_read: place,
      cache_write: place,
      cache_write_hour: place,
    }),
    { selector: ({ message }) => message, maxLength: 2 },
  ),
});

const commit = fc.record({
  hash: fc.constant("a".repeat(40)),
  tree: fc.constant("d".repeat(40)),
  parents: fc.constant<string[]>([]),
  branch,
  author: label,
  authored_at: fc.constant(1),
  committed_at: fc.constant(2),
  subject: label,
  patch_id: orNull(hashes),
  rewritten_from: fc.uniqueArray(hashes, { maxLength: 2 }),
  insertions: place,
  deletions: place,
});

const confidence = fc.constantFrom(0, 0.5, 1);
const checkpoint: fc.Arbitrary<SharedCheckpoint> = fc.record({
  ...unknown,
  uid: fc.constant("c"),
  commit,
  parent: ids,
  agent_state: fc.dictionary(fc.constantFrom("a", "b"), word, { maxKeys: 2, noNullPrototype: true }),
  created_at: fc.integer({ min: 0, max: 3 }),
  sessions: fc.uniqueArray(
    fc.record({
      session: fc.constantFrom("s1", "s2"),
      turns: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
      lines: place,
      how: fc.constantFrom(
        "lines" as const,
        "removed" as const,
        "command" as const,
        "touched" as const,
        "trailer" as const,
      ),
      confidence,
    }),
    { selector: (binding) => binding.session, maxLength: 2 },
  ),
});

/** Ranges of a file that do not overlap. */
const ranges = fc
  .array(
    fc.record({
      first: fc.integer({ min: 0, max: 2 }),
      last: fc.integer({ min: 1, max: 4 }),
      author: fc.constantFrom("agent" as const, "human" as const, "unknown" as const),
      session: ids,
      turn: orNull(place),
      tool_use: fc.constant(null),
      model: fc.constant(null),
      confidence,
      how: fc.constantFrom("edit" as const, "none" as const),
    }),
    { maxLength: 4 },
  )
  .map((some) => {
    let next = 1;
    return some.map(({ first: gap, last: length, ...range }) => {
      const first = next + gap;
      next = first + length;
      return { ...range, first, last: next - 1 };
    });
  });
const attribution: fc.Arbitrary<SharedAttribution> = fc.record({
  ...unknown,
  commit,
  version: fc.integer({ min: 1, max: 2 }),
  files: fc.dictionary(fc.constantFrom("x.ts", "y.ts"), ranges, { maxKeys: 2, noNullPrototype: true }),
});

const annotation: fc.Arbitrary<SharedNote> = fc.record({
  ...unknown,
  uid: fc.constant("n"),
  session: ids,
  turn: orNull(place),
  line: ids,
  at: fc.integer({ min: 0, max: 3 }),
  source: fc.constantFrom("prompt" as const, "shell" as const),
  branch,
  note: word,
  path: fc.constantFrom(null, "x.ts"),
  first_line: orNull(place),
  last_line: orNull(place),
  head_commit: fc.constant(null),
  line_keys: fc.constantFrom([], [101]),
  keys_from: fc.constant(0),
  is_repeated: fc.boolean(),
});

const event: fc.Arbitrary<SharedEvent> = fc.record({
  ...unknown,
  uid: fc.constant("e"),
  title: label,
  description: word,
  type: fc.constantFrom("task" as const, "temporal" as const, "milestone" as const),
  status: fc.constantFrom("active" as const, "frozen" as const, "archived" as const),
  branch,
  starts_at: time,
  ends_at: time,
  created_at: fc.constant(1),
  updated_at: fc.integer({ min: 0, max: 3 }),
  links: fc.uniqueArray(
    fc.record({
      kind: fc.constantFrom("session" as const, "checkpoint" as const),
      target: fc.constantFrom("1", "2"),
      added_at: fc.integer({ min: 0, max: 3 }),
      removed_at: time,
    }),
    { selector: ({ kind, target }) => `${kind}${target}`, maxLength: 3 },
  ),
});

const transcript = fc
  .uniqueArray(turn, { selector: ({ id }) => id, maxLength: 3 })
  .map((turns): SharedTurn[] => turns);

const signed = (name: string): SharedSignature => {
  const { privateKey } = generateKeyPairSync("ed25519");
  return signList({ name, projects: ["root"], digests: ["d".repeat(43)] }, (message) =>
    signSsh(privateKey, message),
  );
};
const lists = [signed("a"), signed("b")];
const signature: fc.Arbitrary<SharedSignature> = fc.oneof(
  fc.constantFrom(...lists),
  // Cut, or said of something else.
  fc.constantFrom(...lists).map((list) => ({ ...list, signature: list.signature.slice(0, -60) })),
  fc.constantFrom(...lists).map((list) => ({ ...list, name: "c" })),
);

export const records: { [T in FileType]: fc.Arbitrary<SharedRecords[T]> } = {
  meta: session,
  transcript,
  annotation,
  checkpoint,
  attribution,
  event,
  signature,
};

export interface SharedText {
  path: string;
  text: string;
}

/** A file of one of a few things, as it would lie on the branch; now and then one that is no good. */
export const sharedText: fc.Arbitrary<SharedText> = fc.oneof(
  ...(Object.keys(records) as FileType[]).map((type) =>
    fc.tuple(fc.constantFrom("1", "2"), records[type]).map(([id, record]): SharedText => {
      const isSession = type === "meta" || type === "transcript";
      const where = isSession
        ? ({ kind: "session", part: type } as const)
        : ({ kind: type, part: "whole" } as const);
      return { path: buildItemPath({ ...where, id }), text: encode(type, record as never) };
    }),
  ),
  fc.record({ path: fc.constant("sessions/1/transcript.jsonl"), text: fc.constant("{not json\n") }),
  fc.record({ path: fc.constant("later/1.json"), text: word }),
);
