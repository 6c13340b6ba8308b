/**
 * Tables of the memories that teams share. Their layout stands in the schema's name: a Pommel with another one has tables of its own.
 * The server holds people apart, not Pommel: every rule is a policy on rows, by the role that signed in. Superusers, and who
 * owns the tables, stand above policies, as with any database.
 */
export const teamSchema = "pommel_team_1";

export const createTeamTables = `
  CREATE SCHEMA ${teamSchema};

  CREATE TABLE ${teamSchema}.projects (
    -- The same for all members: a project's first commit, or a name that they agreed on.
    key   text PRIMARY KEY,
    -- Who began to share it, and says who else may.
    owner name NOT NULL DEFAULT current_user,
    -- Another one when it is made again: then everything is shared and imported again.
    epoch uuid NOT NULL DEFAULT gen_random_uuid(),
    -- Of its last change.
    seq   bigint NOT NULL DEFAULT 0
  );
  -- Roles that may read and write: people's, or groups of them.
  CREATE TABLE ${teamSchema}.members (
    project text NOT NULL REFERENCES ${teamSchema}.projects,
    role    name NOT NULL,
    PRIMARY KEY (project, role)
  );
  -- Names that people share under. Nobody can write under another's.
  CREATE TABLE ${teamSchema}.authors (
    project text NOT NULL REFERENCES ${teamSchema}.projects,
    author  text NOT NULL,
    role    name NOT NULL DEFAULT current_user,
    PRIMARY KEY (project, author)
  );
  CREATE TABLE ${teamSchema}.records (
    project text NOT NULL,
    author  text NOT NULL,
    kind    text NOT NULL,
    -- As on the branch of pm share git: a session's id, a commit's hash.
    id      text NOT NULL,
    -- The project's change that wrote it. Ascending in the order of commits, so that who asks for later ones misses none.
    seq     bigint NOT NULL,
    -- SHA-256 of the text; empty: withdrawn.
    digest  text NOT NULL,
    -- The text, compressed; null: withdrawn.
    payload bytea,
    PRIMARY KEY (project, author, kind, id),
    FOREIGN KEY (project, author) REFERENCES ${teamSchema}.authors
  );
  CREATE UNIQUE INDEX records_in_order ON ${teamSchema}.records (project, seq);

  -- As its owner: members cannot set the number. The row's lock makes writers of a project wait for each other.
  CREATE FUNCTION ${teamSchema}.number_record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
  BEGIN
    UPDATE ${teamSchema}.projects SET seq = seq + 1 WHERE key = NEW.project RETURNING seq INTO NEW.seq;
    RETURN NEW;
  END $$;
  CREATE TRIGGER number_record BEFORE INSERT OR UPDATE ON ${teamSchema}.records
    FOR EACH ROW EXECUTE FUNCTION ${teamSchema}.number_record();

  -- Whether the role that signed in is this one, or belongs to it. A function, as policies must not ask each other in a circle.
  CREATE FUNCTION ${teamSchema}.is_me(wanted name) RETURNS boolean LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = wanted AND pg_has_role(oid, 'MEMBER'))
  $$;

  ALTER TABLE ${teamSchema}.projects ENABLE ROW LEVEL SECURITY;
  ALTER TABLE ${teamSchema}.members ENABLE ROW LEVEL SECURITY;
  ALTER TABLE ${teamSchema}.authors ENABLE ROW LEVEL SECURITY;
  ALTER TABLE ${teamSchema}.records ENABLE ROW LEVEL SECURITY;
  -- For who owns the tables, too.
  ALTER TABLE ${teamSchema}.authors FORCE ROW LEVEL SECURITY;
  ALTER TABLE ${teamSchema}.records FORCE ROW LEVEL SECURITY;

  CREATE POLICY own_or_joined ON ${teamSchema}.projects FOR SELECT USING (
    owner = current_user OR key IN (SELECT project FROM ${teamSchema}.members WHERE ${teamSchema}.is_me(role)));
  CREATE POLICY begun ON ${teamSchema}.projects FOR INSERT WITH CHECK (owner = current_user);

  CREATE POLICY read ON ${teamSchema}.members FOR SELECT USING (true);
  CREATE POLICY invited ON ${teamSchema}.members FOR INSERT WITH CHECK (
    EXISTS (SELECT 1 FROM ${teamSchema}.projects WHERE key = project AND owner = current_user));
  CREATE POLICY removed ON ${teamSchema}.members FOR DELETE USING (
    EXISTS (SELECT 1 FROM ${teamSchema}.projects WHERE key = project AND owner = current_user));

  CREATE POLICY read ON ${teamSchema}.authors FOR SELECT USING (
    project IN (SELECT project FROM ${teamSchema}.members WHERE ${teamSchema}.is_me(role)));
  CREATE POLICY named ON ${teamSchema}.authors FOR INSERT WITH CHECK (
    role = current_user AND project IN (SELECT m.project FROM ${teamSchema}.members m WHERE ${teamSchema}.is_me(m.role)));

  CREATE POLICY read ON ${teamSchema}.records FOR SELECT USING (
    project IN (SELECT m.project FROM ${teamSchema}.members m WHERE ${teamSchema}.is_me(m.role)));
  CREATE POLICY own_added ON ${teamSchema}.records FOR INSERT WITH CHECK (
    (project, author) IN (SELECT a.project, a.author FROM ${teamSchema}.authors a WHERE a.role = current_user));
  CREATE POLICY own_changed ON ${teamSchema}.records FOR UPDATE USING (
    (project, author) IN (SELECT a.project, a.author FROM ${teamSchema}.authors a WHERE a.role = current_user));

  GRANT USAGE ON SCHEMA ${teamSchema} TO PUBLIC;
  GRANT SELECT ON ALL TABLES IN SCHEMA ${teamSchema} TO PUBLIC;
  GRANT INSERT (key) ON ${teamSchema}.projects TO PUBLIC;
  GRANT INSERT, DELETE ON ${teamSchema}.members TO PUBLIC;
  GRANT INSERT (project, author) ON ${teamSchema}.authors TO PUBLIC;
  GRANT INSERT (project, author, kind, id, digest, payload), UPDATE (digest, payload) ON ${teamSchema}.records TO PUBLIC;
`;
