// Loaded before the service: at each SIGUSR2 the vendor's HTTP is left out, or comes back. What it would say is said inside the process.
const { setTimeout: pause } = require('node:timers/promises');

const { FalMediaProvider } = require('../../dist/src/providers/fal/fal-media.provider.js');

const ANSWERS_AFTER_MS = 5;
const overHttp = Reflect.get(FalMediaProvider.prototype, 'status');
let isInside = false;

FalMediaProvider.prototype.status = function status(...args) {
  return isInside ? pause(ANSWERS_AFTER_MS, { state: 'running' }) : Reflect.apply(overHttp, this, args);
};
process.on('SIGUSR2', () => {
  isInside = !isInside;
});
