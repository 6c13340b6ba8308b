import { describe, expect, test } from "vitest";
import { chunk, outline } from "../../../test/support/chunk-fixture.ts";

/** What is found in a small file of each language: level, kind, name and lines, nested. */

describe("java", () => {
  const source = `/*
 * Copyright 2020 Someone. Licensed to nobody.
 */
package shop.cart;

import java.util.List;

/** A cart of things to buy. */
@Entity(name = "cart")
public final class Cart<T extends Item> extends Base implements Closeable {
  private static final int MAX = 10, MIN = 1;

  public Cart(int size) {
    super(size);
  }

  /** Adds one. */
  @Override
  @Deprecated(since = "2")
  public boolean add(T item) throws FullException {
    Runnable later = new Runnable() {
      @Override public void run() { check(); }
    };
    return true;
  }

  enum State {
    OPEN, PAID;

    boolean isFinal() { return this == PAID; }
  }

  record Line(String name, int count) {
    Line {
      check(name);
    }
  }
}

interface Priced {
  int price();
}

@interface Audited {
  String by() default "";
}
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/A.java", "java", source))).toEqual([
      "class class Cart 8-38",
      "  method constructor Cart 13-15",
      "  method method add 17-25",
      "  class enum State 27-31",
      "    method method isFinal 30-30",
      "  class record Line 33-37",
      "    method constructor Line 34-36",
      "class interface Priced 40-42",
      "  method method price 41-41",
      "class annotation Audited 44-46",
      "  method element by 45-45",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/A.java", "java", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "class Cart 9",
      "field MAX 11",
      "constructor Cart 13",
      "method add 18",
      "method run 22",
      "enum State 27",
      "constant OPEN 28",
      "constant PAID 28",
      "method isFinal 30",
      "record Line 33",
      "constructor Line 34",
      "interface Priced 40",
      "method price 41",
      "annotation Audited 44",
      "element by 45",
    ]);
  });
});

describe("kotlin", () => {
  const source = `package shop

import java.io.File

/** The most. */
const val MAX = 10
typealias Lines = List<String>

/** A cart. */
@Serializable
data class Cart(val id: Int) : Base(id) {
    val total: Int by lazy { 1 }

    constructor(name: String) : this(1) {
        log(name)
    }

    /** Adds. */
    override suspend fun add(item: Item): Boolean {
        return true
    }

    companion object {
        const val EMPTY = 0

        fun open() = Cart(1)
    }
}

interface Priced {
    fun price(): Int
}

enum class State { OPEN, PAID }

object Registry {
    fun find(name: String) = name
}

fun String.slug(): String = lowercase()
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.kt", "kotlin", source))).toEqual([
      "class class Cart 9-28",
      "  method constructor constructor 14-16",
      "  method method add 18-21",
      "  class object companion 23-27",
      "    method method open 26-26",
      "class interface Priced 30-32",
      "  method method price 31-31",
      "class enum State 34-34",
      "class object Registry 36-38",
      "  method method find 37-37",
      "method function slug 40-40",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.kt", "kotlin", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "property MAX 6",
      "type Lines 7",
      "class Cart 10",
      "property total 12",
      "constructor constructor 14",
      "method add 19",
      "object companion 23",
      "property EMPTY 24",
      "method open 26",
      "interface Priced 30",
      "method price 31",
      "enum State 34",
      "object Registry 36",
      "method find 37",
      "function slug 40",
    ]);
  });
});

describe("scala", () => {
  const source = `package shop

import scala.util.Try

/** A cart. */
@SerialVersionUID(1L)
class Cart(id: Int) extends Base {
  val total = 1
  type Lines = List[String]

  /** Adds. */
  def add(item: Item): Boolean = {
    def check(x: Int) = x > 0
    check(1)
  }

  def size: Int
}

object Cart {
  def open(): Cart = new Cart(1)
}

trait Priced {
  def price: Int
}

case class Line(name: String, count: Int)

enum State {
  case Open, Paid
}
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.scala", "scala", source))).toEqual([
      "class class Cart 5-18",
      "  method method add 11-15",
      "  method method size 17-17",
      "class object Cart 20-22",
      "  method method open 21-21",
      "class trait Priced 24-26",
      "  method method price 25-25",
      "class class Line 28-28",
      "class enum State 30-32",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.scala", "scala", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "class Cart 6",
      "value total 8",
      "type Lines 9",
      "method add 12",
      "function check 13",
      "method size 17",
      "object Cart 20",
      "method open 21",
      "trait Priced 24",
      "method price 25",
      "class Line 28",
      "enum State 30",
    ]);
  });
});
