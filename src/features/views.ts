import type { ComponentType } from "preact";
import type { IconName } from "../page/components/icon.tsx";
import type { ViewProps } from "../page/router.ts";
import Home from "./page/view/home.tsx";

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
    load: () => import("./search/view/search.tsx"),
  },
  {
    title: "Sessions",
    path: "/sessions",
    nav: { icon: "session", key: "e" },
    load: () => import("./sessions/view/sessions.tsx"),
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
    title: "Timeline",
    path: "/timeline",
    nav: { icon: "timeline", key: "t" },
    load: () => import("./checkpoints/view/timeline.tsx"),
  },
  {
    title: "Digest",
    path: "/digest",
    nav: { icon: "note", key: "d" },
    load: () => import("./digest/view/digest.tsx"),
  },
  {
    title: "Commands",
    path: "/commands",
    nav: { icon: "terminal", key: "x" },
    load: () => import("./how/view/commands.tsx"),
  },
  {
    title: "Insights",
    path: "/insights",
    nav: { icon: "insights", key: "i" },
    load: () => import("./stats/view/insights.tsx"),
  },
  {
    title: "Memory",
    path: "/memory/",
    nav: { icon: "memory", key: "m" },
    load: () => import("./page/view/memory/memory.tsx"),
  },
  {
    title: "Settings",
    path: "/settings/",
    nav: { icon: "settings", key: "," },
    load: () => import("./settings/view/settings.tsx"),
  },
  {
    title: "Everything",
    path: "/everything",
    nav: null,
    load: () => import("./search/view/everything.tsx"),
  },
  {
    title: "Session",
    path: "/session/",
    nav: null,
    load: () => import("./sessions/view/session.tsx"),
  },
  {
    title: "Commit",
    path: "/commit/",
    nav: null,
    load: () => import("./review/view/review.tsx"),
  },
];
