/** A fence and what is between it and the next one, in Markdown. */
const fenced = /^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/gm;

/** The lines of each code block of a reply: what a person may paste. Of a block with a patch those that it puts in. */
export function listCodeBlocks(reply: string): string[][] {
  if (!reply.includes("```") && !reply.includes("~~~")) return [];
  return [...reply.matchAll(fenced)].map(([, , language, text = ""]) => {
    const lines = text.replace(/\n$/, "").split("\n");
    if (language !== "diff" && language !== "patch") return lines;
    return lines.flatMap((line) => (/^\+(?!\+\+ )/.test(line) ? [line.slice(1)] : []));
  });
}
