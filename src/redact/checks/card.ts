/** Numbers that payment providers publish for tests. */
const testCards = new Set(
  (
    "4242424242424242 4000056655665556 5555555555554444 2223003122003222 5200828282828210 5105105105105100 " +
    "378282246310005 371449635398431 6011111111111117 6011000990139424 3056930009020004 36227206271667 " +
    "3566002020360505 4111111111111111 4012888888881881 4000000000000002 4000002500003155 5454545454545454"
  ).split(" "),
);

/** Ranges of the large brands (ISO/IEC 7812): American Express, Visa, Mastercard, Discover, UnionPay, JCB, Diners. */
const brands =
  /^(?:3[47][0-9]{13}|4[0-9]{12}(?:[0-9]{3}){0,2}|5[1-5][0-9]{14}|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)[0-9]{12}|6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}|62[0-9]{14,17}|35(?:2[89]|[3-8][0-9])[0-9]{12}|3(?:0[0-5]|[68][0-9])[0-9]{11})$/;

/** Whether it is the number of a payment card: of a brand, with a valid check digit (Luhn), and not a test number. */
export function isCard(text: string): boolean {
  const number = text.replace(/[ -]/g, "");
  if (!brands.test(number) || testCards.has(number) || new Set(number).size < 4) return false;
  let sum = 0;
  for (let i = 0; i < number.length; i++) {
    const digit = Number(number[number.length - 1 - i]) * (i % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}
