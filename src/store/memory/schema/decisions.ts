/** The fifth step of the schema of memory.db: what was decided, found when a chunk is made. */
export const decisionTables = `
  -- A chunk that has no row was not looked at yet.
  CREATE TABLE chunk_decisions (
    chunk_id  INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    -- ChunkDecision[] of memory-records.ts, JSON; mostly empty.
    decisions TEXT NOT NULL
  ) STRICT;
`;
