import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { codexSetup } from "../codex/setup.ts";
import { geminiSetup } from "../gemini/setup.ts";
import { setups } from "../registry.ts";
import type { AgentSetup, PartName, Place } from "../setup.ts";
import { inOrderToTake, putPart, takePart } from "./parts.ts";
import { oneAtATime, readRecord } from "./record.ts";
import { section } from "./section.ts";

let dir: string;
let place: Place;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-setup-"));
  const recordFile = join(dir, ".pommel/setup.json");
  place = { scope: "project", dir, recordFile, env: { HOME: join(dir, "home") } };
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true, force: true });
});

const put = (setup: AgentSetup, name: PartName) =>
  putPart(place, setup, setup.parts.find((part) => part.name === name)!);
const take = (setup: AgentSetup, name: PartName) =>
  takePart(place, setup, setup.parts.find((part) => part.name === name)!);
const takeAll = () => {
  for (const [setup, part] of inOrderToTake(place, setups)) takePart(place, setup, part);
};
const agentsFile = () => join(dir, "AGENTS.md");
const deadPid = () => spawnSync(process.execPath, ["-e", ""]).pid;

describe("a file that several parts were put into", () => {
  it.each([
    ["", "mcp", "hooks"],
    ["{ }", "hooks", "mcp"],
  ] as const)("is restored whichever came first: %j, %s", (text, first, second) => {
    mkdirSync(join(dir, ".gemini"));
    const file = join(dir, ".gemini/settings.json");
    writeFileSync(file, text);
    put(geminiSetup, first);
    put(geminiSetup, second);
    takeAll();
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("is gone, too, where two agents read it", () => {
    mkdirSync(join(dir, ".gemini"));
    writeFileSync(join(dir, ".gemini/settings.json"), '{"context": {"fileName": "AGENTS.md"}}');
    put(geminiSetup, "instructions");
    expect(put(codexSetup, "instructions")).toMatchObject({ outcome: "already" });
    takeAll();
    expect(existsSync(agentsFile())).toBe(false);
  });
});

describe("what was begun and not finished", () => {
  it("is undone when the file cannot be written, with the directories that were made", () => {
    // There is room for its name, and none for that of a draft beside it.
    const file = join(dir, "made/for/it", "x".repeat(250));
    const part = { name: "instructions", files: () => [file], editor: section(1, "Known.") } as const;
    expect(() => putPart(place, { ...codexSetup, parts: [part] }, part)).toThrow(
      expect.objectContaining({ code: "unreadable" }),
    );
    expect(existsSync(join(dir, "made"))).toBe(false);
    expect(readRecord(place).files).toEqual({});
  });

  it("leaves the file alone when what was made of it cannot be noted", () => {
    mkdirSync(join(dir, ".pommel/setup.json"), { recursive: true });
    expect(() => put(codexSetup, "instructions")).toThrow(
      expect.objectContaining({ code: "unreadable", message: expect.stringContaining("setup.json") }),
    );
    expect(existsSync(agentsFile())).toBe(false);
  });

  it("of a process that was killed is cleared away", () => {
    writeFileSync(`${agentsFile()}.pommel-${deadPid()}`, "half");
    writeFileSync(`${agentsFile()}.pommel-mine`, "");
    mkdirSync(join(dir, ".pommel"));
    writeFileSync(`${place.recordFile}.lock`, String(deadPid()));
    put(codexSetup, "instructions");
    expect(readdirSync(dir).sort()).toEqual([".pommel", "AGENTS.md", "AGENTS.md.pommel-mine"]);
    expect(readdirSync(join(dir, ".pommel"))).toEqual(["setup.json"]);
  });
});

it("works on a place's files one at a time", () => {
  oneAtATime(place, () => {
    const lock = `${place.recordFile}.lock`;
    expect(readFileSync(lock, "utf8")).toBe(String(process.pid));
    // Its owner ends in the meantime.
    const wait = vi.spyOn(Atomics, "wait").mockImplementation(() => {
      rmSync(lock);
      return "timed-out";
    });
    put(codexSetup, "instructions");
    expect(wait).toHaveBeenCalledTimes(1);
  });
});

it("does not wait for what a pipe says that stands in a file's place", () => {
  execFileSync("mkfifo", [agentsFile()]);
  expect(() => put(codexSetup, "instructions")).toThrow(
    expect.objectContaining({ code: "unreadable", message: expect.stringContaining("it is a pipe") }),
  );
});

describe("a section", () => {
  const newer = section(7, "What is known.");

  it("of a newer Pommel stays, and goes with ours", () => {
    const { text } = newer.add("Mine.\n", "file");
    expect(section(6, "What was known.").look(text, "file")).toEqual({ state: "current", detail: [] });
    expect(section(6, "What was known.").remove(text, "file", [])).toBe("Mine.\n");
  });

  it("leaves a blank line where it stood between paragraphs", () => {
    const { text } = newer.add("Above.\n", "file");
    for (const gap of ["", "\n"])
      expect(newer.remove(`${text}${gap}Below.\n`, "file", [])).toBe("Above.\n\nBelow.\n");
  });
});

it.skipIf(process.getuid?.() === 0)("a file that nobody may write is not replaced", () => {
  writeFileSync(agentsFile(), "Mine.\n", { mode: 0o444 });
  expect(() => put(codexSetup, "instructions")).toThrow(expect.objectContaining({ code: "unreadable" }));
  expect(take(codexSetup, "instructions")).toEqual([]);
  expect(readFileSync(agentsFile(), "utf8")).toBe("Mine.\n");
});
