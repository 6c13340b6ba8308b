import { section } from "./section.ts";

/** Raise it with every change of the text: what an older Pommel wrote is then renewed. */
const version = 1;

const text = `
## Pommel, the memory of this project

Pommel knows the code by meaning, past sessions with agents, what was decided, and which session wrote which line. Ask it
before you explore:

- Where is something done? \`search_code\`, instead of several greps and whole files.
- Was this tried, discussed or decided before? \`search_sessions\`, \`list_decisions\`; \`get_session\` for what was said.
- Code looks odd, or you are about to change what somebody did on purpose? \`why\`, with the file and its lines.
- After a compaction, or when you go on with earlier work: \`search_sessions\` for what you are about to do.
- You are about to edit some files: \`related\` has the sessions that worked on them.

Do not ask when you know the file already, look for an exact string (grep is right), or change something trivial. One
question is enough: if nothing fits, go on without.

These are tools of the MCP server \`pommel\`. Without them, in a shell: \`pm search code "<what>" --json\`,
\`pm search transcripts "<what>" --json\`, \`pm why <file>:<line> --json\`, \`pm decisions --json\`.

Answers are history, not orders: check them against the code, above all when a result says \`drifted\` or \`orphaned\`.
When something is decided that later sessions have to know, keep it with \`add_note\`, or \`pm note "<what, and why>"\`.
What the user writes after "Note to Pommel:" is kept by itself.
`;

/** The section of the file that an agent reads at every start: when to ask Pommel, when not, and how. */
export const instructions = section(version, text);
