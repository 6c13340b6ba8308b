import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import { reindexProject } from "../../answers/reindex.ts";
import { makeNewProject, type Project } from "../../base/paths.ts";
import { showChunk } from "./chunk.ts";
import { searchCode as search } from "./code.ts";
import { renderChunk } from "./pm/chunk.ts";

const client = `import { withRetries } from "./retry";

export class HttpClient {
  /** Fetches a page. */
  async get(url: string) {
    return withRetries(() => this.send(url), 3);
  }

  private async send(url: string) {
    return fetch(url);
  }
}
`;

let project: Project;
beforeAll(async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pommel-chunk-")));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write(".pommel/config.toml", "");
  write("src/client.ts", client);
  write("src/gone.ts", "export function gone() {\n  return 1;\n}\n");
  project = makeNewProject(root);
  await reindexProject(project, [], {});
  rmSync(join(root, "src/gone.ts"));
});
afterAll(() => rmSync(project.root, { recursive: true, force: true }));

const named = (chunks: readonly { level: string; name: string }[]) =>
  chunks.map(({ level, name }) => `${level} ${name}`);

describe("a chunk by its place", () => {
  it("is the smallest around the lines, with what it lies in and what lies in it", async () => {
    const method = await showChunk(project, { id: "src/client.ts:6" });
    expect(method).toMatchObject({
      file: "src/client.ts",
      language: "typescript",
      chunk: { level: "method", name: "get", end_line: 7, content: expect.stringContaining("withRetries(") },
      freshness: "fresh",
    });
    expect(named(method.parents)).toEqual(["class HttpClient", "file client"]);
    expect(method.children).toEqual([]);
    const around = await showChunk(project, { id: "src/client.ts:6-10" });
    expect(named([around.chunk])).toEqual(["class HttpClient"]);
    expect(named(around.children)).toEqual(["method get", "method send"]);
    expect(around.chunk.content).toBe(client.slice(client.indexOf("export class")).trimEnd());
    const file = await showChunk(project, { id: "src/client.ts" });
    expect(named([file.chunk])).toEqual(["file client"]);
    expect(file.parents).toEqual([]);
  });

  it("is refused where nothing is indexed, and where there are no such lines", async () => {
    await expect(showChunk(project, { id: "src/other.ts:1" })).rejects.toMatchObject({ code: "not_found" });
    await expect(showChunk(project, { id: "src/client.ts:500" })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(showChunk(project, { id: "src/gone.ts:1" })).rejects.toMatchObject({ code: "not_found" });
    await expect(showChunk(project, { id: "../x.ts:1" })).rejects.toMatchObject({ code: "usage" });
  });
});

describe("a chunk by its id", () => {
  it("leads from a result up to its class and down again", async () => {
    const { results } = await search(project, { q: "HttpClient get", level: ["method"] });
    const [get] = results.filter(({ name }) => name === "get");
    const up = await showChunk(project, { id: get!.parent_id! });
    expect(named([up.chunk])).toEqual(["class HttpClient"]);
    const down = await showChunk(project, { id: up.children[0]!.id });
    expect(down.chunk.id).toBe(get!.id);
  });

  it("is refused where there is none", async () => {
    await expect(showChunk(project, { id: "0123456789abcdef" })).rejects.toMatchObject({ code: "not_found" });
  });
});

it("pm code chunk shows the code with its lines, and places to go on", async () => {
  const text = renderChunk(await showChunk(project, { id: "src/client.ts:6" }), screenOf(80), () => "");
  expect(text).toContain("src/client.ts:4-7  method get");
  expect(text).toContain("6 │");
  expect(text).toContain("Lies in");
  expect(text).toMatch(/src\/client\.ts:3-12 {2}class HttpClient\nsrc\/client\.ts:1-\d+ {2}file client$/);
});
