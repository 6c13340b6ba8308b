import type { Connection } from "../../sqlite/connection.ts";
import { countRowsByToken, insertTexts, scoreRows, selectBestRows } from "../../sqlite/full-text.ts";
import type { CommitIndex, CommitWeights, Within } from "../port.ts";
import type { IndexedCommit } from "../records.ts";

interface CommitRow extends Omit<IndexedCommit, "files"> {
  files: string;
}

/** The commits of `index.db`. As there, each call runs to its end before anything else does. */
export class SqliteCommits implements CommitIndex {
  constructor(private readonly db: Connection) {}

  /** One statement or transaction. */
  private async run<T>(work: (db: Connection) => T): Promise<T> {
    return work(this.db);
  }

  add(commits: readonly IndexedCommit[]) {
    return this.run((db) =>
      db.runInTransaction(() => {
        const insert = db.prepare(
          `INSERT INTO commits (hash, author, authored_at, subject, body, files)
           VALUES (@hash, @author, @authoredAt, @subject, @body, @files) ON CONFLICT DO NOTHING RETURNING id`,
        );
        for (const commit of commits) {
          const { subject, body, files, author } = commit;
          const row = insert.get({ ...commit, files: JSON.stringify(files) }) as { id: number } | undefined;
          if (!row) continue;
          insertTexts(db, "commit_terms", row.id, [subject, body, files.join(" "), author]);
        }
      }),
    );
  }

  remove(hashes: readonly string[]) {
    return this.run((db) =>
      db.runInTransaction(() => {
        db.prepare("DELETE FROM commits WHERE hash IN (SELECT value FROM json_each(?))").run(
          JSON.stringify(hashes),
        );
      }),
    );
  }

  listHashes(): Promise<string[]> {
    return this.run((db) => db.readColumn<string>("SELECT hash FROM commits"));
  }

  lexical(
    tokens: readonly string[],
    { subject, body, files, author }: CommitWeights,
    k: number,
    within: Within,
  ): Promise<{ hash: string; score: number }[]> {
    return this.run((db) =>
      db.readInSnapshot(() => {
        const scope = findCommitIdsWithin(db, within);
        const scored = scoreRows(db, "commit_terms", tokens, { subject, body, files, author });
        const found = selectBestRows(scored, k, scope);
        const commits = db.all<{ id: number; hash: string; at: number }>(
          "SELECT id, hash, authored_at AS at FROM commits WHERE id IN (SELECT value FROM json_each(?))",
          found.map(({ row }) => row),
        );
        return commits
          .map(({ id, hash, at }) => ({ hash, score: scored.scores[id]!, at }))
          .sort((a, b) => b.score - a.score || b.at - a.at)
          .map(({ hash, score }) => ({ hash, score }));
      }),
    );
  }

  countFrequencies(tokens: readonly string[]) {
    return this.run((db) =>
      db.readInSnapshot(() => ({
        chunks: db.readOnce("commit count", () => db.readValue<number>("SELECT count(*) FROM commits")),
        holding: countRowsByToken(db, "commit_terms", tokens),
      })),
    );
  }

  get(hashes: readonly string[]): Promise<IndexedCommit[]> {
    return this.run((db) => {
      const rows = db.all<CommitRow>(
        `SELECT hash, author, authored_at AS authoredAt, subject, body, files FROM commits
         WHERE hash IN (SELECT value FROM json_each(?))`,
        hashes,
      );
      const known = new Map(rows.map((row) => [row.hash, { ...row, files: JSON.parse(row.files) }]));
      return hashes.flatMap((hash) => known.get(hash) ?? []);
    });
  }

  listHashesByPrefix(prefix: string, limit: number): Promise<string[]> {
    return this.run((db) =>
      db.readColumn<string>(
        "SELECT hash FROM commits WHERE hash >= @prefix AND hash < @prefix || 'g' LIMIT @limit",
        { prefix, limit },
      ),
    );
  }
}

/** Rows of the commits of a time; null: all. */
function findCommitIdsWithin(db: Connection, { since, until }: Within): ReadonlySet<number> | null {
  if (since === null && until === null) return null;
  return new Set(
    db.readColumn<number>(
      `SELECT id FROM commits WHERE (@since IS NULL OR authored_at >= @since)
       AND (@until IS NULL OR authored_at <= @until)`,
      { since, until },
    ),
  );
}
