/**
 * Every route of the daemon. `GET /search/code` takes the POST's fields as query parameters. The shapes of what
 * they take and give are in protocol.ts, apart, so that a client can ask before it has loaded them.
 */
export const endpoints = {
  search: { method: "POST", path: "/search/code" },
  index: { method: "POST", path: "/index/code" },
  status: { method: "GET", path: "/status" },
  queue: { method: "GET", path: "/queue" },
  shutdown: { method: "POST", path: "/shutdown" },
} as const;

export type RouteName = keyof typeof endpoints;
