import { type Pair, ranksOf } from "../../src/evaluate/pairs.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import { CodeSearch } from "../../src/search/code/engine.ts";
import { analyseQuery } from "../../src/search/code/query.ts";
import { judge, judgedBy } from "../../src/search/confidence/judge.ts";
import { QueryEmbedder } from "../../src/search/vectors/query-embedder.ts";
import { type Asked, kinds } from "../localise/run.ts";
import { halfOfQuestion, hashOf, Listener, type Sample } from "./sample.ts";
import { unanswerable } from "./unanswerable.ts";

/** A question of a repository to others, which do not answer it. */
export interface ForeignQuestion {
  kind: string;
  query: string;
}

/** Questions of each kind that are asked of a repository, and foreign ones. */
const askedOfEach = 15;
const foreignAsked = 60;

/** Asks a repository its own questions, which it answers, and others, which it does not. */
export async function codeSamples(
  name: string,
  { project, index, pairs }: Asked,
  foreign: readonly ForeignQuestion[],
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const listener = new Listener(judge);
  const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
  const search = new CodeSearch({ project, index, embedder, judge: listener.listen });
  const ask = async (kind: string, { query, targets }: Pair) => {
    if (analyseQuery(query).tokens.length === 0) return;
    const request = { query, limit: judgedBy, levels: [], paths: [], languages: [], explain: false };
    listener.last = null;
    const { results } = await search.search(request);
    // What stands there as quoted is not judged.
    if (listener.last === null) return;
    const { asked, evidence } = listener.last as NonNullable<Listener["last"]>;
    // The right file counts as the right place: another function of it is as near as the comment can show.
    const wanted: Pair = { query, targets: targets.map(({ file }) => ({ file })) };
    samples.push({
      ...{ searched: "code", kind, source: name, half: halfOfQuestion(query), question: query },
      isAnswerable: targets.length > 0,
      asked,
      found: results.map((result, i) => ({
        evidence: evidence[i]!,
        isRight: ranksOf(wanted, [result]).length > 0,
      })),
    });
  };
  for (const kind of kinds) for (const pair of pairs[kind].slice(0, askedOfEach)) await ask(kind, pair);
  const others = [...foreign].sort((a, b) => hashOf(name + a.query) - hashOf(name + b.query));
  for (const { kind, query } of others.slice(0, foreignAsked))
    await ask(`foreign ${kind}`, { query, targets: [] });
  for (const { kind, question } of unanswerable) await ask(kind, { query: question, targets: [] });
  await embedder.close();
  return samples;
}

/** The questions that other repositories are asked as well. */
export const foreignOf = ({ pairs }: Asked): ForeignQuestion[] =>
  (["commit", "function"] as const).flatMap((kind) =>
    pairs[kind].slice(0, askedOfEach).map(({ query }) => ({ kind, query })),
  );
