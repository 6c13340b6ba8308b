import { tokenStream } from "../../../text/tokens.ts";
import type { CommitIndex, CommitWeights, Frequencies, Within } from "../port.ts";
import type { IndexedCommit } from "../records.ts";
import { placeOf, SegmentBuilder } from "../words/segment.ts";
import { literal } from "./engine.ts";
import type { LanceStore, Opened } from "./store.ts";
import type { LanceWords } from "./words.ts";

/** A project's commits; their words are kept as those of chunks are. */
export class LanceCommits implements CommitIndex {
  constructor(
    private readonly store: LanceStore,
    private readonly words: LanceWords,
  ) {}

  add(commits: readonly IndexedCommit[]): Promise<void> {
    return this.store.write(async (opened, next) => {
      const { tables } = opened;
      const known = await tables.commits.among(["id", "hash"], "hash", commits.map(hashOf));
      const seen = new Set(known.filter(liveIn(opened)).map(hashOf));
      const words = new SegmentBuilder(next.chunk);
      const rows: Parameters<typeof tables.commits.add>[0][number][] = [];
      for (const commit of commits) {
        if (seen.has(commit.hash)) continue;
        seen.add(commit.hash);
        const { hash, author, authoredAt, subject, body, files } = commit;
        const content = JSON.stringify({ hash, author, authoredAt, subject, body, files });
        rows.push({ id: words.next, hash, authored_at: authoredAt, content });
        const streams = [subject, body, files.join(" "), author].map(tokenStream);
        words.add("file", streams as [string, string, string, string], []);
      }
      if (rows.length === 0) return null;
      next.chunk = words.next;
      await tables.commits.add(rows);
      const segment = await this.words.add(opened, next, words);
      return { segments: segment === null ? [] : [segment] };
    });
  }

  remove(hashes: readonly string[]): Promise<void> {
    return this.store.write(async (opened) => {
      const rows = await opened.tables.commits.among(["id"], "hash", hashes);
      const removedCommits = rows.filter(liveIn(opened)).map(({ id }) => id);
      return removedCommits.length === 0 ? null : { removedCommits };
    });
  }

  hashes(): Promise<string[]> {
    return this.store.read(async (opened) =>
      (await opened.tables.commits.rows(["id", "hash"], null)).filter(liveIn(opened)).map(hashOf),
    );
  }

  lexical(
    tokens: readonly string[],
    { subject, body, files, author }: CommitWeights,
    k: number,
    { since, until }: Within,
  ): Promise<{ hash: string; score: number }[]> {
    if (tokens.length === 0) return Promise.resolve([]);
    return this.store.read(async (opened) => {
      const { commits } = opened.tables;
      const bounds = [
        since === null ? "" : `authored_at >= ${since}`,
        until === null ? "" : `authored_at <= ${until}`,
      ];
      const where = bounds.filter((bound) => bound !== "").join(" AND ");
      const within = where === "" ? null : await commits.rows(["id"], where);
      const ids = within && Uint32Array.from(within, ({ id }) => id).sort();
      const weights = { name: subject, path: body, head: files, body: author };
      const words = await this.words.at(opened);
      const best = await words.best(
        tokens,
        weights,
        k,
        (segment, place) => ids === null || placeOf(ids, segment.ids[place]!) >= 0,
      );
      const scores = new Map(best.map(({ row, score }) => [row, score]));
      const rows = await commits.among(["id", "hash", "authored_at"], "id", [...scores.keys()]);
      return rows
        .map(({ id, hash, authored_at: at }) => ({ hash, at, score: scores.get(id)! }))
        .sort((a, b) => b.score - a.score || b.at - a.at)
        .map(({ hash, score }) => ({ hash, score }));
    });
  }

  frequencies(tokens: readonly string[]): Promise<Frequencies> {
    return this.store.read(async (opened) => (await this.words.at(opened)).frequencies(tokens));
  }

  get(hashes: readonly string[]): Promise<IndexedCommit[]> {
    return this.store.read(async (opened) => {
      const rows = await opened.tables.commits.among(["id", "hash", "content"], "hash", hashes);
      const known = new Map(
        rows.filter(liveIn(opened)).map(({ hash, content }) => [hash, JSON.parse(content) as IndexedCommit]),
      );
      return hashes.flatMap((hash) => known.get(hash) ?? []);
    });
  }

  beginningWith(prefix: string, limit: number): Promise<string[]> {
    return this.store.read(async (opened) => {
      const where = `hash >= ${literal(prefix)} AND hash < ${literal(`${prefix}g`)}`;
      const rows = await opened.tables.commits.rows(["id", "hash"], where);
      return rows.filter(liveIn(opened)).slice(0, limit).map(hashOf);
    });
  }
}

const hashOf = ({ hash }: { hash: string }) => hash;

/** Whether a commit counts: others were removed, or belong to a change that failed. */
function liveIn({ state }: Opened): (row: { id: number }) => boolean {
  const gone = new Set(state.dead.commits);
  return ({ id }) => id < state.next.chunk && !gone.has(id);
}
