import { AsyncLocalStorage } from "node:async_hooks";
import { agentChannels, type Channel, getChannel } from "../protocol/channel.ts";

/** The question that is being answered. */
interface CurrentQuestion {
  channel: Channel;
  /** Whether the question is recorded already, so that questions which it asks in turn are not recorded again. */
  isRecorded: boolean;
}

const asked = new AsyncLocalStorage<CurrentQuestion>();

/** Answers a question that comes through this channel. Other questions come through the channel of the process. */
export function answerThroughChannel<T>(channel: Channel, answer: () => Promise<T>): Promise<T> {
  return asked.run({ channel, isRecorded: false }, answer);
}

/** The channel of the question that is being answered, and whether it is part of one that is recorded. */
export const getRequestContext = (): CurrentQuestion =>
  asked.getStore() ?? { channel: getChannel(), isRecorded: false };

/** Answers a question, whose parts are recorded with it. */
export const answerAsRecorded = <T>(channel: Channel, answer: () => Promise<T>): Promise<T> =>
  asked.run({ channel, isRecorded: true }, answer);

/** Whether an agent gets the answer. */
export const isForAgent = (): boolean => agentChannels.includes(getRequestContext().channel);
