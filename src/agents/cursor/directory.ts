import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { namesIn } from "../../base/files/if-any.ts";
import type { ForeignDatabase } from "../../store/sqlite/open-to-read.ts";
import { asObject, known } from "../reading/json.ts";
import { composerAt, composersIn, headOf } from "./database.ts";
import { databaseName } from "./profile.ts";

/**
 * The folder that a conversation's window had open: newer databases say it beside the conversation, older ones in that of
 * the workspace.
 * @returns null when unknown: a window without a folder
 */
export function directoryOf(db: ForeignDatabase, file: string, id: string): string | null {
  for (const place of [headOf(db, id), composerAt(db, id)]) {
    const uri = place?.workspaceIdentifier?.uri;
    const path = known(uri?.fsPath) ?? known(uri?.path);
    if (path !== null) return path;
  }
  return workspacesBeside(file).get(id) ?? null;
}

interface Workspace {
  mtimeMs: number;
  composers: string[];
  folder: string | null;
}

/** By directory. */
const workspaces = new Map<string, Workspace>();

/** The folders of conversations, by the databases of `workspaceStorage`. */
function workspacesBeside(file: string): Map<string, string> {
  const storage = join(dirname(dirname(file)), "workspaceStorage");
  const folders = new Map<string, string>();
  for (const name of namesIn(storage)) {
    const { folder, composers } = workspaceAt(join(storage, name));
    if (folder !== null) for (const composer of composers) folders.set(composer, folder);
  }
  return folders;
}

function workspaceAt(dir: string): Workspace {
  const database = join(dir, databaseName);
  const mtimeMs = Math.max(
    ...[database, `${database}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
  const before = workspaces.get(dir);
  if (before?.mtimeMs === mtimeMs) return before;
  const now = { mtimeMs, composers: mtimeMs === 0 ? [] : composersIn(database), folder: folderIn(dir) };
  workspaces.set(dir, now);
  return now;
}

function folderIn(dir: string): string | null {
  try {
    const { folder } = asObject(JSON.parse(readFileSync(join(dir, "workspace.json"), "utf8")));
    return typeof folder === "string" && folder.startsWith("file:") ? fileURLToPath(folder) : null;
  } catch {
    // Remote, or a window without a folder.
    return null;
  }
}
