import { codeOf, isErrorCode, messageOf, PommelError } from "./errors.ts";

/** An error on its way from one thread to another. */
export interface ThrownError {
  code: string;
  message: string;
  hint: string;
}

export const thrown = (error: unknown): ThrownError => ({
  code: codeOf(error),
  message: messageOf(error),
  hint: error instanceof PommelError ? error.hint : "",
});

export const asError = ({ code, message, hint }: ThrownError): Error =>
  isErrorCode(code) ? new PommelError(code, message, hint) : Object.assign(new Error(message), { code });
