import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import type { ModelStatus } from "../../src/features/status/operation.ts";
import { startFakeOllama } from "../support/fake-ollama-embedder.ts";
import { cleanUp, createProject, found, modules, start, status, until, write } from "./daemon-fixture.ts";

/** Texts are embedded once for all checkouts and branches. */

let ollama: Awaited<ReturnType<typeof startFakeOllama>>;

beforeEach(async () => {
  ollama = await startFakeOllama();
  process.env.POMMEL_EMBED_CODE = "ollama/nomic-embed-text";
  process.env.POMMEL_OLLAMA_URL = ollama.url;
});

afterEach(async () => {
  delete process.env.POMMEL_EMBED_CODE;
  delete process.env.POMMEL_OLLAMA_URL;
  await cleanUp();
  await ollama.close();
});

const passages = () =>
  ollama.requests.flatMap(({ body }) =>
    (body.input as string[]).filter((text) => text.startsWith("search_document:")),
  );

async function hasAllVectors(project: Project): Promise<boolean> {
  const [first, second] = (await status(project)).models.code as [ModelStatus, ModelStatus];
  const isComplete = first.chunks_total > 0 && first.chunks_embedded === first.chunks_total;
  return isComplete && second.state === "ready" && second.chunks_pending === 0;
}

function git({ root }: Project, ...args: string[]): void {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  execFileSync("git", [...who, ...args], { cwd: root, stdio: "pipe" });
}

test("a second clone and a branch that is switched back embed nothing", async () => {
  const first = createProject(modules(20));
  git(first, "init", "--quiet", "--initial-branch=main");
  git(first, "add", ".");
  git(first, "commit", "--quiet", "--message=One");
  await start(first);
  await until(() => hasAllVectors(first));
  const once = passages().length;
  expect(once).toBeGreaterThan(20);

  const second = createProject({});
  git(second, "clone", "--quiet", first.root, ".");
  expect(await found(second, "compute7")).toContain("src/module7.ts");
  await until(() => hasAllVectors(second));
  expect(passages()).toHaveLength(once);

  git(first, "switch", "--quiet", "--create=other");
  write(first, "src/module7.ts", "export function onlyThere() {\n  return 1;\n}\n");
  git(first, "commit", "--quiet", "--all", "--message=Two");
  await until(async () => (await found(first, "onlyThere")).includes("src/module7.ts"));
  await until(() => hasAllVectors(first));
  const twice = passages().length;
  expect(twice).toBeGreaterThan(once);

  git(first, "switch", "--quiet", "main");
  await until(async () => (await found(first, "compute7")).includes("src/module7.ts"));
  await until(() => hasAllVectors(first));
  git(first, "switch", "--quiet", "other");
  await until(async () => (await found(first, "onlyThere")).includes("src/module7.ts"));
  await until(() => hasAllVectors(first));
  expect(passages()).toHaveLength(twice);
});
