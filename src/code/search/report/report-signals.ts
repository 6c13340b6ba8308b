/** What speaks for a file as the answer to a report. Each is 0 to 1, but for names, which add up slowly. The keys are those of JSON. */
export const reportSignals = [
  // Its best chunk and all of it have words of the title or of the whole, or are near in meaning to the title or to what is told
  "title_words",
  "title_meaning",
  "title_file_meaning",
  "told_meaning",
  "told_file_meaning",
  "words",
  "file_words",
  // Words in its path
  "file_name_title",
  "file_name_told",
  "directories_title",
  // It defines names that are told, quoted, or called in a stack trace
  "names_told",
  "names_quoted",
  "names_called",
  // It is named: by its path, as a module, by a stack trace and how near to where that ends
  "path",
  "module",
  "frame",
  "innermost_frame",
  // It has the text of an error, around what the program fills in
  "message",
  // An earlier commit with such a title changed it
  "history",
  // What kind of file it is, and whether the title asks for that kind
  "test",
  "example",
  "changelog",
  "docs",
  "legacy",
  "generated",
  "built",
  "barrel",
  "types",
  "no_code",
  "kind_asked",
] as const;
export type ReportSignal = (typeof reportSignals)[number];
export type FileEvidence = Record<ReportSignal, number>;
/** What a signal counts: the logarithm of the odds that it adds. */
export type SignalWeights = Readonly<Record<ReportSignal, number>>;
