import { describe, expect, test } from "vitest";
import { chunk, outline } from "../../../test/support/chunk-fixture.ts";

/** What is found in a small file of each language: level, kind, name and lines, nested. */

describe("python", () => {
  const source = `"""Reads settings."""

import os

LIMIT = 10
names: list[str] = []
first, second = 1, 2


class Store(Base, metaclass=Meta):
    """Keeps settings."""

    default = 3

    def __init__(self, path: str) -> None:
        self.path = path

    # Not cached on purpose.
    @property
    def size(self) -> int:
        """Bytes on disk."""
        return os.stat(self.path).st_size

    @staticmethod
    async def load(path):
        def parse(line):
            return line.split("=")

        return [parse(line) for line in open(path)]

    class Error(Exception):
        pass


@cli.command("show")
@option(
    "--all",
)
def show(all: bool = False):
    local = 1
    return local


if True:

    def fallback():
        pass


type Pair = tuple[int, int]
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.py", "python", source))).toEqual([
      "class class Store 10-32",
      "  method method __init__ 15-16",
      "  method method size 18-22",
      "  method method load 24-29",
      "  class class Error 31-32",
      "method function show 35-41",
      "method function fallback 46-47",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.py", "python", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "constant LIMIT 5",
      "constant names 6",
      "class Store 10",
      "constant default 13",
      "method __init__ 15",
      "method size 19",
      "method load 24",
      "function parse 26",
      "class Error 31",
      "function show 35",
      "function fallback 46",
      "type Pair 50",
    ]);
  });
});

describe("ruby", () => {
  const source = `# frozen_string_literal: true

module Shop
  # A cart.
  class Cart < Base
    MAX = 10

    attr_reader :items

    # Adds one.
    def add(item, count: 1)
      @items << item
    end

    def self.open(id) = new(id)

    def [](index)
      @items[index]
    end

    def empty? = @items.empty?

    class << self
      def default
        @default
      end
    end
  end
end

Point = Struct.new(:x, :y) do
  def length
    x + y
  end
end

def helper
end
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.rb", "ruby", source))).toEqual([
      "class module Shop 3-29",
      "  class class Cart 4-28",
      "    method method add 10-13",
      "    method method open 15-15",
      "    method method [] 17-19",
      "    method method empty? 21-21",
      "    method method default 24-26",
      "class object Point 31-35",
      "  method method length 32-34",
      "method method helper 37-38",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.rb", "ruby", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "module Shop 3",
      "class Cart 5",
      "constant MAX 6",
      "method add 11",
      "method open 15",
      "method [] 17",
      "method empty? 21",
      "method default 24",
      "constant Point 31",
      "method length 32",
      "method helper 37",
    ]);
  });
});

describe("php", () => {
  const source = String.raw`<?php
/** Routes. */

namespace App\Http;

use App\Base;

const LIMIT = 10;

/** A router. */
#[Service(name: 'router')]
final class Router extends Base implements Handler
{
    public const METHODS = ['GET'];
    private array $routes = [];

    public function __construct(private int $size)
    {
    }

    /** Finds one. */
    #[Pure]
    public static function match(string $path): ?Route
    {
        $find = function ($route) use ($path) {
            return $route->path === $path;
        };
        return null;
    }
}

interface Handler
{
    public function handle(): void;
}

trait Logs
{
}

enum Method: string
{
    case Get = 'GET';
}

function helper(): void
{
}

$later = function (int $n) {
    return $n;
};
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.php", "php", source))).toEqual([
      "class class Router 10-30",
      "  method method __construct 17-19",
      "  method method match 21-29",
      "class interface Handler 32-35",
      "  method method handle 34-34",
      "class trait Logs 37-39",
      "class enum Method 41-44",
      "method function helper 46-48",
      "method function later 50-52",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.php", "php", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "constant LIMIT 8",
      "class Router 11",
      "constant METHODS 14",
      "property routes 15",
      "method __construct 17",
      "method match 22",
      "function find 25",
      "interface Handler 32",
      "method handle 34",
      "trait Logs 37",
      "enum Method 41",
      "constant Get 43",
      "function helper 46",
      "function later 50",
    ]);
  });
});

describe("bash", () => {
  const source = `#!/usr/bin/env bash
# Deploys the app.

set -euo pipefail

TARGET=/srv/app
export REGION="eu"

# Copies the files.
copy() {
  local from=$1
  cp -r "$from" "$TARGET"
}

function restart {
  systemctl restart app
}

copy "$@"
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.sh", "bash", source))).toEqual([
      "method function copy 9-13",
      "method function restart 15-17",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.sh", "bash", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "variable TARGET 6",
      "variable REGION 7",
      "function copy 10",
      "function restart 15",
    ]);
  });
});

describe("lua", () => {
  const source = `-- Keeps sessions.
local M = {}

local timeout = 30

--- Opens one.
function M.open(id)
  return M.sessions[id]
end

function M:close()
  self.closed = true
end

local function check(id)
  return id ~= nil
end

M.find = function(id)
  return check(id)
end

local handlers = {
  get = function(request)
    return request
  end,
}

return M
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.lua", "lua", source))).toEqual([
      "method function open 6-9",
      "method function close 11-13",
      "method function check 15-17",
      "method function find 19-21",
      "class object handlers 23-27",
      "  method function get 24-26",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.lua", "lua", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "variable M 2",
      "variable timeout 4",
      "function open 7",
      "function close 11",
      "function check 15",
      "function find 19",
      "variable handlers 23",
      "function get 24",
    ]);
  });
});
