import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { listStoredNotes } from "../sessions/sessions.ts";
import { changeNote, writeNote as write } from "./notes.ts";
import type { annotateRequest, annotationsRequest, editNoteRequest } from "./operation.ts";

export const listNotes = ({ memory }: Subjects["memory"], request: Shaped<typeof annotationsRequest>) =>
  listStoredNotes(memory, request);

export const writeNote = ({ project }: Subjects["project"], request: Shaped<typeof annotateRequest>) =>
  write(project, request);

export const editNote = ({ project }: Subjects["project"], request: Shaped<typeof editNoteRequest>) =>
  changeNote(project, request);
