import { cue, type Script } from "./mock-api.ts";

/**
 * The scripts. Each session is about another bird, so that a search for it can find no other session; the fork is
 * the exception, as it begins with what it goes on from.
 */

/** In a tool's id the client and the transcript agree; the test looks for this one. */
export const delegation = "toolu_delegation";

export const note = "we keep the cormorant settings in TOML, not in JSON";

/** Only Pommel's own answer to `pm search` says this: the text is in an earlier session. */
export const saidBefore = "The heron importer now tries three times.";

export const compaction =
  "<analysis>First a retry, then a label.</analysis>\n" +
  "<summary>Summary of the puffin kind: the heron importer got a retry, the pelican exporter a label.</summary>";

/** The prompts by the name of their script. */
export const prompts = {
  edit: `The heron importer gives up after one timeout; let it retry. ${cue("edit")}`,
  note: `Read the cormorant settings.\nNote to Pommel: ${note}\n${cue("note")}`,
  resume: `Give the pelican exporter a label as well. ${cue("resume")}`,
  fork: `Would a gannet queue be better than a retry? ${cue("fork")}`,
  afterwards: `And what about the kestrel cache? ${cue("afterwards")}`,
  delegate: `Find out where the albatross limit is set. ${cue("delegate")}`,
  background: `Let somebody count the lapwing files meanwhile. ${cue("background")}`,
  below: `Is the osprey directory the right one? ${cue("below")}`,
  search: `Where does the heron importer say how often it tries? ${cue("search")}`,
  ask: `What did we say about the importer of the ibis? ${cue("ask")}`,
} as const;

export function scripts(repo: string): Record<keyof typeof prompts | "look" | "count", Script> {
  const file = `${repo}/src/heron.ts`;
  return {
    edit: [
      [
        { type: "thinking", thinking: "I have to see the importer first." },
        { type: "text", text: "Reading the importer." },
        { type: "tool_use", name: "Read", input: { file_path: file } },
      ],
      [
        {
          type: "tool_use",
          name: "Edit",
          input: { file_path: file, old_string: "attempts = 1", new_string: "attempts = 3" },
        },
      ],
      [
        // The key of the client's environment gets into the transcript this way.
        {
          type: "tool_use",
          name: "Bash",
          input: { command: "env | grep -a ANTHROPIC", description: "Look" },
        },
        {
          type: "tool_use",
          name: "Bash",
          input: {
            command: "git commit -qam 'Retry the import' && git log --oneline",
            description: "Commit",
          },
        },
      ],
      [{ type: "text", text: saidBefore }],
    ],
    note: [
      [{ type: "tool_use", name: "Read", input: { file_path: `${repo}/settings.toml` } }],
      [{ type: "text", text: "The cormorant settings are short." }],
    ],
    resume: [
      [
        {
          type: "tool_use",
          name: "Write",
          input: { file_path: `${repo}/src/pelican.ts`, content: 'export const label = "pelican";\n' },
        },
      ],
      [{ type: "text", text: "The pelican exporter has a label." }],
    ],
    fork: [[{ type: "text", text: "A gannet queue would be more than it takes." }]],
    afterwards: [[{ type: "text", text: "The kestrel cache stays as it is." }]],
    delegate: [
      [
        {
          type: "tool_use",
          id: delegation,
          name: "Agent",
          input: {
            description: "Find the limit",
            prompt: `Look for the albatross limit. ${cue("look")}`,
            subagent_type: "general-purpose",
            run_in_background: false,
          },
        },
      ],
      [{ type: "text", text: "It was found where it was looked for." }],
    ],
    look: [
      [{ type: "tool_use", name: "Bash", input: { command: "grep -rn limit src", description: "Look" } }],
      [{ type: "text", text: "The albatross limit is a constant called farthest." }],
    ],
    background: [
      [
        {
          type: "tool_use",
          name: "Agent",
          input: {
            description: "Count the files",
            prompt: `Count the lapwing files. ${cue("count")}`,
            subagent_type: "general-purpose",
            run_in_background: true,
          },
        },
      ],
      [{ type: "text", text: "Somebody counts them." }],
      [{ type: "text", text: "They are counted." }],
    ],
    count: [[{ type: "text", text: "There are two lapwing files." }]],
    below: [[{ type: "text", text: "The osprey directory is the right one." }]],
    search: [
      [
        {
          type: "tool_use",
          name: "Bash",
          input: { command: "grep -rn 'const attempts' src", description: "Search" },
        },
      ],
      [{ type: "text", text: "It says so in a constant." }],
    ],
    ask: [
      [
        {
          type: "tool_use",
          name: "Bash",
          input: { command: 'pm search transcripts "heron importer" --json', description: "Ask" },
        },
      ],
      [{ type: "text", text: "Nothing was said about the ibis." }],
    ],
  };
}
