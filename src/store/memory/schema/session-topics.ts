/** The thirteenth step of the schema of memory.db: what sessions are about. Older sessions get theirs when they are cut again. */

const forgotten = (session: string) => `DELETE FROM session_topics WHERE session_id = ${session};`;

export const topicTables = `
  -- Key phrases of a session (sessions/topics/), the most telling first, from 0.
  CREATE TABLE session_topics (
    session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    topic      TEXT NOT NULL,
    PRIMARY KEY (session_id, position)
  ) STRICT, WITHOUT ROWID;

  -- They go at once with turns that they may quote, and are made again from those that are left.
  CREATE TRIGGER session_topics_turn_gone AFTER DELETE ON turns BEGIN ${forgotten("old.session_id")} END;
`;
