import * as z from "zod/mini";
import { count, lazy, type Shaped, textOrNull } from "./shape-parts.ts";

/** Whether the next use starts a daemon. */
export const autostartStatus = lazy(() =>
  z.object({
    /**
     * `ready`: the next use starts it. `off`: disabled by the configuration. `ci`: never in CI. `stopped`: by `pm daemon stop`. `starting`: now. `failed`: see `error`; the next attempt is at
     * `retry_at`.
     */
    state: z.enum(["ready", "off", "ci", "stopped", "starting", "failed"]),
    /** How many starts failed in a row. A daemon that ended soon after its start counts as failed. */
    failed_starts: count,
    /** What kept the daemon from starting; null if it started and soon ended. */
    error: textOrNull,
    /** ISO 8601. */
    retry_at: textOrNull,
  }),
);

export type AutostartStatus = Shaped<typeof autostartStatus>;
