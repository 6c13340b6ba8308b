/** What code generators, snapshot tests and scaffolds write: files that their command lines do not name. */

interface Generator {
  command: RegExp;
  /** The names of what it writes, beside those that all generators use. */
  files: RegExp | null;
  /** It writes only such files. */
  isClosed: boolean;
}

/** Directories and names that say of a file that no person wrote it. */
const generated =
  /(?:^|\/)(?:gen|autogen|_?_?generated(?:__)?)\/|[._-](?:gen|generated|autogen)\.[^/]*$|(?:^|\/)zz_generated/;

const generators: readonly Generator[] = [
  {
    command: /\b(?:protoc|buf\s+generate)\b/,
    files: /(?:[._](?:pb2?|grpc|pbobjc|twirp|connect))(?:_grpc)?\.[^/]*$/,
    isClosed: true,
  },
  {
    command:
      /\bcargo\s+insta\b|\b(?:vitest|jest|ava|tap|test)\b[^;&|]*\s(?:-u|--update\S*|--snapshot-update)(?![\w-])/,
    files: /(?:^|\/)(?:__snapshots__|snapshots|[^/]+-snapshots)\/|\.snap(?:shot)?(?:\.[^/]*)?$/,
    isClosed: true,
  },
  {
    command: /\b(?:prisma\s+migrate|makemigrations|alembic)\b/,
    files: /(?:^|\/)(?:migrations?|versions)\//,
    isClosed: true,
  },
  { command: /\bgraphql-codegen\b/, files: /(?:^|\/)gql\//, isClosed: false },
  {
    command: /\b(?:go\s+generate|sqlc|mockgen|stringer)\b/,
    files: /(?:_string|_mock|_enumer|wire_gen)\.go$|(?:^|\/)mocks?(?:\/|_[^/]*$)/,
    isClosed: false,
  },
  {
    command:
      /\b(?:codegen|openapi-\S+|swagger-\S+|prisma\s+generate|scaffold|hygen|plop|cookiecutter|rails\s+g(?:enerate)?|(?:ng|nx)\s+g(?:enerate)?)\b/i,
    files: null,
    isClosed: false,
  },
  {
    // A target or script of that name.
    command:
      /^(?:make|just|task|mise|rake|npm|pnpm|yarn|bun|nx|turbo|gradle|\.\/gradlew)\s[^;&|]*\b(?:gen|generate)\b/,
    files: null,
    isClosed: false,
  },
];

/**
 * Whether a command wrote a new file that it does not name. yes: it is a generator, and the file has a name that such a one
 * gives; maybe: it is one that may write any file.
 */
export function mayGenerate(command: string, path: string): "yes" | "maybe" | "no" {
  const own = generators.filter((each) => each.command.test(command));
  if (own.some(({ files }) => generated.test(path) || files?.test(path))) return "yes";
  return own.some(({ isClosed }) => !isClosed) ? "maybe" : "no";
}

/** Whether a command writes files of such names, and no others. */
export const generatesOnlySuch = (command: string): boolean =>
  generators.some((each) => each.isClosed && each.command.test(command));
