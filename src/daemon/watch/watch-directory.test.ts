import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { claude } from "../../agents/claude/claude.ts";
import { silentLog } from "../../base/log.ts";
import type { Subscribe } from "./directories.ts";
import { type DirectoryWatch, watchDirectory } from "./watch-directory.ts";

let dir: string;
let root: string;
const watches: DirectoryWatch[] = [];
const onRescan = vi.fn();
const onChange = vi.fn<(paths: string[]) => void>();

beforeEach(() => {
  vi.clearAllMocks();
  dir = mkdtempSync(join(tmpdir(), "pommel-watch-"));
  root = join(dir, "projects");
});

afterEach(async () => {
  await Promise.all(watches.splice(0).map((watch) => watch.close()));
  rmSync(dir, { recursive: true, force: true });
});

async function watch(subscribe?: Subscribe): Promise<void> {
  const options = { isRelevant: (path: string) => path.endsWith(".jsonl"), pollSeconds: 0.05 };
  const made = watchDirectory({
    directory: root,
    ...options,
    list: () => claude.list(root),
    onChange,
    onRescan,
    log: silentLog,
    ...(subscribe && { subscribe }),
  });
  watches.push(made);
  await made.begin();
}

const seen = () => onChange.mock.calls.flat(2);

test("reports files that appear and grow, and nothing else", async () => {
  mkdirSync(join(root, "a"), { recursive: true });
  await watch();
  expect(onRescan).toHaveBeenCalledTimes(1);
  const file = join(root, "a", "1.jsonl");
  writeFileSync(file, "x\n");
  writeFileSync(join(root, "a", "1.txt"), "x\n");
  await vi.waitFor(() => expect(seen()).toEqual([file]), 60_000);
  appendFileSync(file, "y\n");
  await vi.waitFor(() => expect(seen()).toEqual([file, file]), 60_000);
});

test("looks at a file now and then, also at one that is not there yet", async () => {
  await watch();
  expect(onRescan).toHaveBeenCalledTimes(1);
  writeFileSync(root, "x\n");
  await vi.waitFor(() => expect(onRescan).toHaveBeenCalledTimes(2), 60_000);
  appendFileSync(root, "y\n");
  await vi.waitFor(() => expect(seen()).toEqual([root]), 60_000);
});

test("scans again when directories appear, as their content was not seen", async () => {
  mkdirSync(root);
  await watch();
  mkdirSync(join(root, "a", "s", "subagents"), { recursive: true });
  await vi.waitFor(() => expect(onRescan).toHaveBeenCalledTimes(2), 60_000);
  const file = join(root, "a", "s", "subagents", "agent-1.jsonl");
  writeFileSync(file, "x\n");
  await vi.waitFor(() => expect(seen()).toEqual([file]), 60_000);
});

test("waits for a directory that is not there yet, and follows one that is replaced", async () => {
  await watch();
  expect(onRescan).toHaveBeenCalledTimes(1);
  mkdirSync(root);
  await vi.waitFor(() => expect(onRescan).toHaveBeenCalledTimes(2), 60_000);
  renameSync(root, join(dir, "old"));
  mkdirSync(root);
  await vi.waitFor(() => expect(onRescan).toHaveBeenCalledTimes(3), 60_000);
  const file = join(root, "1.jsonl");
  writeFileSync(file, "x\n");
  await vi.waitFor(() => expect(seen()).toContain(file), 60_000);
});

test("polls where the system cannot watch", async () => {
  mkdirSync(root);
  const file = join(root, "1.jsonl");
  writeFileSync(file, "x\n");
  await watch(() => Promise.reject(new Error("no inotify instance is left")));
  expect(onRescan).toHaveBeenCalledTimes(1);
  appendFileSync(file, "y\n");
  await vi.waitFor(() => expect(seen()).toEqual([file]), 60_000);
});
