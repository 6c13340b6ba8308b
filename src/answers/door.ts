import { AsyncLocalStorage } from "node:async_hooks";
import { agentDoors, type Door, getDoor } from "../protocol/door.ts";

/** The question that is being answered. */
interface Asked {
  door: Door;
  /** Whether what it asks in turn belongs to it, and is recorded with it. */
  isRecorded: boolean;
}

const asked = new AsyncLocalStorage<Asked>();

/** Answers what comes in through a door; by default that of the process. */
export function answerThroughDoor<T>(door: Door, answer: () => Promise<T>): Promise<T> {
  return asked.run({ door, isRecorded: false }, answer);
}

/** The door of the question that is being answered, and whether it is part of one that is recorded. */
export const getRequestContext = (): Asked => asked.getStore() ?? { door: getDoor(), isRecorded: false };

/** Answers a question, whose parts are recorded with it. */
export const answerAsRecorded = <T>(door: Door, answer: () => Promise<T>): Promise<T> =>
  asked.run({ door, isRecorded: true }, answer);

/** Whether an agent gets the answer. */
export const isForAgent = (): boolean => agentDoors.includes(getRequestContext().door);
