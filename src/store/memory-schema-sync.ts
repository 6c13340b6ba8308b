/** Tables of memory.db that tell what has still to be shared; part of the second step of its schema. */
export const syncTables = `
  -- Facts of the last synchronisation: the branch's tip as it was imported and exported, by name.
  CREATE TABLE sync_state (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What changed since it was exported last. Kept by triggers, so that nobody has to think of it.
  CREATE TABLE sync_changed (
    -- session, annotation, checkpoint, attribution, event.
    kind TEXT NOT NULL,
    -- The thing's uid; of an attribution the commit's hash.
    uid  TEXT NOT NULL,
    PRIMARY KEY (kind, uid)
  ) STRICT, WITHOUT ROWID;
`;
