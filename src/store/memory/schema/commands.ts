/** The eleventh step of the schema of memory.db: the commands that agents ran. Older sessions get theirs when they are cut again. */
export const commandTables = `
  -- A row for each program of a command line that does more than look.
  CREATE TABLE commands (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    turn_id   INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
    -- The session's line with the call, and the place in its command line.
    seq       INTEGER NOT NULL,
    step      INTEGER NOT NULL,
    at        INTEGER,
    -- From the call to its result: of the whole command line, and of whoever had to permit it.
    took_ms   INTEGER,
    -- Relative to the project's root, "" for the root; absolute outside of it.
    directory TEXT NOT NULL,
    line      TEXT NOT NULL,
    -- Program and subcommand: npm test.
    name      TEXT NOT NULL,
    -- The line without what differs from run to run.
    form      TEXT NOT NULL,
    -- What the agent said it is for.
    purpose   TEXT NOT NULL,
    -- CommandOutcome of protocol/values.ts.
    outcome   TEXT NOT NULL,
    -- null: not known.
    status    INTEGER,
    -- What a failed one reported.
    error     TEXT
  ) STRICT;
  CREATE INDEX commands_of_turn ON commands (turn_id, seq, step);
  CREATE INDEX commands_by_name ON commands (name);

  -- Lines of an error without what differs from run to run (sessions/commands/error-signature.ts).
  CREATE TABLE command_errors (
    signature  TEXT NOT NULL,
    command_id INTEGER NOT NULL REFERENCES commands ON DELETE CASCADE,
    PRIMARY KEY (signature, command_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX command_errors_of_command ON command_errors (command_id);
`;
