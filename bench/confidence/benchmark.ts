import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createIgnoreRules } from "../../src/code/files/ignore.ts";
import { indexInFull } from "../../src/evaluate/index-in-full.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import { defaultConfig } from "../../src/project/config/settings.ts";
import { silentLog } from "../../src/project/log.ts";
import { projectAt } from "../../src/project/paths.ts";
import { CodeSearch } from "../../src/search/code/engine.ts";
import { judge, judgedBy } from "../../src/search/confidence/judge.ts";
import { SessionSearch } from "../../src/search/sessions/engine.ts";
import { openQuery } from "../../src/search/sessions/types.ts";
import { QueryEmbedder } from "../../src/search/vectors/query-embedder.ts";
import { indexDriver } from "../../src/store/index/drivers.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import { sessionByUid } from "../../src/store/memory/sessions/sessions.ts";
import { rankOf } from "../measure.ts";
import { halfOf, type Question } from "../recall/questions.ts";
import type { Repository } from "../search/data.ts";
import { Listener, type Sample } from "./sample.ts";

/** The benchmarks' questions, which are never used for fitting: they show what must not be lost. */

/** The questions of bench/search.ts about one of its repositories. */
export async function benchmarkOfCode(
  repository: Repository,
  { checkouts, scratch }: { checkouts: string; scratch: string },
): Promise<Sample[]> {
  const config = defaultConfig();
  if (repository.benchmarkRoot !== "") config["index.include"] = [`${repository.benchmarkRoot}/**`];
  const indexDir = join(scratch, "benchmark", repository.name);
  mkdirSync(indexDir, { recursive: true });
  const root = join(checkouts, repository.name);
  const project = { ...projectAt(root), indexDb: join(indexDir, "index.db") };
  const embedders = { first: createStaticEmbedder(), second: null, deadlineMs: 0 };
  const { index } = await (await indexDriver(config)).openToWrite(project.indexDb, silentLog);
  try {
    const rules = createIgnoreRules(root, config);
    await indexInFull({ project, config, rules, index, embedders, log: silentLog });
    const listener = new Listener(judge);
    const embedder = new QueryEmbedder(embedders);
    const search = new CodeSearch({ project, index, embedder, judge: listener.listen });
    const samples: Sample[] = [];
    for (const { query, targets } of repository.questions) {
      const request = { query, limit: judgedBy, levels: [], paths: [], languages: [], explain: false };
      const { results } = await search.search(request);
      const { asked, evidence } = listener.last!;
      samples.push({
        ...{ searched: "code", kind: "benchmark", source: repository.name, question: query },
        ...{ half: repository.half, isAnswerable: true, asked },
        found: results.map((result, i) => ({
          evidence: evidence[i]!,
          isRight: targets.some(({ path }) => rankOf({ path }, [result]) > 0),
        })),
      });
    }
    return samples;
  } finally {
    await index.close();
  }
}

/** What bench/recall.ts asks. */
export async function benchmarkOfSessions(
  memory: Memory,
  rows: ReadonlyMap<string, number>,
  questions: readonly Question[],
): Promise<Sample[]> {
  const listener = new Listener(judge);
  const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
  const search = new SessionSearch({ root: "/", memory, embedder, judge: listener.listen });
  const samples: Sample[] = [];
  for (const question of questions) {
    const { results } = await search.search({ ...openQuery, by: "session", query: question.question });
    const { asked, evidence } = listener.last!;
    const wanted = question.relevant_sessions.map((name) => rows.get(name));
    samples.push({
      ...{ searched: "sessions", kind: "benchmark", source: "sessions", question: question.question },
      ...{ half: halfOf(question), isAnswerable: true, asked },
      found: results.slice(0, judgedBy).map(({ session_id }, i) => ({
        evidence: evidence[i]!,
        isRight: wanted.includes(sessionByUid(memory, session_id)?.id),
      })),
    });
  }
  return samples;
}
