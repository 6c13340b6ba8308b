import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Indexer, IndexProgress } from "../../code/index/indexer.ts";
import type { CodeSearch } from "../../code/search/engine.ts";
import type { CodeQuery } from "../../code/search/types.ts";
import type { EmbedPass } from "../../models/embed/embed-pass.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import { IndexWork } from "./index-work.ts";

const works: IndexWork[] = [];
afterEach(async () => {
  for (const work of works.splice(0)) await work.close();
});

const report = { indexed: 1, unchanged: 0, removed: 0, skipped: 0, failed: 0 };
const query: CodeQuery = { query: "x", limit: 1, levels: [], paths: [], languages: [], explain: false };
const corrupt = new PommelError("index_corrupt", "index.db is damaged.");

const restingIndexer: IndexProgress = {
  pending: 0,
  processing: null,
  done: 0,
  total: 0,
  rate_chunks_per_sec: 0,
  eta_seconds: 0,
  is_idle: true,
  last_error: null,
  recent: [],
};

/** An index, its search and its indexer, which do nothing until the test says so. */
function fakeSession() {
  const meta = new Map<string, string>();
  return {
    index: {
      close: vi.fn(),
      settle: vi.fn(),
      meta: async (key: string) => meta.get(key) ?? null,
      setMeta: vi.fn(async (key: string, value: string) => void meta.set(key, value)),
    },
    search: {
      release: vi.fn(async () => {}),
      search: vi.fn(async () => ({ query: "x", results: [], total_results: 0, search_time_ms: 0 })),
    },
    indexer: {
      reconcile: vi.fn(async () => {
        meta.set("reconciled_at", "1");
        return report;
      }),
      reindex: vi.fn(async (_glob?: string) => report),
      update: vi.fn(async () => {}),
      close: vi.fn(async () => {}),
      releaseWorkers: vi.fn(async () => {}),
      progress: vi.fn(() => restingIndexer),
    },
    embedPass: { run: vi.fn(async () => {}), close: vi.fn(async () => {}), isBusy: vi.fn(() => false) },
  };
}

async function createWork(
  sessions: ReturnType<typeof fakeSession>[],
  options: { releaseAfterMs?: number; unloadAfterMs?: number } = {},
) {
  const moveAside = vi.fn(async (why: string) => `moved aside: ${why}`);
  const left = [...sessions];
  const open = vi.fn(async () => {
    const { index, search, indexer, embedPass } = left.shift()!;
    return {
      index: index as unknown as CodeIndex,
      search: search as unknown as CodeSearch,
      indexer: indexer as unknown as Indexer,
      embedPass: embedPass as unknown as EmbedPass,
    };
  });
  const work = await IndexWork.start({
    open,
    moveAside,
    indexCommits: async () => {},
    log: silentLog,
    retryMs: 1,
    ...options,
  });
  works.push(work);
  return { work, moveAside, open };
}

const untilIdle = (work: IndexWork) => vi.waitUntil(() => work.queue().is_idle, 60_000);

test("makes one pass for all who ask while it waits, one at a time", async () => {
  const session = fakeSession();
  let finish = () => {};
  session.indexer.reconcile.mockImplementationOnce(
    () => new Promise((resolve) => (finish = () => resolve(report))),
  );
  const { work } = await createWork([session]);
  work.begin(Promise.resolve());
  await vi.waitUntil(() => session.indexer.reconcile.mock.calls.length === 1, 60_000);
  work.reconcile();
  work.reconcile();
  work.reconcile();
  expect(session.indexer.reconcile).toHaveBeenCalledTimes(1);
  expect(work.queue().is_idle).toBe(false);
  finish();
  await untilIdle(work);
  expect(session.indexer.reconcile).toHaveBeenCalledTimes(2);
});

test("does not count as idle before the first pass, which waits for the watcher", async () => {
  const session = fakeSession();
  const { work } = await createWork([session]);
  let ready = () => {};
  work.begin(new Promise<void>((resolve) => (ready = resolve)));
  // What came later is done.
  await work.ask(query);
  expect(session.indexer.reconcile).not.toHaveBeenCalled();
  expect(work.queue().is_idle).toBe(false);
  ready();
  await untilIdle(work);
  expect(session.indexer.reconcile).toHaveBeenCalledOnce();
});

test("keeps a request to index again apart from a waiting look for changes", async () => {
  const session = fakeSession();
  const { work } = await createWork([session]);
  work.reconcile();
  work.reindex(["src", "lib"]);
  work.reindex("all");
  await untilIdle(work);
  expect(session.indexer.reindex.mock.calls).toEqual([["src"], ["lib"], []]);
});

test("tries again after a full disk, and reports it meanwhile", async () => {
  const session = fakeSession();
  const full = new PommelError("disk_full", "The disk is full.");
  let fail = () => {};
  session.indexer.reconcile
    .mockRejectedValueOnce(full)
    .mockImplementationOnce(() => new Promise((resolve) => (fail = () => resolve(report))));
  const { work } = await createWork([session]);
  work.reconcile();
  await vi.waitUntil(() => session.indexer.reconcile.mock.calls.length === 2, 60_000);
  expect(work.queue()).toMatchObject({ last_error: "The disk is full.", is_idle: false });
  expect((await work.ask(query)).query).toBe("x");
  fail();
  await untilIdle(work);
  expect(work.queue().last_error).toBeNull();
});

test.each([
  ["a pass", (work: IndexWork) => work.reconcile(), "reconcile"],
  ["a save", (work: IndexWork) => work.update(["a.ts"]), "update"],
] as const)("starts over when %s finds the index damaged", async (_, act, method) => {
  const [damaged, fresh] = [fakeSession(), fakeSession()];
  damaged.indexer[method].mockRejectedValueOnce(corrupt);
  const { work, moveAside } = await createWork([damaged, fresh]);
  act(work);
  await vi.waitUntil(() => fresh.indexer.reconcile.mock.calls.length === 1, 60_000);
  await untilIdle(work);
  expect(damaged.index.close.mock.invocationCallOrder[0]).toBeLessThan(
    moveAside.mock.invocationCallOrder[0]!,
  );
  expect(work.notes).toEqual(["moved aside: index.db is damaged."]);
});

test("starts over when a search finds the index damaged, once", async () => {
  const [damaged, fresh] = [fakeSession(), fakeSession()];
  damaged.search.search.mockRejectedValue(corrupt);
  const { work, open } = await createWork([damaged, fresh]);
  const asked = await Promise.allSettled([work.ask(query), work.ask(query)]);
  for (const { status, reason } of asked as PromiseRejectedResult[]) {
    expect([status, getErrorCode(reason)]).toEqual(["rejected", "index_corrupt"]);
  }
  await untilIdle(work);
  expect((await work.ask(query)).query).toBe("x");
  expect(open).toHaveBeenCalledTimes(2);
  expect(work.notes).toHaveLength(1);
});

test("keeps trying to open a new index while that fails", async () => {
  const [damaged, fresh] = [fakeSession(), fakeSession()];
  damaged.indexer.reconcile.mockRejectedValueOnce(corrupt);
  const { work, open } = await createWork([damaged, fresh]);
  open.mockImplementationOnce(() => {
    throw new PommelError("disk_full", "The disk is full.");
  });
  work.reconcile();
  await vi.waitUntil(() => fresh.indexer.reconcile.mock.calls.length === 1, 60_000);
  await untilIdle(work);
  expect(work.queue().last_error).toBeNull();
});

test("passes on what is wrong with a query", async () => {
  const session = fakeSession();
  session.search.search.mockRejectedValue(new PommelError("usage", "No word."));
  const { work } = await createWork([session]);
  await expect(work.ask(query)).rejects.toThrow(expect.objectContaining({ code: "usage" }));
});

test("stops the parse workers and settles the index when idle", async () => {
  const session = fakeSession();
  const { work } = await createWork([session], { releaseAfterMs: 1 });
  work.update(["a.ts"]);
  await vi.waitUntil(() => session.indexer.releaseWorkers.mock.calls.length > 0, 60_000);
  await vi.waitUntil(() => session.index.settle.mock.calls.length > 0, 60_000);
});

test("waits for the work under way before it closes the index", async () => {
  const session = fakeSession();
  const order: string[] = [];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  session.indexer.reconcile.mockImplementationOnce(async () => {
    await finished;
    order.push("pass ended");
    return report;
  });
  session.index.close.mockImplementationOnce(() => order.push("index closed"));
  const { work } = await createWork([session]);
  works.pop();
  work.reconcile();
  await vi.waitUntil(() => session.indexer.reconcile.mock.calls.length === 1, 60_000);
  const closed = work.close();
  // Time enough to close the index at once.
  await turn();
  finish();
  await closed;
  expect(order).toEqual(["pass ended", "index closed"]);
});

test("unloads models and vectors while there are no searches, but not while vectors are made", async () => {
  const session = fakeSession();
  session.embedPass.isBusy.mockReturnValueOnce(true);
  const { work } = await createWork([session], { unloadAfterMs: 5 });
  await work.ask(query);
  expect(session.search.release).not.toHaveBeenCalled();
  await vi.waitUntil(() => session.search.release.mock.calls.length === 1, 60_000);
  expect(session.embedPass.isBusy).toHaveBeenCalledTimes(2);
});

test("has the vectors made that are missing, after each pass and each save", async () => {
  const session = fakeSession();
  const { work } = await createWork([session]);
  work.reconcile();
  await untilIdle(work);
  work.update(["a.ts"]);
  await untilIdle(work);
  expect(session.embedPass.run).toHaveBeenCalledTimes(2);
});

test("starts over when making vectors finds the index damaged", async () => {
  const [damaged, fresh] = [fakeSession(), fakeSession()];
  damaged.embedPass.run.mockRejectedValueOnce(corrupt);
  const { work, open } = await createWork([damaged, fresh]);
  work.reconcile();
  await vi.waitUntil(() => fresh.embedPass.run.mock.calls.length === 1, 60_000);
  expect(damaged.embedPass.close).toHaveBeenCalledOnce();
  expect(open).toHaveBeenCalledTimes(2);
});

test("does not rest while vectors are being made", async () => {
  const session = fakeSession();
  const { work } = await createWork([session]);
  expect(work.isResting()).toBe(true);
  session.embedPass.isBusy.mockReturnValue(true);
  expect([work.isResting(), work.queue().is_idle]).toEqual([false, true]);
  session.embedPass.isBusy.mockReturnValue(false);
});
