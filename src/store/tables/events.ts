import { eventStatuses, eventTypes } from "../../protocol/values.ts";
import { authorship } from "./sessions.ts";
import { nullable, oneOf, table, text, time } from "./table.ts";

/** Groups of sessions and checkpoints. */

const latest = { together: "version", shared: true } as const;

export const events = table({
  name: "events",
  columns: {
    uid: text("uid", { isKey: true, shared: true }),
    title: text("title", { ...latest, isPrivate: true }),
    description: text("words", { ...latest, default: "''", isPrivate: true }),
    type: oneOf(eventTypes, latest),
    status: oneOf(eventStatuses, latest),
    /** The branch that it is about; what happens there is linked by itself while it is active. */
    branch: nullable(text("branch", { ...latest, isPrivate: true })),
    startsAt: nullable(time(latest)),
    endsAt: nullable(time(latest)),
    createdAt: time(latest),
    /** The later one of two versions counts. */
    updatedAt: time(latest),
    ...authorship,
  },
});

const linkedKinds = ["session", "checkpoint"] as const;

export const eventLinks = table({
  name: "event_links",
  columns: {
    eventUid: text("uid", { references: { table: "events", key: "uid", gone: "CASCADE" } }),
    kind: oneOf(linkedKinds, { shared: true }),
    targetUid: text("reference", { shared: "target" }),
    addedAt: time({ merge: "greatest", shared: true }),
    /** Later than addedAt: it was unlinked then; null: never. */
    removedAt: nullable(time({ merge: "greatest", shared: true })),
  },
  key: ["eventUid", "kind", "targetUid"],
  indexes: { event_links_by_target: "(kind, target_uid)" },
});
