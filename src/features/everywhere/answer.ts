import type { Shaped } from "../../protocol/shape-parts.ts";
import * as all from "./everywhere.ts";
import type {
  digestEverywhereRequest,
  eventsEverywhereRequest,
  locateSessionRequest,
  searchEverywhereRequest,
  sessionsEverywhereRequest,
} from "./operation.ts";

export const searchEverywhere = (_: object, request: Shaped<typeof searchEverywhereRequest>) =>
  all.searchEverywhere(request);

export const sessionsEverywhere = (_: object, request: Shaped<typeof sessionsEverywhereRequest>) =>
  all.sessionsEverywhere(request);

export const eventsEverywhere = (_: object, request: Shaped<typeof eventsEverywhereRequest>) =>
  all.eventsEverywhere(request);

export const digestEverywhere = (_: object, request: Shaped<typeof digestEverywhereRequest>) =>
  all.digestEverywhere(request);

export const locateSession = (_: object, request: Shaped<typeof locateSessionRequest>) =>
  all.locateSession(request);
