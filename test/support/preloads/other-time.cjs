// Lets a program live at another time: its clock is POMMEL_TEST_CLOCK_MS milliseconds ahead, in its threads as well.
const aheadMs = Number(process.env.POMMEL_TEST_CLOCK_MS ?? 0);
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + aheadMs] : given));
  }
  static now() {
    return RealDate.now() + aheadMs;
  }
};
