import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { namedProject } from "../../../../test/support/named-project.ts";
import { PommelError } from "../../../base/errors.ts";
import { otherNames } from "../../../base/other-names.ts";
import { tools } from "../../../features/tools.ts";
import { listTools } from "../listed-tools.ts";
import { oldNames } from "../old-names.ts";
import { callTool, explain, findCallable } from "./call-tool.ts";

const dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-call-")));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it("errors name tools, not commands, as there may be no shell", () => {
  const missing = new PommelError(
    "not_found",
    'No session "x" is remembered.',
    "`pm session list` lists them.",
  );
  expect(explain("recall", missing)).toBe(
    'not_found: No session "x" is remembered.\nrecall without arguments lists them.',
  );
});

describe("a name", () => {
  it("of earlier versions is called and not listed", () => {
    const listed = listTools().tools.map(({ name }) => name);
    for (const name of Object.keys(oldNames)) {
      expect(listed).not.toContain(name);
      expect(findCallable(name)?.name).toBe(name);
    }
    expect(Object.keys(tools).map((name) => findCallable(name)?.name)).toEqual(listed);
  });

  it("of another program calls what Pommel has for it, with its own arguments", () => {
    const named = otherNames.filter(({ kind }) => kind === "tool");
    expect(named.length).toBeGreaterThan(3);
    for (const { name, today } of named) expect(findCallable(name)?.name).toBe(today[0]);
    expect(findCallable("ec_search")!.synonyms).toMatchObject({ search_type: "mode", file_filter: "files" });
  });

  it("that nobody uses calls nothing", () => {
    for (const name of ["toString", "__proto__", "", "search"]) expect(findCallable(name)).toBeNull();
  });
});

describe("an answer", () => {
  const caller = { cwd: dir, signal: new AbortController().signal };
  const call = (name: string, args: unknown) => callTool(findCallable(name)!, args, caller);
  const textOf = ({ content: [part] }: Awaited<ReturnType<typeof call>>) =>
    part?.type === "text" ? part.text : "";

  it("is text alone, and says what was not understood", async () => {
    namedProject(dir);
    writeFileSync(join(dir, "retry.ts"), "export function withRetries() {\n  return 1;\n}\n");
    for (const name of ["code", "search_code"]) {
      const answer = await call(name, { q: "withRetries", path: "retry.ts", shape: "x" });
      expect(Object.keys(answer)).toEqual(["content"]);
      const text = textOf(answer);
      expect(text).toContain("1\texport function withRetries() {\n2\t  return 1;\n3\t}");
      expect(text).toContain(`${name} has no argument "shape": it was ignored.`);
    }
    const failed = await call("why", {});
    expect(Object.keys(failed).sort()).toEqual(["content", "isError"]);
  });

  it("takes a pattern that is none for a text, and says so", async () => {
    namedProject(dir);
    writeFileSync(join(dir, "retry.ts"), "export function withRetries() {}\n");
    const text = textOf(await call("search_code", { query: "withRetries(", regex: true }));
    expect(text).toContain("1\texport function withRetries() {}");
    expect(text).toContain("it was searched for as a text");
  });

  it("has the lines of a file that is named with them, or by its end", async () => {
    namedProject(dir);
    writeFileSync(join(dir, "retry.ts"), "one\ntwo\nthree\nfour\n");
    for (const args of [
      { place: "retry.ts:2-3" },
      { file: "retry.ts", first_line: 2, last_line: 3 },
      { file: "retry.ts", line: 3, end_line: 2 },
      { query: "retry.ts:2-3" },
    ]) {
      const text = textOf(await call("code", args));
      expect(text.split("\n").slice(1)).toEqual(["retry.ts (4 lines)", "2\ttwo", "3\tthree"]);
    }
    const text = textOf(await call("code", { place: "retry.ts:9" }));
    expect(text).toContain("has only 4 lines");
  });
});
