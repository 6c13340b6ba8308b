import type { ComponentType } from "preact";
import type { IconName } from "../page/components/icon.tsx";
import type { ViewProps } from "../page/router.ts";
import Now from "./now/view/now.tsx";

export interface PageView {
  title: string;
  /** One that ends with a slash takes a rest: `/session/` is `/session/ID`. */
  path: string;
  /** A place of the navigation, with the key that goes there after `g`; left out: reached from one. Of small ones each project has its own. */
  nav?: { icon: IconName; key: string; isSmall?: true };
  /** The path of the place that it belongs to. */
  of?: string;
  /** What it is called among the tabs of its place. */
  tab?: string;
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
}

/** Every view of the page, in the order of the navigation and of tabs. Adding one is adding an entry. */
export const views: readonly PageView[] = [
  { title: "Now", path: "/", nav: { icon: "home", key: "n" }, load: async () => ({ default: Now }) },
  {
    title: "Sessions",
    path: "/sessions",
    nav: { icon: "session", key: "s" },
    tab: "All",
    load: () => import("./sessions/view/sessions.tsx"),
  },
  {
    title: "Digest",
    path: "/digest",
    of: "/sessions",
    tab: "Digest",
    load: () => import("./digest/view/digest.tsx"),
  },
  {
    title: "Dead ends",
    path: "/dead-ends",
    of: "/sessions",
    tab: "Dead ends",
    load: () => import("./dead-ends/view/dead-ends.tsx"),
  },
  {
    title: "Insights",
    path: "/insights",
    of: "/sessions",
    tab: "Insights",
    load: () => import("./stats/view/insights.tsx"),
  },
  {
    title: "Code",
    path: "/file/",
    nav: { icon: "code", key: "c" },
    load: () => import("./blame/view/file.tsx"),
  },
  {
    title: "Review",
    path: "/review/",
    nav: { icon: "commit", key: "r" },
    load: () => import("./review/view/review.tsx"),
  },
  {
    title: "Ask",
    path: "/search",
    nav: { icon: "search", key: "a" },
    load: () => import("./search/view/search.tsx"),
  },
  {
    title: "Settings",
    path: "/settings/",
    nav: { icon: "settings", key: ",", isSmall: true },
    load: () => import("./settings/view/settings.tsx"),
  },
  {
    title: "Memory",
    path: "/memory/",
    nav: { icon: "memory", key: "m", isSmall: true },
    load: () => import("./page/view/memory/memory.tsx"),
  },
  {
    title: "Session",
    path: "/session/",
    of: "/sessions",
    load: () => import("./sessions/view/session.tsx"),
  },
  {
    title: "Compare",
    path: "/compare/",
    of: "/sessions",
    load: () => import("./sessions/view/compare.tsx"),
  },
  {
    title: "Commit",
    path: "/commit/",
    of: "/review/",
    load: () => import("./review/view/review.tsx"),
  },
];

/** Where what had an address of its own is now. */
export const movedTo: Readonly<Record<string, string>> = {
  "/timeline": "/sessions",
  "/commands": "/search",
  "/everything": "/search",
};
