import * as z from "zod/mini";
import { described, field } from "../../protocol/shape-parts.ts";
import { allProjects, defineTool, limit, project } from "../../tools/tool.ts";
import { recallRequest } from "./operation.ts";

const { about, id, said_by, kind, file, since } = recallRequest().shape;

export const recallTool = defineTool({
  title: "Recall the project's past",
  description:
    "What this project's past says: asked, tried, decided, fixed, run before? Call it when the user refers to earlier work (again, still, already, as we, last time, continue), before you choose an approach, when you do not know how something is run, and when a command fails. No arguments: where work stopped.",
  input: z.strictObject({
    about: described("the topic, what to run, or the error as printed", about),
    id: described("SESSION or SESSION:TURN of an answer: read it", id),
    said_by: described("user: only the user's own words", said_by),
    kind: described("only these", kind),
    files: described("only about these paths or globs", file),
    since: described('"2026-01-31", "last week"', since),
    project,
    all_projects: allProjects,
    limit: limit(50),
    max_tokens: field("300; a turn: 1000", z.int().check(z.minimum(200), z.maximum(20_000))),
  }),
  findSession: (args) => (args as { id?: string }).id?.replace(/:\d+$/, "") ?? null,
  instead: { "`pm session list`": "recall without arguments", "`pm checkpoint list`": "recall" },
  load: async () => (await import("./tool-answer.ts")).recallPast,
});
