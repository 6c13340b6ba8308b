/** The fourteenth step of the schema of memory.db: what a language model wrote besides summaries of sessions, and what it could not sum up. */
export const modelTables = `
  -- The model that named it; null: found by the rules of sessions/topics/.
  ALTER TABLE session_topics ADD COLUMN model TEXT;

  CREATE TABLE chunk_summaries (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    model    TEXT NOT NULL,
    -- Empty: the model gave none that can be used, and is not asked again.
    text     TEXT NOT NULL
  ) STRICT;

  -- Sessions whose answer could not be used: the model is not asked for the same turns again soon.
  CREATE TABLE unusable_summaries (
    session_id INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    model      TEXT NOT NULL,
    up_to_turn INTEGER NOT NULL,
    at         INTEGER NOT NULL
  ) STRICT;
`;
