/**
 * An address in any form that git accepts, as the same text for all of them: `git@example.com:a/b.git` and
 * `https://user:secret@example.com/a/b` are `example.com/a/b`. User, password and query may be secret, and do not count.
 */
export function normalizeAddress(url: string): string {
  const bare = withoutCredentials(url.trim());
  const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(bare) ?? [];
  const isScp = scheme === undefined && /^[^/\\:]{2,}:(?!\/\/)/.test(bare);
  const [host = "", ...path] = (scheme !== undefined ? rest : isScp ? bare.replace(":", "/") : bare).split(
    "/",
  );
  const isLocal = scheme === undefined && !isScp;
  const place = isLocal ? host : host.toLowerCase().replace(/:(?:22|80|443)$/, "");
  return [place, ...path.filter((part, i) => part !== "" || (isLocal && i === 0))]
    .join("/")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
}

/**
 * An address in any form that git accepts: URLs, `user@host:path`, paths. The part before the host, and a query, may be
 * secret.
 */
export function withoutCredentials(url: string): string {
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(url) ?? [];
  if (scheme === undefined || rest === undefined) return url.replace(/^[^@/\s]*@(?=[^/\s]+:)/, "");
  const [place = "", ...path] = rest.split("/");
  const host = place.slice(place.lastIndexOf("@") + 1);
  return `${scheme}${[host, ...path].join("/")}`.replace(/[?#].*$/s, "");
}
