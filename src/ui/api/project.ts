import { signal } from "@preact/signals";
import type { PageResponse } from "../../protocol/operations/daemon.ts";
import { AskError, ask } from "./ask.ts";

/** What is known of the project from the start; null until the first answer. */
export const project = signal<PageResponse | null>(null);

/** Why there is none. */
export const projectError = signal<AskError | null>(null);

export async function loadProject(): Promise<void> {
  try {
    project.value = await ask("page", {});
    projectError.value = null;
  } catch (error) {
    projectError.value =
      error instanceof AskError ? error : new AskError("internal", String(error), "Reload the page.");
  }
}

/** The address that opens a file of the project in the user's editor; null if none is configured. */
export function editorLink(path: string, line = 1): string | null {
  const known = project.value;
  if (!known?.editor) return null;
  const root = known.root.replaceAll("\\", "/");
  const absolute = `${root.startsWith("/") ? "" : "/"}${root}/${path}`;
  const encoded = absolute.split("/").map(encodeURIComponent).join("/");
  return known.editor.replaceAll("{path}", () => encoded).replaceAll("{line}", String(line));
}
