import { gitBuffer, plain } from "../../../git/git.ts";
import type { BlameAnswer, BlameRange } from "../../../protocol/operations/blame.ts";
import { oneLine } from "../../terminal/text.ts";

/**
 * What `git blame --line-porcelain` or `--porcelain` writes, byte for byte, with headers of our own before each line's
 * text: programs that read git's format skip headers that they do not know.
 * @param places lines as git's -L takes them; none: all
 * @throws GitFailure
 */
export async function asPorcelain(
  root: string,
  { file, revision, ranges }: BlameAnswer,
  { format, places }: { format: "--porcelain" | "--line-porcelain"; places: readonly string[] },
): Promise<Buffer> {
  const args = [
    ...[...plain, "blame", format, ...places.map((place) => `-L${place}`)],
    // No option: the answer is of a revision that git knew. `git blame` of 2.39 knows no --end-of-options.
    ...(revision === null ? [] : [revision]),
    ...["--", file],
  ];
  // The text may have any encoding; nothing but its line breaks matters here.
  const lines = (await gitBuffer(root, args)).toString("latin1").split("\n");
  let number = 0;
  let at = 0;
  const written = lines.flatMap((line) => {
    const [, final] = /^[0-9a-f]{40,64} \d+ (\d+)/.exec(line) ?? [];
    if (final !== undefined) number = Number(final);
    if (!line.startsWith("\t")) return [line];
    while (at < ranges.length - 1 && number > ranges[at]!.last_line) at++;
    const range = ranges[at];
    const isOfLine = range !== undefined && number >= range.first_line && number <= range.last_line;
    return [...(isOfLine ? headersOf(range) : []), line];
  });
  return Buffer.from(written.join("\n"), "latin1");
}

function headersOf({ author, agent, model, session_id, turn, confidence, basis }: BlameRange): string[] {
  const said = {
    ...{ author, agent, model, session: session_id, turn, basis },
    confidence: author === "agent" || author === "human" ? confidence.toFixed(2) : null,
  };
  return Object.entries(said).flatMap(([name, value]) =>
    value === null ? [] : [Buffer.from(`pommel-${name} ${oneLine(String(value))}`).toString("latin1")],
  );
}
