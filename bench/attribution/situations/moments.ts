import { type AgentSession, meet, prompt } from "../agent.ts";
import { type Act, change, pathOf, pieces, someFile } from "../agent-acts.ts";
import { bash, edit } from "../agent-tools.ts";
import { languageOf, languages, newIdentifier, newPath } from "../code.ts";
import { headTree } from "../commits.ts";
import { formatterOf } from "../formatting.ts";
import { human, type Line, newLines, textsOf } from "../lines.ts";
import * as mutate from "../mutate.ts";
import { git, pass, reload, save, tell, type World } from "../world.ts";
import { humanSituationActs } from "./acts.ts";
import { humanEverydayActs } from "./everyday.ts";
import { installs } from "./packages.ts";

/** A person and an agent at work at the same moment: who wrote what shows only in what each was doing then. */

const by = "human";

/** A person types into a file, or makes one. */
function types(world: World, { checkout }: AgentSession, how: string, path: string | null = null): void {
  const { random } = world;
  const old = path ?? (random.chance(0.75) ? someFile(world, { checkout }) : null);
  if (old === null) {
    const made = newPath(random, random.pick(languages));
    if (checkout.files.has(made)) return;
    save(world, checkout, made, pieces(world, made, human, how), { by });
    tell(world, `human: meanwhile writes ${made}`);
    return;
  }
  const lines = checkout.files.get(old)!;
  const isPiece = random.chance(0.5) && !old.endsWith(".json");
  const insert = isPiece ? mutate.insertPiece : mutate.insertStatements;
  save(world, checkout, old, insert(random, old, lines, human, how, 3), { by });
  tell(world, `human: meanwhile in ${old}`);
}

/** What runs for long and writes nothing that is committed. */
const longCommands = [
  "npm test",
  "npm run test:e2e -- --watch=false",
  "npm run build",
  "npx playwright test",
  "yarn test --coverage",
  "pnpm -r test",
  "bun test",
  "go test ./... -race -count=1",
  "cargo test --workspace",
  "./gradlew test",
  "mvn -q verify",
  "dotnet test",
  "python -m pytest -x -q",
  "uv run pytest tests",
  "poetry run pytest",
  "tox -e py312",
  "make test",
  "docker compose up --build",
  "docker build -t app .",
  "npm run dev",
  "npm start",
  "node server.js",
  "python manage.py runserver",
  "flask run",
  "bundle exec rspec",
  "mix test",
  "sleep 300",
  "tail -f log/app.log",
  "gh run watch",
  "terraform plan",
  "kubectl logs -f deploy/app",
  "./scripts/wait-for-it.sh localhost:5432",
];

/** What happens while the agent waits for such a command. */
const during = (world: World, session: AgentSession, work: () => void): Promise<void> =>
  bash(
    world,
    session,
    () => world.random.pick(longCommands),
    () => {
      work();
      return "ok";
    },
  );

const none = () => "";

export const momentActs: Readonly<Record<string, Act>> = {
  /** A call waits for a person's approval, who types something before. */
  "types-before-approval": async (world, session) => {
    const { random } = world;
    const path = someFile(world, session);
    if (path === null) return false;
    const made = `gen/${newIdentifier(random)}.ts`;
    const wait = () => {
      pass(world, 5, 90);
      types(world, session, "human, before an approval");
      pass(world, 3, 60);
    };
    const kind = random.pick(["formatter", "generator", "sed", "install", "rm"]);
    if (kind === "install") {
      const install = installs(random);
      await bash(
        world,
        session,
        () => install.command,
        (owner) => {
          wait();
          for (const [file, lines] of install.files(session.checkout.files, owner, "lock file"))
            save(world, session.checkout, file, lines, { by: session.uid });
          return "done";
        },
        [0, 3],
      );
      return true;
    }
    const commands: Record<string, string> = {
      formatter: `npx prettier --write ${path}`,
      generator: `node scripts/generate.mjs ${made}`,
      sed: `sed -i 's/nothingLikeThis/other/g' ${path}`,
      rm: "rm -rf dist && mkdir dist",
    };
    await bash(
      world,
      session,
      () => commands[kind]!,
      (owner) => {
        wait();
        const lines = session.checkout.files.get(path);
        const format = formatterOf(path, random);
        if (kind === "formatter" && lines && format)
          save(world, session.checkout, path, format(lines, random), { by: session.uid });
        if (kind === "generator")
          save(world, session.checkout, made, pieces(world, "x.ts", owner, "generator"), { by: session.uid });
        return "";
      },
      [0, 2],
    );
    return true;
  },

  /** The same with an edit. */
  "types-before-edit": async (world, session) => {
    const path = someFile(world, session);
    if (path === null) return false;
    meet(world, session);
    const other = [...session.checkout.files.keys()].find((each) => each !== path && mutate.isWritable(each));
    if (other === undefined) return false;
    await edit(world, session, path, change(world, path, "agent's edit"), {
      before: () => {
        pass(world, 10, 120);
        types(world, session, "human, before an approval", other);
        pass(world, 2, 60);
      },
    });
    return true;
  },

  /** A long command runs, and a person works on. */
  "types-during-long-command": async (world, session) => {
    await during(world, session, () => {
      for (let n = world.random.int(1, 3); n > 0; n--) {
        pass(world, 10, 150);
        types(world, session, "human, during a long command");
      }
      pass(world, 5, 90);
    });
    return true;
  },

  /** The editor formats what a person saves, while a command runs. */
  "formats-during-long-command": async (world, session) => {
    const { random } = world;
    const path = someFile(world, session);
    if (path === null) return false;
    await during(world, session, () => {
      pass(world, 10, 100);
      const lines = session.checkout.files.get(path)!;
      const typed = mutate.insertStatements(
        random,
        path,
        lines,
        human,
        "human, formatted on save during a command",
        3,
      );
      save(world, session.checkout, path, formatterOf(path, random)?.(typed, random) ?? typed, { by });
      pass(world, 5, 60);
    });
    return true;
  },

  /** A name in all files, by the editor, while a command runs. */
  "renames-during-long-command": async (world, session) => {
    await during(world, session, () => {
      humanEverydayActs["human-renames-name"]!(world, session.checkout);
      pass(world, 5, 60);
    });
    return true;
  },

  /** A cell in a notebook, while a command runs. */
  "notebook-during-long-command": async (world, session) => {
    await during(world, session, () => {
      humanSituationActs["human-notebook"]!(world, session.checkout);
      pass(world, 5, 60);
    });
    return true;
  },

  /** A person stashes everybody's work while a command runs, and takes it back. */
  "stash-during-long-command": async (world, session) => {
    const { checkout } = session;
    if (git(world, checkout, ["status", "--porcelain"]) === "") return false;
    await during(world, session, () => {
      const aside = new Map(checkout.files);
      pass(world, 5, 30);
      git(world, checkout, ["stash", "-u", "-q"]);
      reload(world, checkout, headTree(world, checkout));
      pass(world, 5, 60);
      git(world, checkout, ["stash", "pop", "-q"]);
      git(world, checkout, ["reset", "-q"]);
      reload(world, checkout, aside);
      pass(world, 5, 30);
    });
    return true;
  },

  /** A person takes an agent's edit back in the editor, and redoes it, while a command runs. */
  "undo-and-redo": async (world, session) => {
    const path = someFile(world, session);
    if (path === null) return false;
    const before = session.checkout.files.get(path)!;
    await edit(world, session, path, change(world, path, "agent's edit, undone and redone"));
    const after = session.checkout.files.get(path)!;
    await during(world, session, () => {
      pass(world, 2, 20);
      save(world, session.checkout, path, before, { by });
      pass(world, 2, 40);
      save(world, session.checkout, path, after, { by });
      pass(world, 2, 20);
    });
    return true;
  },

  /** A piece of a file is copied to another, while a command runs: it stays its author's. */
  "copies-during-long-command": async (world, session) => {
    const { random } = world;
    const { checkout } = session;
    const [from, to] = [someFile(world, session), someFile(world, session)];
    if (from === null || to === null || languageOf(from) !== languageOf(to)) return false;
    const block = mutate.blockIn(random, checkout.files.get(from)!, 4, 12);
    if (block === null) return false;
    await during(world, session, () => {
      pass(world, 10, 60);
      const copies = checkout.files
        .get(from)!
        .slice(...block)
        .map((line) => ({ ...line, id: newLines([""], human, "")[0]!.id, via: "copied during a command" }));
      const there = checkout.files.get(to)!;
      save(world, checkout, to, there.toSpliced(random.int(0, there.length), 0, ...copies), { by });
      pass(world, 5, 30);
    });
    return true;
  },

  /** A command is cut off by Ctrl-C and never gets a result; then a person goes on. */
  "cut-off": async (world, session) => {
    meet(world, session);
    session.told.toolUse("Bash", { command: world.random.pick(longCommands), description: "Run it" });
    meet(world, session);
    pass(world, 20, 200);
    types(world, session, "human, after a call that was cut off");
    tell(world, "  cut off");
    pass(world, 700, 3000);
    types(world, session, "human, after a call that was cut off");
    return true;
  },

  /** Its user types something while a call runs, so that the result stands in a later turn. */
  "answered-later": async (world, session) => {
    const { random } = world;
    if (session.parent !== null) return false;
    const path = `gen/${newIdentifier(random)}.ts`;
    await bash(
      world,
      session,
      () => `node scripts/generate.mjs ${path}`,
      (owner) => {
        pass(world, 2, 10);
        save(world, session.checkout, path, pieces(world, "x.ts", owner, "generator"), { by: session.uid });
        prompt(world, session, "How long will that take?", session.left);
        pass(world, 2, 10);
        return "done";
      },
    );
    return true;
  },

  /** Two long commands of one agent, one in the background, and a person between them. */
  "server-and-tests": async (world, session) => {
    const { random } = world;
    await bash(
      world,
      session,
      () => random.pick(["npm run dev", "npm run watch", "docker compose up"]),
      none,
      [0, 1],
      {
        run_in_background: true,
      },
    );
    await during(world, session, () => {
      pass(world, 10, 100);
      types(world, session, "human, during a server and tests");
      pass(world, 5, 60);
    });
    pass(world, 5, 60);
    types(world, session, "human, during a server and tests");
    return true;
  },

  /** A command writes a file and waits; a person changes another file, then that one. */
  "types-into-generated": async (world, session) => {
    const path = pathOf(world, session);
    let lines: Line[] = [];
    await bash(
      world,
      session,
      (owner) => {
        lines = pieces(world, path, owner, "heredoc");
        return `cat > ${path} <<'EOF'\n${textsOf(lines).join("\n")}\nEOF\nnpm test`;
      },
      () => {
        save(world, session.checkout, path, lines, { by: session.uid });
        pass(world, 20, 120);
        types(world, session, "human, while a writing command goes on", path);
        pass(world, 5, 40);
        return "ok";
      },
    );
    return true;
  },
};
