import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { namedProject } from "../../../test/support/named-project.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { silentLog } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { EmbedPass } from "../../models/embed/embed-pass.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { createStaticEmbedder } from "../../models/embed/static/static-embedder.ts";
import { SqliteIndex } from "../../store/index/sqlite/sqlite-index.ts";
import { createIgnoreRules } from "../files/ignore.ts";
import { createFileEmbedSource } from "../index/embed-source.ts";
import { Indexer } from "../index/indexer.ts";
import { CodeSearch } from "./engine.ts";
import type { CodeQuery } from "./types.ts";
import { QueryEmbedder } from "./vectors/query-embedder.ts";
import { findHolders } from "./verbatim/holders.ts";
import { buildMatchers } from "./verbatim/matchers.ts";

let project: Project;
let index: SqliteIndex;
let engine: CodeSearch;

const limiter = `/** Lets a burst of calls through, and delays those that come after it. */
export class TokenBucket {
  constructor(capacity, refillPerSecond) {
    this.capacity = capacity;
    this.tokens = capacity;
    this.refillPerSecond = refillPerSecond;
    this.updatedAt = Date.now();
  }

  /** Takes one token, or says how long to wait. */
  take() {
    const elapsed = (Date.now() - this.updatedAt) / 1000;
    this.tokens = Math.min(this.capacity, this.tokens + elapsed * this.refillPerSecond);
    this.updatedAt = Date.now();
    if (this.tokens < 1) return (1 - this.tokens) / this.refillPerSecond;
    this.tokens -= 1;
    return 0;
  }
}
`;

const files: Record<string, string> = {
  "src/http/retry.ts": `/** Sends again with exponential backoff until the attempts are used up. */
export async function withRetries(send: () => Promise<void>, attempts: number) {
  for (let i = 0; i < attempts; i++) await send();
}
`,
  "src/http/client.ts": `import { withRetries } from "./retry";

export class HttpClient {
  /** Fetches a page. */
  async get(url: string) {
    return withRetries(() => this.send(url), 3);
  }

  private async send(url: string) {}
}
`,
  "src/store/cache.py": `class PageCache:
    """Keeps pages for a while."""

    def evict(self, page):
        self.pages.pop(page)
`,
  "src/pool/ConnectionPool.java": `class ConnectionPool {
  ConnectionPool(int size) {
    this.size = size;
  }
}
`,
  "tests/retry.test.ts": `import { withRetries } from "../src/http/retry";

test("withRetries sends again with exponential backoff", () => {
  withRetries(async () => {}, 2);
});
`,
  "src/store/limiter.js": limiter,
  "copied/limiter.js": limiter.replace("burst of calls", "storm of calls"),
  "lib/limiter.js": `"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n${limiter}`,
  "docs/notes.md": "# Notes\n\n## Backoff\n\nWe retry with exponential backoff.\n",
};

async function reindex() {
  const config = makeDefaultConfig();
  const rules = createIgnoreRules(project.root, config);
  const indexer = new Indexer({ project, config, rules, index, withVectors: false, log: silentLog });
  await indexer.reconcile();
  await indexer.close();
}

beforeAll(async () => {
  project = namedProject(mkdtempSync(join(tmpdir(), "pommel-engine-")));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project.root, path)), { recursive: true });
    writeFileSync(join(project.root, path), text);
  }
  index = SqliteIndex.open(project.indexDb, { readonly: false });
  await reindex();
  engine = new CodeSearch({ project, index, embedder: null });
});

afterAll(async () => {
  await index.close();
  rmSync(project.root, { recursive: true, force: true });
});

const search = (query: string, more: Partial<CodeQuery> = {}) =>
  engine.search({ query, limit: 10, levels: [], paths: [], languages: [], explain: false, ...more });

describe("ranking", () => {
  it("puts the code before its test and its notes", async () => {
    const found = (await search("where do we retry with exponential backoff")).results.map(
      ({ file }) => file,
    );
    expect(found[0]).toBe("src/http/retry.ts");
    expect(found).toContain("tests/retry.test.ts");
  });

  it("puts the test first when a test is asked for", async () => {
    expect((await search("test of exponential backoff retries")).results[0]?.file).toBe(
      "tests/retry.test.ts",
    );
  });

  it("finds a definition by its name, however it is spelled", async () => {
    for (const query of ["withRetries", "with_retries", "with retries"]) {
      expect((await search(query)).results[0]).toMatchObject({
        file: "src/http/retry.ts",
        name: "withRetries",
        level: "method",
      });
    }
  });

  it.each(["src/store/cache.py", "cache.py", "./store/cache.py"])("finds the file %s", async (query) => {
    expect((await search(query)).results[0]?.file).toBe("src/store/cache.py");
  });

  it("gives a file once, with its other places by name", async () => {
    const { results } = await search("client get send");
    const files = results.map(({ file }) => file);
    expect(new Set(files).size).toBe(files.length);
    const named = results.flatMap(({ name, places }) => [name, ...places.map((place) => place.name)]);
    expect(named).toEqual(expect.arrayContaining(["get", "send"]));
  });

  it("gives copies once, with the files that hold them, and what is built after its source", async () => {
    for (const by of ["file", "chunk"] as const) {
      const { results } = await search("take a token or wait", { by });
      const [first, ...others] = results.filter(
        ({ file }) => file.endsWith("limiter.js") && file.includes("/"),
      );
      expect(first?.file).not.toBe("lib/limiter.js");
      expect([first?.file, ...first!.also_in].sort()).toEqual([
        "copied/limiter.js",
        "lib/limiter.js",
        "src/store/limiter.js",
      ]);
      expect(others.filter(({ name }) => name === first?.name)).toEqual([]);
    }
  });

  it("gives each copy where a text is asked for", async () => {
    const { results } = await search("elapsed * this.refillPerSecond", { match: "exact" });
    expect(results).toHaveLength(3);
  });

  it("gives every chunk where that is asked for, thinning out those of one file", async () => {
    const { results } = await search("client get send", { explain: true, by: "chunk" });
    expect(results[1]?.signals).toHaveProperty("place");
    expect(results.every(({ places }) => places.length === 0)).toBe(true);
  });
});

describe("a result", () => {
  it("has its place, its kind and the reason", async () => {
    expect(
      (await search("HttpClient get", { by: "chunk" })).results.find(({ name }) => name === "get"),
    ).toMatchObject({
      file: "src/http/client.ts",
      start_line: 4,
      end_line: 7,
      level: "method",
      language: "typescript",
      parent_name: "HttpClient",
      freshness: "fresh",
      content: expect.stringContaining("async get(url: string)"),
      match_reasons: expect.arrayContaining(["defines get"]),
    });
  });

  it("scores the sum of its signals", async () => {
    const { results } = await search("retry backoff", { explain: true });
    const sums = results.map((result) => {
      const { penalty = 1, place = 1, ...signals } = result.signals ?? {};
      return Object.values(signals).reduce((a, b) => a + b, 0) * penalty * place;
    });
    expect(results.length).toBeGreaterThan(2);
    results.forEach(({ score }, i) => {
      expect(score).toBeCloseTo((sums[i] ?? 0) / (sums[0] ?? 1), 2);
    });
  });

  it("has a score even if its kind is called like something every object has", async () => {
    const { results } = await search("ConnectionPool", { by: "chunk" });
    expect(results.map(({ level, name }) => `${level} ${name}`)).toContain("method ConnectionPool");
    for (const { score } of results) expect(score).toSatisfy(Number.isFinite);
  });

  it("has a score between 0 and 1, best first", async () => {
    const scores = (await search("page cache")).results.map(({ score }) => score);
    expect(scores[0]).toBe(1);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });
});

describe("filters", () => {
  it("keep to paths, languages and levels", async () => {
    expect((await search("retry", { paths: ["tests/**"] })).results.map(({ file }) => file)).toEqual(
      expect.arrayContaining(["tests/retry.test.ts"]),
    );
    for (const { file } of (await search("retry", { paths: ["tests/**"] })).results)
      expect(file).toMatch(/^tests\//);
    for (const { language } of (await search("page", { languages: ["python"] })).results)
      expect(language).toBe("python");
    for (const { level } of (await search("retry", { levels: ["file"] })).results) expect(level).toBe("file");
    expect((await search("retry", { paths: ["nowhere/**"] })).results).toEqual([]);
  });

  it("hold at most limit results", async () => {
    expect((await search("retry", { limit: 1 })).results).toHaveLength(1);
    expect((await search("retry", { limit: 1 })).total_results).toBeGreaterThan(1);
  });
});

describe("files that change after indexing", () => {
  it("are marked, and left out once they are gone", async () => {
    const path = join(project.root, "src/store/cache.py");
    writeFileSync(path, `# moved\n${files["src/store/cache.py"]}`);
    expect((await search("PageCache")).results[0]).toMatchObject({
      file: "src/store/cache.py",
      freshness: "drifted",
    });
    rmSync(path);
    expect((await search("PageCache")).results.map(({ file }) => file)).not.toContain("src/store/cache.py");
    writeFileSync(path, files["src/store/cache.py"] ?? "");
  });
});

describe("odd queries", () => {
  it.each(["", "   ", "?!*()", "--"])("%j is refused: it holds no word", async (query) => {
    await expect(search(query)).rejects.toThrow(expect.objectContaining({ code: "usage" }));
  });

  it("may be any other text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 300 }), async (text) => {
        expect((await search(`retry ${text}`)).results.length).toBeGreaterThan(0);
      }),
      { numRuns: 200 },
    );
  });

  it("may be very long", async () => {
    expect((await search("retry backoff ".repeat(1000))).results[0]?.file).toBe("src/http/retry.ts");
  });

  it.each(['"retry" OR NOT NEAR(x)', "name:retry*", "retry^2 -backoff"])(
    "%s is words, not syntax",
    async (query) => {
      expect((await search(query)).results.length).toBeGreaterThan(0);
    },
  );

  it("says that it is probably not here without evidence for the question, and shows what comes closest", async () => {
    const { results, verdict } = await search("quantum flux retry capacitor");
    expect(verdict).toBe("probably_not_here");
    expect(results.map(({ file }) => file)).toContain("src/http/retry.ts");
  });

  it("judges an answer the same, however many results are asked for", async () => {
    const [one, all] = [await search("retry backoff", { limit: 1 }), await search("retry backoff")];
    expect(one.results[0]).toEqual(all.results[0]);
    expect(one.results).toHaveLength(1);
  });
});

describe("meaning", () => {
  /** Knows only two things, and their words. */
  const embedder: Embedder = {
    id: "fake",
    dimensions: 2,
    prepare: async () => {},
    close: async () => {},
    embed: async (texts) =>
      texts.map((text) =>
        Int8Array.from([/evict|forget/i.test(text) ? 1 : 0, /send|fetch/i.test(text) ? 1 : 0]),
      ),
  };
  const query = { limit: 3, levels: [], paths: [], languages: [], explain: true };
  let meant: SqliteIndex;

  beforeAll(async () => {
    meant = SqliteIndex.open(join(project.cacheDir, "meant.db"), { readonly: false });
    const config = makeDefaultConfig();
    const rules = createIgnoreRules(project.root, config);
    const indexer = new Indexer({ project, config, rules, index: meant, withVectors: false, log: silentLog });
    await indexer.reconcile();
    const source = createFileEmbedSource(meant, (path) => indexer.read(path));
    await new EmbedPass({ source, models: [embedder], log: silentLog }).run();
    await indexer.close();
  });

  afterAll(() => meant.close());

  it("finds code without a word of the query", async () => {
    const search = new CodeSearch({
      project,
      index: meant,
      embedder: new QueryEmbedder({ first: embedder }),
    });
    const { results, searched_by, notes } = await search.search({ ...query, query: "forgetting things" });
    expect(results[0]?.file).toBe("src/store/cache.py");
    expect(results[0]?.match_reasons).toContain("similar in meaning");
    expect(searched_by).toEqual(["words", "fake"]);
    expect(notes).toEqual([]);
  });

  it("is left out when the model fails, with a note", async () => {
    const first = createStaticEmbedder(join(project.cacheDir, "no-model"));
    const search = new CodeSearch({
      project,
      index: meant,
      embedder: new QueryEmbedder({ first }),
    });
    const { results, searched_by, notes } = await search.search({ ...query, query: "page cache" });
    expect(results[0]?.file).toBe("src/store/cache.py");
    expect(searched_by).toEqual(["words"]);
    expect(notes).toEqual([expect.stringContaining("Reinstall Pommel")]);
  });
});

describe("a failed test", () => {
  it("is a question for what is tested, and not for the test that it names", async () => {
    const pasted = `FAILED tests/retry.test.ts::test_backoff - AssertionError: expected 3 to be 2
tests/retry.test.ts:3: in withRetries sends again with exponential backoff
It sends once more than there are attempts.`;
    const { results } = await search(pasted, { explain: true });
    const asked = results.find(({ file }) => file === "tests/retry.test.ts")?.signals?.kind_asked;
    expect(asked ?? 0).toBe(0);
    const meant = await search(`Add a test for retries\n\n${pasted}`, { explain: true });
    expect(meant.results.find(({ file }) => file === "tests/retry.test.ts")?.signals?.kind_asked).not.toBe(0);
  });
});

describe("literal text", () => {
  const places = async (query: string, more: Partial<CodeQuery> = {}) =>
    (await search(query, { by: "chunk", ...more })).results.map(({ file, name }) => `${file} ${name}`);

  it("is in every result of an exact search, and in any case without a capital letter", async () => {
    expect(await places("return withRetries(() =>", { match: "exact" })).toEqual(["src/http/client.ts get"]);
    expect(await places("pagecache", { match: "exact" })).toEqual(["src/store/cache.py PageCache"]);
    expect(await places("pageCache", { match: "exact" })).toEqual([]);
    expect(await places("thRetries(", { match: "exact" })).toHaveLength(3);
    expect(await places("},", { match: "exact", paths: ["tests/**"] })).toEqual([
      "tests/retry.test.ts retry.test",
    ]);
  });

  it("is in every result of a pattern", async () => {
    expect(await places("^async \\w+\\(", { match: "regex" })).toEqual([]);
    expect((await places("async \\w+\\(url", { match: "regex" })).sort()).toEqual([
      "src/http/client.ts get",
      "src/http/client.ts send",
    ]);
    expect(await places("^$", { match: "regex", paths: ["src/store"] })).toEqual([]);
    expect(await places("^\\s*def", { match: "regex", levels: ["class"] })).toEqual([
      "src/store/cache.py PageCache",
    ]);
    await expect(search("(", { match: "regex" })).rejects.toMatchObject({ code: "usage" });
  });

  it("is looked for in no file that a pattern would take too long on, which is said", async () => {
    const holders = (pattern: string, patience?: Parameters<typeof findHolders>[5]) => {
      const matchers = buildMatchers({ query: pattern, match: "regex" });
      return findHolders(index, project.root, matchers, { files: null, levels: null }, null, patience);
    };
    const all = await holders("withRetries\\(");
    expect([all.chunks.size > 1, all.isIncomplete]).toEqual([true, false]);
    for (const patience of [
      { limitMs: 0, maxSteps: 1e8, maxFilesRead: 1e6 },
      { limitMs: 1e6, maxSteps: 1000, maxFilesRead: 1e6 },
      { limitMs: 1e6, maxSteps: 1e8, maxFilesRead: all.chunks.size - 1 },
    ])
      expect(await holders("withRetries\\(", patience)).toMatchObject({
        chunks: new Map(),
        isIncomplete: true,
      });
    const [repeated] = buildMatchers({ query: "[\\s\\S]{1000}x", match: "regex" });
    expect(repeated!.cost).toBeGreaterThan(1000);
  });

  it("stands first among others in a question that quotes it, and is no verdict", async () => {
    const quoting = await search('what keeps a page in the cache, not a "retry"');
    expect(quoting.results.map(({ file }) => file)).toContain("src/store/cache.py");
    expect(quoting.is_named).toBeUndefined();
    expect(await places('where do we send "exponential backoff"')).toContain("src/http/client.ts get");
    const [first] = (await search('what is done with "size" and "pages.pop(page)"')).results;
    expect(first).toMatchObject({ file: "src/store/cache.py" });
  });

  it("counts the same on a machine that is too busy to answer soon", async () => {
    const ask = async () =>
      (await search('what keeps a page in the cache, "this" and "size"', { explain: true })).results.map(
        ({ file, score, signals }) => ({ file, score, quoted: signals?.quoted }),
      );
    const quick = await ask();
    expect(quick.some(({ quoted }) => quoted)).toBe(true);
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    try {
      expect(await ask()).toEqual(quick);
    } finally {
      clock.mockRestore();
    }
  });

  it("is in every result of a query that is quotes and nothing else, all of it", async () => {
    expect(await places('"exponential backoff" "attempts are used"')).toEqual([
      "src/http/retry.ts withRetries",
    ]);
    expect(await places('"exponential backon"')).toEqual([]);
  });

  it("is shown with its lines and reason", async () => {
    const { results } = await search("self.pages.pop", { match: "exact" });
    expect(results).toMatchObject([{ kind: "method", name: "evict", match_lines: [5] }]);
    expect(results[0]!.match_reasons[0]).toBe('contains "self.pages.pop"');
  });
});

describe("a place", () => {
  const at = async (file: string, first: number, last = first) => {
    const { results, is_named } = await search(`${file}:${first}`, { place: { file, first, last } });
    return { is_named, names: results.map(({ file, name, match_lines }) => [file, name, match_lines]) };
  };

  it("is answered by the smallest chunk around it, by its whole path or the end of it", async () => {
    const evict = { is_named: true, names: [["src/store/cache.py", "evict", [5]]] };
    expect(await at("src/store/cache.py", 5)).toEqual(evict);
    expect(await at("cache.py", 5)).toEqual(evict);
  });

  it("is a text like another where no file has that path", async () => {
    expect((await at("che.py", 5)).is_named).toBeUndefined();
    expect((await at("src/store/cache.py", 5000)).is_named).toBeUndefined();
  });
});

describe("a message with quotes of its own", () => {
  const path = () => join(project.root, "src/cli.ts");

  beforeAll(async () => {
    writeFileSync(
      path(),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code
      'export function run(name: string) {\n  throw new Error(`unknown command "${name}" for this tool`);\n}\n',
    );
    await reindex();
  });
  afterAll(() => rmSync(path()));

  it("finds the string that makes it, even if the quoted value is elsewhere", async () => {
    for (const value of ["PageCache", "nowhere"]) {
      const { results } = await search(`unknown command "${value}" for this tool`);
      const made = results.find(({ file }) => file === "src/cli.ts");
      expect(made).toMatchObject({ name: "run", match_lines: [2] });
      expect(made!.match_reasons).toContain('message "unknown command "…" for this tool"');
    }
  });

  it("says so when the quoted text is nowhere", async () => {
    const { results, notes } = await search('retry with "exponential backon"');
    expect(results[0]!.file).toBe("src/http/retry.ts");
    expect(notes).toEqual([expect.stringContaining("Nothing contains the quoted text")]);
  });
});

describe("a report", () => {
  const report = `Pages vanish although nobody deletes them

We only "retry" with the HTTP client, and "PageCache" loses what it holds.

\`\`\`
Traceback (most recent call last):
  File "/home/me/run.py", line 3, in <module>
    main()
  File "/usr/lib/python3/site-packages/store/cache.py", line 5, in evict
    self.pages.pop(page)
KeyError: 'a'
\`\`\`

- [x] I have read docs/notes.md
`;

  it("is answered by the file in which its stack trace ends, however much it quotes", async () => {
    const { results, notes } = await search(report, { explain: true });
    expect(results[0]).toMatchObject({ file: "src/store/cache.py", score: 1 });
    expect(results[0]!.signals).toMatchObject({ innermost_frame: expect.any(Number) });
    expect(results.length).toBeGreaterThan(2);
    expect(notes).toEqual([expect.stringMatching(/^Read as a report\. .*2 stack frames, 1 of them here/)]);
  });

  it("that is a stack trace alone is answered by its frames, whatever its error speaks of", async () => {
    const log = report
      .slice(report.indexOf("Traceback"), report.indexOf("```\n\n- ["))
      .replace("KeyError: 'a'", "RuntimeError: sends a request again with exponential backoff, retry");
    const { results, notes } = await search(log, { explain: true });
    expect(results[0]!.file).toBe("src/store/cache.py");
    expect(notes).toEqual([expect.stringContaining("its title (RuntimeError: sends a request again")]);
  });

  it("stays within the paths that are asked for", async () => {
    const { results } = await search(report, { paths: ["src/http/**"] });
    expect(results.map(({ file }) => file).every((file) => file.startsWith("src/http/"))).toBe(true);
    expect(results).not.toHaveLength(0);
  });

  it("may be long", async () => {
    const { results } = await search(`${report}\n${"and it goes on and on without an end ".repeat(800)}`);
    expect(results[0]!.file).toBe("src/store/cache.py");
  });
});

describe("in a repository of several packages", () => {
  const parse = "export function parseOptions(text: string) {\n  return text.split(',');\n}\n";
  const packages: Record<string, string> = {
    "package.json": '{"name": "acme", "workspaces": ["packages/*"]}',
    "packages/api/package.json": '{"name": "@acme/api"}',
    "packages/api/src/options.ts": parse,
    "packages/web/package.json": '{"name": "@acme/web"}',
    "packages/web/src/options.ts": parse,
    "packages/web/src/paint.ts": "export function paintWindow(colour: string) {\n  return colour;\n}\n",
  };
  const base: CodeQuery = {
    query: "parseOptions",
    limit: 5,
    levels: ["method"],
    paths: [],
    languages: [],
    explain: true,
  };
  let monorepo: CodeSearch;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const root = mkdtempSync(join(tmpdir(), "packages-"));
    for (const [path, text] of Object.entries(packages)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const of = namedProject(root);
    const its = SqliteIndex.open(of.indexDb, { readonly: false });
    const config = makeDefaultConfig();
    const rules = createIgnoreRules(root, config);
    const indexer = new Indexer({
      project: of,
      config,
      rules,
      index: its,
      withVectors: false,
      log: silentLog,
    });
    await indexer.reconcile();
    await indexer.close();
    monorepo = new CodeSearch({ project: of, index: its, embedder: null });
    close = async () => {
      await its.close();
      rmSync(root, { recursive: true });
    };
  });
  afterAll(() => close());
  const ask = async (more: Partial<CodeQuery>) => (await monorepo.search({ ...base, ...more })).results;
  const files = async (more: Partial<CodeQuery>) => (await ask(more)).map(({ file }) => file);

  it("puts the package first where one works, and says so", async () => {
    for (const name of ["api", "web"]) {
      const [first, second] = await ask({ near: `packages/${name}/src` });
      expect(first?.file).toBe(`packages/${name}/src/options.ts`);
      expect(first?.match_reasons).toContain(`in @acme/${name}, where you work`);
      expect(second?.match_reasons.join()).not.toContain("where you work");
    }
  });

  it("still has the answer of another package on top", async () => {
    expect(await files({ query: "paintWindow", near: "packages/api" })).toEqual([
      "packages/web/src/paint.ts",
    ]);
  });

  it("ranks at the root, and in none of the packages, as if nobody worked anywhere", async () => {
    const plain = await ask({});
    expect(await ask({ near: "" })).toEqual(plain);
    expect(await ask({ near: "scripts" })).toEqual(plain);
  });

  it("searches one package only, by its name or directory", async () => {
    for (const one of ["@acme/web", "web", "packages/web"]) {
      expect(await files({ package: one })).toEqual(["packages/web/src/options.ts"]);
    }
    await expect(ask({ package: "wep" })).rejects.toMatchObject({ code: "usage" });
  });
});
