import { fileLink } from "../../router.ts";

/** A path whose directories lead there. */
export function Crumbs({ path }: { path: string }) {
  const parts = path === "" ? [] : path.split("/");
  return (
    <span class="path crumbs">
      {path === "" ? "Files" : <a href={fileLink("")}>Files</a>}
      {parts.map((part, i) => {
        const upTo = parts.slice(0, i + 1).join("/");
        return (
          <span key={upTo}>
            <span class="faint"> / </span>
            {i === parts.length - 1 ? part : <a href={fileLink(`${upTo}/`)}>{part}</a>}
          </span>
        );
      })}
    </span>
  );
}
