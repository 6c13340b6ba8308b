import { PommelError } from "../../project/errors.ts";
import { RequestFailed } from "../http/request.ts";

/**
 * Whether a model's failure lies in what it was asked: it answers other requests. False where it is away, refuses the key,
 * or its budget is used up.
 */
export function isUnanswerable(error: unknown): boolean {
  const cause = error instanceof PommelError ? error.cause : null;
  if (!(cause instanceof RequestFailed)) return false;
  const { kind, status } = cause;
  return kind === "nonsense" || kind === "timeout" || [400, 413, 422].includes(status);
}
