import { cancel, intro, isCancel, log, multiselect, outro, select } from "@clack/prompts";
import { shouldColor } from "../../../terminal/streams.ts";

/** The questions, and findings that help to answer them. */
export interface Questions {
  title: string;
  found: readonly string[];
  /** The lines that can be ticked; all of them are at first. */
  offers: readonly { value: string; label: string; hint?: string }[];
  /** Whose files are changed for these values; null: that is settled. */
  audience: { values: ReadonlySet<string>; own: string; team: string; isOwn: boolean } | null;
}

export interface DialogueAnswers {
  chosen: ReadonlySet<string>;
  /** The user's files alone; null: not asked. */
  own: boolean | null;
}

/** Asks at a terminal what to set up, on one screen; null when somebody leaves it with Ctrl-C or Escape. */
export async function askWhatToSetUp({
  title,
  found,
  offers,
  audience,
}: Questions): Promise<DialogueAnswers | null> {
  const output = shouldColor(2) ? process.stderr : withoutColors(process.stderr);
  const leave = () => {
    cancel("Nothing was changed.", { output });
    return null;
  };
  const answered = (chosen: readonly string[], own: boolean | null): DialogueAnswers => {
    outro("Setting up", { output });
    return { chosen: new Set(chosen), own };
  };
  intro(title, { output });
  if (found.length > 0) log.info(found.join("\n"), { output });
  const chosen = await multiselect({
    message: "What should Pommel do?",
    options: [...offers],
    initialValues: offers.map(({ value }) => value),
    required: false,
    output,
  });
  if (isCancel(chosen)) return leave();
  if (audience === null || !chosen.some((value) => audience.values.has(value))) return answered(chosen, null);
  const scope = await select({
    message: "Set up agents for whom?",
    options: [
      { value: "local", label: "Me alone", hint: audience.own },
      { value: "team", label: "The team", hint: audience.team },
    ],
    initialValue: audience.isOwn ? "local" : "team",
    output,
  });
  return isCancel(scope) ? leave() : answered(chosen, scope === "local");
}

/** What agents can be told before they act, by setting. */
export interface OfferedSetting {
  setting: string;
  title: string;
  tells: string;
  isOn: boolean;
}

/** What `pm setup` was told. */
export interface SetupAnswers {
  record: "all" | "named";
  /** Settings of the checks that were ticked. */
  checks: ReadonlySet<string>;
}

/** Asks at a terminal whose sessions are recorded, and what agents are told before they act; null when somebody leaves it. */
export async function askForSetup(
  found: string,
  checks: readonly OfferedSetting[],
): Promise<SetupAnswers | null> {
  const output = shouldColor(2) ? process.stderr : withoutColors(process.stderr);
  const leave = () => {
    cancel("Nothing was changed.", { output });
    return null;
  };
  intro("Pommel", { output });
  log.info(found, { output });
  const record = await select({
    message: "What should Pommel remember? Everything stays on this machine.",
    options: [
      { value: "all" as const, label: "All my projects", hint: "sessions and commits, from their first use" },
      { value: "named" as const, label: "Only those that I choose", hint: "with `pm init`" },
    ],
    initialValue: "all" as const,
    output,
  });
  if (isCancel(record)) return leave();
  const told = await multiselect({
    message:
      "What should Pommel check when Claude Code acts? A small program then starts before each of its calls.",
    options: checks.map(({ setting, title, tells }) => ({ value: setting, label: title, hint: tells })),
    initialValues: checks.filter(({ isOn }) => isOn).map(({ setting }) => setting),
    required: false,
    output,
  });
  if (isCancel(told)) return leave();
  outro("Setting up", { output });
  return { record, checks: new Set(told) };
}

/** The prompts' own styles know NO_COLOR only from Node 22 on. */
function withoutColors(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return new Proxy(stream, {
    get(target, key) {
      if (key === "write") return (text: string) => target.write(text.replace(/\x1b\[[\d;]*m/g, ""));
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
