import { describe, expect, test } from "vitest";
import { chunk, outline } from "../../../test/support/chunk-fixture.ts";

/** What is found in a small file of each language: level, kind, name and lines, nested. */

describe("csharp", () => {
  const source = `using System;

namespace Shop.Orders
{
    /// <summary>An order.</summary>
    [Serializable]
    public partial class Order<T> : Base where T : new()
    {
        public const int Max = 10;
        private int count = 1;

        /// <summary>What it costs.</summary>
        public decimal Total { get; private set; }

        public Order(int id) : base(id)
        {
        }

        ~Order() { }

        [Obsolete("old")]
        public async Task<int> ShipAsync<U>(U where)
        {
            int Local(int x) => x + 1;
            return await Local(1);
        }

        public static Order<T> operator +(Order<T> a, Order<T> b) => a;

        public T this[int index] => default;

        public event EventHandler Shipped;
    }

    public interface IShip
    {
        void Ship();
    }

    public record Line(string Name, int Count);

    enum State { Open, Paid }

    delegate int Compare(int a, int b);
}
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.cs", "csharp", source))).toEqual([
      "class namespace Orders 3-45",
      "  class class Order 5-33",
      "    method property Total 12-13",
      "    method constructor Order 15-17",
      "    method destructor Order 19-19",
      "    method method ShipAsync 21-26",
      "    method operator + 28-28",
      "    method indexer this 30-30",
      "  class interface IShip 35-38",
      "    method method Ship 37-37",
      "  class record Line 40-40",
      "  class enum State 42-42",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.cs", "csharp", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "namespace Orders 3",
      "class Order 6",
      "field Max 9",
      "field count 10",
      "property Total 13",
      "constructor Order 15",
      "destructor Order 19",
      "method ShipAsync 21",
      "function Local 24",
      "operator + 28",
      "indexer this 30",
      "event Shipped 32",
      "interface IShip 35",
      "method Ship 37",
      "record Line 40",
      "enum State 42",
      "constant Open 42",
      "constant Paid 42",
      "delegate Compare 44",
    ]);
  });
});

describe("swift", () => {
  const source = `import Foundation

/// The most.
let max = 10
typealias Lines = [String]

/// A cart.
@objc public final class Cart: Base {
    var total: Int = 0

    init(id: Int) {
        self.id = id
    }

    deinit {
        close()
    }

    /// Adds.
    func add(_ item: Item) throws -> Bool {
        return true
    }

    subscript(index: Int) -> Item {
        return items[index]
    }
}

extension Cart: Priced {
    static func open() -> Cart {
        return Cart(id: 1)
    }
}

struct Line {
    let name: String
}

enum State {
    case open, paid
}

protocol Priced {
    func price() -> Int
}

func helper<T>(x: T) where T: Priced {
}
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.swift", "swift", source))).toEqual([
      "class class Cart 7-27",
      "  method method init 11-13",
      "  method deinitializer deinit 15-17",
      "  method method add 19-22",
      "  method subscript subscript 24-26",
      "class extension Cart 29-33",
      "  method method open 30-32",
      "class struct Line 35-37",
      "class enum State 39-41",
      "class protocol Priced 43-45",
      "  method method price 44-44",
      "method function helper 47-48",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.swift", "swift", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "property max 4",
      "type Lines 5",
      "class Cart 8",
      "property total 9",
      "method init 11",
      "deinitializer deinit 15",
      "method add 20",
      "subscript subscript 24",
      "extension Cart 29",
      "method open 30",
      "struct Line 35",
      "property name 36",
      "enum State 39",
      "constant open 40",
      "protocol Priced 43",
      "method price 44",
      "function helper 47",
    ]);
  });
});

describe("elixir", () => {
  const source = `defmodule Shop.Cart do
  @moduledoc """
  Carts.
  """

  use GenServer

  @limit 10

  defstruct [:id]

  @doc "Adds one."
  @spec add(t, item) :: t
  def add(%Cart{} = cart, item) when is_map(item) do
    cart
  end

  defp check(item), do: item

  # Expands.
  defmacro route(path) do
    quote do: unquote(path)
  end

  defguard is_small(n) when n < 10
end

defprotocol Shop.Priced do
  def price(item)
end

defimpl Shop.Priced, for: Shop.Cart do
  def price(_), do: 0
end
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.ex", "elixir", source))).toEqual([
      "class module Cart 1-26",
      "  method function add 12-16",
      "  method function check 18-18",
      "  method macro route 20-23",
      "  method guard is_small 25-25",
      "class protocol Priced 28-30",
      "  method function price 29-29",
      "class implementation Priced 32-34",
      "  method function price 33-33",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.ex", "elixir", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "module Cart 1",
      "function add 14",
      "function check 18",
      "macro route 21",
      "guard is_small 25",
      "protocol Priced 28",
      "function price 29",
      "implementation Priced 32",
      "function price 33",
    ]);
  });
});
