import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Pair, type PairTarget, ranksOf } from "../../src/evaluate/pairs.ts";
import { type Prepared, prepare } from "../../src/evaluate/self-test.ts";
import { closeEmbedders, createEmbedders } from "../../src/models/embed/embedders.ts";
import { defaultConfig } from "../../src/project/config/settings.ts";
import { silentLog } from "../../src/project/log.ts";
import { CodeSearch } from "../../src/search/code/engine.ts";
import { analyseQuery } from "../../src/search/code/query.ts";
import { judge, judgedBy } from "../../src/search/confidence/judge.ts";
import { nameKey } from "../../src/text/tokens.ts";
import { halfOfQuestion, hashOf, Listener, type Sample } from "./sample.ts";
import { unanswerable } from "./unanswerable.ts";

/** A repository with its mined questions, which are asked of it and of the others. */
export interface MinedRepository {
  name: string;
  /** Repositories of one domain may answer each other's questions. */
  domain: string;
  docs: readonly Pair[];
  commits: readonly Pair[];
  names: readonly Pair[];
}

/** Questions of each kind that are mined from a repository. */
const minedOfEach = 60;
/** Number of questions from other repositories. */
const foreignAsked = 120;

/** A repository, indexed in a scratch directory without the comments that are asked with. */
export class ScratchRepository {
  private constructor(
    private readonly scratch: string,
    private readonly prepared: Prepared,
    private readonly close: () => Promise<void>,
  ) {}

  static async prepare(root: string): Promise<ScratchRepository> {
    const scratch = mkdtempSync(join(tmpdir(), "pommel-confidence-"));
    const config = defaultConfig();
    const embedders = createEmbedders(config, "code");
    const options = {
      ...{ root, config, embedders, count: minedOfEach, log: silentLog },
      ...{ onProgress: () => {}, signal: new AbortController().signal },
    };
    const prepared = await prepare(options, scratch);
    return new ScratchRepository(scratch, prepared, () => closeEmbedders(embedders));
  }

  async dispose(): Promise<void> {
    await this.prepared.index.close();
    await this.close();
    rmSync(this.scratch, { recursive: true, force: true });
  }

  chunks(): Promise<number> {
    return this.prepared.index.counts().then(({ chunks }) => chunks);
  }

  async mined(name: string, domain: string): Promise<MinedRepository> {
    const { docPairs, commits, index } = this.prepared;
    const names: Pair[] = [];
    const search = new CodeSearch(this.prepared);
    for (const { targets } of docPairs) {
      const [target] = targets;
      const found = target && (await nameAt(search, target));
      if (found && (await index.definitions([nameKey(found)], 3)).length < 3)
        names.push({ query: found, targets });
    }
    return { name, domain, docs: docPairs, commits: commits.pairs, names };
  }

  /** Asks the repository's own questions, which it answers, and others', which it does not. */
  async samples(own: MinedRepository, others: readonly MinedRepository[]): Promise<Sample[]> {
    const samples: Sample[] = [];
    const listener = new Listener(judge);
    const search = new CodeSearch({ ...this.prepared, judge: listener.listen });
    const ask = async (kind: string, query: string, targets: readonly PairTarget[]) => {
      if (analyseQuery(query).tokens.length === 0) return;
      const request = { query, limit: judgedBy, levels: [], paths: [], languages: [], explain: false };
      const { results } = await search.search(request);
      const { asked, evidence } = listener.last!;
      // The right file counts as the right place: another function of it is as near as the comment can show.
      const wanted: Pair = { query, targets: targets.map(({ file }) => ({ file })) };
      samples.push({
        ...{ searched: "code", kind, source: own.name, half: halfOfQuestion(query), question: query },
        isAnswerable: targets.length > 0,
        asked,
        found: results.map((result, i) => ({
          evidence: evidence[i]!,
          isRight: ranksOf(wanted, [result]).length > 0,
        })),
      });
    };
    for (const { query, targets } of own.docs) {
      await ask("doc", query, targets);
      const words = keywordsOf(query);
      if (words !== null) await ask("keywords", words, targets);
    }
    for (const { query, targets } of own.commits) await ask("commit", query, targets);
    for (const { query, targets } of own.names) await ask("name", query, targets);
    for (const { kind, query } of await this.foreign(own, others)) await ask(`foreign ${kind}`, query, []);
    for (const { kind, question } of unanswerable) await ask(kind, question, []);
    return samples;
  }

  /** Questions of repositories of other domains. A name that is defined here as well is answered. */
  private async foreign(own: MinedRepository, others: readonly MinedRepository[]) {
    const all = others
      .filter(({ domain }) => domain !== own.domain)
      .flatMap(({ docs, commits, names }) => [
        ...docs.map(({ query }) => ({ kind: "doc", query })),
        ...commits.map(({ query }) => ({ kind: "commit", query })),
        ...names.map(({ query }) => ({ kind: "name", query })),
      ])
      .sort((a, b) => hashOf(own.name + a.query) - hashOf(own.name + b.query))
      .slice(0, foreignAsked);
    const answered = await this.prepared.index.definitions(
      all.flatMap(({ kind, query }) => (kind === "name" ? nameKey(query) : [])),
      1,
    );
    const keys = new Set(answered.map(({ key }) => key));
    return all.filter(({ kind, query }) => kind !== "name" || !keys.has(nameKey(query)));
  }
}

/** The name of the function at a place, by a search for its file. */
async function nameAt(search: CodeSearch, { file, lines }: PairTarget): Promise<string | null> {
  const query = { query: file, limit: 200, levels: [], paths: [file], languages: [], explain: false };
  const { results } = await search.search({ ...query, by: "chunk" });
  const found = results.find(
    ({ start_line, end_line, level }) =>
      level === "method" && lines !== undefined && start_line >= lines[0] && end_line <= lines[1],
  );
  return found && /^\w{4,}$/.test(found.name) ? found.name : null;
}

/** Three of a question's words, as people type them into a search; null if it has fewer. */
function keywordsOf(query: string): string | null {
  const words = analyseQuery(query).words.filter((word) => word.length > 3);
  if (words.length < 3) return null;
  const kept = new Set([...words].sort((a, b) => hashOf(query + a) - hashOf(query + b)).slice(0, 3));
  return words.filter((word) => kept.has(word)).join(" ");
}
