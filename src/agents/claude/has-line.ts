import { readLines } from "../reading/read-lines.ts";

/** Whether a line with this uuid stands before `end` in a transcript. */
export async function hasLine(
  file: string,
  uuid: string,
  end: number,
  signal?: AbortSignal,
): Promise<boolean> {
  if (end === 0 || !/^[\w-]{1,64}$/.test(uuid)) return false;
  const wanted = `"uuid":"${uuid}"`;
  for await (const { lines } of readLines(file, null, { end, signal })) {
    if (lines.some(({ bytes }) => bytes.includes(wanted))) return true;
  }
  return false;
}
