import { rowId, table, text } from "./table.ts";

/** What has still to be shared, through git and with a team. */

/** Facts of the last synchronisation: the commit that was taken in last, what is half done. */
export const syncState = table({
  name: "sync_state",
  columns: { key: text("words", { isKey: true }), value: text("words") },
  holds: "state",
});

/** What keys signed of the shared branch, by the digest that stands for a record (sync/origin/signed-records.ts). */
export const signedRecords = table({
  name: "signed_records",
  columns: { digest: text("words"), signer: text("author") },
  key: ["digest", "signer"],
});

const changed = {
  /** Another one for every change. */
  id: rowId(),
  /** session, annotation, checkpoint, attribution, event. */
  kind: text("words"),
  /** The thing's uid; of an attribution the commit's hash. */
  uid: text("words"),
};

/**
 * What changed since it was exported last. Kept by triggers, so that nobody has to think of it. What is deleted is not in it: what
 * one machine lets go, others may keep.
 */
export const syncChanged = table({
  name: "sync_changed",
  columns: changed,
  unique: ["kind", "uid"],
  holds: "state",
});

/** Notes that were put in other words, by what they were called before: their old words are not taken in again. */
export const syncRefused = table({ name: "sync_refused", columns: { uid: text("words", { isKey: true }) } });

/** As sync_changed, for the team's server: each is emptied by its own exchange. Filled only while there is a team. */
export const teamChanged = table({
  name: "team_changed",
  columns: changed,
  unique: ["kind", "uid"],
  holds: "state",
});

/** What this author shares at the server, by the SHA-256 of its text. */
export const teamShared = table({
  name: "team_shared",
  columns: { kind: text("words"), uid: text("words"), digest: text("words") },
  key: ["kind", "uid"],
  holds: "state",
});
