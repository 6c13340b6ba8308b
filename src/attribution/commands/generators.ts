/** What code generators, snapshot tests and scaffolds write: files that their command lines do not name. */

interface Generator {
  command: RegExp;
  /** The names of what it writes, beside those that all generators use. */
  files: RegExp | null;
  /** It writes files of such names alone, new files of any name, or changes others as well. */
  writes: "such" | "new" | "any";
}

/** Directories and names that say of a file that no person wrote it. */
const generated =
  /(?:^|\/)(?:gen|autogen|_?_?generated(?:__)?)\/|[._-](?:gen|generated|autogen)\.[^/]*$|(?:^|\/)zz_generated/;

const generators: readonly Generator[] = [
  {
    command: /\b(?:protoc|buf\s+generate)\b/,
    files: /(?:[._](?:pb2?|grpc|pbobjc|twirp|connect))(?:_grpc)?\.[^/]*$/,
    writes: "such",
  },
  {
    command:
      /\bcargo\s+insta\b|\b(?:vitest|jest|ava|tap|test)\b[^;&|]*\s(?:-u|--update\S*|--snapshot-update)(?![\w-])/,
    files: /(?:^|\/)(?:__snapshots__|snapshots|[^/]+-snapshots)\/|\.snap(?:shot)?(?:\.[^/]*)?$/,
    writes: "such",
  },
  {
    command: /\b(?:prisma\s+migrate|makemigrations|alembic)\b/,
    files: /(?:^|\/)(?:migrations?|versions)\//,
    writes: "such",
  },
  { command: /\bgraphql-codegen\b/, files: /(?:^|\/)gql\//, writes: "new" },
  {
    command: /\b(?:go\s+generate|sqlc|mockgen|stringer)\b/,
    files: /(?:_string|_mock|_enumer|wire_gen)\.go$|(?:^|\/)mocks?(?:\/|_[^/]*$)/,
    writes: "new",
  },
  {
    command: /\b(?:codegen|openapi-\S+|swagger-\S+|prisma\s+generate)\b/i,
    files: null,
    writes: "new",
  },
  {
    command: /\b(?:scaffold|hygen|plop|cookiecutter|(?:rails|ng|nx)\s+g(?:enerate)?)\b/i,
    files: null,
    writes: "any",
  },
  {
    // A target or script of that name.
    command:
      /^(?:make|just|task|mise|rake|npm|pnpm|yarn|bun|nx|turbo|gradle|\.\/gradlew)\s[^;&|]*\b(?:gen|generate)\b/,
    files: null,
    writes: "new",
  },
];

/** What generators write at the beginning of their files. */
const mark =
  /@generated|\b(?:auto[- ]?)?generated (?:by|code|file|from)\b|\bauto-?generated\b|\bdo not (?:edit|modify|make direct changes)\b|\bcode generated\b|\bsnapshot v\d/i;
/** Lines. */
const markWithin = 10;

/** Whether a file says of itself that a program wrote it. */
export const saysGenerated = (lines: readonly string[]): boolean =>
  lines.slice(0, markWithin).some((line) => mark.test(line));

/** Where a command is told to put what it makes. */
const outputOption =
  /\s(?:-o|--(?:out(?:put)?(?:[-_]?dir)?|dest|\w+_out))(?:=|\s+)["']?(?:\.\/)?([\w@-][\w@./-]*)/g;

function isOutput(command: string, path: string): boolean {
  return [...command.matchAll(outputOption)].some(([, dir = ""]) =>
    path.startsWith(`${dir.replace(/\/$/, "")}/`),
  );
}

/**
 * Whether a command wrote a new file that it does not name. yes: it is a generator, and the file has a name that such a one
 * gives; maybe: it is one that may write any file.
 */
export function mayGenerate(command: string, path: string): "yes" | "maybe" | "no" {
  const own = generators.filter((each) => each.command.test(command));
  if (own.length === 0) return "no";
  if (generated.test(path) || isOutput(command, path) || own.some(({ files }) => files?.test(path)))
    return "yes";
  return own.some(({ writes }) => writes !== "such") ? "maybe" : "no";
}

/** Whether a command writes no other files than generated ones. */
export const onlyGenerates = (command: string): boolean =>
  generators.some((each) => each.writes !== "any" && each.command.test(command));

/** Whether a command writes files of such names, and no others. */
export const generatesOnlySuch = (command: string): boolean =>
  generators.some((each) => each.writes === "such" && each.command.test(command));
