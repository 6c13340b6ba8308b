import { createHash } from "node:crypto";
import type { Project } from "../../src/base/paths.ts";
import { sqliteDriver } from "../../src/store/index/sqlite/sqlite-driver.ts";
import { listOrdinaryTables } from "../../src/store/memory/backups/backup-content.ts";
import { Sqlite } from "../../src/store/sqlite/sqlite.ts";

/** Columns that name rows by when they were written, or say when. */
const volatile = /(?:^|_)(?:id|at|origin|from)$|^first_chunk$/;

/** What a database holds, whatever its row ids and times: a line for each table. */
export function contentOf(file: string): string {
  const db = new Sqlite(file, { mode: "read", timeoutMs: 5000 });
  try {
    const verdict = db.pragma("integrity_check");
    if (verdict !== "ok") return `damaged: ${verdict}`;
    const tables: string[] = [];
    for (const table of listOrdinaryTables(db)) {
      if (
        /^(?:jobs|activity|storage_days|meta|sync_state|word_segments|segment_chunks|postings|gone_chunks|revision|removed_vectors)$/.test(
          table,
        )
      )
        continue;
      const all = db.prepare(`SELECT * FROM "${table}"`).all() as Record<string, unknown>[];
      const texts = all.map((row) =>
        JSON.stringify(
          Object.entries(row)
            .filter(([name]) => !volatile.test(name) && name !== "mtime_ms")
            .map(([, value]) => (value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value)),
        ),
      );
      tables.push(`${table} ${createHash("sha256").update(texts.sort().join("\n")).digest("hex")}`);
    }
    return tables.join("\n");
  } finally {
    db.close();
  }
}

/** Names of the tables that hold something else. */
export function differing(a: string, b: string): string[] {
  const others = new Set(b.split("\n"));
  return a
    .split("\n")
    .filter((line) => !others.has(line))
    .map((line) => line.split(" ")[0]!);
}

/** What an index holds, and what it finds: how words are parted into segments depends on what was written together. */
export async function indexContent({ indexDb }: Project): Promise<string> {
  const found = await sqliteDriver.read(indexDb, async (index) => {
    const weights = { name: 3, path: 2, head: 2, body: 1 };
    const lists = ["compute7", "number", "input", "m42", "return"].map(async (token) => {
      const matches = await index.lexical([token], weights, 2000, { files: null, levels: null });
      const outlines = new Map(
        (await index.readOutlines(matches.map(({ id }) => id))).map((one) => [one.id, one]),
      );
      return matches.map(({ id, score }) => {
        const { path, level, startLine } = outlines.get(id)!;
        return `${token} ${score.toFixed(6)} ${path} ${level} ${startLine}`;
      });
    });
    return (await Promise.all(lists)).flat().sort().join("\n");
  });
  return `${contentOf(indexDb)} ${createHash("sha256").update(found).digest("hex")}`;
}
