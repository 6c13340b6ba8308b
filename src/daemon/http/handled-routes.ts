import type { RouteName } from "../../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../../protocol/routes.ts";

/** The daemon behind the routes. */
export type Handlers = {
  [R in RouteName]: (
    request: RequestOf<R>,
    signal?: AbortSignal,
    /** The directory that a request to the daemon itself may name as well. */
    place?: string | null,
  ) => ResponseOf<R> | Promise<ResponseOf<R>>;
};

/** Asked of the daemon itself: about no project, or about all of them. */
const daemonRoutes = [
  ...(["daemon", "spool", "pageCode", "command", "log", "shutdown"] as const),
  "reloadSettings",
  ...(["searchEverywhere", "sessionsEverywhere", "eventsEverywhere", "digestEverywhere"] as const),
  ...(["locateSession", "projects"] as const),
] as const;
export type DaemonRoute = (typeof daemonRoutes)[number] & RouteName;

export const isDaemonRoute = (route: RouteName): route is DaemonRoute =>
  (daemonRoutes as readonly RouteName[]).includes(route);

/** Asked of a checkout. */
export type CheckoutRoute = Exclude<RouteName, DaemonRoute>;
