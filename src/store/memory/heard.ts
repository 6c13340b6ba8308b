import type { Connection } from "../sqlite/connection.ts";
import { listFields, toColumnName } from "../tables/statements.ts";
import type { Table } from "../tables/table.ts";
import { memoryTables } from "./schema.ts";

/**
 * The memory without the words of those whom the person does not trust: as agents get it. Temporary views take the place
 * of the tables, so no query of the connection sees more, whoever wrote it and whatever it joins.
 */

/** What stands for the signer of what nobody signed. */
export const unsignedKey = "unsigned";

const isUnheard = `author IS NOT NULL AND coalesce(signer, '${unsignedKey}') NOT IN (SELECT key FROM temp.heard)`;
const unheardSessions = `SELECT id FROM main.sessions WHERE ${isUnheard}`;
const hiddenUids = "SELECT uid FROM temp.hidden_sessions";
const hasHeardSession = (checkpoints: string) =>
  `SELECT 1 FROM main.checkpoint_sessions s JOIN main.checkpoints c ON c.uid = s.checkpoint_uid
   WHERE ${checkpoints} AND s.session_uid NOT IN (${hiddenUids})`;

/** Rows that are hidden for what they say themselves. What goes with them is found by its foreign keys. */
const unheard: Readonly<Record<string, string>> = {
  sessions: `${isUnheard} OR parent_id IN (${unheardSessions})`,
  annotations: isUnheard,
  events: isUnheard,
  event_links: `kind = 'session' AND target_uid IN (${hiddenUids})`,
  attributions: `session_uid IN (${hiddenUids})`,
  checkpoint_sessions: `session_uid IN (${hiddenUids})`,
  checkpoints: `uid IN (SELECT checkpoint_uid FROM main.checkpoint_sessions WHERE session_uid IN (${hiddenUids}))
    AND NOT EXISTS (${hasHeardSession("c.uid = checkpoints.uid")})`,
  // Known from others' records alone.
  commits: `seen = 'sync' AND attributed = 0 AND NOT EXISTS (${hasHeardSession("c.commit_id = commits.id")})`,
};

/** Columns of which a part is hidden. */
const parts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  checkpoints: {
    agent_state: `(SELECT json_group_object(key, iif(type IN ('object', 'array'), json(value), value))
      FROM json_each(agent_state) WHERE key NOT IN (${hiddenUids}))`,
  },
};

/** Whether there is anything to hide. */
export function hasUnheard(memory: Connection, heard: readonly string[]): boolean {
  const test = isUnheard.replace("SELECT key FROM temp.heard", "SELECT value FROM json_each(@heard)");
  return memory.readOnce(`unheard ${heard.join(" ")}`, () =>
    ["sessions", "annotations", "events"].some((table) =>
      memory.has(`SELECT 1 FROM ${table} WHERE ${test}`, { heard }),
    ),
  );
}

/** Tables whose rows take those of this one along when they go, by the column that refers to them. */
const listOwners = (table: Table) =>
  listFields(table).flatMap(([field, { references }]) =>
    references?.gone === "CASCADE"
      ? [{ column: toColumnName(field), table: references.table, key: references.key ?? "id" }]
      : [],
  );

/** Hides from this connection, for good, what is not by the person or one of these signers. */
export function hideUnheard(memory: Connection, heard: readonly string[]): void {
  memory.exec("CREATE TEMP TABLE heard (key TEXT PRIMARY KEY) WITHOUT ROWID");
  memory.prepare("INSERT INTO temp.heard SELECT DISTINCT value FROM json_each(?)").run(heard);
  const known = new Map(memoryTables.map((table) => [table.name, table]));
  const conditions = new Map<string, string | null>();
  /** Which rows of a table are hidden; null: none. Makes the view, and before it those that it needs. */
  const hide = (name: string): string | null => {
    const described = known.get(name)!;
    if (conditions.has(name)) return conditions.get(name)!;
    // Of a reference to itself, as to a session's parent, its own condition speaks.
    conditions.set(name, null);
    const with_ = listOwners(described).flatMap(({ column, table, key }) =>
      table === name || hide(table) === null
        ? []
        : [`${column} IN (SELECT ${key} FROM temp.hidden_${table})`],
    );
    const all = [...(unheard[name] ? [`(${unheard[name]})`] : []), ...with_];
    if (all.length === 0) return null;
    const condition = all.join(" OR ");
    conditions.set(name, condition);
    const shown = listFields(described).map(([field]) => {
      const column = toColumnName(field);
      const part = parts[name]?.[column];
      return part === undefined ? column : `${part} AS ${column}`;
    });
    memory.exec(`CREATE TEMP VIEW hidden_${name} AS SELECT * FROM main.${name} WHERE ${condition};
      CREATE TEMP VIEW ${name} AS SELECT ${shown.join(", ")} FROM main.${name} WHERE (${condition}) IS NOT TRUE`);
    return condition;
  };
  // Others ask for them by name.
  hide("sessions");
  for (const name of known.keys()) hide(name);
}
