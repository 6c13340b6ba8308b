import { PommelError } from "../../../project/errors.ts";

/**
 * The page's own address of a view, as the page's router reads it (src/ui/router.ts).
 * @param place makes a path relative to the project's root
 * @throws PommelError `usage` for an unknown view, or one without what it needs
 */
export function pageRoute(
  view: string | undefined,
  what: readonly string[],
  place: (path: string) => string,
): string {
  const text = what.join(" ").trim();
  const need = (name: string) => {
    if (text === "")
      throw new PommelError("usage", `\`pm open ${view}\` needs ${name}.`, "See `pm open --help`.");
    return text;
  };
  switch (view) {
    case undefined:
    case "home":
      return "/";
    case "sessions":
      return "/sessions";
    case "search":
      return text === "" ? "/search" : `/search?${new URLSearchParams({ q: text })}`;
    case "session":
      return `/session/${encoded(need("a session's id"))}`;
    case "file": {
      const [, path = "", line] = /^(.*?)(?::(\d+))?$/s.exec(need("a path")) ?? [];
      return `/file/${encoded(place(path))}${line === undefined ? "" : `:${line}`}`;
    }
    case "review":
      return `/review/${encoded(text)}`;
    default:
      throw new PommelError(
        "usage",
        `The page has no view "${view}".`,
        "Choose from: home, search, sessions, session, file, review.",
      );
  }
}

/** Slashes stay readable. */
const encoded = (text: string) => text.split("/").map(encodeURIComponent).join("/");
