import * as z from "zod/mini";
import { described, field } from "../../protocol/shape-parts.ts";
import { allProjects, defineTool, limit, maxTokens } from "../../tools/tool.ts";
import { codeRequest } from "./operation.ts";

const { query, place, path } = codeRequest().shape;

/** An issue or a log is read whole: its middle may hold the stack trace. */
const maxReportCharacters = 20_000;

// Models read these with every request, so they are shorter here than on the command line.
export const codeTool = defineTool({
  title: "Find and read code",
  description:
    "Find and READ code. Call it instead of grep and Read when you do not know the place, and before you change a function (calls). Shows numbered current lines: edit from them. Whole functions, call sites, tests.",
  input: z.strictObject({
    query: described(
      "what it does, a name, an error, a report; if all is quoted: exact text",
      query.check(z.meta({ cutAt: maxReportCharacters })),
    ),
    place: described("FILE:LINES: exactly these lines; FILE: its outline", place),
    calls: field("every place that calls or uses the first result", z.boolean()),
    path: described("only these paths or globs", path),
    all_projects: allProjects,
    limit: limit(50),
    max_tokens: maxTokens(900),
  }),
  load: async () => (await import("./tool-answer.ts")).answerCode,
});
