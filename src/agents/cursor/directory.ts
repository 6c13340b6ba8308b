import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { listNamesIfAny } from "../../base/files/if-any.ts";
import type { ForeignDatabase } from "../../store/sqlite/open-to-read.ts";
import { asObject, emptyToNull } from "../reading/json.ts";
import { listComposers, readComposer, readComposerHeader } from "./database.ts";
import { databaseName } from "./profile.ts";

/**
 * The folder that a conversation's window had open: newer databases say it beside the conversation, older ones in that of
 * the workspace.
 * @returns null when unknown: a window without a folder
 */
export function findSessionDirectory(db: ForeignDatabase, file: string, id: string): string | null {
  for (const place of [readComposerHeader(db, id), readComposer(db, id)]) {
    const uri = place?.workspaceIdentifier?.uri;
    const path = emptyToNull(uri?.fsPath) ?? emptyToNull(uri?.path);
    if (path !== null) return path;
  }
  return mapWorkspaceFolders(file).get(id) ?? null;
}

interface Workspace {
  mtimeMs: number;
  composers: string[];
  folder: string | null;
}

/** By directory. */
const workspaces = new Map<string, Workspace>();

/** The folders of conversations, by the databases of `workspaceStorage`. */
function mapWorkspaceFolders(file: string): Map<string, string> {
  const storage = join(dirname(dirname(file)), "workspaceStorage");
  const folders = new Map<string, string>();
  for (const name of listNamesIfAny(storage)) {
    const { folder, composers } = readWorkspace(join(storage, name));
    if (folder !== null) for (const composer of composers) folders.set(composer, folder);
  }
  return folders;
}

function readWorkspace(dir: string): Workspace {
  const database = join(dir, databaseName);
  const mtimeMs = Math.max(
    ...[database, `${database}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
  const before = workspaces.get(dir);
  if (before?.mtimeMs === mtimeMs) return before;
  const now = {
    mtimeMs,
    composers: mtimeMs === 0 ? [] : listComposers(database),
    folder: readWorkspaceFolder(dir),
  };
  workspaces.set(dir, now);
  return now;
}

function readWorkspaceFolder(dir: string): string | null {
  try {
    const { folder } = asObject(JSON.parse(readFileSync(join(dir, "workspace.json"), "utf8")));
    return typeof folder === "string" && folder.startsWith("file:") ? fileURLToPath(folder) : null;
  } catch {
    // Remote, or a window without a folder.
    return null;
  }
}
