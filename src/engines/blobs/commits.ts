import { makeTokenStream } from "../../base/text/tokens.ts";
import type { CommitIndex, CommitWeights, Frequencies, Within } from "../../store/index/port.ts";
import type { IndexedCommit } from "../../store/index/records.ts";
import { SegmentBuilder } from "../../store/index/words/segment.ts";
import { decodeText, encodeText, type StoredBlob } from "./blob-store.ts";
import type { CommitEntry } from "./state.ts";
import { type IndexStore, Outdated } from "./store.ts";
import type { BlobWords } from "./words.ts";

/** A project's commits; their words are kept as those of chunks are. */
export class BlobCommits implements CommitIndex {
  constructor(
    private readonly store: IndexStore,
    private readonly words: BlobWords,
  ) {}

  add(commits: readonly IndexedCommit[]): Promise<void> {
    return this.store.write(async ({ state }, next) => {
      const words = new SegmentBuilder(next.chunk);
      const blobs: StoredBlob[] = [];
      const added = new Map<string, CommitEntry>();
      for (const { hash, author, authoredAt, subject, body, files } of commits) {
        if (state.commits.has(hash) || added.has(hash)) continue;
        const id = words.next;
        const content = JSON.stringify({ hash, author, authoredAt, subject, body, files });
        blobs.push({ kind: "commit", number: id, bytes: encodeText(content) });
        added.set(hash, { id, hash, authoredAt });
        const fields = [subject, body, files.join(" "), author] as const;
        const [ofSubject, ofBody, ofFiles, ofAuthor] = fields.map(makeTokenStream);
        words.add("file", [ofSubject!, ofBody!, ofFiles!, ofAuthor!], []);
      }
      if (added.size === 0) return null;
      next.chunk = words.next;
      const built = this.words.build(next, words);
      const change = { commits: [...added.values()], segments: built.segments };
      return { change, blobs: [...blobs, ...built.blobs] };
    });
  }

  remove(hashes: readonly string[]): Promise<void> {
    return this.store.write(async ({ state }) => {
      const removedCommits = hashes.filter((hash) => state.commits.has(hash));
      return removedCommits.length === 0 ? null : { change: { removedCommits } };
    });
  }

  listHashes(): Promise<string[]> {
    return this.store.read(({ state }) => [...state.commits.keys()]);
  }

  lexical(
    tokens: readonly string[],
    { subject, body, files, author }: CommitWeights,
    k: number,
    { since, until }: Within,
  ): Promise<{ hash: string; score: number }[]> {
    return this.store.read(async (opened) => {
      const { commitsById } = opened.state;
      const isWithin = (id: number) => {
        const at = commitsById.get(id)?.authoredAt;
        return at !== undefined && at >= (since ?? at) && at <= (until ?? at);
      };
      const words = await this.words.openWords(opened);
      const best = await words.findBest(
        tokens,
        { name: subject, path: body, head: files, body: author },
        k,
        ({ ids }, place) => isWithin(ids[place]!),
      );
      return best
        .map(({ row, score }) => ({ ...commitsById.get(row)!, score }))
        .sort((a, b) => b.score - a.score || b.authoredAt - a.authoredAt)
        .map(({ hash, score }) => ({ hash, score }));
    });
  }

  countFrequencies(tokens: readonly string[]): Promise<Frequencies> {
    return this.store.read(async (opened) => (await this.words.openWords(opened)).countFrequencies(tokens));
  }

  get(hashes: readonly string[]): Promise<IndexedCommit[]> {
    return this.store.read(async ({ blobs, state }) => {
      const ids = hashes.flatMap((hash) => state.commits.get(hash)?.id ?? []);
      const stored = await blobs.read("commit", ids);
      if (stored.size < new Set(ids).size) throw new Outdated("commits are gone");
      return ids.map((id) => JSON.parse(decodeText(stored.get(id)!)) as IndexedCommit);
    });
  }

  listHashesByPrefix(prefix: string, limit: number): Promise<string[]> {
    return this.store.read(({ state }) => {
      const found: string[] = [];
      for (const hash of state.commits.keys()) {
        if (found.length >= limit) break;
        if (hash.startsWith(prefix)) found.push(hash);
      }
      return found;
    });
  }
}
