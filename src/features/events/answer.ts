import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import {
  addEvent,
  changeLinks,
  closeEvent as close,
  listEvents as list,
  showEvent as show,
} from "./events.ts";
import type {
  closeEventRequest,
  createEventRequest,
  eventRequest,
  eventsEverywhereRequest,
  eventsRequest,
  linkEventRequest,
} from "./operation.ts";

export const listEvents = ({ memory }: Subjects["memory"], request: Shaped<typeof eventsRequest>) =>
  list(memory, request);

export const showEvent = ({ project }: Subjects["project"], request: Shaped<typeof eventRequest>) =>
  show(project, request.event);

export const createEvent = ({ project }: Subjects["project"], request: Shaped<typeof createEventRequest>) =>
  addEvent(project, request);

export const linkEvent = ({ project }: Subjects["project"], request: Shaped<typeof linkEventRequest>) =>
  changeLinks(project, request);

export const closeEvent = ({ project }: Subjects["project"], request: Shaped<typeof closeEventRequest>) =>
  close(project, request.event, request.status);

export const listEventsEverywhere = async (_: object, request: Shaped<typeof eventsEverywhereRequest>) =>
  (await import("./everywhere.ts")).listEventsEverywhere(request);
