import type { SettingKey } from "../../base/config/settings.ts";

type SectionOf<Key> = Key extends `${infer Name}.${string}` ? Name : never;
type Section = SectionOf<SettingKey>;

/** What the sections of config.toml are about. Sections that stand side by side may have one title. */
const titles: Readonly<Record<Section, string>> = {
  index: "Which files are indexed, and where the index is",
  search: "Search",
  embed: "Models for search by meaning",
  ollama: "Models for search by meaning",
  openai: "Models for search by meaning",
  daemon: "The daemon",
  backup: "Backups",
  storage: "Encryption",
  audit: "Audit log",
  ui: "The page",
  sessions: "Recording",
  scrub: "Scrubbing",
  llm: "Summaries by a language model",
  cost: "What models cost",
  context: "Automatic context",
  rules: "Checks of what agents do",
  radar: "Checks of what agents do",
  dead_ends: "Checks of what agents do",
  sync: "Sharing",
  memory: "Sharing",
};

/** What the section of a setting is about: that of `index` for `index.exclude`. */
export const findSectionTitle = (key: string): string => titles[key.split(".")[0] as Section];
