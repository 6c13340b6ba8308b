import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { writeItem } from "../../hooks/deliver.ts";
import { payloadOf } from "../../hooks/payload.ts";
import { PommelError } from "../../project/errors.ts";
import { silentLog } from "../../project/log.ts";
import { type Project, projectAt } from "../../project/paths.ts";
import { agentHookItem, type SpoolItem } from "../../protocol/spool-items.ts";
import { drainSpool } from "./spool.ts";

let project: Project;
beforeEach(() => {
  project = projectAt(mkdtempSync(join(tmpdir(), "pommel-spool-")));
  mkdirSync(project.stateDir);
});
afterEach(() => rmSync(project.root, { recursive: true, force: true }));

const put = (name: string, text: string) => writeFileSync(join(project.spoolDir, name), text);

test("makes the spool, for its owner only", async () => {
  expect(await drainSpool(project, {}, silentLog)).toEqual({ done: 0, rejected: 0 });
  expect(statSync(project.spoolDir).mode & 0o777).toBe(0o700);
});

test("handles items in order and deletes them; keeps drafts and items without a handler", async () => {
  mkdirSync(project.spoolDir);
  put("2.json", '{"kind": "stop", "n": 2}');
  put("1.json", '{"kind": "stop", "n": 1}');
  put("3.json", '{"kind": "unheard of"}');
  put("4.json", '{"kind": "toString"}');
  put("5.json", "{ secret");
  put("6.json", '{"kind": "fails"}');
  put(".7.json", "half a dra");
  const seen: unknown[] = [];
  const handlers = {
    stop: async (item: SpoolItem) => {
      seen.push(item.n);
    },
    fails: async () => {
      throw new Error("no");
    },
  };
  const warn = vi.fn();
  expect(await drainSpool(project, handlers, { ...silentLog, warn })).toEqual({ done: 2, rejected: 4 });
  expect(seen).toEqual([1, 2]);
  expect(readdirSync(project.spoolDir).sort()).toEqual([".7.json", "rejected"]);
  expect(readdirSync(join(project.spoolDir, "rejected"))).toEqual(["3.json", "4.json", "5.json", "6.json"]);
  expect(warn.mock.calls.join("\n")).not.toContain("secret");
});

test("understands all that hooks leave", async () => {
  const fields = fc.constantFrom(
    "session_id",
    "cwd",
    "trigger",
    "tool_input",
    "prompt",
    "file_path",
    "agent_type",
  );
  const value = fc.oneof(fc.string(), fc.jsonValue(), fc.record({ file_path: fc.string() }));
  const seen: unknown[] = [];
  const handlers = {
    "claude-hook": async (item: SpoolItem) => {
      seen.push(z.parse(agentHookItem, item));
    },
  };
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fields, value), async (given) => {
      const item = { kind: "claude-hook", event: "stop", received_at: 1, payload: payloadOf(given) } as const;
      writeItem(project, item);
      expect(await drainSpool(project, handlers, silentLog)).toEqual({ done: 1, rejected: 0 });
      expect(seen.pop()).toEqual(item);
    }),
  );
});

test("leaves everything where it is while the memory cannot be written", async () => {
  mkdirSync(project.spoolDir, { recursive: true });
  for (const name of ["1.json", "2.json"]) writeFileSync(join(project.spoolDir, name), '{"kind": "note"}');
  let isFull = true;
  const handlers = {
    note: async () => {
      if (isFull) throw new PommelError("disk_full", "The disk is full.");
    },
  };
  expect(await drainSpool(project, handlers, silentLog)).toEqual({ done: 0, rejected: 0 });
  expect(readdirSync(project.spoolDir)).toEqual(["1.json", "2.json"]);
  isFull = false;
  expect(await drainSpool(project, handlers, silentLog)).toEqual({ done: 2, rejected: 0 });
});
