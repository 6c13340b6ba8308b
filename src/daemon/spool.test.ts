import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { temporaryHome } from "../../test/support/temporary-home.ts";
import { PommelError } from "../base/errors.ts";
import { locateDaemonFiles } from "../base/home.ts";
import { silentLog } from "../base/log.ts";
import { writeItem } from "../faces/hooks/deliver.ts";
import { pickPayload } from "../faces/hooks/stdio.ts";
import { agentHookItem, type SpoolItem } from "../protocol/spool-items.ts";
import { drainSpool } from "./spool.ts";

let home: ReturnType<typeof temporaryHome>;
let spoolDir: string;
beforeEach(() => {
  home = temporaryHome();
  ({ spoolDir } = locateDaemonFiles());
});
afterEach(() => home.remove());

const put = (name: string, text: string) => writeFileSync(join(spoolDir, name), text);

test("finds nothing where nothing was left, and makes no directory", async () => {
  expect(await drainSpool({}, silentLog)).toEqual({ done: 0, rejected: 0 });
  expect(existsSync(spoolDir)).toBe(false);
});

test("handles items in order and deletes them; keeps drafts and items without a handler", async () => {
  mkdirSync(spoolDir, { recursive: true });
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
  expect(await drainSpool(handlers, { ...silentLog, warn })).toEqual({ done: 2, rejected: 4 });
  expect(seen).toEqual([1, 2]);
  expect(readdirSync(spoolDir).sort()).toEqual([".7.json", "rejected"]);
  expect(readdirSync(join(spoolDir, "rejected"))).toEqual(["3.json", "4.json", "5.json", "6.json"]);
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
    "agent-hook": async (item: SpoolItem) => {
      seen.push(z.parse(agentHookItem, item));
    },
  };
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fields, value), async (given) => {
      const about = { kind: "agent-hook", event: "stop", received_at: 1, place: "/code/app" } as const;
      const item = { ...about, payload: pickPayload(given) };
      writeItem(item);
      expect(await drainSpool(handlers, silentLog)).toEqual({ done: 1, rejected: 0 });
      expect(seen.pop()).toEqual(item);
    }),
  );
});

test("keeps the last item only of those that replace one another", async () => {
  for (const n of [1, 2, 3]) writeItem({ received_at: n }, "claude/a:b");
  writeItem({ received_at: 4 }, "other");
  expect(readdirSync(spoolDir)).toEqual(["latest-claude_a_b.json", "latest-other.json"]);
  expect(readFileSync(join(spoolDir, "latest-claude_a_b.json"), "utf8")).toBe('{"received_at":3}');
});

test("leaves everything where it is while the memory cannot be written", async () => {
  mkdirSync(spoolDir, { recursive: true });
  for (const name of ["1.json", "2.json"]) writeFileSync(join(spoolDir, name), '{"kind": "note"}');
  let isFull = true;
  const handlers = {
    note: async () => {
      if (isFull) throw new PommelError("disk_full", "The disk is full.");
    },
  };
  expect(await drainSpool(handlers, silentLog)).toEqual({ done: 0, rejected: 0 });
  expect(readdirSync(spoolDir)).toEqual(["1.json", "2.json"]);
  isFull = false;
  expect(await drainSpool(handlers, silentLog)).toEqual({ done: 2, rejected: 0 });
});
