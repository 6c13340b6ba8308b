import * as z from "zod/mini";
import { type SettingDefinition, serverUrl } from "./setting.ts";

/** With whom the memory is shared. */
export const shareSettings = {
  "sync.branch": {
    schema: z
      .string()
      .check(
        z.regex(/^(?![/.-])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[\w./-]+(?<![/.])$/),
        z.describe("the name of a git branch"),
      ),
    default: "pommel/memory/v1",
    about: "The branch for the shared memory. It is separate from the code's history.",
    who: "repositories in which a subdirectory is a project of its own",
    live: true,
  },
  "sync.remote": {
    schema: z.string().check(z.regex(/^[\w][\w./-]*$/), z.describe("the name of a git remote")),
    default: "origin",
    about: "The remote that `pm share git` pushes to.",
    who: "anyone who shares through another remote than the code's",
    sensitive: true,
    live: true,
  },
  "sync.on_push": {
    schema: z.boolean(),
    default: false,
    about: "Run `pm share git` in the background after each `git push` to the remote that sync.remote names.",
    who: "teams that want to share with each push",
    sensitive: true,
    live: true,
  },
  "sync.encryption": {
    schema: z.enum(["none", "passphrase", "key"]),
    default: "none" as "none" | "passphrase" | "key",
    about:
      "Who can read the shared memory. none: anyone who can read the remote. passphrase: only people with a passphrase, which Pommel asks for or reads from POMMEL_SYNC_PASSPHRASE. key: only people with a key, in sync-key.txt beside your configuration.",
    who: "teams whose remote has more readers than the memory should",
    sensitive: true,
    live: true,
  },
  "memory.share": {
    schema: serverUrl,
    default: "",
    about:
      "The PostgreSQL server through which a team shares its memory: postgres://USER@HOST/DATABASE, without the password (as for index.url). Only projects in which you ran `pm share team on` are shared.",
    who: "teams with a PostgreSQL",
    sensitive: true,
    live: true,
  },
} satisfies Record<string, SettingDefinition>;
