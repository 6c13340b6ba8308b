import { tokenStream } from "../../../text/tokens.ts";
import type { CommitIndex, CommitWeights, Frequencies, Within } from "../port.ts";
import type { IndexedCommit } from "../records.ts";
import { placeOf, SegmentBuilder } from "../words/segment.ts";
import { jsonRows, type ProjectRows } from "./rows.ts";
import { PostgresWords } from "./words.ts";

interface Row extends Omit<IndexedCommit, "files"> {
  files: string;
}

/** A project's commits; their words are kept as those of chunks are. */
export class PostgresCommits implements CommitIndex {
  private readonly words = new PostgresWords("commits");

  constructor(private readonly rows: ProjectRows) {}

  add(commits: readonly IndexedCommit[]): Promise<void> {
    return this.rows.write(async (change) => {
      const { sql, project } = change;
      const known = await sql<{ hash: string }[]>`
        SELECT hash FROM pommel_index_3.commits WHERE project = ${project} AND hash = ANY(${commits.map(({ hash }) => hash)}::text[])`;
      const seen = new Set(known.map(({ hash }) => hash));
      const words = new SegmentBuilder(change.nextChunk);
      const added: (Row & { id: number })[] = [];
      for (const commit of commits) {
        if (seen.has(commit.hash)) continue;
        seen.add(commit.hash);
        const { subject, body, files, author } = commit;
        added.push({ ...commit, id: words.next, files: JSON.stringify(files) });
        words.add(
          "file",
          [tokenStream(subject), tokenStream(body), tokenStream(files.join(" ")), tokenStream(author)],
          [],
        );
      }
      if (added.length === 0) return;
      await sql`
        INSERT INTO pommel_index_3.commits (project, id, hash, author, authored_at, subject, body, files)
        SELECT ${project}, id, hash, author, "authoredAt", subject, body, files
        FROM json_to_recordset(${jsonRows(added)}::text::json)
          AS r (id integer, hash text, author text, "authoredAt" bigint, subject text, body text, files text)`;
      await this.words.add(change, words);
      change.nextChunk = words.next;
      await this.words.merge(change);
    });
  }

  remove(hashes: readonly string[]): Promise<void> {
    return this.rows.write(async (change) => {
      const { sql, project } = change;
      const rows = await sql<{ id: number }[]>`
        DELETE FROM pommel_index_3.commits WHERE project = ${project} AND hash = ANY(${[...hashes]}::text[]) RETURNING id`;
      await this.words.remove(
        change,
        rows.map(({ id }) => id),
      );
    });
  }

  release(): void {
    this.words.release();
  }

  hashes(): Promise<string[]> {
    return this.rows.ask(async (sql, project) => {
      const rows = await sql<
        { hash: string }[]
      >`SELECT hash FROM pommel_index_3.commits WHERE project = ${project}`;
      return rows.map(({ hash }) => hash);
    });
  }

  lexical(
    tokens: readonly string[],
    { subject, body, files, author }: CommitWeights,
    k: number,
    { since, until }: Within,
  ): Promise<{ hash: string; score: number }[]> {
    if (tokens.length === 0) return Promise.resolve([]);
    return this.rows.read(async (snapshot) => {
      const { sql, project } = snapshot;
      const within =
        since === null && until === null
          ? null
          : await sql<{ id: number }[]>`
              SELECT id FROM pommel_index_3.commits WHERE project = ${project}
                AND authored_at BETWEEN ${since ?? Number.MIN_SAFE_INTEGER} AND ${until ?? Number.MAX_SAFE_INTEGER}
              ORDER BY id`;
      const ids = within && Uint32Array.from(within, ({ id }) => id);
      const best = await (await this.words.at(snapshot)).best(
        tokens,
        { name: subject, path: body, head: files, body: author },
        k,
        (segment, place) => ids === null || placeOf(ids, segment.ids[place]!) >= 0,
      );
      const scores = new Map(best.map(({ row, score }) => [row, score]));
      const rows = await sql<{ id: number; hash: string; at: number }[]>`
        SELECT id, hash, authored_at AS at FROM pommel_index_3.commits
        WHERE project = ${project} AND id = ANY(${[...scores.keys()]}::integer[])`;
      return rows
        .map(({ id, hash, at }) => ({ hash, at, score: scores.get(id)! }))
        .sort((a, b) => b.score - a.score || b.at - a.at)
        .map(({ hash, score }) => ({ hash, score }));
    });
  }

  frequencies(tokens: readonly string[]): Promise<Frequencies> {
    return this.rows.read(async (snapshot) => (await this.words.at(snapshot)).frequencies(tokens));
  }

  get(hashes: readonly string[]): Promise<IndexedCommit[]> {
    return this.rows.ask(async (sql, project) => {
      const rows = await sql<Row[]>`
        SELECT hash, author, authored_at AS "authoredAt", subject, body, files FROM pommel_index_3.commits
        WHERE project = ${project} AND hash = ANY(${[...hashes]}::text[])`;
      const known = new Map(
        rows.map((row) => [row.hash, { ...row, files: JSON.parse(row.files) as string[] }]),
      );
      return hashes.flatMap((hash) => known.get(hash) ?? []);
    });
  }

  beginningWith(prefix: string, limit: number): Promise<string[]> {
    return this.rows.ask(async (sql, project) => {
      const rows = await sql<{ hash: string }[]>`
        SELECT hash FROM pommel_index_3.commits WHERE project = ${project} AND hash >= ${prefix} AND hash < ${`${prefix}g`}
        LIMIT ${limit}`;
      return rows.map(({ hash }) => hash);
    });
  }
}
