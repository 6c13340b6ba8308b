import { cue, type Script } from "../mock-api.ts";

/** The scripts for Cline. Each session is about another bird, so that a search finds no other session. */

export const note = "whoever asks more than three times is banned by the server";

export const prompts = {
  edit: `The heron importer gives up after one timeout; let it retry. ${cue("edit")}\nNote to Pommel: ${note}`,
  write: `Give the pelican exporter a label. ${cue("write")}`,
  again: `Does the heron importer give up after that timeout, or retry? ${cue("again")}`,
  delegate: `Find out where the albatross limit is set. ${cue("delegate")}`,
  ask: `What did we say about the importer of the ibis? ${cue("ask")}`,
} as const;

const call = (name: string, input: Record<string, unknown>) => [{ type: "tool_use" as const, name, input }];
const say = (text: string) => [{ type: "text" as const, text }];
const run = (...commands: string[]) => call("run_commands", { commands });

export function scripts(repo: string): Record<keyof typeof prompts | "look", Script> {
  const path = `${repo}/src/heron.ts`;
  const edit = (old_text: string, new_text: string) => call("editor", { path, old_text, new_text });
  return {
    edit: [
      call("read_files", { files: [{ path }] }),
      edit("attempts = 1", "attempts = 3"),
      // The key of the client's environment gets into the session this way; two commands in one call.
      run(
        'echo "ANTHROPIC_API_KEY=$SECRET_OF_THE_TEST"',
        "git commit -qam 'Retry the import' && git log --oneline",
      ),
      run("ls nowhere"),
      edit("not there", "x"),
      say("The heron importer now tries three times."),
    ],
    write: [
      call("editor", { path: `${repo}/src/pelican.ts`, new_text: 'export const label = "pelican";\n' }),
      say("The pelican exporter has a label."),
    ],
    again: [say("It retries.")],
    delegate: [
      call("spawn_agent", {
        systemPrompt: "You find limits.",
        task: `Look for the albatross limit. ${cue("look")}`,
      }),
      say("It was found where it was looked for."),
    ],
    look: [run("grep -rn limit src"), say("The albatross limit is a constant called farthest.")],
    ask: [
      call("pommel__code", { query: "how many attempts the heron importer has" }),
      call("pommel__recall", { about: "heron importer timeout retry" }),
      run('pm search transcripts "heron importer" --json'),
      say("Nothing was said about the ibis."),
    ],
  };
}
