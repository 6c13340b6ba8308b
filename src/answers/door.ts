import { AsyncLocalStorage } from "node:async_hooks";
import { agentDoors, type Door, getDoor } from "../protocol/door.ts";

/** The question that is being answered. */
interface Asked {
  door: Door;
  /** Whether the question is recorded already, so that questions which it asks in turn are not recorded again. */
  isRecorded: boolean;
}

const asked = new AsyncLocalStorage<Asked>();

/** Answers a question that comes through this door. Other questions come through the door of the process. */
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
