// Loaded into a process of the service before anything else. On SIGUSR2 its clock jumps by CLOCK_JUMP_MS, and on the
// next one back again; whatever waits, waits as it does. With HURRY=100 it loses patience with others a hundred times sooner.
// With HURRY_TIMERS=10 intervals from 12 seconds and timers above 15 seconds fire ten times sooner, so that a short outage
// outlasts them. Shorter timers are patience with the database, or with the child that decodes an image, whose work takes
// seconds on a busy machine.
const { CLOCK_JUMP_MS = '0', HURRY = '1', HURRY_TIMERS = '1' } = process.env;

const util = require('node:util');

let ahead = 0;
process.on('SIGUSR2', () => {
  ahead = ahead === 0 ? Number(CLOCK_JUMP_MS) : 0;
});

const RealDate = Date;
const now = () => RealDate.now() + ahead;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, values, made) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, made),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

const timeout = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (milliseconds) => timeout(Math.ceil(milliseconds / Number(HURRY)));

if (HURRY_TIMERS !== '1') {
  for (const [name, least] of [
    ['setTimeout', 15_001],
    ['setInterval', 12_000],
  ]) {
    const set = globalThis[name];
    const hurried = (act, milliseconds, ...values) =>
      set(act, milliseconds >= least ? milliseconds / Number(HURRY_TIMERS) : milliseconds, ...values);
    globalThis[name] = Object.assign(hurried, { [util.promisify.custom]: set[util.promisify.custom] });
  }
}
