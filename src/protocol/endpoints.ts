/**
 * The method and path of each operation. The searches accept the POST's fields as query parameters of a GET as well.
 * Requests and responses are in routes.ts, which a client can load after sending its request.
 */
export const endpoints = {
  search: { method: "POST", path: "/search/code" },
  searchTranscripts: { method: "POST", path: "/search/transcripts" },
  searchHistory: { method: "POST", path: "/search/history" },
  searchAll: { method: "POST", path: "/search/all" },
  searchEverywhere: { method: "POST", path: "/everywhere/search" },
  sessionsEverywhere: { method: "GET", path: "/everywhere/sessions" },
  eventsEverywhere: { method: "GET", path: "/everywhere/events" },
  digestEverywhere: { method: "GET", path: "/everywhere/digest" },
  locateSession: { method: "GET", path: "/everywhere/session" },
  chunk: { method: "GET", path: "/chunks/:id" },
  index: { method: "POST", path: "/index/code" },
  indexTranscript: { method: "POST", path: "/index/transcript" },
  annotate: { method: "POST", path: "/index/transcript/annotate" },
  sessionStart: { method: "POST", path: "/session/start" },
  sessions: { method: "GET", path: "/sessions" },
  session: { method: "GET", path: "/sessions/:id" },
  handoff: { method: "GET", path: "/handoff/:id" },
  turns: { method: "GET", path: "/turns" },
  digest: { method: "GET", path: "/digest" },
  annotations: { method: "GET", path: "/annotations" },
  editNote: { method: "POST", path: "/annotations/edit" },
  decisions: { method: "GET", path: "/decisions" },
  related: { method: "GET", path: "/related" },
  why: { method: "GET", path: "/why" },
  blame: { method: "GET", path: "/blame" },
  how: { method: "GET", path: "/how" },
  fix: { method: "POST", path: "/fix" },
  lostText: { method: "GET", path: "/lost-text" },
  stats: { method: "GET", path: "/stats" },
  checkpoints: { method: "GET", path: "/checkpoints" },
  checkpoint: { method: "GET", path: "/checkpoints/:id" },
  compare: { method: "GET", path: "/compare" },
  directory: { method: "GET", path: "/directory" },
  files: { method: "GET", path: "/files" },
  review: { method: "GET", path: "/review" },
  rewindPreview: { method: "GET", path: "/rewind" },
  events: { method: "GET", path: "/events" },
  event: { method: "GET", path: "/events/:event" },
  createEvent: { method: "POST", path: "/event/create" },
  linkEvent: { method: "POST", path: "/event/link" },
  closeEvent: { method: "POST", path: "/event/close" },
  injections: { method: "GET", path: "/injections" },
  page: { method: "GET", path: "/page" },
  statusline: { method: "POST", path: "/statusline" },
  questions: { method: "GET", path: "/questions" },
  pageCode: { method: "POST", path: "/page/code" },
  browsers: { method: "GET", path: "/page/browsers" },
  signOut: { method: "POST", path: "/page/sign-out" },
  packages: { method: "GET", path: "/packages" },
  impact: { method: "GET", path: "/impact" },
  context: { method: "POST", path: "/context" },
  status: { method: "GET", path: "/status" },
  state: { method: "GET", path: "/state" },
  queue: { method: "GET", path: "/queue" },
  retry: { method: "POST", path: "/queue/retry" },
  redactions: { method: "GET", path: "/redactions" },
  forget: { method: "POST", path: "/forget" },
  scrub: { method: "POST", path: "/scrub" },
  command: { method: "POST", path: "/command" },
  spool: { method: "POST", path: "/spool" },
  doctor: { method: "GET", path: "/doctor" },
  log: { method: "GET", path: "/log" },
  settings: { method: "GET", path: "/settings" },
  changeSetting: { method: "POST", path: "/settings/change" },
  reloadSettings: { method: "POST", path: "/settings/reload" },
  daemon: { method: "GET", path: "/daemon" },
  projects: { method: "GET", path: "/projects" },
  shutdown: { method: "POST", path: "/shutdown" },
} as const;

/** Where the page's first script exchanges a one-time code for its token: the one request that needs none. */
export const signInPath = "/page/session";

/** Server-sent events: the answer of `state` whenever it changes. */
export const livePath = "/live";

export type RouteName = keyof typeof endpoints;

/** The URL, with its query, of a `request` to a route; a POST has its parameters in the body. */
export function urlOf({ method, path }: { method: string; path: string }, request: object): string {
  const left = new Map(Object.entries(request).filter(([, value]) => value !== undefined));
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(left.get(name) ?? "");
    left.delete(name);
    return encodeURIComponent(value);
  });
  if (method !== "GET") return filled;
  const query = new URLSearchParams();
  for (const [name, value] of left) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}
