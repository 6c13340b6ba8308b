import type { ComponentType } from "preact";
import type { IconName } from "./components/icon.tsx";
import type { ViewProps } from "./router.ts";
import Home from "./views/home/home.tsx";

export interface View {
  title: string;
  /** One that ends with a slash takes a rest: `/session/` is `/session/ID`. */
  path: string;
  /** In the navigation, with the key that goes there after `g`; null: reached by links only. */
  nav: { icon: IconName; key: string } | null;
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
}

/** Every view of the page, in the order of the navigation. Adding one is adding a line. */
export const views: readonly View[] = [
  { title: "Home", path: "/", nav: { icon: "home", key: "h" }, load: async () => ({ default: Home }) },
  {
    title: "Search",
    path: "/search",
    nav: { icon: "search", key: "s" },
    load: () => import("./views/search/search.tsx"),
  },
  {
    title: "Sessions",
    path: "/sessions",
    nav: { icon: "session", key: "e" },
    load: () => import("./views/sessions/sessions.tsx"),
  },
  {
    title: "Code",
    path: "/file/",
    nav: { icon: "code", key: "c" },
    load: () => import("./views/file/file.tsx"),
  },
  {
    title: "Review",
    path: "/review/",
    nav: { icon: "commit", key: "r" },
    load: () => import("./views/review/review.tsx"),
  },
  {
    title: "Timeline",
    path: "/timeline",
    nav: { icon: "timeline", key: "t" },
    load: () => import("./views/timeline/timeline.tsx"),
  },
  {
    title: "Digest",
    path: "/digest",
    nav: { icon: "note", key: "d" },
    load: () => import("./views/digest/digest.tsx"),
  },
  {
    title: "Commands",
    path: "/commands",
    nav: { icon: "terminal", key: "x" },
    load: () => import("./views/commands/commands.tsx"),
  },
  {
    title: "Insights",
    path: "/insights",
    nav: { icon: "insights", key: "i" },
    load: () => import("./views/insights/insights.tsx"),
  },
  {
    title: "Memory",
    path: "/memory/",
    nav: { icon: "memory", key: "m" },
    load: () => import("./views/memory/memory.tsx"),
  },
  {
    title: "Settings",
    path: "/settings/",
    nav: { icon: "settings", key: "," },
    load: () => import("./views/settings/settings.tsx"),
  },
  {
    title: "Everything",
    path: "/everything",
    nav: null,
    load: () => import("./views/everything/everything.tsx"),
  },
  {
    title: "Session",
    path: "/session/",
    nav: null,
    load: () => import("./views/session/session.tsx"),
  },
  {
    title: "Commit",
    path: "/commit/",
    nav: null,
    load: () => import("./views/review/review.tsx"),
  },
];

/** The view at a path, or null. */
export function viewAt(path: string): View | null {
  return (
    views.find((view) => view.path === path) ??
    views.find((view) => view.path !== "/" && view.path.endsWith("/") && path.startsWith(view.path)) ??
    null
  );
}

/** Views that are loaded, by their path. */
const loaded = new Map<string, ComponentType<ViewProps>>();

export const loadedView = (view: View): ComponentType<ViewProps> | undefined => loaded.get(view.path);

/** @throws where the daemon has its code no more */
export async function loadView(view: View): Promise<void> {
  if (!loaded.has(view.path)) loaded.set(view.path, (await view.load()).default);
}

/** Loads those of the navigation while there is nothing else to do, so that going there only asks. */
export function loadOthers(): void {
  const [next] = views.filter((view) => view.nav !== null && !loaded.has(view.path));
  if (next === undefined) return;
  // Safari has no such callback.
  const whenIdle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 500));
  whenIdle(() => void loadView(next).then(loadOthers, () => {}));
}
