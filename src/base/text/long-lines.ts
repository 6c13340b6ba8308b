/** Longer lines are data or generated: what is indexed of them. Characters. */
const maxLine = 4000;
/** Of a run without blanks or punctuation in such a line: an encoded image, a hash. */
const maxRun = 200;
const keptOfRun = 80;

/** Tried at the beginning of lines only: at each character, the time would be the square of a line. */
const longLine = new RegExp(`^[^\\n]{${maxLine + 1},}`, "gm");
const longRun = new RegExp(`[^\\s"'\`,;(){}[\\]<>]{${maxRun},}`, "g");

/** A text whose long lines are shortened, each by itself: no line hides its neighbours. */
export function shortenLines(text: string): string {
  if (text.length <= maxLine) return text;
  return text.replace(longLine, (line) => shortenRuns(line).slice(0, maxLine));
}

/** A line whose data is shortened: what stands around it is kept. */
export function shortenRuns(line: string): string {
  return line.replace(longRun, (run) => run.slice(0, keptOfRun));
}
