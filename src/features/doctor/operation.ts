import * as z from "zod/mini";
import { nothing, operation } from "../../answers/operation.ts";
import { lazy, text } from "../../protocol/shape-parts.ts";

export const doctorResponse = lazy(() =>
  z.object({
    /** Whether no check failed. */
    ok: z.boolean(),
    checks: z.array(
      z.object({
        name: text,
        status: z.enum(["ok", "warn", "fail"]),
        message: text,
        /** What to do; "" if all is well. */
        hint: text,
      }),
    ),
  }),
);

export const diagnose = operation({
  name: "doctor",
  path: "GET /doctor",
  summary: "Check this machine and project, with a fix for each problem",
  of: "project",
  audited: false,
  looks: true,
  request: nothing,
  response: doctorResponse,
  answer: async () => (await import("./answer.ts")).diagnose,
});
