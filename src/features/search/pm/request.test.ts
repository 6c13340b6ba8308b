import { describe, expect, it } from "vitest";
import { makeNewProject } from "../../../base/paths.ts";
import { readSearch, type SearchOptions } from "./request.ts";

const read = (words: string[], options: SearchOptions = {}) =>
  readSearch(makeNewProject("/repo"), words, options);

describe("what is searched", () => {
  it("is all, unless the first of several words says where", async () => {
    expect(await read(["retry", "it"])).toMatchObject({
      scope: "all",
      asks: ["code", "transcripts", "history"],
      request: { q: "retry it" },
    });
    expect(await read(["code", "retry"])).toMatchObject({ scope: "code", request: { q: "retry" } });
    expect(await read(["transcripts", "a", "b"])).toMatchObject({
      scope: "transcripts",
      request: { q: "a b" },
    });
    expect(await read(["all", "x"])).toMatchObject({ scope: "all", request: { q: "x" } });
    for (const [word, of] of [
      ["commits", "commits"],
      ["checkpoints", "checkpoints"],
      ["events", "events"],
    ] as const) {
      expect(await read([word, "a"])).toMatchObject({ scope: "history", request: { q: "a", of: [of] } });
    }
    expect(await read(["notes", "a"])).toMatchObject({
      scope: "transcripts",
      request: { q: "a", type: ["annotated"], by: "turn" },
    });
    for (const word of ["code", "sessions", "transcripts", "commits", "notes", "all"]) {
      expect(await read([word])).toMatchObject({ scope: "all", request: { q: word } });
    }
    expect(await read(["code review"])).toMatchObject({ scope: "all", request: { q: "code review" } });
  });

  it("is one side where an option is for that side only", async () => {
    expect(await read(["x"], { level: ["method"] })).toMatchObject({
      scope: "all",
      asks: ["code"],
      request: { level: ["method"] },
    });
    expect(await read(["all", "x"], { kind: ["decision"] })).toMatchObject({
      scope: "all",
      asks: ["transcripts"],
      request: { kind: ["decision"] },
    });
    expect(await read(["x"], { author: "ann" })).toMatchObject({ asks: ["transcripts", "history"] });
    expect(await read(["x"], { team: true })).toMatchObject({ asks: ["transcripts"] });
    expect(await read(["x"], { path: ["src"], file: ["src"] })).toMatchObject({
      asks: ["code", "transcripts", "history"],
      request: { path: ["src"], file: ["src"] },
    });
    expect(await read(["x"], { limit: 3, explain: true })).toMatchObject({
      asks: ["code", "transcripts", "history"],
      request: { limit: 3, explain: true },
    });
  });

  it("is all sides that know the options", async () => {
    expect(await read(["x"], { since: "yesterday" })).toMatchObject({
      scope: "all",
      asks: ["transcripts", "history"],
      request: { since: "yesterday", only: ["sessions", "commits", "events"] },
    });
    expect(await read(["x"], { since: "yesterday", kind: ["decision"] })).toMatchObject({
      asks: ["transcripts"],
    });
  });

  it("is what --only names", async () => {
    const only = ["commits", "notes"] as const;
    expect(await read(["x"], { only: [...only] })).toMatchObject({
      scope: "all",
      asks: ["transcripts", "history"],
      request: { only },
    });
  });

  it("is not what the options contradict", async () => {
    const usage = { code: "usage" };
    await expect(read(["code", "x"], { since: "yesterday" })).rejects.toMatchObject(usage);
    await expect(read(["transcripts", "x"], { metrics: true })).rejects.toMatchObject(usage);
    await expect(read(["commits", "x"], { kind: ["decision"] })).rejects.toMatchObject(usage);
    await expect(read(["commits", "x"], { only: ["code"] })).rejects.toMatchObject(usage);
  });
});

it("rejects an empty query", async () => {
  const wrong: [string[], SearchOptions, string][] = [
    [[" "], {}, "The query is empty."],
    [["code", " "], {}, "The query is empty."],
  ];
  for (const [words, options, message] of wrong) {
    await expect(read(words, options)).rejects.toMatchObject({ code: "usage", message });
  }
});

describe("the content of sessions", () => {
  it("is searched with --in content, or with --exact and --regex after sessions", async () => {
    const inContent = { asks: ["transcripts"], request: { q: "x", in: "content" } };
    expect(await read(["x"], { in: "content" })).toMatchObject(inContent);
    expect(await read(["x"], { in: "content", regex: true })).toMatchObject({
      ...inContent,
      request: { match: "regex" },
    });
    expect(await read(["sessions", "x"], { exact: true })).toMatchObject({
      ...inContent,
      request: { match: "exact" },
    });
    expect((await read(["x"], { exact: true })).request).not.toHaveProperty("in");
    expect(await read(["x"], { exact: true })).toMatchObject({ asks: ["code"] });
  });

  it("is not code", async () => {
    const usage = { code: "usage" };
    await expect(read(["code", "x"], { in: "content" })).rejects.toMatchObject(usage);
    await expect(read(["sessions", "x"], { exact: true, level: ["method"] })).rejects.toMatchObject(usage);
  });
});
