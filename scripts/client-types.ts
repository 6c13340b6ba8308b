/**
 * Writes dist/client.d.ts, the types of `pommel/client`, from the shapes of the daemon's contract: plain types, so that
 * whoever uses them needs none of our packages.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toJsonSchema } from "../src/daemon/http/openapi.ts";
import { publicOperations } from "../src/features/index.ts";
import { typeOf } from "./typescript-type.ts";

const file = fileURLToPath(new URL("../dist/client.d.ts", import.meta.url));

const methods = publicOperations.map(({ name, summary, request, response }) => {
  const asked = toJsonSchema(request(), "input");
  const optional = (asked.required ?? []).length === 0 ? "?" : "";
  return [
    `  /** ${summary}. */`,
    `  ${name}(request${optional}: ${typeOf(asked, "  ")}): Promise<${typeOf(toJsonSchema(response(), "output"), "  ")}>;`,
  ].join("\n");
});

writeFileSync(
  file,
  `/** What programs ask about a project. Made from the daemon's contract: docs/http.md. */
export interface Pommel {
  /** The project's root. */
  root: string;
${methods.join("\n")}
}

/**
 * Asks the daemon, which is started when it is first needed, or answers in this process where none may run.
 * @param options.project a directory in the project; default: the working directory
 * @throws PommelError \`not_initialised\` in a home directory
 */
export function connect(options?: { project?: string }): Promise<Pommel>;

/** What every method throws when it is refused: a stable code, what happened, and what to do. */
export class PommelError extends Error {
  readonly code: string;
  readonly hint: string;
}
`,
);
