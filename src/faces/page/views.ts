import type { ComponentType } from "preact";
import { type PageView, views } from "../../features/views.ts";
import type { ViewProps } from "../../page/router.ts";

/** The view at a path, or null. */
export function findView(path: string): PageView | null {
  return (
    views.find((view) => view.path === path) ??
    views.find((view) => view.path !== "/" && view.path.endsWith("/") && path.startsWith(view.path)) ??
    null
  );
}

/** Views that are loaded, by their path. */
const loaded = new Map<string, ComponentType<ViewProps>>();

export const getLoadedView = (view: PageView): ComponentType<ViewProps> | undefined => loaded.get(view.path);

/** @throws where the daemon has its code no more */
export async function loadView(view: PageView): Promise<void> {
  if (!loaded.has(view.path)) loaded.set(view.path, (await view.load()).default);
}

/** Loads all others, and what Ctrl-K opens, while there is nothing else to do, so that going there only asks. */
export function loadOthers(): void {
  const [next] = views.filter((view) => !loaded.has(view.path));
  if (next === undefined) {
    void import("./shell/palette.tsx").catch(() => {});
    return;
  }
  // Safari has no such callback.
  const whenIdle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 500));
  whenIdle(() => void loadView(next).then(loadOthers, () => {}));
}
