import { signal } from "@preact/signals";
import type { PageResponse } from "../../features/page/operation.ts";
import type { projectsResponse } from "../../features/projects/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { AskError, ask, toAskError } from "./ask.ts";
import { editorAddress, isInEditor } from "./editor.ts";
import { placeShown, showPlace } from "./place.ts";

/** What is known of the project from the start; null until the first answer. */
export const project = signal<PageResponse | null>(null);

/** Why there is none. */
export const projectError = signal<AskError | null>(null);

/** Those that can be shown, the last used first; none until the first answer. */
export const projects = signal<Shaped<typeof projectsResponse>["projects"]>([]);

export async function loadProject(): Promise<void> {
  try {
    if (placeShown() === null) {
      await loadProjects();
      const [last] = projects.value;
      if (!last)
        throw new AskError(
          "not_initialised",
          "Pommel has no project yet.",
          "Run `pm init` in a repository, and then `pm open`.",
        );
      showPlace(last.root);
    }
    const place = placeShown();
    const found = await ask("page", {});
    if (place !== placeShown()) return;
    project.value = found;
    projectError.value = null;
  } catch (error) {
    projectError.value = toAskError(error);
  }
}

/** Best effort: the project that is shown does not need the others. */
export async function loadProjects(): Promise<void> {
  const known = await ask("projects", {}).catch(() => null);
  if (known) projects.value = known.projects.filter(({ is_gone }) => !is_gone);
}

/** The address that opens a file of the project in the user's editor; null if none is configured and none shows the page. */
export function buildEditorLink(path: string, line = 1): string | null {
  const known = project.value;
  const address = isInEditor ? editorAddress : known?.editor;
  if (!known || !address) return null;
  const root = known.root.replaceAll("\\", "/");
  const absolute = `${root.startsWith("/") ? "" : "/"}${root}/${path}`;
  const encoded = absolute.split("/").map(encodeURIComponent).join("/");
  return address.replaceAll("{path}", () => encoded).replaceAll("{line}", String(line));
}
