import { cue, type Script } from "../mock-api.ts";

/** The scripts for Qwen Code. Each session is about another bird, so that a search finds no other session. */

export const note = "whoever asks more than three times is banned by the server";

export const prompts = {
  edit: `The heron importer gives up after one timeout; let it retry. ${cue("edit")}\nNote to Pommel: ${note}`,
  write: `Give the pelican exporter a label. ${cue("write")}`,
  resume: `And what about the kestrel cache? ${cue("resume")}`,
  retry: `The heron importer gives up after one timeout; does it retry? ${cue("retry")}`,
  delegate: `Find out where the albatross limit is set. ${cue("delegate")}`,
  ask: `What did we say about the importer of the ibis? ${cue("ask")}`,
} as const;

const call = (name: string, input: Record<string, unknown>) => [{ type: "tool_use" as const, name, input }];
const say = (text: string) => [{ type: "text" as const, text }];
const shell = (command: string) =>
  call("run_shell_command", { command, description: "Run", is_background: false });

export function scripts(repo: string): Record<keyof typeof prompts | "look", Script> {
  const file_path = `${repo}/src/heron.ts`;
  const edit = (old_string: string, new_string: string) =>
    call("edit", { file_path, old_string, new_string });
  return {
    edit: [
      call("read_file", { file_path }),
      edit("attempts = 1", "attempts = 3"),
      // The key of the client's environment gets into the chat this way.
      shell('echo "ANTHROPIC_API_KEY=$ANTHROPIC_API_KEY"'),
      shell("git commit -qam 'Retry the import' && git log --oneline"),
      shell("ls nowhere"),
      edit("not there", "x"),
      say("The heron importer now tries three times."),
    ],
    write: [
      call("write_file", {
        file_path: `${repo}/src/pelican.ts`,
        content: 'export const label = "pelican";\n',
      }),
      say("The pelican exporter has a label."),
    ],
    resume: [say("The kestrel cache stays as it is.")],
    retry: [say("It retries.")],
    delegate: [
      call("agent", {
        description: "Find the limit",
        prompt: `Look for the albatross limit. ${cue("look")}`,
        subagent_type: "general-purpose",
      }),
      say("It was found where it was looked for."),
    ],
    look: [shell("grep -rn limit src"), say("The albatross limit is a constant called farthest.")],
    ask: [
      call("mcp__pommel__code", { query: "how many attempts the heron importer has" }),
      call("mcp__pommel__recall", { about: "heron importer timeout retry" }),
      shell('pm search transcripts "heron importer" --json; echo "in $QWEN_CODE_SESSION_ID"'),
      say("Nothing was said about the ibis."),
    ],
  };
}
