import * as z from "zod/mini";
import { described, field, outside } from "../../protocol/shape-parts.ts";
import { defineTool } from "../../tools/tool.ts";
import { writeNoteRequest } from "./operation.ts";

export const noteTool = defineTool({
  title: "Remember a note",
  description:
    "Remember something for later sessions. Call it when the user says to, or settles a question for good.",
  input: z.strictObject({
    text: writeNoteRequest().shape.note,
    at: described("the lines it is about: FILE:LINES", writeNoteRequest().shape.at),
    replaces: field("id of the note that it replaces", outside("uid")),
  }),
  isReading: false,
  load: async () => (await import("./tool-answer.ts")).note,
});
