/**
 * Tables of all projects of a database. Their layout stands in the schema's name: a Pommel with another one has tables of its
 * own and never touches these, so people who share a server need not update on the same day. Statements name it in full:
 * connections that several share (PgBouncer) have no search path of their own.
 */
export const schemaName = "pommel_index_3";

/**
 * What is inside the rows: token streams and the bytes of postings. A project's rows with another one are made again, its own
 * alone.
 */
export const contentFormat = 1;

export const createTables = `
  CREATE SCHEMA IF NOT EXISTS ${schemaName};
  CREATE EXTENSION IF NOT EXISTS vector;

  CREATE TABLE IF NOT EXISTS ${schemaName}.projects (
    id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- What a project's own directory says (place.ts).
    key        text NOT NULL UNIQUE,
    -- For people.
    root       text NOT NULL,
    format     integer NOT NULL,
    -- Goes up with each change.
    revision   bigint NOT NULL DEFAULT 0,
    -- Ids never come back.
    next_file  integer NOT NULL DEFAULT 1,
    next_chunk integer NOT NULL DEFAULT 1,
    used_at    timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE IF NOT EXISTS ${schemaName}.meta (
    project integer, key text, value text NOT NULL,
    PRIMARY KEY (project, key)
  );
  CREATE TABLE IF NOT EXISTS ${schemaName}.files (
    project integer, id integer,
    path text COLLATE "C" NOT NULL,
    size bigint NOT NULL, mtime_ms bigint NOT NULL,
    skip_reason text, hash text, language text,
    chunks integer NOT NULL DEFAULT 0,
    -- Milliseconds since the epoch.
    indexed_at bigint NOT NULL,
    PRIMARY KEY (project, id),
    UNIQUE (project, path)
  );
  CREATE TABLE IF NOT EXISTS ${schemaName}.chunks (
    project integer, id integer,
    uid text NOT NULL, file integer NOT NULL,
    parent_uid text, parent_name text,
    level text NOT NULL, kind text NOT NULL, name text NOT NULL, signature text NOT NULL,
    start_line integer NOT NULL, end_line integer NOT NULL,
    fingerprint integer NOT NULL, built smallint NOT NULL,
    PRIMARY KEY (project, id)
  );
  CREATE INDEX IF NOT EXISTS chunks_of_file ON ${schemaName}.chunks (project, file);
  CREATE TABLE IF NOT EXISTS ${schemaName}.symbols (
    project integer NOT NULL,
    key text COLLATE "C" NOT NULL, name text NOT NULL, kind text NOT NULL,
    file integer NOT NULL, chunk integer NOT NULL
  );
  CREATE INDEX IF NOT EXISTS symbols_by_key ON ${schemaName}.symbols (project, key);
  CREATE INDEX IF NOT EXISTS symbols_of_file ON ${schemaName}.symbols (project, file);
  -- What a file defines, imports and refers to (encodeGraph).
  CREATE TABLE IF NOT EXISTS ${schemaName}.graphs (
    project integer, file integer,
    data bytea NOT NULL,
    PRIMARY KEY (project, file)
  );

  -- Words of chunks and of commits: docs/decisions/0014-own-postings.md
  CREATE TABLE IF NOT EXISTS ${schemaName}.word_segments (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project integer NOT NULL,
    -- 'chunks' or 'commits'.
    holds text NOT NULL,
    chunks integer NOT NULL, gone integer NOT NULL DEFAULT 0,
    -- What its postings take.
    bytes bigint NOT NULL DEFAULT 0,
    first_chunk integer NOT NULL, last_chunk integer NOT NULL,
    -- encodeChunks (words/segment.ts).
    data bytea NOT NULL
  );
  CREATE INDEX IF NOT EXISTS segments_of_project ON ${schemaName}.word_segments (project, holds);
  CREATE TABLE IF NOT EXISTS ${schemaName}.postings (
    segment bigint, word text COLLATE "C",
    chunks integer NOT NULL, list bytea NOT NULL, places bytea NOT NULL,
    PRIMARY KEY (segment, word)
  );
  CREATE TABLE IF NOT EXISTS ${schemaName}.gone_chunks (
    project integer, holds text, chunk integer,
    PRIMARY KEY (project, holds, chunk)
  );

  -- Vectors of a model and length. Those of one project are a space of their own, as an index can be made of.
  CREATE TABLE IF NOT EXISTS ${schemaName}.spaces (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project integer NOT NULL, model text NOT NULL, dimensions integer NOT NULL,
    UNIQUE (project, model, dimensions)
  );
  CREATE TABLE IF NOT EXISTS ${schemaName}.embedded_files (
    space integer, file integer,
    chunks integer NOT NULL,
    -- How many of them have no vector.
    missing integer NOT NULL,
    PRIMARY KEY (space, file)
  );
  CREATE TABLE IF NOT EXISTS ${schemaName}.vectors (
    space integer, chunk integer,
    file integer NOT NULL, level text NOT NULL,
    -- int8 components, which half precision holds exactly.
    vector halfvec NOT NULL,
    PRIMARY KEY (space, chunk)
  );
  CREATE INDEX IF NOT EXISTS vectors_of_file ON ${schemaName}.vectors (space, file);

  CREATE TABLE IF NOT EXISTS ${schemaName}.commits (
    project integer, id integer,
    hash text COLLATE "C" NOT NULL,
    author text NOT NULL, authored_at bigint NOT NULL,
    subject text NOT NULL, body text NOT NULL,
    -- JSON array of paths.
    files text NOT NULL,
    PRIMARY KEY (project, id),
    UNIQUE (project, hash)
  );
`;
