import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeDefaultConfig } from "../../src/base/config/settings.ts";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject } from "../../src/base/paths.ts";
import { createIgnoreRules } from "../../src/code/files/ignore.ts";
import { Indexer } from "../../src/code/index/indexer.ts";
import type { CodeIndex } from "../../src/store/index/port.ts";
import { SqliteIndex } from "../../src/store/index/sqlite/sqlite-index.ts";

/** Indexes a checkout without vectors for as long as something uses it. */
export async function withGraphOf<T>(root: string, use: (index: CodeIndex) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), "pommel-graph-"));
  const index = SqliteIndex.open(join(dir, "index.db"), { readonly: false });
  const config = makeDefaultConfig();
  const rules = createIgnoreRules(root, config);
  const project = makeNewProject(root);
  const indexer = new Indexer({
    project,
    config,
    rules,
    index,
    withVectors: false,
    log: silentLog,
    mode: "foreground",
  });
  try {
    await indexer.reconcile();
    await indexer.close();
    return await use(index);
  } finally {
    await index.close();
    rmSync(dir, { recursive: true });
  }
}
