import { describe, expect, test } from "vitest";
import { chunk, outline } from "../../../test/support/chunk-fixture.ts";

/** What is found in a small file of each language: level, kind, name and lines, nested. */

describe("go", () => {
  const source = `// Package engine routes requests.
package engine

import "net/http"

const (
	// MaxParams is plenty.
	MaxParams = 16
	minParams = 1
)

var Default, Other = New(), New()

// Engine holds the routes.
type Engine struct {
	trees map[string]*node
}

type (
	// Handler answers.
	Handler interface {
		Serve(c *Context) error
	}
	Params = []string
)

// New makes an engine.
func New() *Engine {
	return &Engine{}
}

// Run listens.
func (e *Engine) Run(addr string) (err error) {
	go func() {
		err = http.ListenAndServe(addr, nil)
	}()
	return err
}

func (l *List[T]) Push(v T) {}

var onError = func(err error) {
	panic(err)
}
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.go", "go", source))).toEqual([
      "class type Engine 14-17",
      "class type Handler 20-23",
      "method function New 27-30",
      "method method Run 32-38",
      "method method Push 40-40",
      "method function onError 42-44",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.go", "go", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "constant MaxParams 8",
      "constant minParams 9",
      "variable Default 12",
      "type Engine 15",
      "type Handler 21",
      "type Params 24",
      "function New 28",
      "method Run 33",
      "method Push 40",
      "function onError 42",
    ]);
  });
});

describe("rust", () => {
  const source = `//! Parsing of durations.

use std::fmt;

/// The longest there is.
pub const MAX: u64 = 10;
static NAMES: &[&str] = &["s", "m"];
type Result<T> = std::result::Result<T, Error>;

/// A span of time.
#[derive(Debug, Clone)]
pub struct Duration<'a> {
    text: &'a str,
}

pub enum Unit {
    Second,
    Minute(u8),
}

pub trait Parse {
    fn parse(text: &str) -> Self;
    fn strict() -> bool {
        true
    }
}

impl<'a> Parse for Duration<'a> {
    /// Never fails.
    #[inline]
    fn parse(text: &str) -> Self {
        let trim = |t: &str| t.trim();
        Duration { text }
    }
}

macro_rules! seconds {
    ($n:expr) => {
        Duration::new($n)
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn parses() {
        assert!(true);
    }
}

mod elsewhere;

pub async unsafe fn free(p: *mut u8) {}
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.rs", "rust", source))).toEqual([
      "class struct Duration 10-14",
      "class enum Unit 16-19",
      "class trait Parse 21-26",
      "  method method parse 22-22",
      "  method method strict 23-25",
      "class impl Duration 28-35",
      "  method method parse 29-34",
      "method macro seconds 37-41",
      "class module tests 43-49",
      "  method function parses 45-48",
      "method function free 53-53",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.rs", "rust", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "constant MAX 6",
      "static NAMES 7",
      "type Result 8",
      "struct Duration 12",
      "enum Unit 16",
      "trait Parse 21",
      "method parse 22",
      "method strict 23",
      "impl Duration 28",
      "method parse 31",
      "macro seconds 37",
      "module tests 44",
      "function parses 46",
      "function free 53",
    ]);
  });
});

describe("c", () => {
  const source = `/* Reads packets. */

#include <stdio.h>

#define MAX_PACKETS 16
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#ifdef WIDE
#define WIDTH 8
#endif

struct packet {
  int size;
};

typedef struct {
  int x;
} Point;

typedef int (*reader)(struct packet *p);
typedef unsigned long ulong_t;

enum kind { KIND_A, KIND_B };

static const char *names[] = { "a", "b" };

int declared(int a);

/* Reads one. */
static struct packet *read_one(FILE *in, int flags)
{
  struct packet *p = 0;
  return p;
}
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.c", "c", source))).toEqual([
      "method macro MIN 6-6",
      "class struct packet 12-14",
      "class struct Point 16-18",
      "class enum kind 23-23",
      "method function read_one 29-34",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.c", "c", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "constant MAX_PACKETS 5",
      "macro MIN 6",
      "constant WIDTH 9",
      "struct packet 12",
      "struct Point 16",
      "type reader 20",
      "type ulong_t 21",
      "enum kind 23",
      "constant KIND_A 23",
      "constant KIND_B 23",
      "variable names 25",
      "function read_one 30",
    ]);
  });
});

describe("cpp", () => {
  const source = `#include <string>

namespace net::http {

/// A connection.
template <typename T>
class LIBRARY_API Connection final : public Base {
 public:
  explicit Connection(int fd) : fd_(fd) {}
  ~Connection();
  int read() const override { return fd_; }
  bool operator==(const Connection& other) const { return true; }
  operator bool() const { return true; }

 private:
  int fd_;
};

template <typename T>
struct Pair {
  T first;
};

enum class Mode { Read, Write };

using Bytes = std::string;

constexpr int kMax = 3;

}  // namespace net::http

template <>
int net::http::Connection<int>::read() const {
  return 1;
}

net::http::Connection::~Connection() {}

auto parse(const std::string& text) -> int {
  return 0;
}

extern "C" {
void entry() {
}
}
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.cpp", "cpp", source))).toEqual([
      "class namespace http 3-30",
      "  class class Connection 5-17",
      "    method method Connection 9-9",
      "    method method read 11-11",
      "    method method operator== 12-12",
      "    method method operator bool 13-13",
      "  class struct Pair 19-22",
      "  class enum Mode 24-24",
      "method function read 32-35",
      "method function ~Connection 37-37",
      "method function parse 39-41",
      "method function entry 44-45",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.cpp", "cpp", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "namespace http 3",
      "class Connection 6",
      "method Connection 9",
      "method read 11",
      "method operator== 12",
      "method operator bool 13",
      "struct Pair 19",
      "enum Mode 24",
      "constant Read 24",
      "constant Write 24",
      "type Bytes 26",
      "function read 32",
      "function ~Connection 37",
      "function parse 39",
      "function entry 44",
    ]);
  });
});

describe("what only a compiler or a preprocessor understands", () => {
  test.each([
    ["int *__attribute__((used)) first(void)\n{\n  return 0;\n}\n", "first"],
    ["static int __init setup(void)\n{\n  return 0;\n}\n", "setup"],
    ["static __printf(1, 2)\nvoid note(const char *format, ...)\n{\n}\n", "note"],
    ["int probe(const char __user *from) __acquires(lock)\n{\n  return 0;\n}\n", "probe"],
    [
      "SYSCALL_DEFINE2(close_range, unsigned int, fd, char __user *, from)\n{\n  return 0;\n}\n",
      "close_range",
    ],
    ["static inline __u32 mix(__u32 seed)\n{\n  return seed;\n}\n", "mix"],
    ["void __list_add(struct list *entry)\n{\n  __check(entry);\n}\n", "__list_add"],
  ])("is no name in %j", async (code, name) => {
    const lines = code.split("\n").length;
    expect(outline(await chunk("a.c", "c", `${code}\nint after(void)\n{\n  return 1;\n}\n`))).toEqual([
      `method function ${name} 1-${lines - 1}`,
      `method function after ${lines + 1}-${lines + 4}`,
    ]);
  });

  test.each([
    ["LUALIB_API void (luaL_register) (state *L,\n    const char *name) {\n  go(L);\n}\n", "luaL_register"],
    ["LUA_API lua_CFunction lua_atpanic (state *L) {\n  return L->panic;\n}\n", "lua_atpanic"],
    ["ALWAYS_INLINE_X cpuid_t\nget_cpu(void) {\n  return 1;\n}\n", "get_cpu"],
    ["static const char * LIB_FORMAT_ARG(3)\nformat_it(char *out) {\n  return out;\n}\n", "format_it"],
    ["LIB_EXPORT int LIB_NOTHROW\nLIB_ATTR(nonnull(1))\nalign(void **at) {\n  return 0;\n}\n", "align"],
    [
      "void set(int value)\n{\n  GET_TYPE(value)\n\n  if (value & FLAG) {\n    go();\n  } else if (value) {\n    stop();\n  }\n}\n",
      "set",
    ],
  ])("and export macros are no names in %j", async (code, name) => {
    const lines = code.split("\n").length;
    expect(outline(await chunk("a.c", "c", `${code}\nint after(void)\n{\n  return 1;\n}\n`))).toEqual([
      `method function ${name} 1-${lines - 1}`,
      `method function after ${lines + 1}-${lines + 4}`,
    ]);
  });

  test("is no name behind a member's qualifiers, nor before a class that is exported", async () => {
    const source = `bool Expectation::IsMet() const
    EXCLUSIVE_LOCK_REQUIRED_(mutex) {
  return met_;
}

MODULE_EXPORT class LIB_EXPORT Mock : public Base {
  void clear() const LOCK_REQUIRED_(mutex) {
    go();
  }
  void reset() noexcept override LOCK_REQUIRED_(mutex) {
    go();
  }
};
`;
    expect(outline(await chunk("a.cpp", "cpp", source))).toEqual([
      "method function IsMet 1-4",
      "class class Mock 6-13",
      "  method method clear 7-9",
      "  method method reset 10-12",
    ]);
  });

  test("what returns a reference has its name", async () => {
    const source = `double& twice(double& input) { return input; }

struct Holder {
  const std::shared_ptr<Base>& held() const {
    return held_;
  }
};
`;
    expect(outline(await chunk("a.cpp", "cpp", source))).toEqual([
      "method function twice 1-1",
      "class struct Holder 3-7",
      "  method method held 4-6",
    ]);
  });

  test("is no name of a class or a test", async () => {
    const source = `class MACRO Shape final : public Base {
  int area() const {
    return 1;
  }
};

class FOO final {
  int __size() noexcept {
    return 1;
  }
};

TEST(Shapes, Area) {
  EXPECT_EQ(1, 1);
}
`;
    expect(outline(await chunk("a.cpp", "cpp", source))).toEqual([
      "class class Shape 1-5",
      "  method method area 2-4",
      "class class FOO 7-11",
      "  method method __size 8-10",
      "method function Area 13-15",
    ]);
  });
});
