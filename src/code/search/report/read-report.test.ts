import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isReport, readReport } from "./read-report.ts";

const issue = `Saving a draft twice raises KeyError
<!-- Please fill in the template -->
### Steps to reproduce

\`\`\`python
from app.drafts import save
save("a"); save("a")
\`\`\`

\`\`\`
Traceback (most recent call last):
  File "/home/me/try.py", line 2, in <module>
    save("a"); save("a")
  File "/usr/lib/python3/dist-packages/app/drafts.py", line 40, in save
    return store.put(draft)
  File "/usr/lib/python3/dist-packages/app/store.py", line 12, in put
    del self.rows[draft.key]
KeyError: 'a'
\`\`\`

### Expected behavior
The second call replaces the draft, as docs/drafts.md says.

- [x] I have searched for duplicates
- [ ] I am using the latest version

### Environment
Python 3.11.2
app 2.0.1
We also run it on a cluster.
`;

describe("a report", () => {
  it("is longer than a question", () => {
    expect(isReport(issue)).toBe(true);
    expect(isReport("where is a draft saved")).toBe(false);
    expect(isReport('unknown command "x" for this tool\n  at run (src/cli.ts:3:9)')).toBe(false);
    expect(isReport("word ".repeat(39))).toBe(false);
    expect(isReport("word ".repeat(40))).toBe(true);
  });

  it("has a title, what is told, and what is quoted, without what only stands around it", () => {
    const { title, prose, code, errors, paths } = readReport(issue);
    expect(title).toBe("Saving a draft twice raises KeyError");
    expect(prose).toBe("The second call replaces the draft, as docs/drafts.md says.");
    expect(code).toContain("from app.drafts import save");
    expect(code).not.toContain("Traceback");
    expect(errors).toEqual(["KeyError: 'a'"]);
    expect(paths).toEqual(["docs/drafts.md"]);
  });

  it("has the calls of a stack trace, the innermost first, whichever way it is printed", () => {
    const python = readReport(issue).frames.map(({ path, line, name }) => [path, line, name]);
    expect(python).toEqual([
      ["/usr/lib/python3/dist-packages/app/store.py", 12, "put"],
      ["/usr/lib/python3/dist-packages/app/drafts.py", 40, "save"],
      ["/home/me/try.py", 2, null],
    ]);
    const frames = (...lines: string[]) => readReport(["It fails", ...lines].join("\n")).frames;
    expect(
      frames("    at Store.put (/app/src/store.ts:12:5)", "    at async file:///app/src/drafts.ts:4:1"),
    ).toEqual([
      { path: "/app/src/store.ts", line: 12, name: "put" },
      { path: "/app/src/drafts.ts", line: 4, name: null },
    ]);
    expect(frames("\tat com.acme.Store.put(Store.java:12)")).toEqual([
      { path: "com/acme/Store.java", line: 12, name: "put" },
    ]);
    const java = [
      "java.lang.IllegalStateException: not saved",
      "\tat com.acme.Drafts.save(Drafts.java:40)",
      "\tat java.base/java.lang.reflect.Method.invoke(Unknown Source)",
      "Caused by: java.lang.NullPointerException: no key",
      "\tat com.acme.Store.put(Store.java:12)",
      "\t... 23 more",
    ];
    expect(frames(...java)).toEqual([
      { path: "com/acme/Store.java", line: 12, name: "put" },
      { path: "com/acme/Drafts.java", line: 40, name: "save" },
      { path: "java/lang/reflect/Method.java", line: null, name: "invoke" },
    ]);
    expect(readReport(java.join("\n"))).toMatchObject({
      title: "java.lang.IllegalStateException: not saved",
      prose: "",
      errors: ["java.lang.IllegalStateException: not saved", "java.lang.NullPointerException: no key"],
    });
    expect(
      frames(
        "thread 'main' panicked at src/store.rs:12:5:",
        "   1: app::drafts::save",
        "   at ./src/drafts.rs:4:1",
      ),
    ).toEqual([
      { path: "src/store.rs", line: 12, name: null },
      { path: "./src/drafts.rs", line: 4, name: "save" },
    ]);
    expect(frames("main.(*Store).put(0x1)", "\t/app/store.go:12 +0x1d")).toEqual([
      { path: "/app/store.go", line: 12, name: "put" },
    ]);
    expect(readReport("2026-01-02 10:00:00,123 ERROR cannot save\n\nx\n").errors).toEqual([
      "ERROR cannot save",
    ]);
    expect(frames("lib/store.rb:12:in `put'")).toEqual([{ path: "lib/store.rb", line: 12, name: "put" }]);
    expect(frames("~/lib/store.py in put(self, draft)", "---> 12     del self.rows[draft.key]")).toEqual([
      { path: "~/lib/store.py", line: null, name: "put" },
    ]);
  });

  it("has a title without its kind; that of a log is its last error", () => {
    const titleOf = (...lines: string[]) => readReport(lines.join("\n")).title;
    expect(titleOf("[Bug]: Drafts are lost", "x", "y")).toBe("Drafts are lost");
    expect(titleOf("# **Feature request: Save drafts**", "x", "y")).toBe("Save drafts");
    expect(titleOf("Bug in drafts: they are lost", "x", "y")).toBe("Bug in drafts: they are lost");
    const log = issue.slice(issue.indexOf("Traceback"), issue.indexOf("### Expected"));
    expect(titleOf(log)).toBe("KeyError: 'a'");
    expect(readReport(log).frames.map(({ name }) => name)).toEqual(["put", "save", null]);
    expect(titleOf("```", "save()", "```", "Drafts are lost.", "Always.")).toBe("Drafts are lost.");
  });

  it("names files in sentences and in links to them", () => {
    expect(
      readReport(
        "It fails\nSee https://example.org/a/b/blob/main/src/store.py#L12\nand `drafts.py` in lib/app/.",
      ).paths,
    ).toEqual(["src/store.py", "drafts.py"]);
  });

  it("may be anything", () => {
    const parts = [
      "```",
      "at ",
      'File "',
      "(",
      "a/",
      ".py",
      "x".repeat(50),
      "\n",
      "<!--",
      "**",
      "#",
      "    ",
      "error: ",
    ];
    const texts = fc.array(fc.constantFrom(...parts), { maxLength: 60 }).map((some) => some.join(""));
    fc.assert(fc.property(texts, (text) => readReport(text).title.length <= text.length));
    expect(readReport("")).toEqual({ title: "", prose: "", code: "", errors: [], frames: [], paths: [] });
  });
});
