/** Scrubs a text; `name` is what it is the value of. */
export type ScrubText = (text: string, name?: string) => string;

/**
 * The value with every string in it scrubbed, at any depth; keys stay. What is called by a telling name is known by it:
 * `{ password: "hunter22" }`, `{ name: "API_TOKEN", value: "..." }`, `["--password", "hunter22"]`. Parts in which
 * nothing was found are the same objects as before.
 */
export function scrubValue<T>(value: T, scrub: ScrubText): T {
  return scrubPart(value, scrub, undefined) as T;
}

function scrubPart(value: unknown, scrub: ScrubText, name: string | undefined): unknown {
  if (typeof value === "string") return scrub(value, name);
  if (Array.isArray(value)) return scrubList(value, scrub, name);
  if (typeof value === "object" && value !== null)
    return scrubObject(value as Record<string, unknown>, scrub);
  return value;
}

function scrubList(list: readonly unknown[], scrub: ScrubText, name: string | undefined): unknown {
  const scrubbed = list.map((item, index) => {
    const before = list[index - 1];
    const flag = typeof before === "string" && /^--?[A-Za-z]/.test(before) ? before : undefined;
    return scrubPart(item, scrub, flag ?? name);
  });
  return scrubbed.some((item, index) => item !== list[index]) ? scrubbed : list;
}

function scrubObject(object: Record<string, unknown>, scrub: ScrubText): unknown {
  const label = [object.name, object.key, object.Name, object.Key].find((item) => typeof item === "string");
  const entries = Object.entries(object);
  const scrubbed = entries.map(([key, item]): [string, unknown] => {
    const name = typeof label === "string" && /^value$/i.test(key) ? label : key;
    return [key, scrubPart(item, scrub, name)];
  });
  if (scrubbed.every(([, item], index) => item === entries[index]![1])) return object;
  // A key like "__proto__" has to stay a key.
  return Object.fromEntries(scrubbed);
}
