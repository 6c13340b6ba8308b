/** For tests: what a fake server writes. */
export type Answering = (asked: { system: string; prompt: string; json: boolean }) => string;

/** Says what it was asked. */
export const echo: Answering = ({ system, prompt, json }) =>
  json ? JSON.stringify({ system, prompt }) : `You said: ${prompt}`;
